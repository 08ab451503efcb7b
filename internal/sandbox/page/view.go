package page

import (
	"slices"
	"time"
)

// The tones of what is shown, which give it a colour.
const (
	Good = "good"
	Bad  = "bad"
	Wait = "wait"
	Gone = "gone"
)

// View is what the page shows. Every text in it has gone through a Redactor.
type View struct {
	// BaseURL and Reload are the handler's to set.
	BaseURL    string
	Reload     bool
	Now        Moment
	Summary    string
	Limit      Limit
	Companies  Rows[Company]
	Invoices   Rows[Invoice]
	Secrets    Secrets
	Webhooks   Rows[Webhook]
	Deliveries Rows[Delivery]
	Requests   Rows[Request]
}

// ReloadTime is after how many seconds the page loads again where scripts are off and somebody asks for it.
func (View) ReloadTime() int { return 10 }

// Rows are the newest of all there are.
type Rows[T any] struct {
	Shown []T
	Total int
}

// More is how many there are that the page leaves out.
func (r Rows[T]) More() int { return r.Total - len(r.Shown) }

// Newest takes the last of a list, the very last first, and makes rows of them.
func Newest[T, V any](all []T, most int, row func(T) V) Rows[V] {
	out := Rows[V]{Total: len(all)}
	for _, one := range slices.Backward(all[max(0, len(all)-most):]) {
		out.Shown = append(out.Shown, row(one))
	}
	return out
}

// Limit is the rate limit and what the keys have used of it.
type Limit struct {
	On        bool
	PerMinute int
	PerSecond int
	Keys      Rows[Meter]
}

// Meter is what one key has used of the limit.
type Meter struct {
	Key, Whose         string
	InMinute, InSecond int
	Reset              Moment
}

// Company is a company with its certificates and settings.
type Company struct {
	ID, Name, LegalName, TaxNumber, Key string
	Main                                bool
	Certificates                        []Certificate
	Settings                            []Settings
}

// Certificate is a certificate of a company.
type Certificate struct {
	ID      string
	Subject string
	Expires Moment
	Active  bool
}

// Settings is one block of a company's settings.
type Settings struct {
	Block  string
	Fields []Setting
}

// Setting is one field of the settings.
type Setting struct{ Name, Value string }

// Invoice is an invoice and what became of it.
type Invoice struct {
	ID, Model, IntegrationID, Description, Number, Amount, Company string
	State                                                          State
	Corrections                                                    int
	Updated                                                        Moment
	History                                                        []Step
	EarlierSteps                                                   int
}

// State is the word of a state, and its tone.
type State struct{ Word, Tone string }

// Step is one change of an invoice.
type Step struct {
	At            Moment
	State         State
	Code, Message string
}

// Secrets are the secrets that sign deliveries.
type Secrets struct {
	InForce, Previous string
	Until             Moment
	StillSigns        bool
}

// Webhook is a subscription to an event.
type Webhook struct {
	ID, Event, URL string
	Enabled        bool
}

// Delivery is a delivery with its last try, if there was one.
type Delivery struct {
	Row, Event, URL, Invoice, State, Tone string
	Tries                                 int
	At                                    Moment
	Answer, LastSign, SignTone            string
}

// Request is a request to the service.
type Request struct {
	Row                       string
	At                        Moment
	Method, Path, Whose, Tone string
	Status                    int
}

// Moment is a time on the page.
type Moment struct{ At, Now time.Time }

// Set says whether there is such a time.
func (m Moment) Set() bool { return !m.At.IsZero() }

// Machine is the time for the attribute datetime.
func (m Moment) Machine() string { return m.At.UTC().Format(time.RFC3339) }

// Text is the time of day here, after the date where that is not today's.
func (m Moment) Text() string {
	at := m.At.Local()
	if at.Format(time.DateOnly) == m.Now.Local().Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}
