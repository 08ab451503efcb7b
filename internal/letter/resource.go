// Package letter sends correction letters (CC-e) for NF-e, as a resource and as an
// action. Each letter is a legal event, and is sent once.
package letter

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var _ session.Managed = (*letterResource)(nil)

// NewResource is einvoice_correction_letter.
func NewResource() resource.Resource { return &letterResource{} }

// letterResource is a correction letter (CC-e) for an NF-e. The service shows no list of
// letters: the object is in state alone, and Read has nothing to read.
type letterResource struct {
	session.ResourceBase
}

type letterModel struct {
	ID        types.String      `tfsdk:"id"`
	InvoiceID types.String      `tfsdk:"invoice_id"`
	Letter    types.String      `tfsdk:"letter"`
	Issuer    attribute.Spelled `tfsdk:"issuer"`
	EventID   types.String      `tfsdk:"event_id"`
	SentAt    types.String      `tfsdk:"sent_at"`
	Account   types.String      `tfsdk:"account"`
}

type letterIdentity struct {
	ID     types.String `tfsdk:"id"`
	Issuer types.String `tfsdk:"issuer"`
}

func (m *letterModel) identity() letterIdentity {
	return letterIdentity{ID: m.ID, Issuer: attribute.IssuerIdentity(m.Issuer)}
}

func (r *letterResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_correction_letter"
	resp.ResourceBehavior.MutableIdentity = true // The company may be configured later.
}

func (r *letterResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends a correction letter (carta de correção, CC-e) for an authorized NF-e. Creating " +
			"this resource sends the letter once. A change of `letter` or `invoice_id` sends another " +
			"one. " + letterRules +
			"If the journal shows that the invoice already has a letter with this text, the provider adopts that " +
			"letter with a warning and sends nothing. It sends the text again only if the letter was removed from " +
			"state and another letter was sent since. If the response is lost, the provider never sends the letter " +
			"again by itself: each apply fails until you have looked at the invoice and removed the file or row of " +
			"the journal that the error names. Destroying this resource only removes it from state. It cannot be " +
			"imported, because the service does not list letters. Needs the key of the company that issued the " +
			"invoice.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.Kept("The same as `event_id`. If the service gives none, a UUID that the provider makes."),
			"invoice_id": attribute.Replaces(attribute.Required(attribute.TextWith(
				"Identifier of the NF-e at the service (a UUID). It must be authorized.", attribute.TextValidator{}))),
			"letter": attribute.Replaces(attribute.Required(attribute.TextWith(letterDescription, letterValidator))),
			"issuer": attribute.Issuer("that issued the invoice", "The provider sends no letter for another "+
				"company's invoice. Required if the provider has `company_keys`; otherwise the company that owns "+
				"`api_key`. It cannot change later."),
			"event_id": attribute.Kept("Identifier of the event at the service. Null if the service gives none."),
			"sent_at":  attribute.Kept("When the letter was sent, by the clock of the machine that sent it."),
			"account":  attribute.Account("letter"),
		},
	}
}

func (r *letterResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id":     identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier of the event."},
		"issuer": attribute.IssuerIdentityAttribute,
	}}
}

