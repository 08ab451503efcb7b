// Command check tells whether a service is what this provider assumes. Releases have it as einvoice-check. It works
// through a list of questions, questions.txt, and speaks the language of EINVOICE_LANGUAGE.
//
//	einvoice-check [-base-url URL] [-api-key KEY] [-company ID] [-read-only] [-json FILE]
//
// With -read-only it sends only GET requests. Otherwise it makes objects whose names begin with einvoice-check-, issues
// one invoice of each model whose environment in the settings is development or simulation, and removes what it made.
// The text check.exits says what it exits with.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

const name = "einvoice-check"

// version is set by the release build.
var version = "dev"

// The exit codes, which pipelines go by.
const (
	exitFits    = 0
	exitUnusual = 2
	exitDiffers = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second interrupt ends the program at once, while it removes what it made.
	context.AfterFunc(ctx, stop)
	os.Exit(command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// settings are what the flags and the environment say.
type settings struct {
	config   einvoice.Config
	company  string
	readOnly bool
	json     string
	version  bool
}

func parse(args []string, env func(string) string, say func(string) string, diagnostics io.Writer) (settings, error) {
	s := settings{config: einvoice.Config{UserAgent: name, MaxRetries: 3}}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprintln(diagnostics, say("check.usage"))
		flags.PrintDefaults()
		fmt.Fprintln(diagnostics, "\n"+say("check.exits"))
	}
	flags.StringVar(&s.config.BaseURL, "base-url", env("EINVOICE_BASE_URL"), say("flag.base_url"))
	flags.StringVar(&s.config.APIKey, "api-key", "", say("flag.api_key"))
	flags.StringVar(&s.company, "company", "", say("flag.company"))
	flags.BoolVar(&s.readOnly, "read-only", false, say("flag.read_only"))
	flags.StringVar(&s.json, "json", "", say("flag.json"))
	flags.BoolVar(&s.version, "version", false, say("flag.version"))
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, text.NewError("check.argument", with{"given": flags.Arg(0)})
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
		return 0, text.NewError("check.no_number", with{"variable": variable})
	}
	return n, nil
}

func command(ctx context.Context, args []string, env func(string) string, out, diagnostics io.Writer) int {
	language, isLanguage := text.Named(env(text.EnvLanguage))
	speaking := text.InLanguage(context.Background(), language)
	chosen, err := parse(args, env, func(key string) string { return text.Of(key, nil).In(speaking) }, diagnostics)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitFits
	case err != nil:
	case !isLanguage:
		err = text.NewError("check.language", with{"given": env(text.EnvLanguage)})
	case chosen.version:
		fmt.Fprintln(out, name, version)
		return exitFits
	case chosen.config.APIKey == "":
		err = text.NewError("check.no_key", nil)
	}
	r, failure := newRun(chosen.config, language)
	if err = errors.Join(err, failure); err != nil && r == nil {
		r = &run{language: language}
	}
	if err != nil {
		return r.fail(err, diagnostics)
	}
	r.readOnly, r.companyID, r.progress = chosen.readOnly, chosen.company, diagnostics
	return r.finish(ctx, chosen.json, out, diagnostics)
}

// fail says why the program ends.
func (r *run) fail(err error, diagnostics io.Writer) int {
	why := words("failed", with{"reason": err.Error()})
	if spoken := (text.SpokenError{}); errors.As(err, &spoken) {
		why = words("failed", with{"reason": spoken.Text})
	}
	fmt.Fprintln(diagnostics, r.in(why))
	return exitUnusual
}

// finish asks, prints what was found, removes what was made, and returns the exit code. The file is written twice: an
// impatient person may end the program while it removes.
func (r *run) finish(ctx context.Context, file string, out, diagnostics io.Writer) int {
	err := r.askAll(ctx)
	if r.isCut = r.isCut || err != nil; err == nil {
		r.write(out, r.report())
		r.printed = r.clock.Now()
		err = r.report().save(file)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpPatience)
	defer cancel()
	r.cleanUp(ending)
	for key, all := range map[string][]string{"left": r.left, "lingering": r.lingering, "changed": r.changed} {
		for _, what := range all {
			fmt.Fprintln(out, r.in(words(key, with{"what": what})))
		}
	}
	found := r.report()
	if err = errors.Join(err, found.save(file)); err != nil {
		return r.fail(err, diagnostics)
	}
	_, _, troubles := r.differences(found)
	switch {
	case len(r.production) > 0:
		return exitUnusual
	case troubles > 0:
		return exitDiffers
	case len(r.left)+len(r.changed) > 0:
		return exitUnusual
	}
	return exitFits
}
