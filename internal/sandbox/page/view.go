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

// The verdicts over a delivery's signature.
const (
	SignedBoth    = "both"
	SignedCurrent = "current"
	SignedWindow  = "window"
	SignedExpired = "expired"
	SignedNone    = "none"
	SignedUntimed = "untimed"
)

// View is what the page shows. Every text in it has gone through a Redactor.
type View struct {
	// Query and BaseURL are the handler's to set.
	Query
	BaseURL    string
	Now        Moment
	All        int // the number of all invoices, whatever the filter
	ByState    []Count
	States     []Count // of the invoices of the chosen model
	Models     []Count // of the invoices of the chosen state
	Limit      Limit
	Invoices   Rows[Invoice]
	Orders     Rows[Order]
	Customers  Rows[Customer]
	Products   Rows[Product]
	Companies  Rows[Company]
	Secrets    Secrets
	Webhooks   Rows[Webhook]
	Deliveries Rows[Delivery]
	Requests   Rows[Request]
	// One is the chosen invoice, nil if none is chosen or it is gone.
	One *Detail
}

// ReloadTime is the number of seconds between reloads, for a browser without scripts that asks for them.
func (View) ReloadTime() int { return 10 }

// Found is the number of results of the search.
func (v View) Found() int {
	return v.Invoices.Total + v.Orders.Total + v.Customers.Total + v.Products.Total + v.Companies.Total +
		v.Webhooks.Total + v.Deliveries.Total + v.Requests.Total
}

// Languages are the choices of language, each with its address.
func (q Query) Languages() []Choice {
	var out []Choice
	for i, l := range languages {
		link := "?" + q.with("lang", l.Tag)
		out = append(out, Choice{Name: l.Name, Tag: l.Markup, Link: link, Chosen: Language(i) == q.Language})
	}
	return out
}

// Markup is the language of the texts, as markup names it.
func (q Query) Markup() string { return languages[q.Language].Markup }

// Choice is a language to choose.
type Choice struct {
	Name, Tag, Link string
	Chosen          bool
}

// Count is the number of objects with a word, such as a state, and the sum of their amounts, if they have any.
type Count struct {
	Word string
	N    int
	Sum  string
}

// Rows are the newest of all rows.
type Rows[T any] struct {
	Shown []T
	Total int
}

// More is the number of rows that the page leaves out.
func (r Rows[T]) More() int { return r.Total - len(r.Shown) }

// Folded reports whether there are more rows than a telephone shows at first. The numbers are those of page.css.
func (r Rows[T]) Folded() bool { return len(r.Shown) > 5 }

// Long reports whether a wide screen folds the rows too.
func (r Rows[T]) Long() bool { return len(r.Shown) > 15 }

// Newest makes rows of the last elements that are wanted, the very last first; a nil wanted takes all.
func Newest[T, V any](all []T, most int, wanted func(T) bool, row func(T) V) Rows[V] {
	var out Rows[V]
	for _, one := range slices.Backward(all) {
		if wanted != nil && !wanted(one) {
			continue
		}
		if out.Total++; out.Total <= most {
			out.Shown = append(out.Shown, row(one))
		}
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

// Meter is what one key has used of the limit. Whose is empty where the key is of no company.
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
	Environments                        []Setting // by model, or one without a name where all are the same
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

// Customer is a customer.
type Customer struct{ ID, Name, LegalName, TaxNumber, Email, City string }

// Product is a product.
type Product struct{ ID, Code, Name, Price, Model string }

// Order is an order with its invoices.
type Order struct {
	ID, TransactionID, Customer, Amount, Mode string
	State                                     State
	At                                        Moment
	Invoices                                  []Invoice
}

// Invoice is an invoice and its state. Code and Message are those of its last step.
type Invoice struct {
	ID, Model, IntegrationID, Description string
	Series, Number, Amount                string
	Company, Receiver                     string
	Order                                 string // the transaction ID of the invoice's order, or else its ID
	State                                 State
	Code, Message                         string
	Cure                                  Advice // empty where the invoice was not refused
	HasDocument                           bool
	Corrections                           int
	Updated                               Moment
}

// Failed reports whether the authority refused the invoice: its message then comes first.
func (i Invoice) Failed() bool { return i.State.Tone == Bad }

// Detail is one invoice with all that belongs to it.
type Detail struct {
	Invoice
	TaxNumber, AccessKey, Protocol, Environment string
	Issued                                      Moment
	History                                     []Step
	EarlierSteps                                int
	Requests                                    Rows[Request]
	Deliveries                                  Rows[Delivery]
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

// Delivery is a delivery with its last attempt, if there was one. Invoice names the invoice that it is about.
// InvoiceID is its id, if the page shows it.
type Delivery struct {
	Row, Event, URL, Invoice, InvoiceID, State, Tone string
	Tries, Status                                    int
	At                                               Moment
	Failure, Signature, SignTone                     string
}

// Request is a request to the service. Whose is empty where its key is of no company.
type Request struct {
	Row                             string
	At                              Moment
	Method, Path, Whose, Tone, Body string
	Status                          int
}

// Moment is a time on the page.
type Moment struct{ At, Now time.Time }

// Set reports whether there is such a time.
func (m Moment) Set() bool { return !m.At.IsZero() }

// Machine is the time for the attribute datetime.
func (m Moment) Machine() string { return m.At.UTC().Format(time.RFC3339) }
