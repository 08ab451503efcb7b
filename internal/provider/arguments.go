package provider

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// baseURLValidator applies the client's own rule while planning.
var baseURLValidator = attribute.TextCheck{Rule: text.Of("rule.base_url", nil), Check: func(c attribute.Checked) {
	if err := einvoice.CheckBaseURL(c.Text); err != nil {
		c.Error("provider.base_url", text.With{"cause": message.Cause(err)})
	}
}}

// shareValidator warns of a share that is more than the whole limit of the service.
type shareValidator struct {
	attribute.Undescribed

	limit int64
	per   string
}

func (v shareValidator) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if n := req.ConfigValue.ValueInt64(); n > v.limit {
		resp.Diagnostics.Append(say.WarningAt(ctx, req.Path, "provider.share", text.With{
			"name": req.Path.String(), "share": n, "limit": v.limit, "per": text.Of("provider."+v.per, nil),
		})...)
	}
}

// operationsValidator checks the overrides of operations against their table.
type operationsValidator struct{ attribute.Undescribed }

func (operationsValidator) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, value := range req.ConfigValue.Elements() {
		if value.IsUnknown() {
			continue
		}
		err := einvoice.CheckOperation(name, string(attribute.AttrText(value)))
		if err == nil {
			continue
		}
		with := text.With{"name": name, "cause": message.Cause(err), "nearest": "", "standard": ""}
		if errors.Is(err, einvoice.ErrUnknownOperation) {
			nearest := slices.MinFunc(einvoice.OperationNames(), func(a, b string) int {
				return cmp.Compare(levenshtein.Distance(name, a, nil), levenshtein.Distance(name, b, nil))
			})
			if verb, _, _ := strings.Cut(name, "_"); strings.HasPrefix(nearest, verb+"_") {
				with["nearest"] = nearest
			}
		} else {
			with["standard"] = einvoice.StandardOperation(name)
		}
		resp.Diagnostics.Append(say.ErrorAt(ctx, req.Path.AtMapKey(name), "provider.operation", with)...)
	}
}

// companyKeysValidator refuses a company that is there twice, and warns of one that cannot exist. An empty key is
// refused where it is used.
type companyKeysValidator struct{ attribute.Undescribed }

func (companyKeysValidator) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	first := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		number := fiscal.NormalizeTaxNumber(written)
		switch earlier, twice := first[number]; {
		case fiscal.TaxNumberKind(written) == fiscal.KindForeign:
			resp.Diagnostics.Append(say.ErrorAt(ctx, req.Path, "provider.no_company", text.With{
				"length": utf8.RuneCountInString(written),
			})...)
		case twice:
			resp.Diagnostics.Append(say.ErrorAt(ctx, req.Path, "provider.company_twice", text.With{
				"company": number, "earlier": earlier, "written": written,
			})...)
		default:
			first[number] = written
			if err := fiscal.CheckTaxNumber(written); err != nil {
				resp.Diagnostics.Append(say.WarningAt(ctx, req.Path, "provider.company_number", text.With{
					"cause": message.Cause(err),
				})...)
			}
		}
	}
}
