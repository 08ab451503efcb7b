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
	"cmp"
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

func command(ctx context.Context, args []string, env func(string) string, out, diagnostics io.Writer) int {
	language, isLanguage := text.Named(env(text.EnvLanguage))
	r, config := newRun(language), einvoice.Config{UserAgent: name, MaxRetries: 3}
	r.progress = diagnostics
	say := func(key string) string { return r.in(text.Of(key, nil)) }
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprintln(diagnostics, say("check.usage"))
		flags.PrintDefaults()
		fmt.Fprintln(diagnostics, "\n"+say("check.exits"))
	}
	flags.StringVar(&config.BaseURL, "base-url", env("EINVOICE_BASE_URL"), say("flag.base_url"))
	key := flags.String("api-key", "", say("flag.api_key"))
	flags.StringVar(&r.companyID, "company", "", say("flag.company"))
	flags.BoolVar(&r.readOnly, "read-only", false, say("flag.read_only"))
	file := flags.String("json", "", say("flag.json"))
	isVersion := flags.Bool("version", false, say("flag.version"))
	err := flags.Parse(args)
	config.APIKey = cmp.Or(*key, env("EINVOICE_API_KEY"))
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitFits
	case err != nil:
	case flags.NArg() > 0:
		err = text.NewError("check.argument", with{"given": flags.Arg(0)})
	case !isLanguage:
		err = text.NewError("check.language", with{"given": env(text.EnvLanguage)})
	case *isVersion:
		fmt.Fprintln(out, name, version)
		return exitFits
	case config.APIKey == "":
		err = text.NewError("check.no_key", nil)
	default:
		err = errors.Join(
			limit(env, "EINVOICE_REQUESTS_PER_MINUTE", 60, &config.RequestsPerMinute),
			limit(env, "EINVOICE_REQUESTS_PER_SECOND", 5, &config.RequestsPerSecond))
		if err == nil {
			err = r.connect(config)
		}
	}
	if err != nil {
		return r.fail(err, diagnostics)
	}
	return r.finish(ctx, *file, out, diagnostics)
}

func limit(env func(string) string, variable string, otherwise int, limit *int) (err error) {
	if *limit = otherwise; env(variable) != "" {
		if *limit, err = strconv.Atoi(strings.TrimSpace(env(variable))); err != nil {
			return text.NewError("check.no_number", with{"variable": variable})
		}
	}
	return nil
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
	_, differ := r.differences(found)
	switch {
	case len(r.production) > 0:
		return exitUnusual
	case differ[true] > 0:
		return exitDiffers
	case len(r.left)+len(r.changed) > 0:
		return exitUnusual
	}
	return exitFits
}
