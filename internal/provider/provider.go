// Package provider has the provider block, Configure, the registries of all that
// the provider offers, and how it is served. What is offered is in the packages
// of the nouns.
//
// Rules that hold for every resource of them:
//
//   - A plan right after an apply is empty, for every spelling a person may use.
//     Custom string types compare by meaning, and attribute.KeepSpelling does
//     the same while planning, where the framework does not ask them.
//   - What Create and Update put in state is the plan, with only its unknown
//     values filled in from the service. Truth about the service enters in Read.
//   - Identity is set first thing in Read and Update, before any early return:
//     older CLIs fail an otherwise good operation without it.
//   - Under a provider configuration whose key is still unknown, Read keeps the
//     prior state and plans of new objects pass; nothing is sent.
//   - No diagnostic and no log line holds a key, a secret or a whole body.
package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/letter"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/month"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/order"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/product"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/reference"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/rotation"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/settings"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/webhook"
)

var (
	_ provider.ProviderWithActions            = (*einvoiceProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*einvoiceProvider)(nil)
	_ provider.ProviderWithFunctions          = (*einvoiceProvider)(nil)
	_ provider.ProviderWithListResources      = (*einvoiceProvider)(nil)
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
}

// What holds where neither the configuration nor the environment says otherwise.
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
		MarkdownDescription: "Manages an account of a Brazilian electronic invoicing service (NF-e, NFC-e, NFS-e) and issues its invoices exactly once.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				MarkdownDescription: "Address of the service, ending in `/v1`. `https`, or `http` on loopback only. May also come from `" + message.EnvBaseURL + "`.",
				Optional:            true,
				Validators:          []validator.String{attribute.BaseURLValidator},
			},
			"api_key": schema.StringAttribute{
				MarkdownDescription: "API key of one company; it decides who issues. The main company's key manages companies, settings, certificates and webhooks; " +
					"a company's own key issues its invoices. May also come from `" + message.EnvAPIKey + "`, but only when this argument is absent or null: " +
					"an empty string never falls back, so that an alias without a key cannot act as another company.",
				Optional:  true,
				Sensitive: true,
			},
			"company_keys": schema.MapAttribute{
				MarkdownDescription: "API keys of companies by their federal tax number (CNPJ or CPF, with or without punctuation), for the objects that name their company in `issuer`, " +
					"or in `company` where they are about received invoices. " +
					"One configuration then serves many companies, each with a rate limit of its own: " +
					"`{ for c in einvoice_company.branch : c.federal_tax_number => c.api_key }`. An object whose company is not in it, or that names none, uses `api_key`. " +
					"A key may come from a company of the same run, which another provider configuration manages: only the objects that need it wait for it. " +
					"An empty key is refused where it is used.",
				ElementType: types.StringType,
				Optional:    true,
				Sensitive:   true,
				Validators:  []validator.Map{companyKeysValidator{}},
			},
			"requests_per_minute": schema.Int64Attribute{
				MarkdownDescription: "The share of the service's limit of 60 requests a minute that this machine may use, over all runs and aliases with the same key. " +
					"`0` turns this pacing off; more than 60 gives a warning. Defaults to `60`. May also come from `" + message.EnvRequestsPerMinute + "`.",
				Optional:   true,
				Validators: []validator.Int64{int64validator.AtLeast(0), shareValidator{DefaultRequestsPerMinute, "minute"}},
			},
			"requests_per_second": schema.Int64Attribute{
				MarkdownDescription: "The share of the service's limit of 5 requests a second that this machine may use. `0` turns this pacing off; more than 5 gives a warning. Defaults to `5`. " +
					"May also come from `" + message.EnvRequestsPerSecond + "`. After an answer 429 the service's limit is kept in any case.",
				Optional:   true,
				Validators: []validator.Int64{int64validator.AtLeast(0), shareValidator{DefaultRequestsPerSecond, "second"}},
			},
			"max_retries": schema.Int64Attribute{
				MarkdownDescription: "How often a request is repeated after a failure that may pass, `0` to `20`. Defaults to `5`. " +
					"Answers 429 (too many requests) do not count: the provider waits and repeats, until no request has come through for two minutes. " +
					"A request that creates something is repeated only when the service has certainly not seen it, or, if it has a name to look for, after a search that found nothing: see the guide \"Reliability\".",
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, 20)},
			},
			"request_timeout": schema.StringAttribute{
				MarkdownDescription: "Limit for one exchange with the service, as a duration such as `30s`. Defaults to `30s`.",
				Optional:            true,
				Validators:          []validator.String{attribute.PositiveDurationValidator},
			},
			"coordination_url": schema.StringAttribute{
				MarkdownDescription: "A PostgreSQL database that several machines share, such as `postgres://user:password@host:5432/database?sslmode=verify-full`. " +
					"What must happen only once and the use of the rate limit are recorded there instead of on this machine; its tables are made on first use, and hold neither keys nor payloads. " +
					"It may stand behind a pooler. While it cannot be used nothing is issued, ordered, corrected, declared or rotated. May also come from `" + message.EnvCoordinationURL + "`.",
				Optional:  true,
				Sensitive: true,
			},
			"environments": schema.SetAttribute{
				MarkdownDescription: "The environments in which invoices may be issued: " + attribute.WordList(einvoice.EnvironmentTypes) + ". Nothing is issued anywhere else. " +
					"Before the first invoice of a company and model, in plan and apply, the provider reads `environment_type` in the company's settings. That takes the main company's key: " +
					"`api_key`, with `company_keys` beside it. An environment that cannot be read is an error. " +
					"May also come from `" + message.EnvEnvironments + "`, separated by commas. Without it invoices are issued in any environment.",
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(attribute.EnumValidator{Words: einvoice.EnvironmentTypes}),
				},
			},
			"operations": schema.MapAttribute{
				MarkdownDescription: "Method and path of operations that the service's interface does not show, by their name in the guide \"Interface coverage\", such as " +
					"`{ cancel_invoice = \"POST /v1/{model}-invoices/{id}/cancel\" }`. `einvoice-check` prints the entries that a service needs. " +
					"`{model}` stands for `product`, `consumer` or `service`. An operation that the interface shows cannot be changed.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{operationsValidator{}},
			},
			"plan_lookup": schema.BoolAttribute{
				MarkdownDescription: "With `true` each plan looks every new `einvoice_invoice_issuance` and `einvoice_order` up at the service, and says what apply will do with what is there: " +
					"adopt it, wait for it, send over it, or, as an error, refuse it. It says nothing about one that is not there: that will be issued as planned. " +
					"It changes nothing at the service. It costs one request for each of them in the plan, and one more in the apply, which plans it again. Defaults to `false`.",
				Optional: true,
			},
		},
	}
}

