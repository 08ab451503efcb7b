package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// baseURLValidator applies the client's own rule while planning.
var baseURLValidator = attribute.TextCheck{
	Rule: "an https address, or http on loopback, that ends in /v1", Check: func(c attribute.Checked) {
		if err := einvoice.CheckBaseURL(c.Text); err != nil {
			c.Fail("Invalid base URL", message.SentenceCase(message.Reason(err)))
		}
	},
}

// shareValidator warns of a share that is more than the whole limit of the service.
type shareValidator struct {
	attribute.Undescribed

	limit int64
	per   string
}

func (v shareValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if n := req.ConfigValue.ValueInt64(); n > v.limit {
		resp.Diagnostics.AddAttributeWarning(req.Path, "More requests than the service allows", fmt.Sprintf(
			"`%s` is %d, and the service allows %d a %s for each key. It refuses more, "+
				"and waiting then takes longer than the provider's own pacing. "+
				"Set at most %d, or `0` for a service without a limit.", req.Path, n, v.limit, v.per, v.limit))
	}
}

// operationsValidator checks the overrides of operations against their table.
type operationsValidator struct{ attribute.Undescribed }

func (operationsValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, value := range req.ConfigValue.Elements() {
		if value.IsUnknown() {
			continue
		}
		err := einvoice.CheckOperation(name, string(attribute.AttrText(value)))
		if err == nil {
			continue
		}
		text := message.SentenceCase(message.Reason(err))
		if errors.Is(err, einvoice.ErrUnknownOperation) {
			nearest := slices.MinFunc(einvoice.OperationNames(), func(a, b string) int {
				return cmp.Compare(fiscal.Edits(name, a), fiscal.Edits(name, b))
			})
			if verb, _, _ := strings.Cut(name, "_"); strings.HasPrefix(nearest, verb+"_") {
				text += " Did you mean `" + nearest + "`?"
			}
			text += " All names are in the guide \"Interface coverage\"."
		} else {
			text += " Unless it is configured, the operation is `" + einvoice.StandardOperation(name) + "`."
		}
		resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(name), "Invalid operation "+name, text)
	}
}

// companyKeysValidator refuses a company that is there twice. An empty key is refused where
// it is used.
type companyKeysValidator struct{ attribute.Undescribed }

func (companyKeysValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	first := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		number := fiscal.NormalizeTaxNumber(written)
		switch earlier, twice := first[number]; {
		case fiscal.TaxNumberKind(written) == fiscal.KindForeign:
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid tax number in company_keys", fmt.Sprintf(
				"`company_keys` has an entry whose name, of %d characters, is neither a CNPJ nor a CPF. It is not shown, because "+
					"it may be an API key. Write each entry with the tax number on the left, like "+
					"`\"11222333000181\" = var.branch_key`.", utf8.RuneCountInString(written)))
		case twice:
			resp.Diagnostics.AddAttributeError(req.Path, "One company twice in company_keys", fmt.Sprintf(
				"`company_keys` has two keys for the company %s, written %q and %q. Keep one of them.",
				number, earlier, written))
		default:
			first[number] = written
		}
	}
}
