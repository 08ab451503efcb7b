package invoice

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// privateHolder is private data that names an object of a state to the journal: which block
// has the invoice or the order.
const privateHolder = "holder"

// Holder is the name that an object has in the journal, "" for none.
func Holder(ctx context.Context, private session.PrivateState) (holder string) {
	if note, diags := private.GetKey(ctx, privateHolder); !diags.HasError() {
		_ = json.Unmarshal(note, &holder) // Absent means none.
	}
	return holder
}

// NewHolder gives an object that name.
func NewHolder(ctx context.Context, private session.PrivateData) (holder string, diags diag.Diagnostics) {
	holder = uuid.NewString()
	return holder, private.SetKey(ctx, privateHolder, fmt.Appendf(nil, "%q", holder))
}

// Sale is what a block sends once, as the plans of one run know it.
type Sale struct {
	Thing     string // "invoice" or "order"
	Attribute string // has the name
	Name      string // "" while it is not known
	Content   string // the payload, "" while it is not known
	Label     string
}

func (m *issuanceModel) sale() Sale {
	sale := Sale{Thing: "invoice", Attribute: "integration_id", Label: m.label()}
	if !attribute.IsUnset(m.IntegrationID) && !attribute.IsUnset(m.Model) {
		sale.Name = m.Model.ValueString() + "/" + m.IntegrationID.ValueString()
	}
	if !attribute.IsUnset(m.PayloadJSON) {
		sale.Content = m.PayloadJSON.ValueString()
	}
	return sale
}

// RefuseTwin is about two new objects of one company under one name. With one content there
// will be one object where the plan shows two. With two contents nobody knows which.
func (l Sale) RefuseTwin(s *session.Session) diag.Diagnostics {
	if l.Name == "" {
		return nil
	}
	at := path.Root(l.Attribute)
	first, taken := s.Twin(l.Thing, strings.ToLower(l.Name), l.Content)
	switch {
	case !taken:
		return nil
	case first != "" && l.Content != "" && !samePayload(einvoice.StatusCreated, first, l.Content):
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at,
			fmt.Sprintf("Two sales with one %s: %s", l.Attribute, l.Label), fmt.Sprintf(
				"Another block of this configuration has the same `%s`, whatever its case, and another content. "+
					"One `%[1]s` is one sale. Give each sale its own.", l.Attribute))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at,
		fmt.Sprintf("Two new %ss with one %s: %s", l.Thing, l.Attribute, l.Label), fmt.Sprintf(
			"Another block of this run has the same `%s`, and one `%[1]s` is one %[2]s. "+
				"It is sent once: the block that comes second adopts it, or fails if it wants another %[2]s. "+
				"Give each its own `%[1]s`, or take one of the blocks out.", l.Attribute, l.Thing))}
}

// WarnOfRenaming recommends a moved block if one plan has a block that leaves with a
// cancellation and one that comes with the same sale. Whichever is planned second warns.
func (l Sale) WarnOfRenaming(s *session.Session, role string) diag.Diagnostics {
	if s == nil || l.Name == "" {
		return nil
	}
	if first, both := s.Planned.Taken("renamed "+l.Thing, strings.ToLower(l.Name), role); !both || first == role {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Renamed without a `moved` block: "+l.Label, fmt.Sprintf(
		"The plan destroys one block with this sale, which cancels what is issued, and creates another block with "+
			"the same `%s`. The one that runs first decides whether the sale stays valid. Add a `moved` block, so "+
			"that neither runs.",
		l.Attribute))}
}
