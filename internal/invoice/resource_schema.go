package invoice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func (r *issuanceResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	type attributes = map[string]schema.Attribute
	object := func(description string, of attributes) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: of}
	}
	resp.Schema = schema.Schema{
		Version: 1,
		MarkdownDescription: "Issues one invoice, exactly once, and waits until the tax authority has authorized it.\n\n" +
			"The invoice is known by its `integration_id`, an identifier of your own. Before anything is sent it is looked up under that identifier, so a run that failed, " +
			"timed out or was killed is simply repeated: it finds the invoice and goes on. A failed run leaves nothing in state.\n\n" +
			"A rejection (rejeição) fails the apply with the authority's code and message. Correct `payload_json` and apply again, under the same `integration_id`.\n\n" +
			"Destroying forgets the invoice, and cancels it only when `cancellation_reason` was applied before. `-replace` and `taint` cancel without a warning where a reason is set: " +
			"add `lifecycle { prevent_destroy = true }` there. An invoice that another block has taken over is never canceled.",
		Attributes: attributes{
			"id": text("Identifier of the invoice at the service (a UUID)."),
			"model": schema.StringAttribute{
				MarkdownDescription: "Kind of invoice: " + attribute.WordList(einvoice.Models) + " (NF-e, NFC-e, NFS-e). A change issues another invoice.",
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: einvoice.Models}},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"integration_id": schema.StringAttribute{
				MarkdownDescription: "The identity of the invoice in your books: 1 to 36 letters, digits and `_ . : -`. It is what makes issuing happen once. A change issues another invoice.",
				Required:            true,
				Validators:          []validator.String{IntegrationIDValidator},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(
					func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
						// An imported invoice without one adopts the configured one.
						resp.RequiresReplace = !req.StateValue.IsNull()
					}, "A change issues another invoice.", "A change issues another invoice.")},
			},
			"issuer": attribute.Issuer("that issues the invoice", "Nothing is issued under a key that is known to be another company's. "+
				"Without it `api_key` decides, and it is the company that the service shows. A change replaces a draft; afterwards it is refused."),
			"payload_json": schema.StringAttribute{
				MarkdownDescription: "The issuing body in the service's own field names, as a JSON object; best written with `jsonencode` or with [payload](../functions/payload.md). Numbers are sent as they are written. " +
					"Tax numbers, state registrations (inscrição estadual), postal codes and phones of `receiver`, `pickup`, `delivery` and `intermediary`, and `authorizedPersons`, may have punctuation, and city codes quotes: " +
					"they are sent without, and another spelling of the same is no change. " +
					"`integrationId`, `issue` and `status` do not belong in it. Once the invoice is authorized it cannot change: where it refers to objects that change later, add `lifecycle { ignore_changes = [payload_json] }`. " +
					"The service does not give it back: an import puts there what it shows of an invoice that cannot change any more, and null of another one. The configured payload takes its place in an update that sends nothing.\n\n" +
					"An NF-e that returns goods (`purposeType` `devolution`) needs in each of `items` the access key (chave de acesso) and the item number of the origin document, and no `referencedDocuments`. " +
					"The plan warns where this is missing, from 2026-07-01 on where `environmentType` is `development`, and otherwise from 2026-09-01 on; the date is `effectiveDate`, else `issuedOn`, else that of the run.",
				CustomType:    jsontypes.NormalizedType{},
				Required:      true,
				PlanModifiers: []planmodifier.String{keepPayload{}},
			},
			"payload_check": schema.BoolAttribute{
				MarkdownDescription: "`false` turns the plan's warnings about the payload off. Without it each plan that is about to send one warns of what [payload_check](../functions/payload_check.md) finds: " +
					"slips of names, words, lengths, check digits, codes, sums, missing parts. An invoice that is issued and unchanged is not checked again.",
				Optional: true,
			},
			"issue": schema.BoolAttribute{
				MarkdownDescription: "`false` keeps a draft that is not transmitted; turning it to `true` later, or removing the line, issues it. " +
					"Drafts are documented for service invoices only. If the service holds anything but a draft then, the apply is an error that names the invoice. " +
					"A draft that neither the state nor the journal knows is adopted with `false` where it does not differ; else it is an error. Defaults to `true`.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
			},
			"accept_contingency": schema.BoolAttribute{
				MarkdownDescription: "`true` ends the wait when an NFC-e is valid in contingency (`inContingent`), with a warning; the service transmits it later. " +
					"It needs `consumer_invoice.allow_offline_contingency` in the company's settings, and does nothing for other models. Defaults to `false`.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
			"cancellation_reason": schema.StringAttribute{
				MarkdownDescription: "Why the invoice is canceled when it is destroyed, 15 to 255 characters. It works only after it has been applied: a destroy sees the state, not the configuration. " +
					"Without it destroying only forgets the invoice. The plan says which; a cancellation that it did not announce is never sent.",
				Optional:   true,
				Validators: []validator.String{CancellationReasonValidator},
			},
			"cancel_window": schema.StringAttribute{
				MarkdownDescription: "How long after its authorization the invoice can be canceled, as a duration such as `168h`, where your state or city allows another period than the usual one: " +
					"24 hours for an NF-e, 30 minutes for an NFC-e, none for an NFS-e. It only changes `cancelable_until` and what plans say: the tax authority decides.",
				Optional:   true,
				Validators: []validator.String{attribute.PositiveDurationValidator},
			},
			"cancelable_until": text("When the period for canceling ends, from the date of the authorization; one without an offset is by the clock of the state in `access_key`. Null before that, and for an NFS-e without `cancel_window`: its city decides."),
			"timeouts":         attribute.WaitTimeouts(ctx),
			"status":           text("Status at the service; `authorized` when all is well."),
			"number":           number("Number of the invoice."),
			"series":           text("Series of the invoice."),
			"access_key":       text("Access key: 44 characters for NF-e and NFC-e, 50 digits for the national NFS-e."),
			"amount":           schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
			"environment_type": text("`production`, `development` (the test environment, homologação) or `simulation`: only `production` has fiscal value."),
			"details": object("What else the service has decided.", attributes{
				"issued_on":      text("When it was issued."),
				"effective_date": text("The date that counts as the date of emission."),
				"issue_type":     text("How it was issued, `normal` or a form of contingency."),
				"batch_number":   number("Number of the batch (NFS-e)."),
				"rps": object("Provisional receipt of services (recibo provisório de serviços, RPS) of an NFS-e.",
					attributes{"number": number("Number of the RPS."), "series": text("Series of the RPS.")}),
				"authorization": object("The authority's authorization.", attributes{
					"date": text("When it was given."), "protocol": text("Protocol number."), "digest_value": text("Digest of the signed document."),
				}),
				"processing_detail": object("Last word of the processing. Its `status` says nothing about the invoice: `success` only means that the queued work ran.", attributes{
					"status": text("`success`, `processing` or `failed`."), "code": text("Code of the authority, or of the service (`SPD...`)."),
					"message": text("Message of the authority or the service."), "on": text("When it was written."),
				}),
				"cancellation": object("The cancellation (cancelamento), if any.", attributes{
					"date": text("When it was canceled."), "protocol": text("Protocol number."), "justification": text("The reason that was given."),
				}),
				"contingency": object("The contingency (contingência) that it was issued in, if any.", attributes{"date": text("Since when."), "reason": text("Why.")}),
			}),
		},
	}
}

func (r *issuanceResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"model":  identityschema.StringAttribute{RequiredForImport: true, Description: "Kind of invoice."},
		"id":     identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier at the service (a UUID)."},
		"issuer": attribute.IssuerIdentityAttribute,
	}}
}

func (r *issuanceResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config issuanceModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() {
		return
	}
	if !attribute.IsUnset(config.PayloadJSON) {
		resp.Diagnostics.Append(validatePayload(config.PayloadJSON.ValueString())...)
	}
	resp.Diagnostics.Append(config.contingencyWarning()...)
}
