package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// byteOrderMark begins files of Windows and Excel. It is no part of the JSON.
const byteOrderMark = "\ufeff"

// WithoutMark is a text without the byte order mark in front of it.
func WithoutMark(text string) string { return strings.TrimPrefix(text, byteOrderMark) }

// SyntaxError is where a text stops being JSON. It quotes nothing of the text, which may hold secrets.
type SyntaxError struct {
	Line, Column int    // of the first character that does not fit, each from 1
	Expected     string // in its place
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: expected %s", e.Line, e.Column, e.Expected)
}

// expectations are what encoding/json waits for, by what it says after the character that does not fit.
var expectations = []struct{ said, expected string }{
	{"looking for beginning of object key string", "a member name in double quotes, or `}`"},
	{
		"looking for beginning of value",
		"a value: an object, a list, a text in double quotes, a number, true, false or null",
	},
	{"after object key:value pair", "a comma or `}`"},
	{"after object key", "a colon"},
	{"after array element", "a comma or `]`"},
	{"after top-level value", "the end of the text"},
	{"hexadecimal character escape", "four hexadecimal digits after `\\u`"},
	{"in string escape code", "an escape such as `\\n`, `\\\"` or `\\\\` after the backslash"},
	{"in string literal", "no line break or other control character inside a text: write `\\n`"},
	{"numeric literal", "a number such as `10`, `-1` or `0.5`"},
	{"in literal", "true, false or null"},
	{"exceeded max depth", "at most 10,000 levels of nesting"},
}

// Check returns where a text stops being JSON; nil for JSON.
func Check(text string) *SyntaxError {
	text = WithoutMark(text)
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	if err == nil {
		return nil
	}
	found := &SyntaxError{Expected: "valid JSON"}
	offset := 0
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		said := syntax.Error()
		offset = max(int(syntax.Offset)-1, 0)
		if strings.Contains(said, "unexpected end") {
			offset, found.Expected = len(text), missingEnd(text)
		}
		for _, e := range expectations {
			if strings.Contains(said, e.said) {
				found.Expected = e.expected
				break
			}
		}
	}
	before := text[:min(offset, len(text))]
	found.Line = 1 + strings.Count(before, "\n")
	found.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return found
}

// missingEnd is what closes the innermost thing that is open at the end of a text.
func missingEnd(text string) string {
	var open []byte
	inText := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
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
		return "a double quote that ends the text"
	case len(open) > 0:
		return "`" + string(open[len(open)-1]) + "` before the end"
	}
	return "a value before the end"
}
