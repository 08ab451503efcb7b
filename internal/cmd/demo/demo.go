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
		return fmt.Errorf("%s is not here: run this from the root of a checkout", d.quickstart)
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

// heading begins a step.
func (d *demo) heading(title, text string) {
	d.step++
	fmt.Fprintf(d.out, "\n=== %d. %s\n", d.step, title)
	if text != "" {
		fmt.Fprintf(d.out, "\n%s\n", text)
	}
}

// prepare finds the CLI and builds the provider. It returns the environment that makes the one use the other, and keeps
// both away from what the user has set up.
func (d *demo) prepare(ctx context.Context) ([]string, error) {
	d.heading("Build the provider", "")
	var err error
	if d.cli, err = cli.Find(ctx, d.want, d.out); err != nil {
		return nil, err
	}
	fmt.Fprintf(d.out, "\nUsing %s. Building takes a minute or two the first time.\n", d.cli)
	began := time.Now()
	_, environ, err := d.build(ctx, d.dir)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(d.out, "Built in %s.\n", time.Since(began).Round(100*time.Millisecond))
	return slices.Clip(append(environ, "EINVOICE_CACHE_DIR="+filepath.Join(d.dir, "cache"))), nil
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
	d.heading(
		"Start the service",
		fmt.Sprintf("The sandbox runs in memory at %s. Its account has one company, the main company.\n"+
			"Its tax authority decides after %s. Its limit is 60 requests a minute and 5 a second.",
			d.service.BaseURL(), d.authorizeAfter),
	)
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
	d.heading(
		"Apply the quickstart",
		"One apply of examples/quickstart creates a branch with its settings, a customer, a product and a webhook,\n"+
			"and rotates the webhook secret. With the key of the new branch, it issues a\n"+
			"service invoice and a consumer invoice.\n"+
			"This is the output of the CLI, without the attributes of the plan and without what it only reads.",
	)
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
	err := promised(signed == 2, "%d signed deliveries of invoice.authorized came to the webhook, want 2", signed)
	if err != nil {
		return err
	}
	fmt.Fprintln(d.out, "\nThe webhook received a signed delivery for each of the two invoices.")

	d.heading(
		"Plan again",
		"The plan must be empty, although the service spells some values in its own way and has filled in others.",
	)
	code, err := account.run(ctx, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}
	return promised(code == 0, "a plan right after the apply is not empty (exit code %d)", code)
}

// reject shows how a rejected invoice is reported and gone on with.
func (d *demo) reject(ctx context.Context, account, branch *console) error {
	d.heading(
		"Have an invoice rejected",
		"A second configuration, with the branch's key in EINVOICE_API_KEY, issues the invoice of a cake with\n"+
			"ncm = "+wrongCode+", a code that does not exist.",
	)
	key, err := account.output(ctx, "branch_key")
	if err != nil {
		return err
	}
	branch.environ = append(branch.environ, "EINVOICE_API_KEY="+key)
	code, err := branch.run(ctx, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	text := strings.Join(strings.Fields(branch.printed), " ") // As it was before it was wrapped.
	reported := strings.Contains(text, rejectedWith) && strings.Contains(text, rejectedBecause)
	if err := promised(code != 0 && reported, "the rejection was not reported (exit code %d)", code); err != nil {
		return err
	}
	rejected := d.service.InvoicesByIntegrationID(saleID)
	isOne := len(rejected) == 1 && rejected[0]["status"] == "rejected"
	err = promised(isOne, "the service should hold one rejected invoice, and holds %d", len(rejected))
	if err != nil {
		return err
	}
	fmt.Fprintln(
		d.out,
		"\nThis error was expected. The state is empty, and the service has the rejected invoice.",
	)

	d.heading(
		"Correct it and apply again",
		"    - ncm = "+wrongCode+"\n    + ncm = "+rightCode+"\n\n"+
			"The integration_id stays the same: the provider finds the invoice and sends it again. No duplicate is created.",
	)
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
	return promised(again["id"] == rejected[0]["id"], "the invoice that was sent again is another one")
}

// cleanUp destroys everything and counts what is left.
func (d *demo) cleanUp(ctx context.Context, account, branch *console) error {
	d.heading(
		"Destroy it all",
		"Issued invoices and settings stay at the service. Warnings say so.",
	)
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
		promised(left == 0, "%d objects are left at the service after destroy", left),
		promised(invoices == 3, "%d invoices were issued, want 3", invoices),
		promised(refused == 0, "%d requests were refused for the limit", refused),
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nDone in %s: %d invoices, each issued once; %d requests, none refused for the limit.\n"+
		"Next: `make demo KEEP=1` keeps the sandbox running. Start from examples/, and read docs/.\n",
		time.Since(d.started).Round(time.Second), invoices, requests)
	return nil
}

// playOn waits until it is interrupted.
func (d *demo) playOn(ctx context.Context, account *console) error {
	d.heading("Try it yourself", "The sandbox keeps running. In another terminal:")
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
	fmt.Fprintf(d.out, `
    %[1]s plan
    %[1]s output branch_key
    %[1]s destroy

Change main.tf as you like. You need not run init. To have the next invoice with this integration_id rejected:

    curl %[2]s/_sandbox/script -H 'Content-Type: application/json' -d '%[3]s'

This page shows all data of the sandbox, live:

    %[4]s

Ctrl-C stops the sandbox and removes the directory. Until then, its requests:

`, command, strings.TrimSuffix(d.service.BaseURL(), "/v1"), script, d.service.PageURL())
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
		"%d invoices exist under %s, want one that is authorized",
		len(found),
		integrationID,
	)
}

// promised turns something that did not happen into an error.
func promised(happened bool, format string, args ...any) error {
	if happened {
		return nil
	}
	return fmt.Errorf("not as promised: "+format, args...)
}
