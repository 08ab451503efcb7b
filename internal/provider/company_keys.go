package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// companyKeys takes the keys of the argument into the session, as far as they are
// known, and returns those that are, by tax number.
func companyKeys(shared *session.Session, configured types.Map) map[string]string {
	keys := map[string]string{}
	if configured.IsNull() {
		return keys
	}
	shared.KeysUnknown, shared.Keys = configured.IsUnknown(), map[string]session.CompanyKey{}
	for number, value := range configured.Elements() {
		number = fiscal.NormalizeTaxNumber(number)
		key, _ := value.(types.String)
		shared.Keys[number] = session.CompanyKey{Unknown: key.IsUnknown()}
		if key.ValueString() != "" {
			keys[number] = key.ValueString()
		}
	}
	return keys
}

// connect gives each company of the session the client of its key: one for each
// key, which has a budget, and is of one company. main is that of api_key.
func connect(shared *session.Session, keys map[string]string, main *einvoice.Client, settings einvoice.Config) (diags diag.Diagnostics) {
	clients := map[string]*einvoice.Client{settings.APIKey: main}
	for _, number := range slices.Sorted(maps.Keys(keys)) {
		settings.APIKey = keys[number]
		client := clients[settings.APIKey]
		if client == nil {
			var err error
			if client, err = einvoice.New(settings); err != nil {
				diags.AddAttributeError(path.Root("company_keys"), "Invalid API key of company "+number, message.SentenceCase(message.Reason(err)))
				continue
			}
			clients[settings.APIKey] = client
		}
		shared.Keys[number] = session.CompanyKey{Client: client}
	}
	return diags
}

// companyKeysValidator insists that each company is there once. The values are not
// its matter: one that is empty is refused where it is used.
type companyKeysValidator struct{}

func (companyKeysValidator) Description(context.Context) string {
	return "keys by CNPJ or CPF, each in one spelling"
}

func (v companyKeysValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (companyKeysValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	first := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		number := fiscal.NormalizeTaxNumber(written)
		switch earlier, twice := first[number]; {
		case fiscal.TaxNumberKind(written) == fiscal.KindForeign:
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid tax number in company_keys",
				fmt.Sprintf("`company_keys` has a key for %q, which is neither a CNPJ nor a CPF. Write it like \"11.222.333/0001-81\" or \"11222333000181\".", written))
		case twice:
			resp.Diagnostics.AddAttributeError(req.Path, "One company twice in company_keys",
				fmt.Sprintf("`company_keys` has two keys for the company %s, written %q and %q. Keep one of them.", number, earlier, written))
		default:
			first[number] = written
		}
	}
}
