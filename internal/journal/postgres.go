package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	postgresScheme = "postgres"

	lockPause    = 20 * time.Millisecond // between two tries to lock an entry, at first
	lockPauseMax = 500 * time.Millisecond

	// keepAlive is after how many seconds of silence the server asks whether a
	// machine is still there, so that a dead one frees what it held.
	keepAlive = 10
)

// Postgres is a [Store] in a database that several machines share. An entry is
// locked by an advisory lock of the connection, which the server frees when the
// connection or its process ends. All times are those of the server's clock.
//
// The connection must be the server's own: behind a pooler that changes it between
// two statements nothing can be locked, and nothing is written then.
type Postgres struct {
	entries link
	budgets link // apart, so that the entries' locks do not end with a budget that hangs
	resting rest
}

var _ Store = (*Postgres)(nil)

// OpenPostgres returns the store at a URL, postgres://user:password@host/database
// with the parameters of libpq such as sslmode. It contacts nobody. Its errors show
// nothing of the URL.
func OpenPostgres(address string) (*Postgres, error) {
	if u, err := url.Parse(address); err != nil || u.Scheme != postgresScheme || u.Host == "" {
		return nil, errors.New("it must be a URL such as postgres://user:password@host:5432/database?sslmode=verify-full")
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("it is no usable PostgreSQL URL: check the port, the encoding of special characters (%40 for @) and the parameters, such as sslmode and the files it needs")
	}
	for name, value := range map[string]string{
		"application_name": "terraform-provider-einvoice", "lock_timeout": strconv.FormatInt(budgetWait.Milliseconds(), 10),
		"tcp_keepalives_idle": strconv.Itoa(keepAlive), "tcp_keepalives_interval": strconv.Itoa(keepAlive / 2), "tcp_keepalives_count": "3",
	} {
		config.RuntimeParams[name] = value
	}
	return &Postgres{entries: newLink(config, entryTimeout), budgets: newLink(config, budgetTimeout)}, nil
}

// Check tells why the database cannot be used, nil when it can.
func (p *Postgres) Check(ctx context.Context) error {
	return p.entries.use(ctx, func(context.Context, *pgx.Conn) error { return nil })
}

// row is an entry in the database.
type row struct {
	*Postgres
	kind, hash string
	lock       int64
	known      State // as it was last read or written
}