// shareValidator warns of a share that is more than the whole limit of the service.
type shareValidator struct {
	limit int64
	per   string
}

func (v shareValidator) Description(context.Context) string {
	return fmt.Sprintf("More than %d a %s gives a warning.", v.limit, v.per)
}

func (v shareValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v shareValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if n := req.ConfigValue.ValueInt64(); n > v.limit {
		resp.Diagnostics.AddAttributeWarning(req.Path, "More requests than the service allows", fmt.Sprintf(
			"`%s` is %d, and the service allows %d a %s for each key. The service refuses what is beyond that, and waiting then takes longer than the provider's own pacing. "+
				"Set at most %d, or `0` for a service without a limit.", req.Path, n, v.limit, v.per, v.limit))
	}
}

// Configure calls no API: it runs several times per command, and must work
// while the key of a company of the same configuration does not exist yet.
func (p *einvoiceProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() {
		return
	}
	kept := config.store(ctx, p.cache, &resp.Diagnostics)
	shared := &session.Session{Store: kept, Planned: &session.Names{}, PlanLookup: config.PlanLookup.ValueBool()}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.ResourceData, resp.DataSourceData = shared, shared
	resp.EphemeralResourceData, resp.ActionData, resp.ListResourceData = shared, shared, shared

	// An unknown value never falls back to the environment: what arrives in
	// apply would be another company's key than the one planned with.
	for _, unknowable := range []struct {
		name  string
		value interface{ IsUnknown() bool }
	}{
		{"base_url", config.BaseURL},
		{"requests_per_minute", config.RequestsPerMinute},
		{"requests_per_second", config.RequestsPerSecond},
		{"max_retries", config.MaxRetries},
		{"request_timeout", config.RequestTimeout},
		{"coordination_url", config.CoordinationURL},
	} {
		if unknowable.value.IsUnknown() {
			shared.Unknown = append(shared.Unknown, unknowable.name)
		}
	}
	overrides, overridesKnown := operations(config.Operations)
	if !overridesKnown {
		shared.Unknown = append(shared.Unknown, "operations")
	}
	allowed, allowedKnown := environments(&resp.Diagnostics, config.Environments)
	if !allowedKnown {
		shared.Unknown = append(shared.Unknown, "environments")
	}
	shared.Environments = &session.Environments{Allowed: allowed}
	known := len(shared.Unknown) == 0
	if config.APIKey.IsUnknown() {
		shared.Unknown = append(shared.Unknown, "api_key")
	}
	keys := companyKeys(shared, config.CompanyKeys)
	if !known {
		return
	}

	baseURL := config.BaseURL.ValueString()
	if config.BaseURL.IsNull() {
		baseURL = os.Getenv(message.EnvBaseURL)
	}
	if baseURL == "" {
		resp.Diagnostics.AddAttributeError(path.Root("base_url"), "Missing base URL", message.MissingBaseURL)
		return
	}
	apiKey := config.APIKey.ValueString()
	shared.EmptyKey = !attribute.IsUnset(config.APIKey) && apiKey == ""
	if config.APIKey.IsNull() {
		apiKey = os.Getenv(message.EnvAPIKey)
	}
	shared.MissingKey = apiKey == "" && !shared.EmptyKey && !config.APIKey.IsUnknown()

	timeout := defaultRequestTimeout
	if !config.RequestTimeout.IsNull() {
		timeout, _ = time.ParseDuration(config.RequestTimeout.ValueString()) // Checked by the validator.
	}
	settings := einvoice.Config{
		BaseURL:           baseURL,
		APIKey:            apiKey,
		Secrets:           append(slices.Collect(maps.Values(keys)), apiKey),
		UserAgent:         "terraform-provider-einvoice/" + p.version,
		RequestsPerMinute: envInt(&resp.Diagnostics, "requests_per_minute", config.RequestsPerMinute, message.EnvRequestsPerMinute, DefaultRequestsPerMinute),
		RequestsPerSecond: envInt(&resp.Diagnostics, "requests_per_second", config.RequestsPerSecond, message.EnvRequestsPerSecond, DefaultRequestsPerSecond),
		MaxRetries:        envInt(&resp.Diagnostics, "max_retries", config.MaxRetries, "", DefaultMaxRetries),
		RequestTimeout:    timeout,
		Operations:        overrides,
		Budget:            kept,
		Wrap:              session.LogExchanges,
		Dial:              p.dial,
	}
	if err := einvoice.CheckBaseURL(baseURL); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("base_url"), "Invalid base URL", message.SentenceCase(message.Reason(err)))
		return
	}
	client, err := einvoice.New(settings)
	if err != nil { // What else can be wrong is validated before, but for the key.
		resp.Diagnostics.AddAttributeError(path.Root("api_key"), "Invalid API key", message.SentenceCase(message.Reason(err)))
		return
	}
	p.life.configured(timeout)
	shared.RequestTimeout = timeout
	if !config.APIKey.IsUnknown() {
		shared.Client = client
	}
	resp.Diagnostics.Append(connect(shared, keys, client, settings)...)
}

