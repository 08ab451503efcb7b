package month

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// numbering has the numbers of one series around a month.
type numbering struct {
	reading                    *session.Session
	model, series, environment string

	used     []int64 // by invoices of the month, sorted
	taken    []span  // by invoices of the month and of those on both sides of it
	disabled []span  // declared unused
	unlisted error   // why the service does not list those
	judged   span    // the numbers among which some may be missing
}

// span is a range of numbers, both ends inclusive.
type span struct{ from, to int64 }

// noNumbers is an empty range.
var noNumbers = span{1, 0}

// read reads what the numbers of a month are judged by.
func (n *numbering) read(ctx context.Context, wanted months) error {
	if err := n.readInvoices(ctx, wanted.since(1), wanted); err != nil {
		return err
	}
	n.judge()
	if err := n.readDisablements(ctx); err != nil || len(n.gaps()) == 0 {
		return err
	}
	return n.readInvoices(ctx, wanted.next(), wanted)
}

// readInvoices reads the invoices of some months. Only the number counts of an invoice
// outside the wanted month.
func (n *numbering) readInvoices(ctx context.Context, in, wanted months) error {
	members := []string{"number", "series", "environmentType"}
	if n.model == einvoice.ModelService {
		members = []string{"rps", "environmentType"}
	}
	var invoices []*einvoice.Invoice
	environments := map[string]bool{}
	for v, err := range issued(ctx, n.reading, n.model, in, members...) {
		if err != nil {
			return err
		}
		if n.numberOf(v) == 0 || !v.Meaning().UsesNumber && !isDisabled(v) {
			continue
		}
		invoices = append(invoices, v)
		if wanted.has(dateOf(v)) && v.EnvironmentType != "" {
			environments[string(v.EnvironmentType)] = true
		}
	}
	if n.environment == "" && len(environments) > 0 {
		found := slices.Sorted(maps.Keys(environments))
		if len(found) > 1 {
			return &severalEnvironmentsError{found}
		}
		n.environment = found[0]
	}
	for _, v := range invoices {
		number := n.numberOf(v)
		switch {
		case n.environment != "" && string(v.EnvironmentType) != n.environment:
		case isDisabled(v):
			n.disabled = append(n.disabled, span{number, number})
		default:
			n.taken = append(n.taken, span{number, number})
			if wanted.has(dateOf(v)) {
				n.used = append(n.used, number)
			}
		}
	}
	slices.Sort(n.used)
	n.used = slices.Compact(n.used)
	return nil
}

// severalEnvironmentsError is of a month whose numbers are of several sequences.
type severalEnvironmentsError struct{ found []string }

func (e *severalEnvironmentsError) Error() string { return strings.Join(e.found, ", ") }

// numberOf is the number of an invoice of the series. It is 0 for another series, and for
// an invoice that has none yet.
func (n *numbering) numberOf(v *einvoice.Invoice) int64 {
	number, series := v.Number, v.Series
	if n.model == einvoice.ModelService {
		if v.RPS == nil {
			return 0
		}
		number, series = v.RPS.Number, v.RPS.Series
	}
	if number == nil || plainSeries(string(series)) != n.series {
		return 0
	}
	return int64(*number)
}

// plainSeries is a series as it is compared: 001 is 1.
func plainSeries(series string) string {
	plain := strings.TrimLeft(strings.TrimSpace(series), "0")
	if plain == "" && series != "" {
		return "0"
	}
	return plain
}

func isDisabled(v *einvoice.Invoice) bool { return string(v.Status) == einvoice.StatusDisabled }

// readDisablements reads the numbers that were declared unused, whenever that was.
func (n *numbering) readDisablements(ctx context.Context) error {
	const registered = "registered"
	if n.model == einvoice.ModelService {
		return nil
	}
	for v, err := range n.reading.Client.Disablements(ctx, n.model, einvoice.DisablementFilter{Status: registered}) {
		isMissing := errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed)
		switch {
		case n.model == einvoice.ModelConsumer && isMissing:
			n.unlisted = err // The list of NFC-e is assumed.
			return nil
		case err != nil:
			return err
		case string(v.Status) != registered || v.InitialNumber == nil || v.FinalNumber == nil:
		case plainSeries(string(v.Series)) != n.series:
		case n.environment == "" || v.Environment == "" || string(v.Environment) == n.environment:
			n.disabled = append(n.disabled, span{int64(*v.InitialNumber), int64(*v.FinalNumber)})
		}
	}
	return nil
}

// judge chooses the numbers from the last one that was used before the month on. Nothing
// tells of older ones.
func (n *numbering) judge() {
	if n.judged = noNumbers; len(n.used) == 0 {
		return
	}
	first, last, before := n.used[0], n.used[len(n.used)-1], int64(0)
	for _, t := range n.taken {
		if t.from < first {
			before = max(before, t.from)
		}
	}
	if n.judged = (span{first, last}); before > 0 {
		n.judged.from = before + 1
	}
}

// gaps are the ranges that are neither used nor declared unused.
func (n *numbering) gaps() []span { return missing(n.judged, slices.Concat(n.taken, n.disabled)) }

// countDisabled counts the numbers that only a declaration accounts for.
func (n *numbering) countDisabled() int64 {
	return count(missing(n.judged, slices.Clone(n.taken))) - count(n.gaps())
}

func count(spans []span) (n int64) {
	for _, s := range spans {
		n += s.to - s.from + 1
	}
	return n
}

// missing are the numbers of a range that none of the others has.
func missing(of span, taken []span) []span {
	slices.SortFunc(taken, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var gaps []span
	next := of.from
	for _, t := range taken {
		if t.from > of.to || t.to < t.from {
			continue
		}
		if t.from > next {
			gaps = append(gaps, span{next, t.from - 1})
		}
		next = max(next, t.to+1)
	}
	if next <= of.to {
		gaps = append(gaps, span{next, of.to})
	}
	return gaps
}
