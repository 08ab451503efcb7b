package month

import (
	"cmp"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// numbering is what is known of the numbers of one series around a month.
type numbering struct {
	client                     *einvoice.Client
	model, series, environment string

	used     []int64 // by invoices of the month, sorted
	beside   []int64 // by those of the months on both sides, sorted
	disabled []span  // declared unused
	unlisted error   // why the service does not list those
	judged   span    // the numbers among which some may be missing
}

// entry is an invoice with a number.
type entry struct {
	number      int64
	environment string
	inMonth     bool // not in one beside it
	disabled    bool
}

// span is a range of numbers, both ends inclusive.
type span struct{ from, to int64 }

func (n *numbering) take(e entry) {
	switch {
	case e.disabled:
		n.disabled = append(n.disabled, span{e.number, e.number})
	case e.inMonth:
		n.used = append(n.used, e.number)
	default:
		n.beside = append(n.beside, e.number)
	}
}

func (n *numbering) sort() {
	for _, numbers := range []*[]int64{&n.used, &n.beside} {
		slices.Sort(*numbers)
		*numbers = slices.Compact(*numbers)
	}
}

// none is a range without numbers.
var none = span{1, 0}

// judge takes the numbers after the last one that was used before the first of the
// month. Nothing tells of older ones.
func (n *numbering) judge() {
	if n.judged = none; len(n.used) == 0 {
		return
	}
	n.judged = span{n.used[0], n.used[len(n.used)-1]}
	if at, _ := slices.BinarySearch(n.beside, n.judged.from); at > 0 {
		n.judged.from = n.beside[at-1] + 1
	}
}

// gaps are the ranges that are neither used nor declared unused.
func (n *numbering) gaps() []span { return missing(n.judged, append(n.taken(), n.disabled...)) }

// countDisabled counts the numbers that only a declaration accounts for.
func (n *numbering) countDisabled() int64 {
	return count(missing(n.judged, n.taken())) - count(n.gaps())
}

// taken are the numbers of invoices.
func (n *numbering) taken() []span {
	var taken []span
	for _, number := range slices.Concat(n.used, n.beside) {
		taken = append(taken, span{number, number})
	}
	return taken
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
