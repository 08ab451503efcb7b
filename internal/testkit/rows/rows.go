// Package rows reads the tables of tests. A case more is a line of data in the package's testdata.
package rows

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// Read decodes a table of testdata. A member that no field takes fails, and so does a table without a row.
func Read[T any](t testing.TB, name string) (table T) {
	t.Helper()
	table = ReadOne[T](t, name)
	if reflect.ValueOf(table).Len() == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return table
}

// ReadOne is Read of what is no list.
func ReadOne[T any](t testing.TB, name string) (value T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	Decode(t, data, &value)
	return value
}

// Decode reads one value, whose every member has to have a field.
func Decode(t testing.TB, data []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// Span is a time in a table, as time.ParseDuration reads it, such as 25h.
type Span time.Duration

// UnmarshalText reads one.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = Span(d)
	return err
}

// Case runs a case of a table beside the others.
func Case(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		run(t)
	})
}
