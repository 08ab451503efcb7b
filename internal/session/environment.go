package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Environments knows in which environments the companies of a provider configuration issue,
// by their settings. It reads the settings of a company once.
type Environments struct {
	Allowed []string        // nothing is issued anywhere else; empty for any
	Run     *journal.Shared // what the provider blocks of this run have noted; entered to issue, owned to write settings

	mu        sync.Mutex                   // held during a read, so that one read serves all
	companies map[string]companySettings   // by tax number, "" for the company of api_key
	listed    map[string]*einvoice.Company // the account's companies, by tax number
	writes    int                          // of settings, before companies were read
}

// environmentNotes are what the provider blocks of one run know of each other. Plan and apply of one command are one
// run. Companies and models are named by environmentName.
type environmentNotes struct {
	Changes map[string]string `json:",omitempty"` // what the plan makes of environments; "" while it is unknown
	Told    map[string]string `json:",omitempty"` // environments that the plan has told of new invoices
	Writes  int               // of settings
}

func environmentName(companyID, model string) string { return strings.ToLower(companyID) + "/" + model }

// companySettings has the known parts of a company. An unknown part is empty.
type companySettings struct {
	writes   int // of settings, before these were read
	id       string
	issuer   fiscal.Issuer
	settings *einvoice.Settings
	err      error
}

// Allows reports whether invoices may be issued in an environment.
func (e *Environments) Allows(environment string) bool {
	return !e.Restricted() || slices.Contains(e.Allowed, environment)
}

// Restricted reports whether the configuration names environments.
func (e *Environments) Restricted() bool { return e != nil && len(e.Allowed) > 0 }

// NoteChange notes what the plan makes of the environment of a company for a model, "" while that is unknown: only the
// apply knows in which of the two an invoice is issued. It returns the environment that the plan has told of a new
// invoice before, "" for none.
func (e *Environments) NoteChange(ctx context.Context, companyID, model, next string) (told string, err error) {
	if e == nil || companyID == "" {
		return "", nil
	}
	notes, name := environmentNotes{Changes: map[string]string{}}, environmentName(companyID, model)
	err = e.Run.Change(ctx, &notes, func() { notes.Changes[name] = next })
	return notes.Told[name], err
}

// Hold keeps this run from writing settings until release is called: a write may change environments, also those that
// it does not send, until it is checked. What was read before the last write is forgotten.
func (e *Environments) Hold(ctx context.Context) (release func(), err error) {
	if e == nil {
		return func() {}, nil
	}
	return e.enter(ctx, func(notes *environmentNotes) { notes.Told = nil }) // What issues is past the plan.
}

func (e *Environments) enter(ctx context.Context, change func(*environmentNotes)) (leave func(), err error) {
	notes := environmentNotes{}
	if leave, err = e.Run.Enter(ctx, &notes, func() { change(&notes) }); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.writes != notes.Writes {
		e.writes, e.companies = notes.Writes, nil
	}
	return leave, nil
}

// Write keeps this run from issuing anything until the settings of a company are written and checked.
func (e *Environments) Write(ctx context.Context, companyID string) (done func(), err error) {
	if e == nil {
		return func() {}, nil
	}
	notes, ofCompany := environmentNotes{}, environmentName(companyID, "")
	return e.Run.Own(ctx, &notes, func() {
		notes.Writes++
		isOfCompany := func(name, _ string) bool { return strings.HasPrefix(name, ofCompany) }
		maps.DeleteFunc(notes.Changes, isOfCompany)
		maps.DeleteFunc(notes.Told, isOfCompany)
	})
}

// ErrNoAccount is of a key that cannot read the account's companies.
var ErrNoAccount = errors.New("the service does not show the companies to `api_key`: it is wrong, revoked, or not " +
	"the main company's")

// ErrSettingsChange is of an environment that the same plan may change.
var ErrSettingsChange = errors.New("this plan changes the settings of the company")

// environment is the one that the settings have for a model.
func (c companySettings) environment(model string) (string, error) {
	if c.err != nil {
		return "", c.err
	}
	var environment einvoice.Enum
	raw := c.settings.Blocks[model]["environmentType"]
	if raw == nil || environment.UnmarshalJSON(raw) != nil || environment == "" {
		return "", fmt.Errorf("the settings of the company show no environmentType for the model %s", model)
	}
	return string(environment), nil
}

