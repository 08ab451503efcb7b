package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzContent reads a file that anybody may have written. Whatever it holds is
// either understood, and then written back as it was, or means that a request is
// on its way; it never means that nothing is known.
func FuzzContent(f *testing.F) {
	const kind, hash = "invoice", "abc"
	f.Add([]byte(`{"version":1,"kind":"invoice","key":"abc","id":"1","note":"n"}`))
	f.Add([]byte(`{"version":1,"kind":"invoice","key":"abc","begun":"2026-11-21T01:00:00Z"}`))
	f.Add([]byte(`{"version":1,"kind":"invoice","key":"other","id":"1"}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(``))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "entry")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		file := entryFile{path, kind, hash}
		state := file.read()
		if state.Begun.IsZero() == (state.ID == "") {
			t.Fatalf("%q reads as %+v", raw, state)
		}
		for _, sending := range []bool{true, false} {
			if err := file.write(state, sending); err != nil {
				return // A time that JSON cannot hold: the file stays as it was.
			}
			again := file.read()
			if !again.Begun.Equal(state.Begun) || again.ID != state.ID || again.Note != state.Note {
				t.Errorf("%q reads as %+v, and after writing that (sending: %t) as %+v", raw, state, sending, again)
			}
		}
	})
}
