package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

const (
	// The number is that of the layout: another layout is another table.
	journalTable = "einvoice_journal_v1"
	budgetTable  = "einvoice_budget_v1"
	tablesLock   = "5131215" // the advisory lock of the machine that makes the tables

	// The connecting and all repetitions included. Requests go on without a budget or a check.
	recordTimeout = 15 * time.Second
	budgetTimeout = 3 * time.Second

	connections = 4
	readOnly    = "25006" // the error code of a write to a replica
)

// databasePauses are between the tries of a database that cannot be reached.
var databasePauses = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second, 2 * time.Second}

// Postgres is a [Store] in a database that several machines share. Each operation is one statement, so that neither
// the connection nor a pooler matters. All times are by the server's clock.
type Postgres struct {
	pool     *pgxpool.Pool
	password string

	preparing chan struct{} // full while somebody looks at the tables
	prepared  bool
}

var _ Store = (*Postgres)(nil)

// OpenPostgres returns the store at a URL, postgres://user:password@host/database with the parameters of libpq such
// as sslmode. It contacts nobody. Its errors show nothing of the URL.
func OpenPostgres(address string) (*Postgres, error) {
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" || u.Host == "" {
		return nil, errors.New(
			"it must be a URL such as postgres://user:password@host:5432/database?sslmode=verify-full")
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("it is no usable PostgreSQL URL: check the port, the encoding of special characters " +
			"(%40 for @) and the parameters, such as sslmode and the files it needs")
	}
	config.ConnConfig.RuntimeParams["application_name"] = "terraform-provider-einvoice"
	// Nothing stays behind in a connection that a pooler gives to somebody else.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.MaxConns, config.MinConns = connections, 0
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, errors.New("it is no usable PostgreSQL URL")
	}
	return &Postgres{pool: pool, password: config.ConnConfig.Password, preparing: make(chan struct{}, 1)}, nil
}

// Check returns why the database cannot be used now, nil when it can. It asks once: a plan goes on without the
// database.
func (p *Postgres) Check(ctx context.Context) error { return p.ask(ctx, budgetTimeout, p.pool.Ping) }

// Where names the record's row.
func (p *Postgres) Where(key Key) string {
	return fmt.Sprintf("the row of table %s with kind '%s' and hash '%s'", journalTable, key.Kind, key.hash)
}

// Load reads the record's row.
func (p *Postgres) Load(ctx context.Context, key Key) (Record, Version, error) {
	var held versioned
	err := p.retry(ctx, func(ctx context.Context) (err error) {
		held, err = p.load(ctx, key)
		return err
	})
	if err != nil {
		return Record{}, 0, err
	}
	return held.Record, held.Version, nil
}

func (p *Postgres) load(ctx context.Context, key Key) (held versioned, err error) {
	var text string
	var age float64
	err = p.pool.QueryRow(ctx, "SELECT version, record, extract(epoch FROM clock_timestamp() - stamp)::float8 FROM "+
		journalTable+" WHERE kind = $1 AND hash = $2", key.Kind, key.hash).Scan(&held.Version, &text, &age)
	if errors.Is(err, pgx.ErrNoRows) {
		return versioned{}, nil
	}
	if err == nil && (json.Unmarshal([]byte(text), &held.Record) != nil || !held.isKnown()) {
		held.Record = Record{Phase: Sending}
	}
	held.Stamp = time.Now().Add(-time.Duration(max(0, age) * float64(time.Second))).Round(0).UTC()
	return held, err
}

