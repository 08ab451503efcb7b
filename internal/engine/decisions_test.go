package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The rows of testdata/decisions.json are what the pure decisions are held to. A new row is a line of data, in words:
//
//   - an invoice, "A rejected 539 later": its id (a capital), its status ("-" for none), and what is special: a code of
//     its rejection, "later" or "earlier" than the others judged, "differs" from the payload, "renamed", of an
//     "otherCompany"; of a read also "otherSale". "A gone" is a read that finds nothing;
//   - an order, "A approved authorized,created": its id, its status, the statuses of its invoices, and what is special;
//   - a record, "sending A ours 10s": its phase, its id, whose content the note has ("ours" or "theirs"), its trust,
//     "canceling", "valid", "block=x", and its age. The patience is a minute, and a run is at work for two;
//   - what follows, "stop Another A differs": what the run does, the kind of the problem, the invoices or orders that
//     it is about, and the flags of the move.
type decisionRows struct {
	Invoice []saleRow   `json:"invoice"`
	Order   []orderRow  `json:"order"`
	Status  []statusRow `json:"status"`
	Rest    []restRow   `json:"rest"`
}

type saleRow struct {
	Row    string   `json:"row"`
	Want   string   `json:"want"`   // "draft" or "contingency"; else it is issued
	State  string   `json:"state"`  // the id that a state has, and "changed"
	Block  string   `json:"block"`  // of the configuration
	Record string   `json:"record"` // of the journal
	Lists  []string `json:"lists"`
	NoList bool     `json:"noList"`
	Reads  []string `json:"reads"`
	Asked  []string `json:"asked"`
	Before []string `json:"before"` // what this run has seen before it sent
	Lost   string   `json:"lost"`   // this run has sent: "cut", or why it was refused, and "mayRepeat"
	Sent   bool     `json:"sent"`
	Plan   bool     `json:"plan"` // waits for nothing
	wantedMove
	Records string `json:"records"` // where it matters: the record that a request goes on from
	Seen    string `json:"seen"`    // where it matters: all of the sale
}

type orderRow struct {
	Row    string   `json:"row"`
	Want   string   `json:"want"` // the status
	Block  string   `json:"block"`
	Record string   `json:"record"`
	Lists  []string `json:"lists"`
	Reads  []string `json:"reads"`
	Lost   string   `json:"lost"`
	wantedMove
}

// wantedMove is what a decision is.
type wantedMove struct {
	Then   string `json:"then"`
	Why    string `json:"why"`
	Learns string `json:"learns"` // the record that is swapped in; "" where there is nothing new
}

func (want wantedMove) check(t *testing.T, next move) {
	t.Helper()
	got := wantedMove{Then: textOf(next), Why: next.why}
	if next.learned {
		got.Learns = textOfRecord(next.record)
	}
	expect.Is(t, got, want)
}

type statusRow struct {
	Row    string `json:"row"`
	Record string `json:"record"`
	Shows  string `json:"shows"` // the order's status; "" before it was read
	Facts  string `json:"facts"` // "lost"
	Then   string `json:"then"`
}

type restRow struct {
	Row    string `json:"row"`
	Record string `json:"record"`
	Facts  string `json:"facts"` // the names of restFacts, and "rejected"
	Then   string `json:"then"`
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	table := rows.ReadOne[decisionRows](t, "decisions.json")
	for _, rule := range saleRules {
		if !slices.ContainsFunc(table.Invoice, func(row saleRow) bool { return row.Why == rule.why }) {
			t.Errorf("no row ends with %q", rule.why)
		}
	}
	for _, row := range table.Invoice {
		rows.Case(t, "invoice/"+row.Row, row.check)
	}
	for _, row := range table.Order {
		rows.Case(t, "order/"+row.Row, row.check)
	}
	for _, row := range table.Status {
		rows.Case(t, "status/"+row.Row, row.check)
	}
	for _, row := range table.Rest {
		rows.Case(t, "rest/"+row.Row, row.check)
	}
}

