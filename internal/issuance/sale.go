package issuance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// The private data of an object of a state, by which the journal knows it.
const (
	privateHolder = "holder" // names its block: which one has the invoice or the order
	// privateOwner has the company that its record was written under. A destroy has no configuration, and the issuer in
	// a state is always filled: neither says what the configuration had named.
	privateOwner = "owner"
	// privateCancels has the name of what a destroy of the object in state would cancel.
	privateCancels = "cancels"
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
	Thing     string // Invoice or Order
	Model     string // of an invoice
	Attribute string // has the name
	Name      string // "" while it is not known
	Content   string // a digest of the payload, "" while it is not known
	Sold      string // a digest of what is sold to whom, "" while it is not known
	Company   string // of one in state, "" for none
	Label     text.Text
	Block     string // names the block to the journal, "" for a new one
}

// Note tells the plan of an object that comes or leaves. It refuses two new objects under one name with different
// contents, and warns of one that comes where another one leaves. isRenamed reports whether these have the same name.
func (l Sale) Note(
	ctx context.Context, s *session.Session, role session.Role,
) (isRenamed bool, diags diag.Diagnostics) {
	seen := s.NotePlanned(session.Planned{
		Role: role, Kind: l.Thing + " " + l.Model, Name: l.Name, Company: l.Company, Content: l.Content, Sold: l.Sold,
		Block: l.Block,
	})
	diags.Append(l.twins(ctx, seen.Twins)...)
	switch {
	case len(seen.Renamed) > 0:
		diags.Append(l.renamed(ctx, s, role == session.Leaves || seen.Renamed[0].Role == session.Leaves)...)
	case len(seen.Repeated) > 0:
		diags.Append(l.repeated(ctx, role, seen.Repeated[0])...)
	}
	return len(seen.Renamed) > 0, diags
}

// twins is about new objects of one company under one name. With one content there will be one object where the plan
// shows two. With two contents nobody knows which.
func (l Sale) twins(ctx context.Context, twins []session.Planned) diag.Diagnostics {
	if len(twins) == 0 {
		return nil
	}
	at := path.Root(l.Attribute)
	for _, other := range twins {
		if l.Content != "" && other.Content != "" && l.Content != other.Content {
			return say.ErrorAt(ctx, at, "issuance.unlike_twins", text.With{"label": l.Label, "attribute": l.Attribute})
		}
	}
	return say.WarningAt(ctx, at, "issuance.twins", text.With{
		"label": l.Label, "thing": l.Thing, "attribute": l.Attribute,
	})
}

// renamed recommends a moved block. A hundred renamed blocks are worth one such warning.
func (l Sale) renamed(ctx context.Context, s *session.Session, isOnlyRemoved bool) diag.Diagnostics {
	if !s.Planned.NoteFirst(fmt.Sprint("renamed, only removed: ", isOnlyRemoved), l.Thing) {
		return nil
	}
	return say.Warning(ctx, "issuance.renamed", text.With{
		"label": l.Label, "attribute": l.Attribute, "removed": isOnlyRemoved,
	})
}

// repeated warns of a new object that sells the same as one that leaves: somebody may have changed how sales are named.
func (l Sale) repeated(ctx context.Context, role session.Role, other session.Planned) diag.Diagnostics {
	left, created := l.Name, other.Name
	if role == session.Comes {
		left, created = other.Name, l.Name
	}
	return say.Warning(ctx, "issuance.repeated", text.With{
		"label": l.Label, "thing": l.Thing, "attribute": l.Attribute, "left": left, "created": created,
		"canceled": role == session.Cancels || other.Role == session.Cancels,
	})
}

// NoteHeld tells the plan what becomes of an object in state, and refuses a plan in which one block keeps what another
// one cancels.
func (l Sale) NoteHeld(ctx context.Context, s *session.Session, id string, role session.Role) diag.Diagnostics {
	s.NoteLabel(l.Thing, id, l.Label)
	seen := s.NotePlanned(session.Planned{Role: role, Kind: l.Thing + " in state", Name: id, Block: l.Block})
	for _, other := range seen.Named {
		if other.Role != role && other.Block != l.Block {
			return say.Error(ctx, "issuance.kept_and_canceled", text.With{"label": l.Label, "thing": l.Thing, "id": id})
		}
	}
	return nil
}

// NoteCancels notes in the plan of an object in state whether a replacement would cancel what has its name. Core
// hands the private data of that plan to the one of the new object.
func (l Sale) NoteCancels(ctx context.Context, private session.PrivateData, isCanceled bool) diag.Diagnostics {
	if !isCanceled {
		return private.SetKey(ctx, privateCancels, nil)
	}
	return private.SetKey(ctx, privateCancels, fmt.Appendf(nil, "%q", l.Name))
}

// RefuseReplacement refuses a new object under the name of what its own replacement cancels: it could never be issued.
// Only an error shows: core drops the warnings of a replacement's second plan.
func (l Sale) RefuseReplacement(ctx context.Context, private session.PrivateState) diag.Diagnostics {
	if name := noted(ctx, private, privateCancels); name == "" || name != l.Name {
		return nil
	}
	return say.Error(ctx, "issuance.replacement", text.With{"label": l.Label, "attribute": l.Attribute})
}
