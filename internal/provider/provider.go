// Package provider has the provider block, Configure, the registries, and how the provider
// is served. The packages of the nouns have the resources, data sources and actions.
//
// Rules that hold for every resource:
//
//   - A plan right after an apply is empty, for every spelling a person may use.
//     Custom string types compare by meaning, and attribute.KeepSpelling does
//     the same while planning, where the framework does not use them.
//   - Create and Update put the plan in state, with only its unknown values filled
//     in from the service. Read alone takes in other values of the service.
//   - Read and Update set the identity before any early return: older CLIs fail an
//     otherwise good operation without it.
//   - Under a provider configuration whose key is still unknown, Read keeps the
//     prior state and plans of new objects pass; nothing is sent.
//   - No diagnostic and no log line holds a key, a secret or a whole body.
package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/certificate"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/company"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/customer"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/functions"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/inbound"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/letter"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/month"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/order"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/product"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/reference"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/rotation"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/settings"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/webhook"
)

var (
	_ provider.ProviderWithActions            = (*einvoiceProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*einvoiceProvider)(nil)
	_ provider.ProviderWithFunctions          = (*einvoiceProvider)(nil)
	_ provider.ProviderWithListResources      = (*einvoiceProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*einvoiceProvider)(nil)
)

// New returns a constructor of the provider; version goes into the User-Agent.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &einvoiceProvider{version: version, life: &lifetime{}} }
}

type einvoiceProvider struct {
	version string
	life    *lifetime
	dial    einvoice.Dial // nil outside of tests
	cache   string        // a directory in place of the machine's; "" outside of tests
}

type providerModel struct {
	BaseURL           types.String `tfsdk:"base_url"`
	APIKey            types.String `tfsdk:"api_key"`
	CompanyKeys       types.Map    `tfsdk:"company_keys"`
	RequestsPerMinute types.Int64  `tfsdk:"requests_per_minute"`
	RequestsPerSecond types.Int64  `tfsdk:"requests_per_second"`
	MaxRetries        types.Int64  `tfsdk:"max_retries"`
	RequestTimeout    types.String `tfsdk:"request_timeout"`
	CoordinationURL   types.String `tfsdk:"coordination_url"`
	PlanLookup        types.Bool   `tfsdk:"plan_lookup"`
	Operations        types.Map    `tfsdk:"operations"`
	Environments      types.Set    `tfsdk:"environments"`
	Language          types.String `tfsdk:"language"`
}

// The defaults of arguments.
const (
	DefaultRequestsPerMinute = 60
	DefaultRequestsPerSecond = 5
	DefaultMaxRetries        = 5
	defaultRequestTimeout    = 30 * time.Second
)

func (p *einvoiceProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "einvoice"
	resp.Version = p.version
}