var decidedAt = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func (row saleRow) check(t *testing.T) {
	state, changed := strings.CutSuffix(row.State, " changed")
	w := &saleWanted{
		Want:   Want{Issue: row.Want != "draft", AcceptContingency: row.Want == "contingency"},
		digest: "ours", inState: state, changed: changed, block: row.Block,
		named:   func(v *einvoice.Invoice) bool { return v.IntegrationID == "" },
		differ:  func(v *einvoice.Invoice) []Difference { return differing(v.Amount) },
		ofOther: func(v *einvoice.Invoice) bool { return v.Company != nil },
	}
	f := &saleFacts{
		noList: row.NoList, sent: row.Sent || row.Lost != "", patience: time.Minute, alive: 2 * time.Minute,
		read: map[string]reading{}, asked: map[string]*einvoice.Invoice{},
	}
	for _, text := range row.Lists {
		f.listed = append(f.listed, invoiceOf(t, text).invoice)
	}
	for _, text := range row.Reads {
		f.read[strings.ToLower(text[:1])] = invoiceOf(t, text)
	}
	for _, text := range row.Asked {
		f.asked[strings.ToLower(text[:1])] = invoiceOf(t, text).invoice
	}
	for _, text := range row.Before {
		f.before = append(f.before, invoiceOf(t, text).invoice)
	}
	if row.Plan {
		f.patience = 0
	}
	cause, mayRepeat := strings.CutSuffix(row.Lost, " mayRepeat")
	f.mayRepeat = mayRepeat
	switch cause {
	case "":
	case "cut":
		f.lost = fmt.Errorf("%w: as %s says", einvoice.ErrAmbiguous, fiscal.CodeAlreadyAuthorized)
	default:
		f.lost = errors.New(cause)
	}
	listed := slices.Clone(f.listed)
	next := decideSale(w, recordOf(t, row.Record), f, decidedAt)
	row.wantedMove.check(t, next)
	if row.Records != "" {
		expect.Is(t, textOfRecord(next.record), row.Records, "goes on from the record")
	}
	if row.Seen != "" {
		expect.Is(t, fmt.Sprintf("%t %s", next.isLooked, idsOf(next.seen)), "true "+row.Seen, "has seen")
	}
	if !slices.Equal(f.listed, listed) {
		t.Errorf("it has changed what was listed")
	}
}

// differing are the differences of what has an amount at all.
func differing(amount *einvoice.Number) []Difference {
	if amount == nil {
		return nil
	}
	return []Difference{{"amount", "100", "7"}}
}

func (row orderRow) check(t *testing.T) {
	w := &orderWanted{status: cmp.Or(row.Want, "created"), block: row.Block, differ: func(o *einvoice.Order) []Difference {
		return differing(o.Amount)
	}}
	f := &orderFacts{patience: time.Minute, alive: 2 * time.Minute, read: map[string]*einvoice.Order{}}
	f.lost, f.mayRepeat = row.Lost != "", row.Lost == "mayRepeat"
	for _, text := range row.Lists {
		f.listed = append(f.listed, orderOf(t, text))
	}
	for _, text := range row.Reads {
		f.read[strings.ToLower(text[:1])] = orderOf(t, text)
	}
	next := decideOrder(w, recordOf(t, row.Record), f, decidedAt)
	row.wantedMove.check(t, next)
}

func (row statusRow) check(t *testing.T) {
	var shown *einvoice.Order
	if row.Shows != "" {
		shown = &einvoice.Order{Status: einvoice.Enum(row.Shows)}
	}
	next := decideStatus("approved", recordOf(t, row.Record), shown, row.Facts == "lost", decidedAt, time.Minute)
	expect.Is(t, [...]string{"send", "read", "take", "look again", "stop"}[next], row.Then, "then")
}

func (row restRow) check(t *testing.T) {
	var f restFacts
	flags := map[string]*bool{
		"hasRest": &f.hasRest, "moved": &f.moved, "same": &f.same, "lost": &f.lost,
		"hasRejected": &f.hasRejected, "reconciled": &f.reconciled, "unissued": &f.unissued, "triggered": &f.triggered,
		"waited": &f.waited,
	}
	for _, word := range strings.Fields(row.Facts) {
		switch flag := flags[word]; {
		case flag != nil:
			*flag = true
		case word == "rejected":
			f.rejected++
		default:
			t.Fatalf("%q is no fact", word)
		}
	}
	next := decideRest(recordOf(t, row.Record), f, decidedAt, time.Minute)
	names := [...]string{"done", "settle", "look again", "stop", "ask", "wait for the trigger", "send"}
	expect.Is(t, names[next], row.Then, "then")
}

