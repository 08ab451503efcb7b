package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// UnavailableError is the error of a database that could not be used. It shows nothing of the URL.
type UnavailableError struct {
	text  string
	cause error
}

func (e *UnavailableError) Error() string { return e.text }
func (e *UnavailableError) Unwrap() error { return e.cause }

// unavailable returns why the database cannot be used. Whatever answers need not be a database.
func (p *Postgres) unavailable(cause error) *UnavailableError {
	return &UnavailableError{plain.Excerpt(plain.Without(reasonOf(cause), "(password)", p.password), maxText), cause}
}

func reasonOf(cause error) string {
	var refused *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(cause, &refused):
		return fmt.Sprintf("the database answered: %s (SQLSTATE %s)", refused.Message, refused.Code)
	case errors.Is(cause, context.DeadlineExceeded):
		return "the database did not answer in time"
	case errors.As(cause, &network):
		return fmt.Sprintf("the database cannot be reached: %v", network.Err)
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		return "the connection to the database was lost"
	case errors.As(cause, new(*pgconn.ConnectError)), errors.As(cause, new(*pgconn.ParseConfigError)):
		// Their texts show the user, the host and the database.
		return "no connection to the database could be made: " +
			"check the address, the network, and whether TLS is as `sslmode` asks"
	}
	return cause.Error()
}

// twoTablesError names the schemas that hold the journal's table: two journals would know nothing of each other.
type twoTablesError string

func (e twoTablesError) Error() string {
	return fmt.Sprintf("table %s is in schema %s: let all machines use one search_path, and leave one such table",
		journalTable, string(e))
}

const maxText = 500 // bytes of a message
