// Package expect has what tests ask most often.
package expect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// NoError ends a test whose set-up fails.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Same fails where two values differ; what they are is a format and its arguments.
func Same(t testing.TB, want, got any, what ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", of(what), diff)
	}
}

// Is fails where a value is another one than it should be.
func Is[T comparable](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %v, want %v", of(what), got, want)
	}
}

// Contains fails where a text does not have a part.
func Contains(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sit does not say %q:\n%s", of(what), part, text)
	}
}

// of begins a message with a format and its arguments.
func of(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf(fmt.Sprint(what[0]), what[1:]...) + ": "
}

// True fails where something is not so, and says it with a format and its arguments.
func True(t testing.TB, isSo bool, format string, arguments ...any) {
	t.Helper()
	if !isSo {
		t.Errorf(format, arguments...)
	}
}

// False fails where something is so, and says it with a format and its arguments.
func False(t testing.TB, isSo bool, format string, arguments ...any) {
	t.Helper()
	True(t, !isSo, format, arguments...)
}
