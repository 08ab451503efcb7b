package einvoice

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// The file has an empty status too, and one of no specification: a newer service may have it.
func TestStatus_decidesWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/statuses.csv")
	expect.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	expect.NoError(t, err)
	for _, row := range rows[1:] {
		want, documents := map[string]bool{}, ""
		for n, column := range rows[0] {
			if want[column] = row[n] == "yes"; column == "documents" {
				documents = row[n]
			}
		}
		v := &Invoice{Status: Enum(row[0])}
		m := v.Meaning()
		for column, got := range map[string]bool{
			"final": m.Final, "live": m.Live && v.Status != "", "ended": m.HasEnded(), "correctable": m.Correctable,
			"cancelable": m.Cancelable, "numbered": m.Numbered, "uses number": m.UsesNumber, "draft": v.IsDraft(),
			"decided": m.Final || m.Valid,
		} {
			if got != want[column] {
				t.Errorf("%q: %s: %t", row[0], column, got)
			}
		}
		if got := []string{"unknown", "later", "now", "never"}[m.Documents]; got != documents {
			t.Errorf("%q: documents: %s, want %s", row[0], got, documents)
		}
	}
}
