package jsontree

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// byteOrderMark begins files of Windows and Excel. It is no part of the JSON.
const byteOrderMark = "\ufeff"

// WithoutMark is a text without the byte order mark in front of it.
func WithoutMark(text string) string { return strings.TrimPrefix(text, byteOrderMark) }

// SyntaxError is where a text stops being JSON. It quotes nothing of the text, which may hold secrets.
type SyntaxError struct {
	Line, Column int       // of the first character that does not fit, each from 1
	Expected     text.Text // in its place
}

// Said is the place and what was expected there.
func (e *SyntaxError) Said() text.Text {
	return text.Of("json.syntax", text.With{"line": e.Line, "column": e.Column, "expected": e.Expected})
}

// expectations are what encoding/json waits for, by what it says after the character that does not fit.
var expectations = []struct{ said, key string }{
	{"looking for beginning of object key string", "json.name"},
	{"looking for beginning of value", "json.value"},
	{"after object key:value pair", "json.next_member"},
	{"after object key", "json.colon"},
	{"after array element", "json.next_element"},
	{"after top-level value", "json.end"},
	{"hexadecimal character escape", "json.digits"},
	{"in string escape code", "json.escape"},
	{"in string literal", "json.no_control"},
	{"numeric literal", "json.number"},
	{"in literal", "json.literal"},
	{"exceeded max depth", "json.depth"},
}

// Check returns where a text stops being JSON; nil for JSON.
func Check(written string) *SyntaxError {
	written = WithoutMark(written)
	var value json.RawMessage
	err := json.Unmarshal([]byte(written), &value)
	if err == nil {
		return nil
	}
	found := &SyntaxError{Expected: text.Of("json.valid", nil)}
	offset := 0
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		said := syntax.Error()
		offset = max(int(syntax.Offset)-1, 0)
		if strings.Contains(said, "unexpected end") {
			offset, found.Expected = len(written), missingEnd(written)
		}
		for _, e := range expectations {
			if strings.Contains(said, e.said) {
				found.Expected = text.Of(e.key, nil)
				break
			}
		}
	}
	before := written[:min(offset, len(written))]
	found.Line = 1 + strings.Count(before, "\n")
	found.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return found
}

// missingEnd is what closes the innermost thing that is open at the end of a text.
func missingEnd(written string) text.Text {
	var open []byte
	inText := false
	for i := 0; i < len(written); i++ {
		switch c := written[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	switch {
	case inText:
		return text.Of("json.quote_before_end", nil)
	case len(open) > 0:
		return text.Of("json.closed_before_end", text.With{"closing": string(open[len(open)-1])})
	}
	return text.Of("json.value_before_end", nil)
}