// Swap replaces the record's row. By the new version it knows its own swap whose answer was lost.
func (p *Postgres) Swap(ctx context.Context, key Key, from Version, to Record) (Version, error) {
	text, err := json.Marshal(to)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	age := 0.0
	if !to.Stamp.IsZero() {
		age = max(0, time.Since(to.Stamp).Seconds())
	}
	next := newVersion()
	statement := "UPDATE " + journalTable + ` SET version = $3, record = $4, done = $7,
		stamp = clock_timestamp() - make_interval(secs => $5::float8) WHERE kind = $1 AND hash = $2 AND version = $6`
	if from == 0 {
		statement = "INSERT INTO " + journalTable + ` (kind, hash, version, record, done, stamp)
			SELECT $1, $2, $3, $4, $7::bool, clock_timestamp() - make_interval(secs => $5::float8)
			WHERE $6::bigint = 0 ON CONFLICT (kind, hash) DO NOTHING`
	}
	swapped, tries := false, 0
	// An interrupt does not end what has begun.
	err = p.retry(context.WithoutCancel(ctx), func(ctx context.Context) error {
		tag, err := p.pool.Exec(ctx, statement,
			key.Kind, key.hash, int64(next), string(text), age, int64(from), to.isDone())
		swapped = tag.RowsAffected() == 1
		if tries++; err == nil && !swapped && tries > 1 {
			var held versioned
			held, err = p.load(ctx, key)
			swapped = held.Version == next
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case !swapped:
		return 0, fmt.Errorf("journal: %s: %w", p.Where(key), ErrChanged)
	}
	return next, nil
}

// ask asks the database once.
func (p *Postgres) ask(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := p.ready(ctx)
	if err == nil {
		err = do(ctx)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return p.unavailable(err)
	}
	return err
}

// retry asks for a record until the database answers or the time is over. It may call do several times.
func (p *Postgres) retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	for n := 0; ; n++ {
		err := p.ask(ctx, recordTimeout, do)
		if err == nil || errors.Is(err, pgx.ErrNoRows) || isFinal(err) {
			return err
		}
		if poll.Pause(ctx, databasePauses[min(n, len(databasePauses)-1)]) != nil {
			return err
		}
	}
}

// isFinal reports whether the server has refused, so that asking again does not help. A server that is starting,
// stopping, full or busy has not.
func isFinal(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return errors.As(err, new(twoTablesError))
	}
	isPrefix := func(code string) bool { return strings.HasPrefix(refused.Code, code) }
	return !slices.ContainsFunc([]string{"08", "40", "53300", "55P03", "57"}, isPrefix)
}

func (p *Postgres) ready(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case p.preparing <- struct{}{}:
	}
	defer func() { <-p.preparing }()
	if p.prepared {
		return nil
	}
	err := p.prepare(ctx)
	p.prepared = err == nil
	return err
}

// prepare makes the tables where they are missing: a role that may make none can be given them. It deletes what is of
// no use any more.
func (p *Postgres) prepare(ctx context.Context) error {
	var missing, noBudget, replica bool
	var schemas []string
	if err := p.pool.QueryRow(ctx, `SELECT to_regclass($1) IS NULL, to_regclass($2) IS NULL,
		current_setting('transaction_read_only')::bool,
		ARRAY(SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relname = $1 AND c.relkind IN ('r', 'p') ORDER BY 1)`,
		journalTable, budgetTable).Scan(&missing, &noBudget, &replica, &schemas); err != nil {
		return err
	}
	switch {
	case replica:
		return &pgconn.PgError{Code: readOnly, Message: "it is read-only"}
	case len(schemas) > 1 || len(schemas) == 1 && missing:
		// Two journals would know nothing of each other.
		return twoTablesError(strings.Join(schemas, " and in schema "))
	}
	if missing || noBudget {
		change := "CREATE TABLE IF NOT EXISTS " + journalTable + ` (
			kind text, hash text, version bigint NOT NULL, record text NOT NULL,
			done boolean NOT NULL, stamp timestamptz NOT NULL, PRIMARY KEY (kind, hash));
			CREATE TABLE IF NOT EXISTS ` + budgetTable +
			" (key text PRIMARY KEY, document bytea NOT NULL, changed timestamptz NOT NULL);"
		// In one transaction, by one machine at a time. Then it looks again: somebody may have made one in another
		// schema.
		if _, err := p.pool.Exec(ctx, "SELECT pg_advisory_xact_lock("+tablesLock+");"+change); err != nil {
			return err
		}
		return p.prepare(ctx)
	}
	_, err := p.pool.Exec(ctx, "DELETE FROM "+journalTable+" WHERE (kind, hash) IN (SELECT kind, hash FROM "+
		journalTable+" WHERE done AND stamp < clock_timestamp() - make_interval(secs => $1) FOR UPDATE SKIP LOCKED)",
		keepFor.Seconds())
	return err
}

// UpdateBudget changes the row of a key, which is locked meanwhile.
func (p *Postgres) UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error {
	return p.ask(context.Background(), budgetTimeout, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
			var document []byte
			var now time.Time
			if err := tx.QueryRow(ctx, "INSERT INTO "+budgetTable+` (key, document, changed)
				VALUES ($1, '', clock_timestamp()) ON CONFLICT (key) DO UPDATE SET key = excluded.key
				RETURNING nullif(document, ''), clock_timestamp()`, key).Scan(&document, &now); err != nil {
				return err
			}
			next := change(document, now)
			if next == nil {
				return nil
			}
			_, err := tx.Exec(ctx, "UPDATE "+budgetTable+
				" SET document = $2, changed = clock_timestamp() WHERE key = $1", key, next)
			return err
		})
	})
}

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
