package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Environments knows where the companies of a provider configuration issue, by their
// settings. It reads those of a company once.
type Environments struct {
	Allowed []string // nothing is issued anywhere else; empty for any

	mu        sync.Mutex
	companies map[string]*companySettings // by tax number, "" for the company of api_key
	changing  map[string]bool             // ids of companies whose settings this plan changes

	listing sync.Mutex
	listed  map[string]*einvoice.Company // the account's companies, by tax number

	regimes sync.Map // ids of companies whose tax regime this run changes
}

type companySettings struct {
	once sync.Once
	id   string
	read *einvoice.Settings
	err  error
}

// Allows reports whether invoices may be issued in an environment.
func (e *Environments) Allows(environment string) bool {
	return e == nil || len(e.Allowed) == 0 || slices.Contains(e.Allowed, environment)
}

// Restricted reports whether the configuration names environments.
func (e *Environments) Restricted() bool { return e != nil && len(e.Allowed) > 0 }

// Changes notes that the plan changes the settings of a company, so that only the apply
// can know its environments.
func (e *Environments) Changes(companyID string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changing == nil {
		e.changing = map[string]bool{}
	}
	e.changing[companyID] = true
}

// Forget forgets what was read, after settings were written.
func (e *Environments) Forget() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.companies, e.changing = nil, nil
}

// ErrNoAccount is of a key that cannot read the account's companies.
var ErrNoAccount = errors.New("the key in `api_key` does not show whose it is, as the main company's does")

// ErrSettingsChange is of an environment that the same plan may change.
var ErrSettingsChange = errors.New("this plan changes the settings of the company")

// settings are those of the acting company.
func (s *Session) settings(ctx context.Context) *companySettings {
	e := s.Environments
	e.mu.Lock()
	if e.companies == nil {
		e.companies = map[string]*companySettings{}
	}
	held := e.companies[s.Issuer]
	if held == nil {
		held = &companySettings{}
		e.companies[s.Issuer] = held
	}
	e.mu.Unlock()
	held.once.Do(func() { held.id, held.read, held.err = s.readSettings(ctx) })
	return held
}

// environment is the one that the settings have for a model.
func (c *companySettings) environment(model string) (string, error) {
	if c.err != nil {
		return "", c.err
	}
	var environment einvoice.Enum
	if raw := c.read.Blocks[model]["environmentType"]; raw == nil || environment.UnmarshalJSON(raw) != nil || environment == "" {
		return "", fmt.Errorf("the settings of the company show no environmentType for the model %s", model)
	}
	return string(environment), nil
}

// EnvironmentOf is the environment that the settings of the acting company have for a
// model. They are read with the main company's key, which api_key has to be.
func (s *Session) EnvironmentOf(ctx context.Context, model string) (string, error) {
	return s.settings(ctx).environment(model)
}

// PlannedEnvironmentOf is EnvironmentOf for a plan: it fails where the same plan may change
// the settings.
func (s *Session) PlannedEnvironmentOf(ctx context.Context, model string) (string, error) {
	held := s.settings(ctx)
	environment, err := held.environment(model)
	if err == nil && s.Environments.mayChange(held.id) {
		return "", ErrSettingsChange
	}
	return environment, err
}

func (e *Environments) mayChange(companyID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changing[companyID]
}

// readSettings reads the settings of the acting company.
func (s *Session) readSettings(ctx context.Context) (id string, _ *einvoice.Settings, _ error) {
	account := s.Client
	if s.Account != nil {
		account = s.Account
	}
	number := s.Issuer
	if number == "" {
		holder, err := s.Client.AskHolder(ctx, account, func(einvoice.Text) bool { return true })
		if err != nil {
			return "", nil, err
		}
		if number = string(holder); number == "" {
			return "", nil, ErrNoAccount
		}
	}
	if id, err := s.Environments.idOf(ctx, account, number); err != nil {
		return "", nil, err
	} else if id != "" {
		settings, err := account.CompanySettings(ctx, id)
		return id, settings, err
	}
	return "", nil, fmt.Errorf("the account lists no company %s", number)
}

// idOf finds the id of a company of the account. One list serves all companies that it
// shows.
func (e *Environments) idOf(ctx context.Context, account *einvoice.Client, number string) (string, error) {
	e.listing.Lock()
	defer e.listing.Unlock()
	number = fiscal.NormalizeTaxNumber(number)
	if listed := e.listed[number]; listed != nil {
		return string(listed.ID), nil
	}
	e.listed = map[string]*einvoice.Company{}
	_, err := einvoice.Each(account.Companies(ctx), func(*einvoice.Company) bool { return true }, math.MaxInt64, func(company *einvoice.Company) {
		number := fiscal.NormalizeTaxNumber(string(company.FederalTaxNumber))
		e.listed[number] = &einvoice.Company{ID: company.ID, TaxRegime: company.TaxRegime}
	})
	if listed := e.listed[number]; listed != nil {
		return string(listed.ID), nil
	}
	return "", err
}

// ChangesRegime notes that this run changes the tax regime of a company.
func (e *Environments) ChangesRegime(companyID string) {
	if e != nil {
		e.regimes.Store(companyID, true)
	}
}

// PlannedRegime is the tax regime of the acting company, "" where a plan does not know it.
// It stands in the list of companies that `environments` needs, which a run reads once.
func (s *Session) PlannedRegime(ctx context.Context) string {
	if s == nil || s.Deferred() || s.Client == nil || !s.Environments.Restricted() {
		return ""
	}
	s.settings(ctx)
	e := s.Environments
	e.listing.Lock()
	defer e.listing.Unlock()
	listed := e.listed[fiscal.NormalizeTaxNumber(cmp.Or(s.Issuer, string(s.Client.Holder())))]
	if listed == nil {
		return ""
	}
	if _, changes := e.regimes.Load(string(listed.ID)); changes {
		return ""
	}
	return string(listed.TaxRegime)
}
