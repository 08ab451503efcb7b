package journal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"
)

// Whoever answers at the address chooses these texts.
func TestUnavailableError_showsNothingHostile(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b[31mno\x1b]8;;https://evil.example\x07 \u202e\u2066 p%ss word p%25ss%20word\r\nError: \u009b2J \xff\x00"
	p := &Postgres{password: "p%ss word"}
	for name, cause := range map[string]error{
		"the database": &pgconn.PgError{Message: hostile, Code: hostile},
		"the network":  &net.OpError{Op: "dial", Err: errors.New(hostile)},
		"a name":       &net.OpError{Op: "dial", Err: &net.DNSError{Err: hostile, Name: hostile}},
		"two schemas":  twoTablesError(hostile),
		"a long text":  errors.New(strings.Repeat("ç", 9999)),
		"anything":     fmt.Errorf("failed: %w", errors.Join(errors.New(hostile), context.Canceled)),
	} {
		err := p.unavailable(cause)
		odd := strings.IndexFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) })
		if odd >= 0 || len(err.Error()) > maxText+len("...") || strings.Contains(err.Error(), "ss word") || strings.Contains(err.Error(), "ss%20word") {
			t.Errorf("%s: %q", name, err.Error())
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: the cause is lost", name)
		}
	}
}
