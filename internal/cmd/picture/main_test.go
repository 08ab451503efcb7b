package main

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	t.Parallel()
	const input = "\nbuild\n=== 1. One\n\n    a \n\n=== 2. Two\nb\n=== 2. Two again\n"
	for name, test := range map[string]struct {
		from, to string
		want     []string
		fails    string
	}{
		"all there is":                     {want: []string{"build", "=== 1. One", "", "    a", "", "=== 2. Two", "b", "=== 2. Two again"}},
		"one part, without its blank ends": {from: "=== 1", to: "=== 2", want: []string{"=== 1. One", "", "    a"}},
		"from a line to the end":           {from: "=== 2", want: []string{"=== 2. Two", "b", "=== 2. Two again"}},
		"no such beginning":                {from: "=== 9", fails: "no such lines"},
		"an end that never came":           {from: "=== 1", to: "=== 9", fails: "has not come that far"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := cut(strings.NewReader(input), test.from, test.to)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("got %q, %v; want an error with %q", got, err, test.fails)
				}
				return
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestDraw_keepsTheTextAsText(t *testing.T) {
	t.Parallel()
	lines := []string{"", "=== 5. <Reject> & \"quote\"", "sale $ terraform apply", "    Error: São Paulo", "    + ncm", "said around it"}
	var image strings.Builder
	if err := draw(&image, "make demo", lines); err != nil {
		t.Fatal(err)
	}
	var texts []string
	decoder := xml.NewDecoder(strings.NewReader(image.String()))
	for inText := false; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the image is no XML: %v\n%s", err, image.String())
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
	want := []string{"make demo"}
	for _, line := range lines {
		if line != "" {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(texts, want) {
		t.Errorf("the image reads\n%q\nwant\n%q", texts, want)
	}
	styles := map[string]bool{}
	for _, line := range lines[1:] {
		styles[styleOf(line)] = true
	}
	if len(styles) != len(lines)-1 {
		t.Errorf("%d styles for %d kinds of lines", len(styles), len(lines)-1)
	}
}
