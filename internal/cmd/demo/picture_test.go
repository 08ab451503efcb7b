package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

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
