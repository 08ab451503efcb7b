package provider

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// ValidateConfig takes the language before validators of other blocks speak.
func (p *einvoiceProvider) ValidateConfig(
	ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse,
) {
	var configured types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("language"), &configured)...)
	resp.Diagnostics.Append(chooseLanguage(ctx, configured)...)
}

// chooseLanguage sets the language of what the provider says from now on.
func chooseLanguage(ctx context.Context, configured types.String) diag.Diagnostics {
	if configured.IsUnknown() {
		return nil
	}
	language, ok := text.Named(textOf(configured, text.EnvLanguage))
	if !ok {
		return say.ErrorAt(ctx, path.Root("language"), "provider.language", text.With{
			"given": textOf(configured, text.EnvLanguage), "variable": configured.IsNull(),
		})
	}
	text.Choose(ctx, language)
	return nil
}

// Configure sends no request: it runs several times per command, and must work while the
// key of a company of the same configuration does not exist yet.
func (p *einvoiceProvider) Configure(
	ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse,
) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(chooseLanguage(ctx, config.Language)...)
	store := config.store(ctx, p.cacheDir(), &resp.Diagnostics)
	settings := config.settings(ctx, &resp.Diagnostics)
	allowed := config.allowedEnvironments(ctx, &resp.Diagnostics)
	unknown, err := unknownArguments(req.Config.Raw)
	if err != nil {
		resp.Diagnostics.Append(message.ProviderBug("the provider block cannot be read: %s", err)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	settings.Budget, settings.Dial, settings.UserAgent = store, p.dial, "terraform-provider-einvoice/"+p.version

	isKnown := len(unknown) == 0
	if config.APIKey.IsUnknown() {
		unknown = append(unknown, "api_key")
	}
	isEmptyKey := !attribute.IsUnset(config.APIKey) && settings.APIKey == ""
	run := session.SharedInRun(p.cacheDir(), settings.BaseURL)
	shared := &session.Session{
		Store: store, Planned: &session.Plan{}, PlanLookup: config.PlanLookup.ValueBool(),
		Environments:   &session.Environments{Allowed: allowed, Run: run},
		RequestTimeout: settings.RequestTimeout,
		Unknown:        unknown,
		EmptyKey:       isEmptyKey,
		MissingKey:     settings.APIKey == "" && !isEmptyKey && !config.APIKey.IsUnknown(),
	}
	keys := companyKeys(shared, config.CompanyKeys)
	if isKnown {
		settings.Secrets = append(slices.Collect(maps.Values(keys)), settings.APIKey)
		p.life.configured(settings.RequestTimeout)
		resp.Diagnostics.Append(connect(ctx, shared, settings, keys)...)
	}
	resp.ResourceData, resp.DataSourceData = shared, shared
	resp.EphemeralResourceData, resp.ActionData, resp.ListResourceData = shared, shared, shared
}

func (p *einvoiceProvider) cacheDir() string { return cmp.Or(p.cache, session.CacheDir()) }

// unknownArguments names the arguments without which no client can be built and that are
// not known yet. They never fall back to the environment: in the apply they may have
// another value than the one that was planned with.
func unknownArguments(config tftypes.Value) (unknown []string, err error) {
	var arguments map[string]tftypes.Value
	if err := config.As(&arguments); err != nil {
		return nil, err
	}
	for _, name := range []string{
		"base_url", "requests_per_minute", "requests_per_second", "max_retries", "request_timeout",
		"coordination_url", "operations", "environments",
	} {
		if !arguments[name].IsFullyKnown() {
			unknown = append(unknown, name)
		}
	}
	return unknown, nil
}

// settings are the client's, of the configuration, the environment and the defaults.
func (m *providerModel) settings(ctx context.Context, diags *diag.Diagnostics) einvoice.Config {
	settings := einvoice.Config{
		BaseURL: textOf(m.BaseURL, message.EnvBaseURL),
		APIKey:  textOf(m.APIKey, message.EnvAPIKey),
		RequestsPerMinute: numberOf(ctx, diags, "requests_per_minute", m.RequestsPerMinute,
			message.EnvRequestsPerMinute, DefaultRequestsPerMinute),
		RequestsPerSecond: numberOf(ctx, diags, "requests_per_second", m.RequestsPerSecond,
			message.EnvRequestsPerSecond, DefaultRequestsPerSecond),
		MaxRetries:     DefaultMaxRetries,
		RequestTimeout: defaultRequestTimeout,
		Operations:     map[string]string{},
		Wrap:           session.LogExchanges,
	}
	if !m.MaxRetries.IsNull() {
		settings.MaxRetries = int(m.MaxRetries.ValueInt64())
	}
	if !m.RequestTimeout.IsNull() {
		settings.RequestTimeout, _ = time.ParseDuration(m.RequestTimeout.ValueString()) // Checked by the validator.
	}
	for name, value := range m.Operations.Elements() {
		settings.Operations[name] = string(attribute.AttrText(value))
	}
	return settings
}

// textOf is a configured text, else that of the environment.
func textOf(configured types.String, variable string) string {
	if configured.IsNull() {
		return os.Getenv(variable)
	}
	return configured.ValueString()
}

// numberOf is a configured number, else that of the environment, else the default.
func numberOf(
	ctx context.Context, diags *diag.Diagnostics, name string, configured types.Int64, variable string, fallback int,
) int {
	if !configured.IsNull() {
		return int(configured.ValueInt64())
	}
	given := os.Getenv(variable)
	if given == "" {
		return fallback
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 0 {
		diags.Append(say.ErrorAt(ctx, path.Root(name), "provider.variable_number", text.With{
			"variable": variable, "given": given, "example": fallback,
		})...)
	}
	return n
}

// allowedEnvironments are those of the argument, else those of the environment variable.
func (m *providerModel) allowedEnvironments(ctx context.Context, diags *diag.Diagnostics) (allowed []string) {
	for _, value := range m.Environments.Elements() {
		allowed = append(allowed, string(attribute.AttrText(value)))
	}
	given := os.Getenv(message.EnvEnvironments)
	if !m.Environments.IsNull() || given == "" {
		return allowed
	}
	for word := range strings.SplitSeq(given, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(einvoice.EnvironmentTypes, word) {
			diags.Append(say.ErrorAt(ctx, path.Root("environments"), "provider.variable_environments", text.With{
				"variable": message.EnvEnvironments, "given": given, "environments": einvoice.EnvironmentTypes,
			})...)
			return nil
		}
		allowed = append(allowed, word)
	}
	return allowed
}

// store has the records of the journal and the shared budget of requests.
type store interface {
	journal.Store
	pace.Store
}

// store is the one that the configuration names. A store that cannot be used now is a
// warning: reads go on.
func (m *providerModel) store(ctx context.Context, cache string, diags *diag.Diagnostics) store {
	address := textOf(m.CoordinationURL, message.EnvCoordinationURL)
	if address == "" && attribute.IsUnset(m.CoordinationURL) {
		files := journal.OpenFiles(cache)
		if err := files.Check(); err != nil {
			diags.Append(say.Warning(ctx, "journal.in_memory", text.With{"cause": message.Cause(err)})...)
		}
		return files
	}
	database, err := journal.OpenPostgres(address) //nolint:contextcheck // It opens no connection.
	if err != nil {
		diags.Append(say.ErrorAt(ctx, path.Root("coordination_url"), "provider.coordination_url", text.With{
			"cause": message.Cause(err),
		})...)
		return nil
	}
	if err := database.Check(ctx); err != nil {
		diags.Append(say.Warning(ctx, "journal.unavailable", text.With{"cause": message.Cause(err)})...)
	}
	return database
}

// companyKeys gives the session the companies of the argument, and returns the keys that
// are known, by tax number.
func companyKeys(shared *session.Session, configured types.Map) map[string]string {
	keys := map[string]string{}
	if configured.IsNull() {
		return keys
	}
	shared.KeysUnknown, shared.Keys = configured.IsUnknown(), map[string]session.CompanyKey{}
	for number, value := range configured.Elements() {
		number = fiscal.NormalizeTaxNumber(number)
		shared.Keys[number] = session.CompanyKey{Unknown: value.IsUnknown()}
		if key := string(attribute.AttrText(value)); key != "" {
			keys[number] = key
		}
	}
	return keys
}

// connect gives the session the client of api_key, and each company the client of its key.
// There is one client for each key, which has a budget and is of one company.
func connect(
	ctx context.Context, shared *session.Session, settings einvoice.Config, keys map[string]string,
) (diags diag.Diagnostics) {
	if settings.BaseURL == "" {
		return say.ErrorAt(ctx, path.Root("base_url"), "provider.no_base_url", nil)
	}
	if err := einvoice.CheckBaseURL(settings.BaseURL); err != nil {
		return say.ErrorAt(ctx, path.Root("base_url"), "provider.base_url", text.With{"cause": message.Cause(err)})
	}
	main, err := einvoice.New(settings)
	if err != nil { // Only the key can be wrong here.
		return say.ErrorAt(ctx, path.Root("api_key"), "provider.key", text.With{"company": "", "cause": message.Cause(err)})
	}
	if !slices.Contains(shared.Unknown, "api_key") {
		shared.Client = main
	}
	clients := map[string]*einvoice.Client{settings.APIKey: main}
	for _, number := range slices.Sorted(maps.Keys(keys)) {
		settings.APIKey = keys[number]
		client := clients[settings.APIKey]
		if client == nil {
			if client, err = einvoice.New(settings); err != nil {
				diags.Append(say.ErrorAt(ctx, path.Root("company_keys"), "provider.key", text.With{
					"company": number, "cause": message.Cause(err),
				})...)
				continue
			}
			clients[settings.APIKey] = client
		}
		shared.Keys[number] = session.CompanyKey{Client: client}
	}
	return diags
}
