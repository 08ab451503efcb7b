package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// CompanyKey is an entry of company_keys.
type CompanyKey struct {
	Client  *einvoice.Client // nil for a key that is unknown or empty
	Unknown bool
}

// For chooses the key of a company: its entry of company_keys, else api_key. A key that is
// not known yet defers only the objects that need it.
func (s *Session) For(issuer attribute.Spelled) *Session {
	if s == nil || issuer.IsNull() {
		return s
	}
	number := string(issuer.Normalized())
	key, listed := s.Keys[number]
	if !s.KeysUnknown && (len(s.Keys) == 0 || !issuer.IsUnknown() && !listed) {
		return s
	}
	chosen := *s
	chosen.Client, chosen.EmptyKey, chosen.MissingKey, chosen.chosen = key.Client, false, false, number
	chosen.Unknown = slices.DeleteFunc(slices.Clone(s.Unknown), func(name string) bool { return name == "api_key" })
	switch {
	case s.KeysUnknown:
		chosen.Unknown = append(chosen.Unknown, "company_keys")
	case issuer.IsUnknown():
		chosen.Unknown = append(chosen.Unknown, s.argument)
	case key.Unknown:
		chosen.Unknown = append(chosen.Unknown, fmt.Sprintf("company_keys[%q]", number))
	default:
		chosen.EmptyKey = key.Client == nil && len(chosen.Unknown) == 0
	}
	return &chosen
}

// RefuseOther is the error of a key that is known to be another company's than the issuer's.
// It sends no request.
func (s *Session) RefuseOther(ctx context.Context) diag.Diagnostics {
	if s == nil {
		return nil
	}
	return s.refuseOther(ctx, nil)
}

func (s *Session) refuseOther(ctx context.Context, label any) diag.Diagnostics {
	if owner := s.otherOwner(s.Issuer); owner != "" {
		return message.OtherCompanysKey(ctx, s.argument, label, s.Issuer, owner)
	}
	return nil
}

// otherOwner is the company whose key this is, "" for the issuer's own and while nobody knows.
func (s *Session) otherOwner(issuer string) string {
	if s.Client == nil || issuer == "" {
		return ""
	}
	owner := cmp.Or(string(s.Client.KeyOwner()), s.seenCompany())
	if attribute.TaxNumberSpelling.Same(owner, issuer) {
		return ""
	}
	return owner
}

// askOwner asks, once, whether api_key is the key of a company that company_keys lack. Where that cannot be read, the
// apply says so.
func (s *Session) askOwner(ctx context.Context, issuer string) {
	if s.Keys == nil || issuer == "" || s.chosen != "" || s.Client == nil || s.Deferred() {
		return
	}
	_, _ = s.Client.AskKeyOwner(ctx, s.Account, func(number einvoice.Text) bool {
		return attribute.TaxNumberSpelling.Same(string(number), issuer)
	})
}

// Acting chooses the key of the company that the configuration of a data source or an action names, and refuses a key
// that is unusable or known to be another company's.
func (s *Session) Acting(ctx context.Context, config tfsdk.Config) (*Session, diag.Diagnostics) {
	acting, diags := s.named(ctx, config)
	if unusable := acting.Usable(ctx); unusable != nil {
		return acting, append(diags, unusable...)
	}
	return acting, append(diags, acting.RefuseOther(ctx)...)
}

// named chooses the key of the company that the configuration of a data source or an action names.
func (s *Session) named(ctx context.Context, config tfsdk.Config) (*Session, diag.Diagnostics) {
	return s.as(ctx, config, nil, noIssuer)
}

// As chooses the key by which a resource is changed. Whether a company is named stands in the configuration; which one,
// in the plan: core applies ignore_changes to the configuration of a plan, and not to that of an apply. prior is the
// company in state; null for a new object.
func (s *Session) As(
	ctx context.Context, config tfsdk.Config, plan tfsdk.Plan, prior attribute.Spelled,
) (*Session, diag.Diagnostics) {
	return s.as(ctx, config, &plan, prior)
}

var noIssuer = attribute.Spelled{StringValue: types.StringNull(), Spelling: attribute.TaxNumberSpelling}

// as is For by the company that is named. The session then knows it as its issuer.
func (s *Session) as(
	ctx context.Context, config tfsdk.Config, plan *tfsdk.Plan, prior attribute.Spelled,
) (*Session, diag.Diagnostics) {
	if s == nil {
		return nil, nil
	}
	named, issuer := *s, noIssuer
	var diags diag.Diagnostics
	for _, name := range []string{"issuer", "company"} { // The issuer of a received invoice is its supplier.
		if a, ok := config.Schema.GetAttributes()[name]; ok && a.IsOptional() {
			named.argument = name
			diags.Append(config.GetAttribute(ctx, path.Root(name), &issuer)...)
		}
	}
	if plan != nil && !issuer.IsNull() {
		diags.Append(plan.GetAttribute(ctx, path.Root(named.argument), &issuer)...)
	}
	if diags.HasError() || issuer.IsNull() {
		named.unnamed = named.argument != ""
		return named.For(prior), diags
	}
	acting := *named.For(issuer)
	acting.Issuer, acting.Account = string(issuer.Normalized()), s.Client
	return &acting, diags
}

// RequireIssuer refuses to send for a company that nobody names, where the provider works for several: the owner of
// api_key would issue another company's invoice. It also refuses a company whose key is known to be missing. label
// names what is sent.
func (s *Session) RequireIssuer(ctx context.Context, label any) diag.Diagnostics {
	switch {
	case s == nil:
		return nil
	case s.Keys != nil && s.unnamed:
		return message.MissingIssuer(ctx, s.argument, label)
	}
	s.askOwner(ctx, s.Issuer)
	return s.refuseOther(ctx, label)
}

// RequireKeyToCancel refuses a cancellation for which the key of the company that has issued is known to be missing.
func (s *Session) RequireKeyToCancel(ctx context.Context, issuer attribute.Spelled, label any) diag.Diagnostics {
	if s == nil {
		return nil
	}
	s.askOwner(ctx, issuer.ValueString())
	if owner := s.otherOwner(issuer.ValueString()); owner != "" {
		return message.OtherKeyCancels(ctx, label, issuer.ValueString(), owner)
	}
	return nil
}