func (p *einvoiceProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages an account at a Brazilian electronic invoicing service, and issues each " +
			"invoice (NF-e, NFC-e, NFS-e) exactly once.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				MarkdownDescription: "Address of the service, ending in `/v1`. `https`, or `http` on loopback only. " +
					"May also come from `" + message.EnvBaseURL + "`.",
				Optional:   true,
				Validators: []validator.String{baseURLValidator},
			},
			"api_key": schema.StringAttribute{
				MarkdownDescription: "API key of one company. It decides which company issues. The main company's " +
					"key manages companies, settings, certificates and webhooks; a company's own key issues its " +
					"invoices. May also come from `" + message.EnvAPIKey + "`, but only if this argument is absent " +
					"or null. An empty string is an error, so that an alias without a key cannot act as another " +
					"company.",
				Optional:  true,
				Sensitive: true,
			},
			"company_keys": schema.MapAttribute{
				MarkdownDescription: "API keys of companies by their federal tax number (CNPJ or CPF, with or " +
					"without punctuation), for the objects that name their company in `issuer`, or in `company` for " +
					"received invoices: `{ for c in einvoice_company.branch : c.federal_tax_number => c.api_key }`. " +
					"Each key has a rate limit of its own. A company that is not in the map uses `api_key`, which must be its key. " +
					"Beside this map, even an empty one, what sends for a company must name it. A key may come from a " +
					"company that the same run creates with another provider configuration: only the objects that " +
					"need the key wait for it. An empty key is an error for the objects that use it.",
				ElementType: types.StringType,
				Optional:    true,
				Sensitive:   true,
				Validators:  []validator.Map{companyKeysValidator{}},
			},
			"requests_per_minute": share(DefaultRequestsPerMinute, "minute", "this machine may use, "+
				"over all runs and aliases with the same key", message.EnvRequestsPerMinute),
			"requests_per_second": share(DefaultRequestsPerSecond, "second", "this machine may use",
				message.EnvRequestsPerSecond),
			"max_retries": schema.Int64Attribute{
				MarkdownDescription: "How often a request is repeated after a failure that may pass, `0` to `20`. " +
					"Defaults to `5`. Responses 429 (too many requests) do not count: the provider waits and repeats " +
					"the request, until no request has succeeded for two minutes. A request that creates something " +
					"is repeated only when that is safe: see the guide \"Reliability\".",
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, 20)},
			},
			"request_timeout": schema.StringAttribute{
				MarkdownDescription: "Time limit for one request and its response, as a duration. Defaults to `30s`.",
				Optional:            true,
				Validators:          []validator.String{attribute.PositiveDurationValidator},
			},
			"coordination_url": schema.StringAttribute{
				MarkdownDescription: "A PostgreSQL database that several machines share, such as " +
					"`postgres://user:password@host:5432/database?sslmode=verify-full`. The provider keeps its " +
					"journal and the use of the rate limit there, instead of on this machine. On first use it " +
					"creates its tables, which contain neither keys nor payloads. The database may be behind a " +
					"pooler. While it is unavailable, nothing is issued, ordered, corrected, declared or rotated. " +
					"May also come from `" + message.EnvCoordinationURL + "`.",
				Optional:  true,
				Sensitive: true,
			},
			"environments": schema.SetAttribute{
				MarkdownDescription: "The environments in which invoices may be issued: " +
					attribute.WordList(einvoice.EnvironmentTypes) + ". The provider issues in no other environment. " +
					"Before the first invoice of a company and model, in plan and apply, it reads `environment_type` " +
					"in the company's settings. For this, `api_key` must be the main company's key; put the keys of " +
					"the other companies into `company_keys`. An environment that cannot be read is an error. May " +
					"also come from `" + message.EnvEnvironments + "`, separated by commas. By default, invoices are " +
					"issued in any environment.",
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1),
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(attribute.EnumValidator{Words: einvoice.EnvironmentTypes}),
				},
			},
			"operations": schema.MapAttribute{
				MarkdownDescription: "Method and path of operations that the service's specification does not show, " +
					"by their name in the guide \"Interface coverage\", such as `{ cancel_invoice = \"POST " +
					"/v1/{model}-invoices/{id}/cancel\" }`. `einvoice-check` prints the entries that a service " +
					"needs. `{model}` stands for `product`, `consumer` or `service`. An operation that the " +
					"specification shows cannot be changed.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{operationsValidator{}},
			},
			"language": schema.StringAttribute{
				MarkdownDescription: "The language of what this provider says in plan and apply: `en` or `pt-BR`. Defaults to " +
					"`en`. May also come from `" + text.EnvLanguage + "`. The texts of the CLI itself stay English. `validate` " +
					"does not know the values of variables, and functions do not know this block: set the environment " +
					"variable to have those in the same language.",
				Optional: true,
			},
			"plan_lookup": schema.BoolAttribute{
				MarkdownDescription: "`true` makes each plan look up every new `einvoice_invoice_issuance` and " +
					"`einvoice_order` at the service. If one exists, the plan says what apply will do: adopt it, " +
					"wait for it, send it again, or fail. The look-up changes nothing. Each object costs one request " +
					"in the plan, and one more in the apply. Defaults to `false`.",
				Optional: true,
			},
		},
	}
}

// share is an argument that limits the provider's requests a minute or a second.
func share(limit int64, per, of, variable string) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("The share of the service's limit of %d requests a %s that %s. "+
			"`0` turns this pacing off; more than %d gives a warning. Defaults to `%d`. "+
			"After a 429, the provider keeps to the service's limit in any case. May also come from `%s`.",
			limit, per, of, limit, limit, variable),
		Optional:   true,
		Validators: []validator.Int64{int64validator.AtLeast(0), shareValidator{limit: limit, per: per}},
	}
}

func (p *einvoiceProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		certificate.NewResource,
		company.NewResource,
		settings.NewResource,
		letter.NewResource,
		customer.NewResource,
		inbound.NewManifestationResource,
		invoice.NewResource,
		order.NewResource,
		product.NewResource,
		rotation.NewResource,
		webhook.NewResource,
	}
}

func (p *einvoiceProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		certificate.NewDataSource,
		company.NewListDataSource,
		company.NewDataSource,
		settings.NewDataSource,
		customer.NewDataSource,
		customer.NewListDataSource,
		invoice.NewDisablementsDataSource,
		inbound.NewDataSource,
		inbound.NewDocumentDataSource,
		inbound.NewListDataSource,
		inbound.NewSyncStatusDataSource,
		invoice.NewDataSource,
		invoice.NewDocumentDataSource,
		invoice.NewListDataSource,
		month.NewTotalsDataSource,
		month.NewNumberingDataSource,
		order.NewDataSource,
		order.NewListDataSource,
		reference.NewPayloadExamplesDataSource,
		product.NewDataSource,
		product.NewListDataSource,
		reference.NewServiceCitiesDataSource,
		webhook.NewDataSource,
		webhook.NewListDataSource,
	}
}

func (p *einvoiceProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		letter.NewAction,
		inbound.NewManifestAction,
		inbound.NewSyncAction,
		invoice.NewCancelAction,
		invoice.NewCheckStatusAction,
		order.NewIssueAction,
		rotation.NewAction,
	}
}

func (p *einvoiceProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		invoice.NewDocumentEphemeral,
		webhook.NewSecretEphemeral,
	}
}

func (p *einvoiceProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		company.NewListResource,
		customer.NewListResource,
		product.NewListResource,
		webhook.NewListResource,
	}
}

func (p *einvoiceProvider) Functions(context.Context) []func() function.Function {
	return functions.All()
}
