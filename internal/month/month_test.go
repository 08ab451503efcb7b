package month

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestMonths_has(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, date string
		want       bool
	}{
		{"America/Sao_Paulo", "2026-11-01T00:00:00-03:00", true},
		{"America/Sao_Paulo", "2026-10-31T23:59:59.999-03:00", false},
		{"America/Sao_Paulo", "2026-11-30T23:59:59.999-03:00", true},
		{"America/Sao_Paulo", "2026-12-01T00:00:00-03:00", false},
		{"America/Sao_Paulo", "2026-12-01T02:59:59Z", true},
		{"America/Sao_Paulo", "2026-11-30T23:30:00", true}, // Without an offset it is by the clock of the zone.
		{"America/Manaus", "2026-11-30T23:30:00", true},
		{"America/Manaus", "2026-12-01T00:30:00", false},
		{"America/Manaus", "2026-12-01T00:30:00-03:00", true},
		{"America/Manaus", "2026-11-01T00:30:00-03:00", false},
		{"Asia/Tokyo", "2026-10-31T15:00:00Z", true},
		// A day is the same one everywhere.
		{"America/Sao_Paulo", "2026-11-01", true},
		{"America/Manaus", "2026-11-01", true},
		{"Asia/Tokyo", "2026-11-30", true},
		{"Asia/Tokyo", "2026-12-01", false},
		{"America/Sao_Paulo", "", false},
		{"America/Sao_Paulo", "november", false},
	} {
		in, ok := zone(test.zone)
		if !ok {
			t.Fatalf("there is no zone %s", test.zone)
		}
		if november, _ := parseMonth("2026-11", in); november.has(test.date) != test.want {
			t.Errorf("%q is in November of %s: %t, want %t", test.date, test.zone, !test.want, test.want)
		}
	}
}

// Whoever has no database of time zones has the one in the program.
func TestZone(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	for name, want := range map[string]bool{"America/Sao_Paulo": true, "America/Noronha": true, "UTC": true, "": false, "Local": false, "São Paulo": false, "../etc/passwd": false} {
		if _, ok := zone(name); ok != want {
			t.Errorf("%q is a zone: %t, want %t", name, ok, want)
		}
	}
	for text, want := range map[string]bool{"2026-11": true, "2026-00": false, "2026-13": false, "2026-1": false, "11/2026": false, "2026-11-01": false, "": false} {
		if _, ok := parseMonth(text, time.UTC); ok != want {
			t.Errorf("%q is a month: %t, want %t", text, ok, want)
		}
	}
}

func TestAdd_isExact(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amounts []string // as the service writes them
		want    string
	}{
		{nil, "0.00"},
		{[]string{"0.1", "0.2"}, "0.30"},
		{[]string{"1e2", `"10.50"`, "5"}, "115.50"},
		{[]string{"0.005", "0.005"}, "0.01"},
		{[]string{"12345678901234567.89", "0.01"}, "12345678901234567.90"},
		{[]string{"0.0000000001", "1"}, "1.0000000001"},
		{[]string{"-5.25", "5"}, "-0.25"},
		{[]string{"null"}, "no amount"},
		{[]string{`""`}, "no amount"},
		{[]string{"1e-999999999"}, "no amount"},
		{[]string{`"0x10"`}, "no amount"},
		{[]string{`"1/3"`}, "no amount"},
	} {
		sums, err := add(func(yield func(*einvoice.Invoice, error) bool) {
			for _, amount := range test.amounts {
				if !yield(&einvoice.Invoice{Status: einvoice.StatusAuthorized, Raw: json.RawMessage(`{"amount":` + amount + `}`)}, nil) {
					return
				}
			}
		})
		got := "no amount"
		if err == nil {
			m := totalsModel{}
			m.fill(sums)
			got = m.Amount.ValueString()
		}
		if got != test.want {
			t.Errorf("%v amount to %s, want %s", test.amounts, got, test.want)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of    span
		taken []span
		want  []span
	}{
		"nothing to judge":     {noNumbers, []span{{1, 9}}, nil},
		"all are taken":        {span{1, 5}, []span{{4, 5}, {1, 3}}, nil},
		"one in the middle":    {span{1, 5}, []span{{1, 2}, {4, 5}}, []span{{3, 3}}},
		"ranges overlap":       {span{1, 9}, []span{{1, 7}, {2, 3}, {9, 9}}, []span{{8, 8}}},
		"at both ends":         {span{1, 9}, []span{{3, 4}}, []span{{1, 2}, {5, 9}}},
		"beyond both ends":     {span{5, 9}, []span{{1, 5}, {9, 20}, {30, 31}}, []span{{6, 8}}},
		"a range turned round": {span{1, 3}, []span{{3, 1}}, []span{{1, 3}}},
		"a long way":           {span{1, 1 << 60}, []span{{1, 1}, {1 << 60, 1 << 60}}, []span{{2, 1<<60 - 1}}},
	} {
		if diff := cmp.Diff(test.want, missing(test.of, test.taken), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
