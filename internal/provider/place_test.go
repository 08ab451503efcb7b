package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestPlaceMessages_atWhatACLIFinds(t *testing.T) {
	t.Parallel()
	root := tftypes.NewAttributePath
	for name, test := range map[string]struct{ at, want *tftypes.AttributePath }{
		"no attribute":        {nil, nil},
		"at the root":         {root().WithAttributeName("name"), root().WithAttributeName("name")},
		"in an object":        {root().WithAttributeName("address").WithAttributeName("city").WithAttributeName("name"), root().WithAttributeName("address")},
		"beside a secret":     {root().WithAttributeName("consumer_invoice").WithAttributeName("token_id"), root().WithAttributeName("consumer_invoice").WithAttributeName("token_id")},
		"an element":          {root().WithAttributeName("items").WithElementKeyInt(1), root().WithAttributeName("items").WithElementKeyInt(1)},
		"in an element":       {root().WithAttributeName("items").WithElementKeyInt(1).WithAttributeName("amount"), root().WithAttributeName("items").WithElementKeyInt(1)},
		"a key, as of a map":  {root().WithAttributeName("keys").WithElementKeyString("a"), root().WithAttributeName("keys").WithElementKeyString("a")},
		"in an object by key": {root().WithAttributeName("keys").WithElementKeyString("a").WithAttributeName("b"), root().WithAttributeName("keys").WithElementKeyString("a")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := &tfprotov6.PlanResourceChangeResponse{Diagnostics: []*tfprotov6.Diagnostic{{Attribute: test.at}}}
			placeMessages(response)
			if got := response.Diagnostics[0].Attribute; !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
