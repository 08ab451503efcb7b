package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// demo is one showing.
type demo struct {
	want           string // see cli.Find
	quickstart     string // the directory of the configuration that is shown
	authorizeAfter time.Duration
	keep           bool
	out            io.Writer
	build          func(ctx context.Context, dir string) (executable string, environ []string, err error)

	kept    bool // the showing is over, and the service only runs on
	started time.Time
	step    int
	dir     string // of everything the showing writes
	cli     *cli.CLI
	service *sandbox.Server
	webhook *receiver
}

// sale is a configuration whose invoice is refused first.
//
//go:embed sale/main.tf
var sale string

// What is wrong with the sale, and what mends it.
const (
	wrongCode, rightCode = `"19050000"`, `"19059090"`

	saleID          = "quickstart-nfce-2"
	rejectedWith    = "778"
	rejectedBecause = "Rejeição: Informado NCM inexistente [nItem:1]"
)

func (d *demo) run(ctx context.Context) (err error) {
	d.started = time.Now()
	if _, err := os.Stat(filepath.Join(d.quickstart, "main.tf")); err != nil {
		return text.NewError("demo.no_checkout", text.With{"dir": d.quickstart})
	}
	if d.dir, err = os.MkdirTemp("", "einvoice-demo-"); err != nil {
		return err
	}
	// What an interruption ended has failed in some way of its own.
	defer func() { err = errors.Join(cmp.Or(ctx.Err(), err), os.RemoveAll(d.dir)) }()

	environ, err := d.prepare(ctx)
	if err != nil {
		return err
	}
	stop, err := d.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()

	account := d.console("quickstart", append(environ, "EINVOICE_API_KEY="+d.service.OwnerKey()))
	if err := d.issue(ctx, account); err != nil {
		return err
	}
	if d.keep {
		d.kept = true
		return d.playOn(ctx, account)
	}
	branch := d.console("sale", environ)
	if err := d.reject(ctx, account, branch); err != nil {
		return err
	}
	return d.cleanUp(ctx, account, branch)
}

// heading begins a step. The first paragraph of its text is the title; what is shown stands after it.
func (d *demo) heading(t text.Text, shown string) {
	d.step++
	title, rest, _ := strings.Cut(t.String(), "\n\n")
	fmt.Fprintf(d.out, "\n=== %d. %s\n", d.step, title)
	for _, part := range []string{shown, rest} {
		if part != "" {
			fmt.Fprintf(d.out, "\n%s\n", part)
		}
	}
}

// say prints a text after an empty line.
func (d *demo) say(t text.Text) { fmt.Fprintf(d.out, "\n%s\n", t) }

// prepare finds the CLI and builds the provider. It returns the environment that makes the one use the other, and keeps
// both away from what the user has set up.
func (d *demo) prepare(ctx context.Context) ([]string, error) {
	d.heading(text.Of("demo.build", nil), "")
	var err error
	if d.cli, err = cli.Find(ctx, d.want, d.out); err != nil {
		return nil, err
	}
	d.say(text.Of("demo.using", text.With{"cli": d.cli.String()}))
	began := time.Now()
	_, environ, err := d.build(ctx, d.dir)
	if err != nil {
		return nil, err
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	fmt.Fprintln(d.out, text.Of("demo.built", text.With{"time": took.String()}))
	environ = append(environ, "EINVOICE_CACHE_DIR="+filepath.Join(d.dir, "cache"))
	if language := os.Getenv(text.EnvLanguage); language != "" {
		environ = append(environ, text.EnvLanguage+"="+language)
	}
	return slices.Clip(environ), nil
}

// serve starts the service and the receiver of its webhooks, and writes the configurations that use them.
func (d *demo) serve(ctx context.Context) (stop func(), err error) {
	d.service = sandbox.New(sandbox.Options{AuthorizeAfter: d.authorizeAfter, RateLimit: true})
	if err := d.service.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	if d.webhook, err = listenForWebhooks(ctx); err != nil {
		d.service.Close()
		return nil, err
	}
	d.heading(text.Of("demo.start", text.With{"url": d.service.BaseURL(), "after": d.authorizeAfter.String()}), "")
	d.service.ScriptInvoice(saleID, sandbox.Reject(rejectedWith, rejectedBecause))

	shown := os.DirFS(d.quickstart)
	err = errors.Join(
		fs.WalkDir(shown, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".tf" {
				return err // A state or a plan that somebody left there is not for here.
			}
			content, err := fs.ReadFile(shown, name)
			if err != nil {
				return err
			}
			return d.write("quickstart", name, string(content))
		}),
		d.write("quickstart", "demo.auto.tfvars", fmt.Sprintf("webhook_url = %q\n", d.webhook.url)),
		d.write("sale", "main.tf", sale),
	)
	return func() {
		d.service.Close()
		d.webhook.close()
	}, err
}