// EnvironmentOf is the environment that the settings of the acting company have for a
// model. They are read with the main company's key, which api_key has to be.
func (s *Session) EnvironmentOf(ctx context.Context, model string) (string, error) {
	return s.company(ctx).environment(model)
}

// NotePlannedEnvironment is EnvironmentOf for the plan of a new invoice, which is noted. Where the same plan changes
// the settings, it is what they become, with ErrSettingsChange. Where settings are written meanwhile, it begins again.
func (s *Session) NotePlannedEnvironment(ctx context.Context, model string) (environment string, err error) {
	e := s.Environments
	leave, err := e.enter(ctx, func(*environmentNotes) {})
	if err != nil {
		return "", err
	}
	company := s.company(ctx)
	leave()
	if environment, err = company.environment(model); err != nil {
		return "", err
	}
	notes, name := environmentNotes{Told: map[string]string{}}, environmentName(company.id, model)
	next, changes := "", false
	err = e.Run.Change(ctx, &notes, func() {
		if next, changes = notes.Changes[name]; !changes && notes.Writes == company.writes {
			notes.Told[name] = environment
		}
	})
	switch {
	case err != nil:
		return "", err
	case notes.Writes != company.writes:
		return s.NotePlannedEnvironment(ctx, model)
	case changes:
		return next, ErrSettingsChange
	}
	return environment, nil
}

// PlannedIssuer is what a plan knows of the acting company: its tax regime and its state. They are in the list of
// companies that `environments` needs, which a run reads once.
func (s *Session) PlannedIssuer(ctx context.Context) fiscal.Issuer {
	if s.Deferred() || s.Client == nil || !s.Environments.Restricted() {
		return fiscal.Issuer{}
	}
	return s.company(ctx).issuer
}

// company has the known parts of the acting company.
func (s *Session) company(ctx context.Context) companySettings {
	e := s.Environments
	e.mu.Lock()
	defer e.mu.Unlock()
	company, isRead := e.companies[s.Issuer]
	if !isRead {
		company = s.readCompany(ctx)
		company.writes = e.writes
		if e.companies == nil {
			e.companies = map[string]companySettings{}
		}
		e.companies[s.Issuer] = company
	}
	return company
}

func (s *Session) readCompany(ctx context.Context) (company companySettings) {
	account, number := cmp.Or(s.Account, s.Client), s.Issuer
	if number == "" {
		owner, err := s.Client.AskKeyOwner(ctx, account, func(einvoice.Text) bool { return true })
		if err == nil && owner == "" {
			err = ErrNoAccount
			if _, failed := s.Environments.find(ctx, account, ""); errors.Is(failed, einvoice.ErrMissing) {
				err = failed // Nor can the main company's key list them.
			}
		}
		if err != nil {
			return companySettings{err: err}
		}
		number = string(owner)
	}
	listed, err := s.Environments.find(ctx, account, fiscal.NormalizeTaxNumber(number))
	if listed == nil {
		return companySettings{err: cmp.Or(err, fmt.Errorf("the account lists no company %s", number))}
	}
	company.id, company.issuer.Regime = string(listed.ID), string(listed.TaxRegime)
	if listed.Address != nil && listed.Address.City != nil {
		city := listed.Address.City
		company.issuer.State = fiscal.StateOfCity(string(city.Code), string(city.State))
	}
	company.settings, company.err = account.CompanySettings(ctx, company.id)
	return company
}

// find finds a company of the account, nil for none. One list serves all companies that it
// shows.
func (e *Environments) find(ctx context.Context, account *einvoice.Client, number string) (*einvoice.Company, error) {
	if listed := e.listed[number]; listed != nil {
		return listed, nil
	}
	e.listed = map[string]*einvoice.Company{}
	for company, err := range account.Companies(ctx) {
		if err != nil {
			return e.listed[number], err
		}
		taxNumber := fiscal.NormalizeTaxNumber(string(company.FederalTaxNumber))
		e.listed[taxNumber] = &einvoice.Company{ID: company.ID, TaxRegime: company.TaxRegime, Address: company.Address}
	}
	return e.listed[number], nil
}
