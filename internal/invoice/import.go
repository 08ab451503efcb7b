package invoice

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func (r *issuanceResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	identity, integrationID := issuanceIdentity{}, ""
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	} else {
		var ok bool
		if identity, integrationID, ok = importedIdentity(req.ID); !ok {
			resp.Diagnostics.Append(message.InvalidImportID(ctx, req.ID, text.Of("invoice.import_forms", nil))...)
			return
		}
	}
	if integrationID != "" {
		reading := r.For(attribute.SpelledOrNull(attribute.TaxNumberSpelling, identity.Issuer.ValueString()))
		id, diags := invoiceUnder(ctx, reading, identity.Model.ValueString(), integrationID)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		identity.ID = types.StringValue(id)
	}
	if !identity.Issuer.IsNull() {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("issuer"), identity.Issuer)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("model"), identity.Model)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), identity.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}

// importedIdentity reads model/id or model/integration_id=..., with or without a company
// before it.
func importedIdentity(text string) (identity issuanceIdentity, integrationID string, ok bool) {
	before, integrationID, named := strings.Cut(text, "/integration_id=")
	id := ""
	if cut := strings.LastIndex(text, "/"); !named && cut >= 0 {
		before, id = text[:cut], text[cut+1:]
	}
	issuer, model, ok := attribute.CutIssuer(before)
	_, known := message.DocumentNames[model]
	identity.Model, identity.ID = types.StringValue(model), types.StringValue(id)
	identity.Issuer = attribute.TextOrNull(issuer)
	return identity, integrationID, ok && known && (integrationID != "" || attribute.IsID(id))
}

// invoiceUnder finds the id of the invoice that an apply would go on with under an
// integration_id.
func invoiceUnder(ctx context.Context, s *session.Session, model, integrationID string) (string, diag.Diagnostics) {
	if diags := s.Usable(ctx); diags.HasError() {
		return "", diags
	}
	t := &issuance.Terms{Thing: issuance.Invoice, Name: integrationID}
	i := engine.Issuing{Service: issuance.Service(s), Model: model, IntegrationID: integrationID}
	found, err := i.Find(ctx)
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case ok && p.Kind == engine.Several:
		return "", say.Error(ctx, "invoice.import_several", text.With{
			"label": t.Label(model, nil), "name": integrationID, "found": issuance.Found(p), "model": model,
			"id": string(p.Found[0].ID),
		})
	case err != nil:
		return "", message.APIError(ctx, message.Task("import", t.Label(model, nil)), err, nil)
	case found == nil:
		return "", say.Error(ctx, "invoice.import_not_found", text.With{
			"label": t.Label(model, nil), "model": model, "name": integrationID,
		})
	}
	return string(found.ID), nil
}

// privateImported notes, from an import until a payload of the configuration is in state,
// the receiver's tax number: the payload in state is what the service shows.
const privateImported = "payload_shown"

// importNote reads the note that an import has left.
func importNote(ctx context.Context, private session.PrivateState) (imported bool, receiver string) {
	note, diags := private.GetKey(ctx, privateImported)
	_ = json.Unmarshal(note, &receiver) // "" without a note.
	return !diags.HasError() && note != nil, receiver
}

func receiverNote(v *einvoice.Invoice) []byte {
	if v.Receiver == nil {
		return jsontree.Text("")
	}
	return jsontree.Text(string(v.Receiver.FederalTaxNumber))
}

// fillImported fills the state of an import, also with what a configuration will say.
func (m *issuanceModel) fillImported(v *einvoice.Invoice) {
	m.refresh(v)
	m.PayloadJSON = shownPayload(v)
	m.Issue = types.BoolValue(string(v.Status) != einvoice.StatusCreated)
	m.AcceptContingency = types.BoolValue(false)
}

// shownPayload is the part of a payload that the service shows of an invoice that cannot
// change any more: enough to compare with. It is null for an invoice that may be sent again,
// because what is missing here would then be missing in the request.
func shownPayload(v *einvoice.Invoice) attribute.JSON {
	if !v.Meaning().Final {
		return attribute.JSONNull()
	}
	held, err := jsontree.Decode(v.Raw)
	if err != nil {
		return attribute.JSONNull()
	}
	payload := map[string]any{"total": map[string]any{"invoiceAmount": jsontree.Member(held, "amount")}}
	for _, name := range []string{"description", "receiver"} {
		payload[name] = jsontree.Member(held, name)
	}
	_ = withoutEmpty(payload)
	text, _ := json.Marshal(payload) // It was JSON before.
	return attribute.JSONValue(string(text))
}

// withoutEmpty takes what a service does not have out of a value; nil if nothing is left.
func withoutEmpty(value any) any {
	object, isObject := value.(map[string]any)
	for name, member := range object {
		if object[name] = withoutEmpty(member); object[name] == nil {
			delete(object, name)
		}
	}
	if value == "" || isObject && len(object) == 0 {
		return nil
	}
	return value
}
