package inbound

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestListModel_asksForNoStatusOutOfSeveral(t *testing.T) {
	t.Parallel()
	m := listModel{Statuses: []types.String{types.StringValue("denied"), types.StringValue("canceled")}}
	if diff := cmp.Diff(einvoice.InboundFilter{}, m.filter().request()); diff != "" {
		t.Error(diff)
	}
}

func TestFilter_takesAnInvoiceWithoutManifestationForOneWithNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		invoice *einvoice.InboundInvoice
		want    bool
	}{
		{"no manifestation", &einvoice.InboundInvoice{}, true},
		{"a manifestation without a status", &einvoice.InboundInvoice{Manifestation: &einvoice.Manifestation{}}, true},
		{"none", &einvoice.InboundInvoice{Manifestation: &einvoice.Manifestation{Status: "none"}}, true},
		{"another one", &einvoice.InboundInvoice{Manifestation: &einvoice.Manifestation{Status: "confirmed"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := (&filter{InboundFilter: einvoice.InboundFilter{ManifestationStatus: "none"}}).matches(test.invoice); got != test.want {
				t.Errorf("matches = %t, want %t", got, test.want)
			}
		})
	}
}
