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
	request, _ := m.filter()
	if diff := cmp.Diff(einvoice.InboundFilter{}, request); diff != "" {
		t.Error(diff)
	}
}

func TestFilter_takesAnInvoiceWithoutManifestationForOneWithNone(t *testing.T) {
	t.Parallel()
	_, isOfNone := (&listModel{ManifestationStatus: types.StringValue("none")}).filter()
	for status, want := range map[einvoice.Enum]bool{"": true, "none": true, "confirmed": false} {
		if got := isOfNone(&einvoice.InboundInvoice{Manifestation: &einvoice.Manifestation{Status: status}}); got != want {
			t.Errorf("%q: %t, want %t", status, got, want)
		}
	}
	if !isOfNone(&einvoice.InboundInvoice{}) {
		t.Error("no manifestation is not taken for none")
	}
}
