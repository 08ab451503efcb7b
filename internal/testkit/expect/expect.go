// Package expect has what tests ask most often.
package expect

import (
	"fmt"
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
	diff := cmp.Diff(want, got)
	if diff == "" {
		return
	}
	of := ""
	if len(what) > 0 {
		of = fmt.Sprintf(fmt.Sprint(what[0]), what[1:]...) + " "
	}
	t.Errorf("%s(-want +got):\n%s", of, diff)
}
