package issuance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// The private data of an object of a state, by which the journal knows it.
const (
	privateHolder = "holder" // names its block: which one has the invoice or the order
	// privateOwner has the company that its record was written under. A destroy has no configuration, and the issuer in
	// a state is always filled: neither says what the configuration had named.
	privateOwner = "owner"
)

// Holder is the name of the block of an object in the journal, "" for none.
func Holder(ctx context.Context, private session.PrivateState) string {
	return noted(ctx, private, privateHolder)
}

// Owner is the company that the record of an object was written under; "" for one that no run here has written.
func Owner(ctx context.Context, private session.PrivateState) string {
	return noted(ctx, private, privateOwner)
}

func noted(ctx context.Context, private session.PrivateState, key string) (text string) {
	raw, _ := private.GetKey(ctx, key)
	_ = json.Unmarshal(raw, &text) // "" where nothing was noted.
	return text
}

// NewHolder gives an object a new name in the journal, and notes the owner that its record is written under.
func NewHolder(
	ctx context.Context, private session.PrivateData, owner string,
) (holder string, diags diag.Diagnostics) {
	holder = uuid.NewString()
	diags.Append(private.SetKey(ctx, privateHolder, fmt.Appendf(nil, "%q", holder))...)
	diags.Append(private.SetKey(ctx, privateOwner, fmt.Appendf(nil, "%q", owner))...)
	return holder, diags
}

// Sale is what a block sends once, as a plan knows it.
type Sale struct {
	Thing     string // "invoice" or "order"
	Model     string // of an invoice
	Attribute string // has the name
	Name      string // "" while it is not known
	Content   string // a digest of the payload, "" while it is not known
	Company   string // of one in state, "" for none
	Label     string
	Block     string // names the block to the journal, "" for a new one
}

// Note tells the plan of an object that comes or leaves. It refuses two new objects under one name with different
// contents, and warns of one that comes where another one leaves. isRenamed reports whether these have the same name.
func (l Sale) Note(s *session.Session, role session.Role) (isRenamed bool, diags diag.Diagnostics) {
	seen := s.NotePlanned(session.Planned{
		Role: role, Kind: l.Thing + " " + l.Model, Name: l.Name, Company: l.Company, Content: l.Content, Block: l.Block,
	})
	diags.Append(l.twins(seen.Twins)...)
	switch {
	case len(seen.Renamed) > 0:
		diags.Append(l.renamed(s, role == session.Leaves || seen.Renamed[0].Role == session.Leaves)...)
	case len(seen.Repeated) > 0:
		diags.Append(l.repeated(role, seen.Repeated[0]))
	}
	return len(seen.Renamed) > 0, diags
}

// twins is about new objects of one company under one name. With one content there will be one object where the plan
// shows two. With two contents nobody knows which.
func (l Sale) twins(twins []session.Planned) diag.Diagnostics {
	if len(twins) == 0 {
		return nil
	}
	at := path.Root(l.Attribute)
	for _, other := range twins {
		if l.Content != "" && other.Content != "" && l.Content != other.Content {
			return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at,
				fmt.Sprintf("Two sales with one %s: %s", l.Attribute, l.Label), fmt.Sprintf(
					"Another block of this configuration has the same `%s`, and a different content. Upper and lower case "+
						"count as equal. One `%[1]s` is one sale. Give each sale its own.", l.Attribute))}
		}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at,
		fmt.Sprintf("Two new %ss with one %s: %s", l.Thing, l.Attribute, l.Label), fmt.Sprintf(
			"Another block of this run has the same `%s`, and one `%[1]s` is one %[2]s. "+
				"It is sent once: the block that comes second adopts it, or fails if it wants another %[2]s. "+
				"Give each its own `%[1]s`, or take one of the blocks out.", l.Attribute, l.Thing))}
}

// renamed recommends a moved block. A hundred renamed blocks are worth one such warning.
func (l Sale) renamed(s *session.Session, isOnlyRemoved bool) (diags diag.Diagnostics) {
	leaves, then := "cancels what is issued", "The one that runs first decides whether the sale stays valid."
	if isOnlyRemoved {
		leaves = "only removes it from state"
		then = "The new block adopts what is issued if the payload is the same. Otherwise the apply fails."
	}
	if s.Planned.NoteFirst("renamed, which "+leaves, l.Thing) {
		diags.AddWarning("Renamed without a `moved` block: "+l.Label, fmt.Sprintf(
			"The plan destroys one block of this sale, which %s, and creates another block with the same `%s`. %s "+
				"With a `moved` block, neither happens. Only the first such block gets this warning: check all that "+
				"the plan both destroys and creates.", leaves, l.Attribute, then))
	}
	return diags
}

// repeated warns of a new object with the content of one that leaves: somebody may have changed how sales are named.
func (l Sale) repeated(role session.Role, other session.Planned) diag.Diagnostic {
	left, created := l.Name, other.Name
	if role == session.Comes {
		left, created = other.Name, l.Name
	}
	then := "stays at the service. If both are authorized, tax is due on both."
	if role == session.Cancels || other.Role == session.Cancels {
		then = "is canceled, and the second one is issued."
	}
	return diag.NewWarningDiagnostic("May be one sale issued twice: "+l.Label, fmt.Sprintf(
		"The plan destroys the block with the `%[1]s` %[2]q, and creates a block with the same content and the `%[1]s` "+
			"%[3]q. The first %[4]s %[5]s If it is the same sale, write %[2]q again, and use a `moved` block if its block "+
			"has another name.", l.Attribute, left, created, l.Thing, then))
}

// NoteHeld tells the plan what becomes of an object in state, and refuses a plan in which one block keeps what another
// one cancels.
func (l Sale) NoteHeld(s *session.Session, id string, role session.Role) diag.Diagnostics {
	seen := s.NotePlanned(session.Planned{Role: role, Kind: l.Thing + " in state", Name: id, Block: l.Block})
	for _, other := range seen.Named {
		if other.Role == role || other.Block == l.Block {
			continue
		}
		return message.Error("One block keeps "+l.Label+", another one cancels it", fmt.Sprintf(
			"Two blocks have the same %s in state (id %s). The plan destroys one of them, and its `cancellation_reason` "+
				"would cancel what the other one keeps.", l.Thing, id),
			"To keep it, take the leaving block out of the state with `state rm`, or a `removed` block with `destroy = false`. "+
				"To cancel it, take both blocks out of the configuration.")
	}
	return nil
}
