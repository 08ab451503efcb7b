package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSourceOf_isTheOneProviderThatIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ config, want, fails string }{
		"one":            {"terraform {\n  required_version = \">= 1.8\"\n  required_providers {\n    rest = {\n      source = \"someone/rest\"\n    }\n  }\n}\n", "someone/rest", ""},
		"none":           {"provider \"rest\" {}\n", "", "names 0 providers"},
		"two":            {"terraform {\n  required_providers {\n    a = { source = \"x/a\" }\n    b = { source = \"x/b\" }\n  }\n}\n", "", "names 2 providers"},
		"by version":     {"terraform {\n  required_providers {\n    a = \"~> 1.0\"\n  }\n}\n", "", "names 0 providers"},
		"broken":         {"terraform {", "", "Unclosed configuration block"},
		"no expressions": {"terraform {\n  required_providers {\n    a = { source = var.a }\n  }\n}\n", "", "names 0 providers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(test.config), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := sourceOf(dir)
			if got != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("got %q, %v, want %q, %q", got, err, test.want, test.fails)
			}
		})
	}
	if got, err := sourceOf("restapi"); got != "Mastercard/restapi" || err != nil {
		t.Errorf("the example names %q, %v", got, err)
	}
}

func TestChooseSections_knowsTheirNames(t *testing.T) {
	t.Parallel()
	chosen, err := chooseSections("work,plans")
	if err != nil || len(chosen) != 2 || chosen[0].name != "work" || chosen[1].name != "plans" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if all, err := chooseSections(""); err != nil || len(all) != len(sections) {
		t.Errorf("got %d, %v, want all", len(all), err)
	}
	if _, err := chooseSections("plans,plan"); err == nil || !strings.Contains(err.Error(), `no part "plan": say some of plans, invoice-plans,`) {
		t.Errorf("got %v", err)
	}
}
