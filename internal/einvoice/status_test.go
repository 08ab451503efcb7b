package einvoice

import (
	"encoding/csv"
	"os"
	"testing"
)

// The file has an empty status too, and one of no specification: a newer service may have it.
func TestStatus_decidesWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/statuses.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		want := map[string]bool{}
		for n, column := range rows[0] {
			want[column] = row[n] == "yes"
		}
		v := &Invoice{Status: Enum(row[0])}
		for column, got := range map[string]bool{"final": v.IsSettled(), "live": v.mayBeValid()} {
			if got != want[column] {
				t.Errorf("%q: %s: %t", row[0], column, got)
			}
		}
	}
}
