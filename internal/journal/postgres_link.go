package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// The number is that of the layout: another layout is another table.
	journalTable = "einvoice_journal_v1"
	budgetTable  = "einvoice_budget_v1"
	tablesLock   = "5131215" // of who makes them

	// An exchange with the database, the connecting included, takes so long at most:
	// one for an entry, and one for a budget, without which requests go on.
	entryTimeout  = 10 * time.Second
	budgetTimeout = 3 * time.Second
	budgetWait    = 2 * time.Second // of it, for another machine that changes the same row

	readOnly = "25006" // the error code of a write to a replica
)

// UnavailableError is of a database that could not be used. It shows nothing of its
// URL.
type UnavailableError struct{ cause error }

func (e *UnavailableError) Error() string {
	var refused *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(e.cause, &refused):
		return fmt.Sprintf("the database answered: %s (SQLSTATE %s)", refused.Message, refused.Code)
	case errors.Is(e.cause, context.DeadlineExceeded):
		return "the database did not answer in time"
	case errors.As(e.cause, &network):
		return fmt.Sprintf("the database cannot be reached: %v", network.Err)
	case errors.Is(e.cause, io.EOF), errors.Is(e.cause, io.ErrUnexpectedEOF):
		return "the connection to the database was lost"
	case errors.As(e.cause, new(*pgconn.ConnectError)), errors.As(e.cause, new(*pgconn.ParseConfigError)):
		// Their texts show the user, the host and the database.
		return "no connection to the database could be made: check the address, the network, and whether TLS is as `sslmode` asks"
	}
	return e.cause.Error()
}

func (e *UnavailableError) Unwrap() error { return e.cause }

// link is one connection, made when it is needed and made again when it was lost.
type link struct {
	config  *pgx.ConnConfig
	timeout time.Duration // of an exchange
	turn    chan struct{} // held by whoever uses it
	conn    *pgx.Conn
	ready   bool // the tables are there
}

func newLink(config *pgx.ConnConfig, timeout time.Duration) link {
	return link{config: config, timeout: timeout, turn: make(chan struct{}, 1)}
}

// use has the connection to itself. do may be called a second time. The end of ctx does not break off what has
// begun: that would end the connection, and every lock with it.
func (l *link) use(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("journal: waiting for the database: %w", ctx.Err())
	case l.turn <- struct{}{}:
	}
	defer func() { <-l.turn }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timeout)
	defer cancel()
	old := l.conn != nil && !l.conn.IsClosed()
	err := l.once(ctx, do)
	if err != nil && old && l.conn.IsClosed() && ctx.Err() == nil {
		err = l.once(ctx, do) // The server has ended the connection since it was last used.
	}
	if err != nil {
		return &UnavailableError{cause: err}
	}
	return nil
}

func (l *link) once(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	if err := l.connect(ctx); err != nil {
		return err
	}
	return do(ctx, l.conn)
}

func (l *link) connect(ctx context.Context) error {
	if l.conn != nil && !l.conn.IsClosed() {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return err
	}
	l.conn = conn
	if l.ready {
		return nil
	}
	if err := prepare(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return err
	}
	l.ready = true
	return nil
}

// prepare makes the tables where they are missing: somebody who may make none can
// be given them. It also forgets what is of no use any more, as files are forgotten.
func prepare(ctx context.Context, c *pgx.Conn) error {
	var missing, replica bool
	if err := c.QueryRow(ctx, "SELECT to_regclass($1) IS NULL OR to_regclass($2) IS NULL, current_setting('transaction_read_only')::bool", journalTable, budgetTable).
		Scan(&missing, &replica); err != nil {
		return err
	}
	if replica {
		return &pgconn.PgError{Code: readOnly, Message: "it is read-only"}
	}
	if missing {
		// One transaction, and one machine at a time: two would make a table twice.
		if _, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock("+tablesLock+"); CREATE TABLE IF NOT EXISTS "+journalTable+` (kind text, hash text, begun timestamptz,
			id text NOT NULL, note text NOT NULL, changed timestamptz NOT NULL, PRIMARY KEY (kind, hash));
			CREATE TABLE IF NOT EXISTS `+budgetTable+" (key text PRIMARY KEY, document bytea NOT NULL, changed timestamptz NOT NULL)"); err != nil {
			return err
		}
	}
	_, err := c.Exec(ctx, "DELETE FROM "+journalTable+" WHERE begun IS NULL AND note = '' AND changed < clock_timestamp() - make_interval(secs => $1)", keepFor.Seconds())
	return err
}