// store is where records and the shared budget of requests are kept.
type store interface {
	journal.Store
	pace.Store
}

// store is the one that the configuration names. One that cannot be used now
// is a warning: reads go on.
func (m *providerModel) store(ctx context.Context, cache string, diags *diag.Diagnostics) store {
	address := m.CoordinationURL.ValueString()
	if m.CoordinationURL.IsNull() {
		address = os.Getenv(message.EnvCoordinationURL)
	}
	if address == "" && (m.CoordinationURL.IsNull() || m.CoordinationURL.IsUnknown()) {
		files := journal.OpenFiles(cmp.Or(cache, session.CacheDir()))
		if err := files.Check(); err != nil {
			diags.AddWarning("The journal is in memory only", message.JournalInMemory(err))
		}
		return files
	}
	database, err := journal.OpenPostgres(address) //nolint:contextcheck // It contacts nobody.
	if err != nil {
		diags.AddAttributeError(path.Root("coordination_url"), "Invalid coordination URL", "`coordination_url` is wrong: "+message.Reason(err))
		return nil
	}
	if err := database.Check(ctx); err != nil {
		diags.AddWarning("Coordination database cannot be used", message.CoordinationUnavailable(err))
	}
	return database
}

// envInt takes a setting from the configuration, else from the environment,
// else the default.
func envInt(diags *diag.Diagnostics, name string, configured types.Int64, env string, fallback int) int {
	if !configured.IsNull() {
		return int(configured.ValueInt64())
	}
	text := os.Getenv(env)
	if env == "" || text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		diags.AddAttributeError(path.Root(name), "Invalid environment variable",
			fmt.Sprintf("%s is %q. It must be a whole number of at least 0, for example %d.", env, text, fallback))
		return fallback
	}
	return n
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
