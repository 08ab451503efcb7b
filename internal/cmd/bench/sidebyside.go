package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// other is another provider that can talk to the service, such as one for any REST interface, and a configuration for
// it. The configuration names the provider in required_providers, alone, and should make the same customers as this
// bench does (see configs.go), or the numbers compare nothing. It is told what it needs in variables, as far as it
// declares them: base_url, api_key, and objects, which is how many. See restapi/main.tf for one.
type other struct{ program, config string }

// contender is a provider that is measured.
type contender struct {
	name  string
	space *workspace
}

// sideBySide runs this provider and another one against the service in memory, without limits, and compares what they
// ask of it, and what that would take under the limit.
func (b *bench) sideBySide(ctx context.Context, against other, objects int) (err error) {
	if against.program == "" || against.config == "" {
		return errors.New("another provider is an executable and a configuration: give both -other and -other-config")
	}
	clean, err := b.prepare(ctx)
	defer func() { err = errors.Join(err, clean()) }()
	if err != nil {
		return err
	}
	clis, err := b.find(ctx)
	if err != nil {
		return err
	}
	b.cli = clis[0]
	steps := []struct {
		name    string
		command []string
	}{{"create", apply}, {"plan without changes", plan}, {"destroy", destroy}}
	rows := make([]string, len(steps))
	head, rule := fmt.Sprintf("| %s customers |", grouped(objects)), "|---|"
	for _, enter := range []func(*sandbox.Server) (contender, error){
		func(s *sandbox.Server) (contender, error) {
			w, err := b.workspace(s, customers(objects), noLimits...)
			return contender{"einvoice-br/einvoice", w}, err
		},
		func(s *sandbox.Server) (contender, error) { return b.enter(s, against, objects) },
	} {
		s, err := serve(sandbox.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		c, err := enter(s)
		if err != nil {
			return err
		}
		head, rule = head+" "+c.name+" |", rule+"---:|"
		for i, step := range steps {
			cell, err := c.take(ctx, step.command)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", c.name, step.name, err)
			}
			rows[i] += " " + cell + " |"
		}
	}
	fmt.Fprintf(b.out, "\n%s\n%s\n", head, rule)
	for i, step := range steps {
		fmt.Fprintf(b.out, "| %s |%s\n", step.name, rows[i])
	}
	fmt.Fprintf(b.out, "\nMeasured with %s %s, without limits. In brackets is the least time that the service's limits allow for so many requests.\n", b.cli.Product, b.cli.Version)
	return nil
}

// take runs a command and says what it cost. That a plan is not empty is a result too.
func (c contender) take(ctx context.Context, command []string) (string, error) {
	c.space.service.ResetRequests()
	took, err := c.space.run(ctx, command)
	said := ""
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 && command[0] == plan[0] {
		said, err = "; plans changes", nil
	}
	requests := c.space.service.Requests()
	failed := 0
	for _, r := range requests {
		if r.Status >= 400 {
			failed++
		}
	}
	if failed > 0 {
		said += fmt.Sprintf("; %d answered with an error", failed)
	}
	return fmt.Sprintf("%s requests (%s), %s%s", grouped(len(requests)), atLimit(len(requests)).Round(time.Second), seconds(took), said), err
}

// enter makes the workspace of the other provider.
func (b *bench) enter(s *sandbox.Server, against other, objects int) (contender, error) {
	source, err := sourceOf(against.config)
	if err != nil {
		return contender{}, err
	}
	dir := filepath.Join(b.dir, "other")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return contender{}, err
	}
	// A CLI knows the executable by this name.
	if err := copyFile(against.program, filepath.Join(dir, "terraform-provider-"+path.Base(source)+filepath.Ext(b.provider)), 0o700); err != nil {
		return contender{}, err
	}
	config, err := cli.WriteDevOverridesOf(dir, source, dir)
	if err != nil {
		return contender{}, err
	}
	w, err := b.workspace(s, "", "TF_CLI_CONFIG_FILE="+config, "TF_VAR_base_url="+s.BaseURL(), "TF_VAR_api_key="+s.OwnerKey(), fmt.Sprintf("TF_VAR_objects=%d", objects))
	if err != nil {
		return contender{}, err
	}
	if err := os.Remove(filepath.Join(w.dir, "main.tf")); err != nil {
		return contender{}, err
	}
	files, err := filepath.Glob(filepath.Join(against.config, "*.tf*"))
	for _, file := range slices.DeleteFunc(files, func(name string) bool { return strings.HasPrefix(filepath.Base(name), "terraform.tfstate") }) {
		err = errors.Join(err, copyFile(file, filepath.Join(w.dir, filepath.Base(file)), 0o600))
	}
	return contender{source, w}, err
}

// sourceOf reads which provider a configuration names.
func sourceOf(dir string) (string, error) {
	var sources []string
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		file, diags := hclparse.NewParser().ParseHCLFile(name)
		if diags.HasErrors() {
			return "", diags
		}
		for _, terraform := range blocks(file.Body, "terraform") {
			for _, required := range blocks(terraform.Body, "required_providers") {
				entries, _ := required.Body.JustAttributes() // The CLI says what is wrong with others.
				for _, entry := range entries {
					if value, diags := entry.Expr.Value(nil); !diags.HasErrors() && value.Type().IsObjectType() && value.Type().HasAttribute("source") {
						sources = append(sources, value.GetAttr("source").AsString())
					}
				}
			}
		}
	}
	if len(sources) != 1 {
		return "", fmt.Errorf("%s names %d providers by source in required_providers: it must name the other one, alone", dir, len(sources))
	}
	return sources[0], nil
}

func blocks(body hcl.Body, kind string) []*hcl.Block {
	content, _, _ := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: kind}}}) // The CLI says what is wrong with others.
	return content.Blocks
}

func copyFile(from, to string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