func (d *demo) write(dir, name, content string) error {
	path := filepath.Join(d.dir, dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

func (d *demo) console(dir string, environ []string) *console {
	return &console{
		cli:     d.cli,
		dir:     filepath.Join(d.dir, dir),
		out:     d.out,
		environ: append(environ, "EINVOICE_BASE_URL="+d.service.BaseURL()),
	}
}

// issue applies the quickstart, and again to see that nothing is left to do.
func (d *demo) issue(ctx context.Context, account *console) error {
	d.heading(text.Of("demo.issue", nil), "")
	if err := account.mustRun(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	for _, id := range []string{"quickstart-nfse-1", "quickstart-nfce-1"} {
		if err := d.authorizedOnce(id); err != nil {
			return err
		}
	}
	d.service.Settle()
	signed := d.webhook.received("invoice.authorized")
	if err := promised(signed == 2, text.Of("demo.broken_deliveries", text.With{"number": signed})); err != nil {
		return err
	}
	d.say(text.Of("demo.delivered", nil))

	d.heading(text.Of("demo.again", nil), "")
	code, err := account.run(ctx, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}
	return promised(code == 0, text.Of("demo.broken_plan", text.With{"code": code}))
}

// reject shows how a rejected invoice is reported and gone on with.
func (d *demo) reject(ctx context.Context, account, branch *console) error {
	d.heading(text.Of("demo.reject", text.With{"code": wrongCode}), "")
	key, err := account.output(ctx, "branch_key")
	if err != nil {
		return err
	}
	branch.environ = append(branch.environ, "EINVOICE_API_KEY="+key)
	code, err := branch.run(ctx, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	printed := strings.Join(strings.Fields(branch.printed), " ") // As it was before it was wrapped.
	reported := strings.Contains(printed, rejectedWith) && strings.Contains(printed, rejectedBecause)
	err = promised(code != 0 && reported, text.Of("demo.broken_report", text.With{"code": code}))
	if err != nil {
		return err
	}
	rejected := d.service.InvoicesByIntegrationID(saleID)
	isOne := len(rejected) == 1 && rejected[0]["status"] == "rejected"
	err = promised(isOne, text.Of("demo.broken_rejected", text.With{"number": len(rejected)}))
	if err != nil {
		return err
	}
	d.say(text.Of("demo.rejected", nil))

	d.heading(text.Of("demo.correct", nil), "    - ncm = "+wrongCode+"\n    + ncm = "+rightCode)
	if err := d.write("sale", "main.tf", strings.Replace(sale, wrongCode, rightCode, 1)); err != nil {
		return err
	}
	if err := branch.mustRun(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	if err := d.authorizedOnce(saleID); err != nil {
		return err
	}
	again := d.service.InvoicesByIntegrationID(saleID)[0]
	return promised(again["id"] == rejected[0]["id"], text.Of("demo.broken_again", nil))
}

// cleanUp destroys everything and counts what is left.
func (d *demo) cleanUp(ctx context.Context, account, branch *console) error {
	d.heading(text.Of("demo.destroy", nil), "")
	for _, c := range []*console{branch, account} {
		if err := c.mustRun(ctx, "destroy", "-auto-approve", "-compact-warnings"); err != nil {
			return err
		}
	}
	left := len(d.service.Objects(sandbox.KindCompanies)) - 1 // The main company.
	for _, kind := range []string{sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks} {
		left += len(d.service.Objects(kind))
	}
	invoices, requests, refused := len(d.service.Invoices("")), len(d.service.Requests()), 0
	for _, r := range d.service.Requests() {
		if r.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	err := errors.Join(
		promised(left == 0, text.Of("demo.broken_left", text.With{"number": left})),
		promised(invoices == 3, text.Of("demo.broken_invoices", text.With{"number": invoices})),
		promised(refused == 0, text.Of("demo.broken_limit", text.With{"number": refused})),
	)
	if err != nil {
		return err
	}
	took := time.Since(d.started).Round(time.Second).String()
	d.say(text.Of("demo.done", text.With{"time": took, "invoices": invoices, "requests": requests}))
	return nil
}

// playOn waits until it is interrupted.
func (d *demo) playOn(ctx context.Context, account *console) error {
	d.heading(text.Of("demo.try", nil), "")
	fmt.Fprintf(d.out, "\n    cd %s\n", account.dir)
	for _, entry := range account.environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "TF_CLI_CONFIG_FILE" || strings.HasPrefix(name, "EINVOICE_") {
			fmt.Fprintf(d.out, "    export %s=%s\n", name, value)
		}
	}
	command := account.command()
	script := fmt.Sprintf(`{"integrationId": "my-3", "outcomes": [{"kind": "reject", "code": %q, "message": %q}]}`,
		rejectedWith, rejectedBecause)
	fmt.Fprintf(d.out, "\n    %[1]s plan\n    %[1]s output branch_key\n    %[1]s destroy\n", command)
	d.say(text.Of("demo.try_script", nil))
	fmt.Fprintf(d.out, "\n    curl %s/_sandbox/script -H 'Content-Type: application/json' -d '%s'\n",
		strings.TrimSuffix(d.service.BaseURL(), "/v1"), script)
	d.say(text.Of("demo.try_page", nil))
	fmt.Fprintf(d.out, "\n    %s\n", d.service.PageURL())
	d.say(text.Of("demo.try_stop", nil))
	fmt.Fprintln(d.out)
	d.service.OnRequest(func(r sandbox.Request) {
		fmt.Fprintf(d.out, "    %s %s %s\n", r.At.Local().Format("15:04:05"), r.Method, r.Path)
	})
	<-ctx.Done()
	return ctx.Err()
}

// authorizedOnce is what the provider promises of an integration_id.
func (d *demo) authorizedOnce(integrationID string) error {
	found := d.service.InvoicesByIntegrationID(integrationID)
	return promised(
		len(found) == 1 && found[0]["status"] == "authorized",
		text.Of("demo.broken_once", text.With{"number": len(found), "name": integrationID}),
	)
}

// promised turns something that did not happen into an error.
func promised(happened bool, what text.Text) error {
	if happened {
		return nil
	}
	return text.NewError("demo.broken", text.With{"what": what})
}
