package sandbox

import (
	"slices"
	"time"
)

// pageView is what the page shows. Every text in it has gone through a curtain.
type pageView struct {
	BaseURL    string
	Now        moment
	Reload     bool
	ReloadTime int
	Summary    string
	Limit      limitView
	Companies  rows[companyView]
	Invoices   rows[invoiceView]
	Secrets    secretsView
	Webhooks   rows[webhookView]
	Deliveries rows[deliveryView]
	Requests   rows[requestView]
}

// rows are the newest of all there are.
type rows[T any] struct {
	Shown []T
	Total int
}

// More is how many there are that the page leaves out.
func (r rows[T]) More() int { return r.Total - len(r.Shown) }

type limitView struct {
	On        bool
	PerMinute int
	PerSecond int
	Window    string
	Keys      rows[meterView]
}

type meterView struct {
	Key, Whose         string
	InMinute, InSecond int
	Reset              moment
}

type companyView struct {
	ID, Name, LegalName, TaxNumber, Key string
	Main                                bool
	Certificates                        []certificateView
	Settings                            []settingsView
}

type certificateView struct {
	Subject string
	Expires moment
	Active  bool
}

type settingsView struct {
	Block  string
	Fields []settingView
}

type settingView struct{ Name, Value string }

type invoiceView struct {
	ID, Model, IntegrationID, Description, Number, Amount, Company string
	State                                                          stateView
	Corrections                                                    int
	Updated                                                        moment
	History                                                        []stepView
	EarlierSteps                                                   int
}

// stateView is a state's word and the kind of it, which the page gives a colour.
type stateView struct{ Word, Tone string }

type stepView struct {
	At            moment
	State         stateView
	Code, Message string
}

type secretsView struct {
	InForce, Previous string
	Until             moment
	StillSigns        bool
}

type webhookView struct {
	ID, Event, URL string
	Enabled        bool
}

// deliveryView is a delivery with its last try, if there was one.
type deliveryView struct {
	Row, Event, URL, Invoice, State, Tone string
	Tries                                 int
	At                                    moment
	Answer, LastSign, SignTone            string
}

type requestView struct {
	Row                       string
	At                        moment
	Method, Path, Whose, Tone string
	Status                    int
}

// moment is a time on the page.
type moment struct{ at, now time.Time }

// Set says whether there is such a time.
func (m moment) Set() bool { return !m.at.IsZero() }

// Machine is the time for the attribute datetime.
func (m moment) Machine() string { return m.at.UTC().Format(time.RFC3339) }

// Text is the time of day here, after the date where that is not today's.
func (m moment) Text() string {
	at := m.at.Local()
	if at.Format(time.DateOnly) == m.now.Local().Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// newest takes the last of a list, the very last first, and makes rows of them.
func newest[T, V any](all []T, most int, row func(T) V) rows[V] {
	out := rows[V]{Total: len(all)}
	for _, one := range slices.Backward(all[max(0, len(all)-most):]) {
		out.Shown = append(out.Shown, row(one))
	}
	return out
}

// toneOf is the tone of an HTTP status; 0 is none yet.
func toneOf(status int) string {
	switch status / 100 {
	case 0:
		return "wait"
	case 2:
		return "good"
	default:
		return "bad"
	}
}

func shorten(long string, most int) string {
	if letters := []rune(long); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return long
}
