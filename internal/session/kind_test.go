package session

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// An import has made a state of an id alone. Looking at it changes nothing: the id names the record
// of the journal afterwards, and stays in state where a list lags.
func TestIsImported(t *testing.T) {
	t.Parallel()
	attributes := schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "name": schema.StringAttribute{Optional: true},
	}}
	form := attributes.Type().TerraformType(t.Context())
	for name, want := range map[any]bool{nil: true, "Padaria": false} {
		raw := tftypes.NewValue(form, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.String, "1"), "name": tftypes.NewValue(tftypes.String, name),
		})
		state := tfsdk.State{Schema: attributes, Raw: raw}
		before := raw.Copy()
		if got := isImported(state); got != want {
			t.Errorf("%v: imported: %t, want %t", name, got, want)
		}
		if !state.Raw.Equal(before) {
			t.Errorf("%v: the state is %v, was %v", name, state.Raw, before)
		}
	}
}
