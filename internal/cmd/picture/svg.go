package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels. A character of the fonts named below is about 0.6 times as
// wide as it is high; textLength makes each line exactly that wide.
const (
	fontSize   = 13.0
	charWidth  = 7.8
	lineHeight = 18.0
	margin     = 18.0
	titleBar   = 34.0
)

// kinds of lines, by what they begin with; the first that fits counts. Colours
// are those of a dark terminal, readable on their background at 4.5 to 1 or more.
var kinds = []struct{ prefix, style string }{
	{"=== ", "fill:#8be9fd;font-weight:bold"},
	{"    Error:", "fill:#ff8c8c;font-weight:bold"},
	{"    Warning:", "fill:#ffd479;font-weight:bold"},
	{"    + ", "fill:#7ee787"},
	{"    - ", "fill:#ff8c8c"},
	{"    Apply complete!", "fill:#7ee787;font-weight:bold"},
	{"    No changes.", "fill:#7ee787;font-weight:bold"},
	{"    Plan:", "fill:#e6e6e6;font-weight:bold"},
	{"    ", "fill:#c9d1d9"},
}

func styleOf(line string) string {
	if program, rest, ok := strings.Cut(line, " $ "); ok && !strings.Contains(program, " ") && rest != "" {
		return "fill:#ffffff;font-weight:bold"
	}
	for _, kind := range kinds {
		if strings.HasPrefix(line, kind.prefix) {
			return kind.style
		}
	}
	return "fill:#a5b1c2" // what the program says around the CLI
}

// draw writes lines as a window of a terminal. The text is text, so that it can
// be read aloud, searched and copied.
func draw(out io.Writer, title string, lines []string) error {
	widest := utf8.RuneCountInString(title) + 12
	for _, line := range lines {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	width, height := float64(widest)*charWidth+2*margin, titleBar+float64(len(lines))*lineHeight+1.5*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="title">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8" fill="#161b22"/>`+"\n", width, height)
	for n, colour := range []string{"#ff5f56", "#ffbd2e", "#27c93f"} {
		fmt.Fprintf(&b, `<circle cx="%.0f" cy="17" r="6" fill="%s"/>`+"\n", margin+4+float64(n)*20, colour)
	}
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%.0f" xml:space="preserve">`+"\n", fontSize)
	fmt.Fprintf(&b, `<text x="%.0f" y="22" text-anchor="middle" style="fill:#8b949e">%s</text>`+"\n", width/2, escaped(title))
	for n, line := range lines {
		if line == "" {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		text := line[indent:]
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" style="%s">%s</text>`+"\n",
			margin+float64(indent)*charWidth, titleBar+float64(n+1)*lineHeight, float64(utf8.RuneCountInString(text))*charWidth, styleOf(line), escaped(text))
	}
	b.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // A strings.Builder never fails.
	return b.String()
}
