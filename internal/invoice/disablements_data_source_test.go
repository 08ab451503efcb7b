package invoice_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestDisablementsDataSource_filters(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 1},
		"a service that ignores filters": {MaxPageSize: 1, IgnoreFilters: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, options)
			for i, status := range []string{"registered", "rejected", "inProcessing"} {
				s.Seed(sandbox.KindDisablements, map[string]any{
					"initialNumber": 10 * (i + 1), "finalNumber": 10*(i+1) + 5, "series": "1", "reason": "Falha na numeração", "status": status,
					"date": fmt.Sprintf("2026-11-%02dT10:00:00-03:00", 10+i), "messageCode": "102", "messageText": "ok", "protocolNumber": "135", "environment": "production",
				})
			}
			s.Seed(sandbox.KindDisablements, map[string]any{"initialNumber": 90, "_model": "consumerInvoice"})
			p := testkit.Serve(t, s, nil)
			read := func(arguments map[string]any) (found []map[string]any) {
				t.Helper()
				state, failed := p.ReadData("einvoice_disablements", arguments)
				if failed != "" {
					t.Fatal(failed)
				}
				list, _ := state["disablements"].([]any)
				for _, one := range list {
					found = append(found, one.(map[string]any))
				}
				return found
			}
			for _, test := range rows.Read[[]struct {
				Arguments map[string]any
				Want      []any // the first numbers of the ranges
			}](t, "disablements_data_source_filters.json") {
				var got []any
				for _, one := range read(test.Arguments) {
					got = append(got, one["initial_number"])
				}
				if !slices.Equal(got, test.Want) {
					t.Errorf("%v finds %v, want %v", test.Arguments, got, test.Want)
				}
			}
			first := read(map[string]any{})[0]
			delete(first, "id")
			delete(first, "identifier")
			if diff := cmp.Diff(map[string]any{
				"date": "2026-11-10T10:00:00-03:00", "initial_number": 10.0, "final_number": 15.0, "series": "1", "reason": "Falha na numeração", "protocol_number": "135",
				"status": "registered", "environment": "production", "message_code": "102", "message_text": "ok",
			}, first); diff != "" {
				t.Errorf("the first (-want +got):\n%s", diff)
			}
		})
	}
}
