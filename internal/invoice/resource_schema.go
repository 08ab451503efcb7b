package invoice

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

func (r *issuanceResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := configuredAttributes(ctx)
	for name, computed := range shown.Attributes(essentialFields) {
		attributes[name] = inResource(computed)
	}
	attributes["details"] = inResource(
		attribute.ComputedObject("What else the service has decided.", shown.Attributes(detailFields)))
	maps.Copy(attributes, cancelAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: "Issues one invoice exactly once and waits until the tax authority authorizes " +
			"it.\n\n`integration_id` is the name of the invoice in your books. Before the provider sends anything, " +
			"it looks up the invoice by this name. If a run fails, times out or is killed, run it again: it finds " +
			"the invoice and continues. A failed run leaves nothing in state.\n\nA rejection (rejeição) fails the " +
			"apply with the authority's code and message. Correct `payload_json` and apply again, under the same " +
			"`integration_id`. If the service does not take a correction under that name, the apply says so and asks " +
			"for another one.\n\nDestroying removes the invoice from state. It cancels the invoice only if " +
			"`cancellation_reason` was applied before. The plan then refuses `-replace` and `replace_triggered_by`; " +
			"`taint` cancels without a warning, so add `lifecycle { prevent_destroy = true }`. The provider never " +
			"cancels an invoice that another block has " +
			"taken over.",
		Attributes: attributes,
	}
}

// configuredAttributes are the attributes that a configuration sets.
func configuredAttributes(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"model": attribute.Replaces(attribute.Required(attribute.TextWith("Kind of invoice: "+
			attribute.WordList(einvoice.Models)+" (NF-e, NFC-e, NFS-e). A change issues another invoice.",
			attribute.EnumValidator{Words: einvoice.Models}))),
		"integration_id": schema.StringAttribute{
			MarkdownDescription: "Name of the invoice in your books. It has 1 to 36 letters, digits and `_ . : -`. " +
				"The provider issues one invoice per name. A change issues another invoice.",
			Required:      true,
			Validators:    []validator.String{issuance.IntegrationIDValidator},
			PlanModifiers: []planmodifier.String{replaceUnlessImportedWithout},
		},
		"issuer": attribute.Issuer("that issues the invoice", "The provider issues nothing if it knows that the key "+
			"belongs to another company. Required if the provider has `company_keys`; otherwise the company that owns "+
			"`api_key`. While the invoice is a draft, a change replaces it. Afterwards a change is an error."),
		"payload_json": schema.StringAttribute{
			MarkdownDescription: payloadDescription,
			CustomType:          attribute.JSONType{},
			Required:            true,
		},
		"payload_check": schema.BoolAttribute{
			MarkdownDescription: "`false` turns off the plan's warnings about the payload. By default, each plan " +
				"that would send a payload warns about what [payload_check](../functions/payload_check.md) finds: " +
				"wrong names, values, lengths, check digits, codes and sums, and missing parts. An issued invoice " +
				"that does not change is not checked again.",
			Optional: true,
		},
		"issue": attribute.Flag("`false` creates a draft, which the service does not transmit. To issue the draft "+
			"later, set `true` or remove the line. The specification does not say which models have drafts, and "+
			"integrations report them for NFS-e. If the service answers with anything but a draft, the apply fails and names "+
			"the invoice. A draft that neither the state nor the journal knows is adopted if its payload "+
			"is the same; otherwise the apply fails. Defaults "+
			"to `true`.", true),
		"accept_contingency": attribute.Flag("`true` ends the wait once an NFC-e is valid in "+
			"contingency (`inContingent`). The service transmits it later. This needs "+
			"`consumer_invoice.allow_offline_contingency` in the company's settings, and has no effect on other "+
			"models. Defaults to `false`.", false),
		"timeouts": attribute.WaitTimeouts(ctx),
		"account":  attribute.Account("invoice"),
	}
}

// cancelAttributes are those of a cancellation.
func cancelAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"cancellation_reason": attribute.TextWith("Why the invoice is canceled when it is destroyed, 15 to 255 "+
			"characters. Apply it before you destroy: a destroy sees the state, not the configuration. Without a "+
			"reason, destroy only removes the invoice from state. The plan says which of the two happens, and the "+
			"provider never sends a cancellation that the plan did not announce.", issuance.CancellationReasonValidator),
		"cancel_window": attribute.TextWith("How long after its authorization the invoice can be canceled, as a "+
			"duration such as `168h`. Set it if your state or city allows another period than the usual one: 24 "+
			"hours for an NF-e, 30 minutes for an NFC-e. An NFS-e has no default. It only changes `cancelable_until` "+
			"and what plans say: the tax authority decides.", attribute.PositiveDurationValidator),
		"cancelable_until": schema.StringAttribute{
			MarkdownDescription: "When the period for canceling ends, counted from the authorization. If the service " +
				"gives that date without an offset, it is read as local time of the state in `access_key`. Null " +
				"before the authorization, and for an NFS-e without `cancel_window`, because its city decides.",
			Computed: true,
		},
	}
}

const payloadDescription = "The invoice as a JSON object, in the service's own field names. Write it with " +
	"`jsonencode` or with [payload](../functions/payload.md). Numbers are sent as they are written. You may write " +
	"tax numbers, state registrations (inscrição estadual), postal codes and phones of `receiver`, `pickup`, " +
	"`delivery` and `intermediary`, and `authorizedPersons`, with punctuation, and city codes as text. The provider " +
	"sends them without, and the same value in another format is no change. `integrationId`, `issue` and `status` " +
	"do not belong in it. Once the invoice is authorized, the payload cannot change: if it refers to objects that " +
	"change later, add `lifecycle { ignore_changes = [payload_json] }`. The service does not return the payload. " +
	"After an import, `payload_json` has only what the service shows of an issued invoice, and is null for any other " +
	"invoice. The next apply then stores the configured payload and sends nothing.\n\nIn an NF-e that returns goods " +
	"(`purposeType` `devolution`), each of `items` needs a `sourceDocument` with the access key (chave de acesso) and " +
	"the item number of the original document, and there must be no `referencedDocuments`. Otherwise the plan warns."

// replaceUnlessImportedWithout lets an imported invoice without an integration_id adopt
// the configured one.
var replaceUnlessImportedWithout = stringplanmodifier.RequiresReplaceIf(
	func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = !req.StateValue.IsNull()
	}, "A change issues another invoice.", "A change issues another invoice.")

func (r *issuanceResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"model": identityschema.StringAttribute{RequiredForImport: true, Description: "Kind of invoice."},
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier at the service " +
			"(a UUID)."},
		"issuer": attribute.IssuerIdentityAttribute,
	}}
}

func (r *issuanceResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config issuanceModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() {
		return
	}
	if !attribute.IsUnset(config.PayloadJSON) {
		resp.Diagnostics.Append(validatePayload(ctx, config.PayloadJSON.ValueString())...)
	}
}
