package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// formerTables are those of version 0.1.
const formerTables = "CREATE TABLE " + formerTable + ` (kind text, hash text, begun timestamptz,
	id text NOT NULL, note text NOT NULL, changed timestamptz NOT NULL, PRIMARY KEY (kind, hash));
	CREATE TABLE ` + budgetTable + " (key text PRIMARY KEY, document bytea NOT NULL, changed timestamptz NOT NULL)"

// formerEntries are entries of version 0.1 by kind: the file's content, the row's
// columns, and whether the entry is refused.
var formerEntries = map[string]struct {
	file, row string
	refused   bool
}{
	"invoice":     {`{"version":1,"begun":"2026-11-21T01:00:00Z","note":"hash"}`, "'2026-11-21T01:00:00Z', '', 'hash'", true},
	"order":       {`{"version":1,"id":"id-1","note":"hash"}`, "NULL, 'id-1', 'hash'", false},
	"certificate": {`{"version":1,"id":"id-1"}`, "NULL, 'id-1', ''", false},
	"creation":    {`{"version":1,"id":"id-1","note":"n"}`, "NULL, 'id-1', 'n'", true},
	"letter":      {`{"version":1,"id":"id-1","note":"n"}`, "NULL, 'id-1', 'n'", true},
	"rotated":     {`{"version":1,"id":"id-1","note":"n"}`, "NULL, 'id-1', 'n'", true},
}

// checkFormer expects a store to refuse what an older version has not settled, until it is removed.
func checkFormer(t *testing.T, s Store, where string, remove func(kind, hash string)) {
	t.Helper()
	for kind, entry := range formerEntries {
		key := KeyOf(kind, "service", "a").Formerly(kind, "key", "a")
		hash := hashOf(kind, []string{"key", "a"})
		_, version, err := s.Load(t.Context(), key)
		unsettled := (*UnsettledError)(nil)
		if errors.As(err, &unsettled) != entry.refused || version != 0 || !entry.refused && err != nil {
			t.Errorf("%s: version %d, %v", kind, version, err)
			continue
		}
		if entry.refused {
			named := strings.Contains(err.Error(), where) && strings.Contains(err.Error(), hash)
			if begun := kind == "invoice"; unsettled.Begun.IsZero() == begun || !named {
				t.Errorf("%s: begun %v, %v", kind, unsettled.Begun, err)
			}
			remove(kind, hash)
		}
		put(t, s, key, Record{Phase: Sending})
		if _, _, err := s.Load(t.Context(), KeyOf(kind, "other").Formerly(kind, "other")); err != nil {
			t.Errorf("%s, another one: %v", kind, err)
		}
	}
}

func TestFiles_takeOverFromVersion01(t *testing.T) {
	t.Parallel()
	f := OpenFiles(t.TempDir())
	dir := filepath.Join(f.dir, formerFolder)
	must(t, os.Mkdir(dir, 0o700))
	for kind, entry := range formerEntries {
		must(t, os.WriteFile(filepath.Join(dir, kind+"-"+hashOf(kind, []string{"key", "a"})), []byte(entry.file), 0o600))
	}
	damaged := KeyOf("invoice", "b").Formerly("invoice", "b")
	must(t, os.WriteFile(filepath.Join(dir, damaged.former), []byte("{"), 0o600))
	if _, _, err := f.Load(t.Context(), damaged); !errors.As(err, new(*UnsettledError)) {
		t.Errorf("a damaged one: %v", err)
	}
	checkFormer(t, f, dir, func(kind, hash string) { must(t, os.Remove(filepath.Join(dir, kind+"-"+hash))) })
}

func postgresTakesOver(t *testing.T, address string) {
	fixture.Execute(t, address, formerTables)
	for kind, entry := range formerEntries {
		hash := hashOf(kind, []string{"key", "a"})
		fixture.Execute(t, address, "INSERT INTO "+formerTable+" VALUES ('"+kind+"', '"+hash+"', "+entry.row+", now())")
	}
	checkFormer(t, machine(t, address), "table "+keptTable, func(kind, hash string) {
		fixture.Execute(t, address, "DELETE FROM "+keptTable+" WHERE kind = '"+kind+"' AND hash = '"+hash+"'")
	})
	must(t, machine(t, address).Check(t.Context())) // A second time.
	endsVersion01(t, address)
}

// Nor does an older version begin where a newer one works already.
func postgresEndsVersion01(t *testing.T, address string) {
	put(t, machine(t, address), sale.Formerly("invoice", "a"), Record{})
	endsVersion01(t, address)
}

func endsVersion01(t *testing.T, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	// The statements of version 0.1: when it connects, when it opens an entry, and when it writes one.
	for _, statement := range []string{
		"DELETE FROM " + formerTable + " WHERE begun IS NULL AND note = '' " +
			"AND changed < clock_timestamp() - make_interval(secs => 1)",
		"SELECT extract(epoch FROM clock_timestamp() - begun)::float8, id, note FROM " + formerTable +
			" WHERE kind = 'a' AND hash = 'b'",
		"INSERT INTO " + formerTable + ` (kind, hash, begun, id, note, changed) SELECT 'a', 'b', now(), '', '', now()
			ON CONFLICT (kind, hash) DO UPDATE SET begun = excluded.begun`,
		"DELETE FROM " + formerTable + " WHERE kind = 'a' AND hash = 'b'",
	} {
		if _, err := conn.Exec(t.Context(), statement); err == nil {
			t.Errorf("version 0.1 goes on with %s", statement)
		}
	}
	var notice string
	must(t, conn.QueryRow(t.Context(), "SELECT notice FROM "+formerTable).Scan(&notice))
	if !strings.Contains(notice, "update this one") {
		t.Error(notice)
	}
}