func (r *letterResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var plan, state letterModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(r.stays(ctx, &state, "")...)
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Issuer)
	resp.Diagnostics.Append(diags...)
	acting.RefuseUnusableKey(ctx, req, resp)
	if req.State.Raw.IsNull() {
		label := text.Of("letter.planned", text.With{"invoice": plan.InvoiceID.ValueString()}).In(ctx)
		resp.Diagnostics.Append(acting.RequireIssuer(ctx, label)...)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("account"), acting.PlannedAccount())...)
	}
	isNew := req.State.Raw.IsNull() && !attribute.IsUnset(plan.InvoiceID) && !attribute.IsUnset(plan.Letter)
	if isNew && !acting.Deferred() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(newCorrection(acting, nil, plan.InvoiceID, plan.Letter).refusedNow(ctx)...)
	}
	isSame := plan.InvoiceID.Equal(state.InvoiceID) && plan.Letter.Equal(state.Letter)
	if !req.State.Raw.IsNull() && !isSame {
		follower := "other"
		switch {
		case plan.InvoiceID.IsUnknown() || plan.Letter.IsUnknown():
			follower = "unknown"
		case plan.InvoiceID.Equal(state.InvoiceID):
			follower = "same"
		}
		resp.Diagnostics.Append(r.stays(ctx, &state, follower)...)
	}
	if !resp.Diagnostics.HasError() && isSame && attribute.OtherIssuer(plan.Issuer, state.Issuer) {
		label := text.Of("letter.of_invoice", text.With{"invoice": state.InvoiceID.ValueString()})
		resp.Diagnostics.Append(message.IssuerStays(ctx, label, "letter", state.Issuer.ValueString(),
			plan.Issuer.ValueString(), text.Of("letter.another_block", nil))...)
	}
}

// stays warns before a destroy or a replacement of what it does not undo. follower is the invoice of the letter that
// comes in its place, "" for none.
func (r *letterResource) stays(ctx context.Context, m *letterModel, follower string) diag.Diagnostics {
	return say.Warning(ctx, "letter.stays", text.With{
		"invoice": r.LabelOf("invoice", m.InvoiceID.ValueString()), "follower": follower,
		"at": m.SentAt.ValueString(), "event": m.EventID.ValueString(),
	})
}

func (r *letterResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan letterModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := newCorrection(acting, req.Plan.Schema, plan.InvoiceID, plan.Letter)
	sent, diags := c.perform(ctx)
	if resp.Diagnostics.Append(diags...); sent == nil { // Nothing comes into state: a tainted object would be sent again.
		return
	}
	plan.ID, plan.EventID = types.StringValue(sent.id), attribute.TextOrNull(sent.eventID)
	plan.SentAt = types.StringValue(sent.sentAt.Format(time.RFC3339))
	plan.Account = acting.KnownAccount(plan.Account)
	if plan.Issuer.IsUnknown() {
		plan.Issuer = attribute.IssuerFromAPI(plan.Issuer, c.issuedBy)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *letterResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state letterModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
}

// Update only records the company that has sent the letter. All else replaces.
func (r *letterResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan letterModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete only forgets the letter. The plan has warned that it stays.
func (r *letterResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state letterModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	s := r.For(state.Issuer)
	if resp.Diagnostics.HasError() || s.Deferred() || s.Client == nil {
		return
	}
	sentAt, _ := einvoice.ParseTime(state.SentAt.ValueString())
	newCorrection(s, nil, state.InvoiceID, state.Letter).release(ctx, journal.Record{
		Phase: journal.Settled, Stamp: sentAt, Result: state.ID.ValueString(),
	}.Noted(letterNote{Event: state.EventID.ValueString(), Issuer: state.Issuer.ValueString()}))
}

func (r *letterResource) ImportState(
	ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	resp.Diagnostics.Append(say.Error(ctx, "letter.import", nil)...)
}

// letterValidator applies the length of a correction letter (specification: Limits).
var letterValidator = attribute.TextCheck{Rule: text.Of("rule.letter", nil), Check: func(c attribute.Checked) {
	if length := utf8.RuneCountInString(c.Text); length < 15 || length > 1000 {
		c.Error("letter.invalid", text.With{"length": length, "rule": c.Rule})
	}
	c.WarnOfLayout()
}}

const (
	letterRules = "Each letter is a legal event of the invoice. It cannot correct values, taxes, dates or the " +
		"receiver: cancel and issue again for those. "
	letterDescription = "The correction, 15 to 1000 characters. Only the last letter of an invoice counts: repeat " +
		"the corrections of earlier letters. The authority accepts 20 letters for an invoice. Its layout refuses line breaks."
)
