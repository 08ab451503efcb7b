// Package company manages the companies of the account, and reads them.
package company

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ session.Managed = (*companyResource)(nil)

// NewResource is einvoice_company.
func NewResource() resource.Resource {
	return &companyResource{session.ObjectResource[einvoice.Company]{Kind: kind}}
}

// companyResource is an issuer of invoices, with an API key that only the answer to its creation
// shows. Only the main company's key may manage companies. There is no look-up by tax number: this
// walks the list. Deleting is irreversible and ends the key.
type companyResource struct {
	session.ObjectResource[einvoice.Company]
}

func (r *companyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan companyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	company, diags := r.create(ctx, &plan, req.Plan.Schema, resp.Private)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	plan.APIKey, plan.APIKeyMasked = types.StringValue(company.APIKey), types.StringNull()
	resp.Diagnostics.Append(plan.fillFrom(ctx, company)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	// The company and its key are in state now: a failing read of the mask is no error.
	if shown, err := r.Client.Company(ctx, plan.ID.ValueString()); err == nil {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("api_key_masked"), maskedKey(shown.APIKey))...)
		if company.APIKey != "" { // Else it may be one that was adopted as it is.
			resp.Diagnostics.Append(plan.FromAPI(shown)...)
			resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan, resp.Private)...)
		}
	}
}

// create returns the new company with its key in clear or, with a warning, without one. It does not
// change a company that it adopts: the next plan shows where that differs.
func (r *companyResource) create(
	ctx context.Context, plan *companyModel, schema message.PathSchema, private session.PrivateData,
) (*einvoice.Company, diag.Diagnostics) {
	wanted := plan.request()
	created, diags := session.Create(ctx, r.Session, kind, session.Creation[einvoice.Company]{
		What:   "company " + session.DisplayName(wanted.FederalTaxNumber, wanted.Name, ""),
		Fields: plan.FederalTaxNumber.Normalized(), // All else may be corrected before the next apply.
		Send: func(ctx context.Context, client *einvoice.Client) (*einvoice.Company, error) {
			return client.CreateCompany(ctx, wanted, attribute.ExtraRequest(plan.ExtraJSON))
		},
		Answers: func(c *einvoice.Company) bool {
			return c.FederalTaxNumber == "" || hasTaxNumber(wanted.FederalTaxNumber)(c)
		},
		Match: hasTaxNumber(wanted.FederalTaxNumber), Named: true,
	}, private)
	company := created.Object
	switch {
	case diags.HasError():
		return nil, diags
	case created.Found:
		diags.Append(adoptedWithoutKey(companyName(company.Name, company.FederalTaxNumber, company.ID)))
		company.APIKey = ""
		return company, diags
	case created.Err != nil:
		return nil, r.refused(ctx, wanted, created.Err, schema)
	case company.APIKey == "" || einvoice.IsMasked(company.APIKey):
		company.APIKey = ""
		return company, diag.Diagnostics{keyNotCaptured(companyName(wanted.Name, wanted.FederalTaxNumber, company.ID))}
	}
	return company, nil
}

func hasTaxNumber(number einvoice.Text) func(*einvoice.Company) bool {
	return func(c *einvoice.Company) bool { return kind.HasKey(c, string(number)) }
}

// refused reports a creation that the service refused. Where the tax number may be the reason, it
// looks up the company that has it, to say how to import it.
func (r *companyResource) refused(
	ctx context.Context, wanted einvoice.Company, err error, schema message.PathSchema,
) diag.Diagnostics {
	plain := message.APIError(ctx, "create company", err, schema)
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	if !isAnswer || !mayConcernTaxNumber(failure) {
		return plain
	}
	// The list may lag behind a run that has made the company a moment ago.
	found, listErr := session.LookRepeatedly(ctx, r.Client.Companies, hasTaxNumber(wanted.FederalTaxNumber))
	if listErr != nil || len(found) == 0 {
		return plain // The refusal says what matters.
	}
	taken := r.AlreadyExists("company", failure, found,
		"Its `api_key` will be an empty string: the service shows a key only once.")
	return diag.Diagnostics{diag.WithPath(path.Root("federal_tax_number"), taken[0])}
}

// mayConcernTaxNumber reports whether a refusal may be about the tax number: not every message of
// it is about another field.
func mayConcernTaxNumber(failure *einvoice.Error) bool {
	if !errors.Is(failure, einvoice.ErrBadRequest) && failure.Status != http.StatusConflict {
		return false
	}
	return len(failure.Messages) == 0 || slices.ContainsFunc(failure.Messages, func(m einvoice.FieldMessage) bool {
		return m.Path == "" || message.SnakeCase(m.Path) == "federal_tax_number"
	})
}

func (r *companyResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state companyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	company, err := r.update(ctx, &plan, &state)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "update company", err, req.Plan.Schema)...)
		return
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, company)...)
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	if company.Raw != nil { // Of a request, and not the prior state.
		resp.Diagnostics.Append(plan.FromAPI(company)...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan, resp.Private)...)
	}
}

// update sends what differs, if anything does: deletion_protection is no field of the service, and
// after an import the service may hold what extra_json says.
func (r *companyResource) update(ctx context.Context, plan, state *companyModel) (*einvoice.Company, error) {
	id, next, prior := state.ID.ValueString(), plan.request(), state.request()
	if reflect.DeepEqual(next, prior) {
		if plan.ExtraJSON.Equal(state.ExtraJSON) {
			return &prior, nil
		}
		if held, err := r.Client.Company(ctx, id); err == nil && attribute.ExtraHeld(plan.ExtraJSON, held.Raw) {
			return held, nil
		}
	}
	return r.Client.UpdateCompany(ctx, id, next, prior, attribute.ExtraRequest(plan.ExtraJSON))
}

// Delete reads the company once more: a stale mask of its key could hide that this run works with
// that key.
func (r *companyResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state companyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	company, err := r.Client.Company(ctx, state.ID.ValueString())
	if errors.Is(err, einvoice.ErrNotFound) {
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "delete company", err, nil)...)
		return
	}
	state.APIKeyMasked = maskedKey(company.APIKey)
	planned, diags := req.Private.GetKey(ctx, deletionPlannedKey)
	diags.Append(resp.Private.SetKey(ctx, deletionPlannedKey, nil)...) // Another attempt has a plan of its own.
	if guard := r.guardDeletion(&state); guard.HasError() || planned == nil {
		diags.Append(guard...)
	}
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.DeleteObject(ctx, state.ID, state.Name.ValueString())...)
}