func invoiceOf(t *testing.T, text string) (r reading) {
	t.Helper()
	words := strings.Fields(text)
	if words[1] == "gone" {
		return reading{}
	}
	v := &einvoice.Invoice{
		ID: einvoice.Text(words[0]), Status: einvoice.Enum(strings.Trim(words[1], "-")),
		ProcessingDetail: &einvoice.ProcessingDetail{On: "2026-03-01T12:00:00Z"},
	}
	for _, word := range words[2:] {
		switch word {
		case "539", "SPD001", "SPD004":
			v.ProcessingDetail.Code = einvoice.Text(word)
		case "earlier":
			v.ProcessingDetail.On = "2026-02-28T12:00:00Z"
		case "laterElsewhere": // It is less as a text.
			v.ProcessingDetail.On = "2026-03-01T10:00:00-03:00"
		case "later":
			v.ProcessingDetail.On = "2026-03-02T12:00:00Z"
		case "differs":
			v.Amount = new(einvoice.Number)
		case "renamed":
			v.IntegrationID = "order-9"
		case "otherCompany":
			v.Company = new(einvoice.InvoiceCompany)
		case "otherSale":
			r.isOtherSale = true
		default:
			t.Fatalf("%q is no word of an invoice", word)
		}
	}
	r.invoice = v
	return r
}

func orderOf(t *testing.T, text string) *einvoice.Order {
	t.Helper()
	words := strings.Fields(text)
	if words[1] == "gone" {
		return nil
	}
	o := &einvoice.Order{ID: einvoice.Text(words[0]), Status: einvoice.Enum(words[1])}
	for _, word := range words[2:] {
		if word == "differs" {
			o.Amount = new(einvoice.Number)
			continue
		}
		for status := range strings.SplitSeq(word, ",") {
			o.Invoices = append(o.Invoices, &einvoice.Invoice{Status: einvoice.Enum(status)})
		}
	}
	return o
}

func recordOf(t *testing.T, text string) (r journal.Record) {
	t.Helper()
	var note saleNote
	for _, word := range strings.Fields(text) {
		age, err := time.ParseDuration(word)
		block, isBlock := strings.CutPrefix(word, "block=")
		switch {
		case word == "idle":
		case word == string(journal.Sending), word == string(journal.Settled):
			r.Phase = journal.Phase(word)
		case word == "ours", word == "theirs":
			note.Digest = word
		case word == string(doubtful), word == string(adopted):
			note.Trust = trust(word)
		case word == "canceling":
			note.Canceling = true
		case word == "valid":
			note.Valid = true
		case isBlock:
			note.Block = block
		case len(word) == 1:
			r.Result = word
		case err == nil:
			r.Stamp = decidedAt.Add(-age)
		default:
			t.Fatalf("%q is no word of a record", word)
		}
	}
	return r.Noted(note)
}

func textOfRecord(r journal.Record) string {
	note := journal.NoteOf[saleNote](r)
	words := []string{string(r.Phase), r.Result, note.Digest, string(note.Trust)}
	if r.Phase == journal.Idle {
		words[0] = "idle"
	}
	if note.Canceling {
		words = append(words, "canceling")
	}
	if note.Valid {
		words = append(words, "valid")
	}
	if note.Block != "" {
		words = append(words, "block="+note.Block)
	}
	if !r.Stamp.IsZero() {
		words = append(words, "aged")
	}
	return joined(words)
}

// textOf is all of a move but its record, and what it has seen.
func textOf(m move) string {
	kinds := map[Kind]string{
		AnswerLost: "AnswerLost", Another: "Another", BeingCanceled: "BeingCanceled", Ended: "Ended", Misnamed: "Misnamed",
		NotADraft: "NotADraft", OtherCompany: "OtherCompany", OthersDraft: "OthersDraft", Settled: "Settled",
		Several: "Several", Unlisted: "Unlisted", Vanished: "Vanished",
	}
	words := []string{m.do.String(), kinds[m.kind], m.id}
	if m.invoice != nil {
		words = append(words, string(m.invoice.ID))
	}
	if m.order != nil {
		words = append(words, string(m.order.ID))
	}
	words = append(words, idsOf(m.found))
	for _, o := range m.orders {
		words = append(words, string(o.ID))
	}
	flag := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	flag(len(m.differ) > 0, "differs")
	flag(m.isRefused, "refused")
	flag(m.showsRecord, "showsRecord")
	flag(m.patient, "patiently")
	flag(m.must, "must")
	flag(m.as != "", map[Request]string{LookUp: "toLookUp", Read: "toRead"}[m.as])
	flag(m.isLost, "lost")
	flag(m.isAdopted, "adopted")
	flag(m.step != 0, [...]string{"", "over", "issuesDraft", "awaits", "takes"}[m.step])
	return joined(words)
}

func idsOf(invoices []*einvoice.Invoice) string {
	var ids []string
	for _, v := range invoices {
		ids = append(ids, string(v.ID))
	}
	return strings.Join(ids, " ")
}

func joined(words []string) string {
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}
