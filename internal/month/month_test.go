package month

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMonths_has(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Zone, Date string
		Want       bool
	}](t, "months_has.json") {
		in, ok := zone(test.Zone)
		if !ok {
			t.Fatalf("there is no zone %s", test.Zone)
		}
		if november, _ := parseMonth("2026-11", in); november.has(test.Date) != test.Want {
			t.Errorf("%q is in November of %s: %t, want %t", test.Date, test.Zone, !test.Want, test.Want)
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
	for _, test := range rows.Read[[]struct {
		Amounts []string // as the service writes them
		Want    string
	}](t, "add_is_exact.json") {
		sums, err := add(func(yield func(*einvoice.Invoice, error) bool) {
			for _, amount := range test.Amounts {
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
		expect.Is(t, got, test.Want, "%v amount to", test.Amounts)
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
		expect.Is(t, cmp.Diff(test.want, missing(test.of, test.taken), cmp.AllowUnexported(span{})), "", "%s (-want +got):\n", name)
	}
}

func TestStatus_decidesWhatAMonthCounts(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		v := &einvoice.Invoice{Status: einvoice.Enum(status)}
		for column, got := range map[string]bool{"uses number": v.Meaning().UsesNumber, "decided": isDecided(v)} {
			expect.Is(t, got, want.Says(column), "%s", column)
		}
	})
}
