package message_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// A text from outside that has come around the filter of its source stays one line of
// plain text.
func TestTexts_showNothingHostile(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b[31mno\x1b]8;;https://evil.example\x07 \u202e\u2066\r\nError: \u009b2J \xff\x00"
	err := fmt.Errorf("outer: %w", errors.Join(errors.New(hostile), errors.New(hostile)))
	detail := &einvoice.ProcessingDetail{Status: hostile, Code: hostile, Message: hostile}
	for name, text := range map[string]string{
		"Cause": message.Cause(err).In(t.Context()), "CodeAndMessage": message.CodeAndMessage(detail).In(t.Context()),
		"LastStepOf": message.LastStepOf(detail),
	} {
		if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("%s: %q", name, text)
		}
	}
}