// Entry opens an entry. It fails when the database cannot be used: what must
// happen once is not done then.
func (p *Postgres) Entry(ctx context.Context, kind string, parts ...string) (*Entry, error) {
	if !kindForm.MatchString(kind) {
		return nil, fmt.Errorf("journal: %q is not a kind of entry", kind)
	}
	r := &row{Postgres: p, kind: kind, hash: hashOf(kind, parts)}
	sum, _ := hex.DecodeString(r.hash[:16]) // It is one.
	for _, b := range sum {
		r.lock = r.lock<<8 | int64(b)
	}
	leave, err := holdInProcess(ctx, fmt.Sprintf("%p %s", p, r.hash))
	if err != nil {
		return nil, fmt.Errorf("journal: waiting for %s: %w", r, err)
	}
	if err := r.open(ctx); err != nil {
		leave()
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // What came of a request is recorded after an interrupt, too.
	return &Entry{
		path: r.String(), durable: true, required: true, state: r.known,
		save: func(s State, _ bool) error { return r.save(ctx, s) },
		release: func() error {
			defer leave()
			_ = r.unlock(ctx) // What cannot be unlocked now was locked by a connection that is gone.
			return nil
		},
	}, nil
}

// String names the row to a person who has to remove it.
func (r *row) String() string {
	return fmt.Sprintf("the row of table %s with kind '%s' and hash '%s'", journalTable, r.kind, r.hash)
}

// open waits for the lock, then reads what the entry knows.
func (r *row) open(ctx context.Context) error {
	for pause := lockPause; ; pause = min(2*pause, lockPauseMax) {
		locked := false
		err := r.entries.use(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
			if locked, err = r.tryLock(ctx, c); locked && err == nil {
				r.known, err = r.read(ctx, c)
			}
			return err
		})
		if err != nil {
			return err
		}
		if locked {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("journal: waiting for %s: %w", r, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (r *row) tryLock(ctx context.Context, c *pgx.Conn) (locked bool, err error) {
	err = c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", r.lock).Scan(&locked)
	return locked, err
}

func (r *row) unlock(ctx context.Context) error {
	return r.entries.use(ctx, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SELECT pg_advisory_unlock($1)", r.lock) // False where the connection is a new one.
		return err
	})
}

// read returns the zero State where there is no row. The age of a request is
// measured by the server's clock, and its beginning told by this machine's.
func (r *row) read(ctx context.Context, c *pgx.Conn) (s State, err error) {
	var age *float64
	err = c.QueryRow(ctx, "SELECT extract(epoch FROM clock_timestamp() - begun)::float8, id, note FROM "+journalTable+" WHERE kind = $1 AND hash = $2", r.kind, r.hash).
		Scan(&age, &s.ID, &s.Note)
	if errors.Is(err, pgx.ErrNoRows) {
		return State{}, nil
	}
	if age != nil {
		s.Begun = time.Now().Add(-max(0, time.Duration(*age*float64(time.Second)))).Round(0).UTC()
	}
	return s, err
}

// save writes what the entry knows. Where the connection that locked the entry is
// gone, it goes on with a new one, if nobody has held the entry since.
func (r *row) save(ctx context.Context, s State) error {
	return r.entries.use(ctx, func(ctx context.Context, c *pgx.Conn) error {
		written, err := r.write(ctx, c, s)
		if err == nil && !written {
			err = r.lockAgain(ctx, c)
			if err == nil {
				written, err = r.write(ctx, c, s)
			}
		}
		switch {
		case err != nil:
			return err
		case !written:
			return errors.New("the connection holds no lock: it must lead to the server itself, not to a pooler that shares it between clients")
		}
		r.known = s
		return nil
	})
}

func (r *row) lockAgain(ctx context.Context, c *pgx.Conn) error {
	locked, err := r.tryLock(ctx, c)
	if err != nil {
		return err
	}
	if !locked {
		return errors.New("the connection was lost, and another run holds the entry now")
	}
	now, err := r.read(ctx, c)
	if err == nil && (now.ID != r.known.ID || now.Note != r.known.Note || now.Begun.IsZero() != r.known.Begun.IsZero()) {
		err = errors.New("the connection was lost, and another run has changed the entry since")
	}
	return err
}

// write reports whether this connection holds the lock, without which nothing is
// written.
func (r *row) write(ctx context.Context, c *pgx.Conn, s State) (written bool, err error) {
	const held = `WITH held AS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid::bigint = $3 AND objid::bigint = $4 AND objsubid = 1), done AS (`
	const whether = ") SELECT count(*) = 1 FROM held"
	arguments := []any{r.kind, r.hash, int64(uint64(r.lock) >> 32), r.lock & 0xffffffff}
	if s == (State{}) {
		err = c.QueryRow(ctx, held+"DELETE FROM "+journalTable+" USING held WHERE kind = $1 AND hash = $2"+whether, arguments...).Scan(&written)
		return written, err
	}
	var age *float64
	if !s.Begun.IsZero() {
		seconds := time.Since(s.Begun).Seconds()
		age = &seconds
	}
	err = c.QueryRow(ctx, held+"INSERT INTO "+journalTable+` (kind, hash, begun, id, note, changed)
		SELECT $1, $2, clock_timestamp() - make_interval(secs => $5::float8), $6::text, $7::text, clock_timestamp() FROM held
		ON CONFLICT (kind, hash) DO UPDATE SET begun = excluded.begun, id = excluded.id, note = excluded.note, changed = excluded.changed`+whether,
		append(arguments, age, s.ID, s.Note)...).Scan(&written)
	return written, err
}

// UpdateBudget changes the row of a key, which is locked meanwhile.
func (p *Postgres) UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error {
	if p.resting.left(key) {
		return errResting
	}
	changed := false
	err := p.budgets.use(context.Background(), func(ctx context.Context, c *pgx.Conn) error {
		if changed {
			return errors.New("the connection was lost after a change") // Which may be kept: it is not made twice.
		}
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			var document []byte
			var now time.Time
			if err := tx.QueryRow(ctx, "INSERT INTO "+budgetTable+` (key, document, changed) VALUES ($1, '', clock_timestamp())
				ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING document, clock_timestamp()`, key).Scan(&document, &now); err != nil {
				return err
			}
			if len(document) == 0 {
				document = nil
			}
			changed = true
			next := change(document, now)
			if next == nil {
				return nil
			}
			_, err := tx.Exec(ctx, "UPDATE "+budgetTable+" SET document = $2, changed = clock_timestamp() WHERE key = $1", key, next)
			return err
		})
	})
	if err != nil {
		p.resting.begin(key)
	}
	return err
}
