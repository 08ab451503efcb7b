package issuance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
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
	case first != "" && l.Content != "" && !jsontree.SameText(first, l.Content):
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at,
			fmt.Sprintf("Two sales with one %s: %s", l.Attribute, l.Label), fmt.Sprintf(
				"Another block of this configuration has the same `%s`, and a different content. Upper and lower case "+
					"count as equal. One `%[1]s` is one sale. Give each sale its own.", l.Attribute))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at,
		fmt.Sprintf("Two new %ss with one %s: %s", l.Thing, l.Attribute, l.Label), fmt.Sprintf(
			"Another block of this run has the same `%s`, and one `%[1]s` is one %[2]s. "+
				"It is sent once: the block that comes second adopts it, or fails if it wants another %[2]s. "+
				"Give each its own `%[1]s`, or take one of the blocks out.", l.Attribute, l.Thing))}
}

// Role is what a plan does with a block of a sale.
type Role string

// The roles of a renaming: a block comes, and another one leaves and cancels or only forgets
// what was issued.
const (
	Comes   Role = "comes"
	Cancels Role = "cancels"
	Forgets Role = "forgets"
)

// Renames reports whether one plan has a block that leaves and one that comes with the same
// sale, as far as it is known by now. Whichever is planned second knows it and recommends a
// moved block. A hundred renamed blocks are worth one such warning.
func (l Sale) Renames(s *session.Session, role Role) (renames bool, diags diag.Diagnostics) {
	if s == nil || l.Name == "" {
		return false, nil
	}
	held, both := s.Planned.Taken("renamed "+l.Thing, strings.ToLower(l.Name), string(role))
	first := Role(held)
	if !both || (first == Comes) == (role == Comes) {
		return false, nil
	}
	leaves, then := "cancels what is issued", "The one that runs first decides whether the sale stays valid."
	if first == Forgets || role == Forgets {
		leaves = "only removes it from state"
		then = "The new block adopts what is issued if the payload is the same. Otherwise the apply fails."
	}
	if _, warned := s.Planned.Taken("renamed, which "+leaves, l.Thing, ""); warned {
		return true, nil
	}
	diags.AddWarning("Renamed without a `moved` block: "+l.Label, fmt.Sprintf(
		"The plan destroys one block of this sale, which %s, and creates another block with the same `%s`. %s "+
			"With a `moved` block, neither happens. Only the first such block gets this warning: check all that "+
			"the plan both destroys and creates.", leaves, l.Attribute, then))
	return true, diags
}

// RefuseHeldTwice refuses a plan in which one block keeps what another block cancels: both have it in state. holder
// names the block.
func RefuseHeldTwice(s *session.Session, thing, id, label, holder string, cancels bool) diag.Diagnostics {
	if s == nil {
		return nil
	}
	role := fmt.Sprint(cancels)
	first, both := s.Planned.Taken("in state "+thing, strings.ToLower(id), role+" "+holder)
	firstRole, firstHolder, _ := strings.Cut(first, " ")
	if !both || firstRole == role || firstHolder == holder {
		return nil
	}
	return message.Error("One block keeps "+label+", another one cancels it", fmt.Sprintf(
		"Two blocks have the same %s in state (id %s). The plan destroys one of them, and its `cancellation_reason` "+
			"would cancel what the other one keeps.", thing, id),
		"To keep it, take the leaving block out of the state with `state rm`, or a `removed` block with `destroy = false`. "+
			"To cancel it, take both blocks out of the configuration.")
}

// Foresee notes that the plan has said that an existing object is adopted.
func (l Sale) Foresee(s *session.Session, id einvoice.Text) {
	s.Planned.Taken("foreseen "+l.Thing, strings.ToLower(l.Name), string(id))
}

// Foreseen reports whether this run has said so. A CLI plans an object once more right before
// it creates it, in the same process: the apply need not say it again.
func (l Sale) Foreseen(s *session.Session, id einvoice.Text) bool {
	first, said := s.Planned.Taken("foreseen "+l.Thing, strings.ToLower(l.Name), "")
	return said && first == string(id)
}
