// Command check tells whether a service is what this provider assumes. Releases have it as einvoice-check.
//
//	einvoice-check [-base-url URL] [-api-key KEY] [-company ID] [-read-only] [-json FILE]
//
// With -read-only it sends only GET requests. Otherwise it makes objects whose names begin with einvoice-check-, issues
// one invoice of each model whose environment in the settings is development or simulation, and removes what it made.
//
// See exits for the codes that it exits with.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const name = "einvoice-check"

// version is set by the release build.
var version = "dev"

// The exit codes, which pipelines go by.
const (
	exitFits    = 0
	exitUnusual = 2
	exitDiffers = 3
	exits       = `
Exit codes, the first that applies:
  2  wrong use, no access, interrupted, or a model was skipped because its environment is production
  3  the provider does not cope with a difference
  2  something was left behind or not put back: the program names it
  0  nothing differs, or the provider copes with all differences
`
)

const cleanUpPatience = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second interrupt ends the program at once, while it removes what it made.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// settings are what the flags and the environment say.
type settings struct {
	config   einvoice.Config
	company  string
	readOnly bool
	json     string
	tables   string
	version  bool
}

func parse(args []string, env func(string) string, diagnostics io.Writer) (settings, error) {
	s := settings{config: einvoice.Config{UserAgent: name, MaxRetries: 3}}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprintf(diagnostics, "Usage of %s:\n", name)
		flags.PrintDefaults()
		fmt.Fprint(diagnostics, exits)
	}
	flags.StringVar(&s.config.BaseURL, "base-url", env("EINVOICE_BASE_URL"),
		"the service's `address`, ending in /v1 (or EINVOICE_BASE_URL)")
	flags.StringVar(&s.config.APIKey, "api-key", "",
		"the main company's `key` (better: EINVOICE_API_KEY, which a list of processes does not show)")
	flags.StringVar(&s.company, "company", "",
		"the `id` of the company that the key belongs to, if the service does not tell it")
	flags.BoolVar(&s.readOnly, "read-only", false, "send only GET requests")
	flags.StringVar(&s.json, "json", "", "also write the findings to this `file`")
	flags.StringVar(&s.tables, "tables", "",
		"only write the tables of operations and assumptions into this `page`")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q: only flags are allowed", flags.Arg(0))
	}
	if s.config.APIKey == "" {
		s.config.APIKey = env("EINVOICE_API_KEY")
	}
	var err error
	s.config.RequestsPerMinute, err = limit(env, "EINVOICE_REQUESTS_PER_MINUTE", 60)
	if err != nil {
		return s, err
	}
	s.config.RequestsPerSecond, err = limit(env, "EINVOICE_REQUESTS_PER_SECOND", 5)
	return s, err
}

func limit(env func(string) string, variable string, otherwise int) (int, error) {
	value := strings.TrimSpace(env(variable))
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number", variable)
	}
	return n, nil
}

func run(ctx context.Context, args []string, env func(string) string, out, diagnostics io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintln(diagnostics, name+":", err)
		return exitUnusual
	}
	chosen, err := parse(args, env, diagnostics)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitFits
	case err != nil:
		return fail(err)
	case chosen.version:
		fmt.Fprintln(out, name, version)
		return exitFits
	case chosen.tables != "":
		if err := writeTables(chosen.tables); err != nil {
			return fail(err)
		}
		return exitFits
	case chosen.config.APIKey == "":
		return fail(errors.New("no API key: set EINVOICE_API_KEY, or -api-key"))
	}
	c, err := newCheck(chosen.config)
	if err != nil {
		return fail(err)
	}
	c.readOnly, c.companyID, c.progress = chosen.readOnly, chosen.company, diagnostics
	return c.finish(ctx, chosen.json, out, diagnostics)
}

// finish walks, removes what was made, writes the report and returns the exit code.
func (c *check) finish(ctx context.Context, file string, out, diagnostics io.Writer) int {
	err := c.walk(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpPatience)
	defer cancel()
	c.cleanUp(ending)
	c.isCut = err != nil
	found := c.report()
	if c.isCut {
		found.writeLeft(diagnostics)
	} else {
		found.write(out, c.instead, c.production)
	}
	if file != "" {
		encoded, _ := json.MarshalIndent(found, "", "  ")
		err = errors.Join(err, os.WriteFile(file, append(encoded, '\n'), 0o600))
	}
	switch {
	case err != nil:
		fmt.Fprintln(diagnostics, name+":", err)
		return exitUnusual
	case len(c.production) > 0:
		return exitUnusual
	case len(found.troubles()) > 0:
		return exitDiffers
	case len(c.left)+len(c.changed) > 0:
		return exitUnusual
	}
	return exitFits
}

// walk asks the service everything. Later questions need earlier answers.
func (c *check) walk(ctx context.Context) error {
	c.say("access")
	if err := c.access(ctx); err != nil {
		return err
	}
	steps := []struct {
		name   string
		writes bool
		do     func(context.Context)
	}{
		{"companies and settings", false, c.companies},
		{"lists", false, c.lists},
		{"existing invoices", false, c.invoiceLists},
		{"existing orders", false, c.orderLists},
		{"a customer, a product, a webhook and an order", true, c.objects},
		{"a block of the settings, put back as it is", true, c.settings},
		{"invoices", true, c.invoices},
		{"the rest, with unknown ids", false, c.rest},
	}
	for _, step := range steps {
		if step.writes && c.readOnly {
			continue
		}
		c.say("%s", step.name)
		step.do(ctx)
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	return nil
}

// rest asks for the operations that were not tried yet, with an unknown id.
func (c *check) rest(ctx context.Context) {
	for _, q := range everyQuestion() {
		o := c.tableEntry(q.operation)
		needsID := strings.Contains(strings.ReplaceAll(o.Path, "{model}", ""), "{")
		if c.operations[q.entry()] != nil || !needsID || c.readOnly && o.Method != "GET" || ctx.Err() != nil {
			continue
		}
		c.probe(ctx, q)
	}
}
