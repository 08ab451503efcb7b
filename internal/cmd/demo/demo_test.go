package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// expectNothingLeft checks that neither the directory nor a process of it remains.
func expectNothingLeft(t *testing.T, d *demo) {
	t.Helper()
	if _, err := os.Stat(d.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory %s is left", d.dir)
	}
	if runtime.GOOS != "linux" {
		return
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil || len(links) == 0 {
		t.Fatalf("cannot list processes: %v", err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, d.dir) {
			t.Errorf("%s still runs in the directory of the demo", filepath.Dir(link))
		}
	}
}

func TestAccDemo_showsWhatItPromises(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	d := &demo{ // With an authority that is quick.
		want: testkit.MustFindCLI(t).Path, quickstart: filepath.Join("..", "..", "..", "examples", "quickstart"),
		authorizeAfter: 100 * time.Millisecond, out: &shown, build: cli.BuiltProvider,
	}
	if err := d.run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &shown)
	}
	expectNothingLeft(t, d)
	for _, text := range []string{
		"Apply complete! Resources: 8 added", "next_numbers", "No changes.", "was rejected: 778",
		"Destroy complete! Resources: 8 destroyed.", "3 invoices, each issued once", "none refused for the limit",
	} {
		expect.Contains(t, shown.String(), text)
	}
	expect.False(t, strings.Contains(shown.String(), "Problems in payload_json"),
		"its own payloads have findings:\n%s", &shown)
	expectPictured(t, shown.String())
}

func TestDemo_needsACheckout(t *testing.T) {
	t.Parallel()
	d := demo{quickstart: filepath.Join(t.TempDir(), "examples"), out: io.Discard}
	if err := d.run(t.Context()); err == nil || !strings.Contains(err.Error(), "root of a checkout") {
		t.Errorf("outside of a checkout it ends with %v", err)
	}
}

// drawnLines are the lines of text in a picture that `make picture` has drawn.
func drawnLines(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	expect.NoError(t, err)
	var picture struct {
		Lines []struct {
			Parts []string `xml:"tspan"`
		} `xml:"g>text"`
	}
	if err := xml.Unmarshal(content, &picture); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var text strings.Builder
	for _, line := range picture.Lines {
		text.WriteString(strings.Join(line.Parts, "") + "\n")
	}
	return text.String()
}

// each of these is another one in each run, or with the other CLI.
var varying = []struct {
	pattern *regexp.Regexp
	same    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`), "ID"},
	{regexp.MustCompile(`\b[0-9]{44}\b`), "ACCESS-KEY"},
	{regexp.MustCompile(`after [0-9]+s`), "after SOME TIME"},
	{regexp.MustCompile(`\$ \S+ apply`), "$ CLI apply"},
	{regexp.MustCompile(`(Terraform|OpenTofu) will`), "CLI will"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

func unvaried(text string) string {
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.same)
	}
	return strings.TrimSpace(text)
}

// expectPictured fails when the pictures in the README no longer show what the demo does.
func expectPictured(t *testing.T, shown string) {
	t.Helper()
	_, part, _ := strings.Cut(shown, "\n=== 5")
	part, _, _ = strings.Cut(part, "\n=== 7")
	for _, theme := range []string{"dark", "light"} {
		file := filepath.Join("..", "..", "..", ".github", "images", "demo-"+theme+".svg")
		expect.Same(t, unvaried("=== 5"+part), unvaried(drawnLines(t, file)), "%s is stale, run `make picture`", file)
	}
}
