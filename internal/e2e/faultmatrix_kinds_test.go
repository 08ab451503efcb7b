package e2e_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// requestKinds are the columns of the tables. The first ones take longest.
var requestKinds = slices.Concat(
	invoiceKinds, orderKinds, letterKinds, declarationKinds, customerKinds, productKinds, webhookKinds, secretKinds, companyKinds, settingsKinds, certificateKinds, dataKinds)

// requestKind is one kind of request that the provider sends.
type requestKind struct {
	group, name string // as the guide shows them
	class       class

	// The request of the run that the faults hit: skip is how many like it, and
	// before how many of any kind, the run sends ahead of it.
	method, path string
	skip, before int
	list         bool // its answer is a list
	first        bool // of the reads of a family: it meets every fault

	options sandbox.Options
	// seed prepares the service, and returns what stands in the configurations for
	// words in capitals.
	seed func(s *sandbox.Server) map[string]string
	// given is applied before the faults, wanted under them: arguments of the
	// resource, or of the data source.
	resource      string // einvoice_customer, or data.einvoice_customer
	given, wanted string
	destroy       bool // the faulty run destroys what is given
	planOnly      bool // the faulty run plans: what is tested is a read

	// By the row of the fault: how it is met instead of by the rule, and what the
	// user reads instead of the fault's own words.
	instead map[string]meeting
	says    map[string]string
	// task is in the summary of each error, as a regular expression; standing in
	// that of warnings that come without any fault, adopts in that of one that tells
	// of a look-up.
	task, standing, adopts string

	// objects is the kind of what the service is to hold, and bystander one of them
	// that nobody may touch: other answers are about it.
	objects   string
	bystander map[string]any
	other     func(s *sandbox.Server) string // the other answer, where it is not the bystander
	keeps     bool                           // destroying leaves the object at the service
	// done tells whether the service has done what the run is for. A run that ends
	// with an error at a read has not, unless acted says that the read comes later.
	done  func(c *cell) bool
	acted bool
	// named tells that what is created has a name by which it is found, so that what
	// shows nowhere may be sent again.
	named bool
	// person tells that the same run is refused while nobody knows what became of the
	// request, until a person has looked.
	person bool
	// writeOnly tells that the resource needs a CLI that knows write-only arguments.
	writeOnly bool
	// settled checks the service after all runs, and holds the state.
	settled func(c *cell) error
	holds   func(c *cell, attributes map[string]any) error
}

func (k *requestKind) isData() bool { return strings.HasPrefix(k.resource, "data.") }

func (k *requestKind) managesSettings() bool { return k.resource == "einvoice_company_settings" }

func (k *requestKind) title() string { return k.group + ": " + k.name }

// class says what a request may do to the service.
type class int

const (
	classRead     class = iota
	classWrite          // doing it twice is doing it once
	classCreation       // doing it twice makes two
)

// meeting is how the provider meets a fault: a cell of the tables.
type meeting string

const (
	// meetRepeated sends the request again. A fault that outlasts the repetitions
	// is reported.
	meetRepeated meeting = "repeated"
	// meetSentAgain looks for what became of the request, and sends it again when that
	// shows nowhere. A fault that outlasts the repetitions is reported.
	meetSentAgain meeting = "sent again"
	// meetLookedUp finds out what became of the request, and sends nothing twice.
	meetLookedUp meeting = "looked up"
	// meetHarmless does without the answer.
	meetHarmless meeting = "harmless"
	// meetWarned goes on, with a warning.
	meetWarned meeting = "warned"
	// meetReported fails with an error and leaves the state as it is.
	meetReported meeting = "reported"
	// meetNone stands where the fault is an answer like any other.
	meetNone meeting = "–"
)

// meets is the rule by which a request meets a fault.
func (k *requestKind) meets(f *fault) meeting {
	if m, ok := k.instead[f.row()]; ok {
		return m
	}
	switch f.nature {
	case natureLimited:
		return meetRepeated
	case natureLost:
		switch {
		case k.class != classCreation:
			return meetRepeated
		case f.processed:
			return meetLookedUp
		case k.named && f.row() == faultCut:
			return meetSentAgain
		}
	case natureUnreadable, natureTooLarge:
		switch {
		case k.class == classCreation:
			return meetLookedUp
		case k.class == classWrite && f.nature == natureUnreadable:
			return meetHarmless
		}
	case natureUnsent, natureRefused:
	}
	return meetReported
}

// everyFault is met in one way, but for some.
func everyFault(m meeting, but map[string]meeting) map[string]meeting {
	all := map[string]meeting{}
	for _, f := range faults {
		all[f.row()] = m
	}
	maps.Copy(all, but)
	return all
}

// fault is one way in which an exchange goes wrong.
type fault struct {
	name   string
	column string // of the table: faults that are met in the same way share one; the name where it is empty
	nature nature
	// processed tells that the service has done what the request asks for, and
	// headed that at least the status of its answer arrives.
	processed, headed bool
	// says is what a user who meets the fault must read, as a regular expression.
	says string
	// hint is how long the service asks to wait, before a request is repeated.
	hint time.Duration
	// is the fault, or make returns it for a cell. Without either the service's port is closed.
	is   sandbox.Fault
	make func(c *cell) sandbox.Fault
}

// row is what the kinds and the guide call the fault.
func (f *fault) row() string { return cmp.Or(f.column, f.name) }

// at is the fault for the requests of a cell.
func (f *fault) at(c *cell) sandbox.Fault {
	made := f.is
	if f.make != nil {
		made = f.make(c)
	}
	made.Method, made.Path, made.Skip = c.kind.method, c.kind.path, c.kind.skip
	return made
}

// nature is what the provider can know of a request after the fault. What is to
// become of a request follows from it.
type nature int

const (
	natureUnsent     nature = iota // nothing reached the service
	natureLost                     // it may have been processed; asking again may help
	natureLimited                  // the service wants to be asked later, and did nothing
	natureRefused                  // the service did nothing, and will not
	natureUnreadable               // answered with success, and not with what is expected
	natureTooLarge                 // answered with success, and not read to its end
)

const (
	faultRefused   = "Connection refused"
	faultCut       = "Cut off, 502 or 503" // not the request itself was at fault
	faultLost      = "Answer lost, cut or not in time"
	faultFailed    = "500 without a body"
	faultLimited   = "Rate limit (429)"
	faultKey       = "401 or 403"
	faultNotFound  = "404"
	faultText      = "Text instead of an object"
	faultWrongType = "JSON of another type"
	faultTooLarge  = "Answer of 40 MiB"
	faultRedirect  = "Redirect to another host"
	faultOther     = "Answer about another object"
)

var faults = []fault{
	{name: faultRefused, nature: natureUnsent, says: "connection refused"},
	{
		name: "Connection dropped before the request is processed", column: faultCut, nature: natureLost,
		says: "the connection was closed", is: sandbox.Fault{Kind: sandbox.FaultDropBefore},
	},
	{
		name: "Connection dropped after the request is processed", column: faultLost, nature: natureLost, processed: true,
		says: "the connection was closed", is: sandbox.Fault{Kind: sandbox.FaultDropAfter},
	},
	{name: faultFailed, nature: natureLost, says: "HTTP 500", is: status(500, sandbox.FormEmpty)},
	{
		name: "502 with an HTML page", column: faultCut, nature: natureLost, says: "HTTP 502",
		is: status(502, sandbox.FormHTML),
	},
	{
		name: "503 with `Retry-After`", column: faultCut, nature: natureLost, says: "HTTP 503", hint: time.Second,
		is: asking(status(503, sandbox.FormMessage), "Retry-After", "1"),
	},
	{
		name: "429 with `Retry-After`", column: faultLimited, nature: natureLimited, says: "HTTP 429", hint: time.Second,
		is: asking(status(429, sandbox.FormErrors), "Retry-After", "1"),
	},
	{name: "401", column: faultKey, nature: natureRefused, says: "HTTP 401", is: status(401, sandbox.FormTitle)},
	{name: "403", column: faultKey, nature: natureRefused, says: "HTTP 403", is: status(403, sandbox.FormErrors)},
	{name: faultNotFound, nature: natureRefused, says: "HTTP 404", is: status(404, sandbox.FormHTML)},
	{
		name: "Answer that never ends", column: faultLost, nature: natureLost, processed: true, headed: true,
		says: "no whole answer within", is: sandbox.Fault{Kind: sandbox.FaultStall},
	},
	{
		name: "JSON cut in the middle", column: faultLost, nature: natureLost, processed: true, headed: true,
		says: "could not be understood", is: sandbox.Fault{Kind: sandbox.FaultTruncate},
	},
	{
		name: faultText, nature: natureUnreadable, processed: true, says: "could not be understood",
		is: sandbox.Fault{Kind: sandbox.FaultBody, Body: `"Under maintenance"`},
	},
	{
		name: faultWrongType, nature: natureUnreadable, processed: true, says: "could not be understood",
		make: func(c *cell) sandbox.Fault {
			if c.kind.list {
				return sandbox.Fault{Kind: sandbox.FaultBody, Body: `{"total": 5}`}
			}
			return sandbox.Fault{Kind: sandbox.FaultBody, Body: `[]`}
		},
	},
	{
		name: faultTooLarge, nature: natureTooLarge, processed: true, says: "larger than 16 MiB",
		is: sandbox.Fault{Kind: sandbox.FaultLarge, MiB: 40},
	},
	{
		name: faultRedirect, nature: natureRefused, says: "redirect",
		make: func(c *cell) sandbox.Fault {
			return sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "http://localhost" + c.kind.path}
		},
	},
	{
		name: faultOther, nature: natureUnreadable, processed: true, says: "another|could not be understood",
		make: func(c *cell) sandbox.Fault {
			body := c.otherObject()
			if c.kind.list {
				body = fmt.Sprintf(`{"items": [%s], "totalCount": 1, "pageCount": 1, "pageSize": 20, "hasNext": false}`, body)
			}
			return sandbox.Fault{Kind: sandbox.FaultBody, Body: body}
		},
	},
}

func status(code int, form sandbox.ErrorForm) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.FaultStatus, Status: code, Form: form, Message: http.StatusText(code)}
}

func asking(f sandbox.Fault, header, value string) sandbox.Fault {
	f.Header = http.Header{header: {value}}
	return f
}

const matrixGuide = "../../templates/guides/fault-matrix.md"

var updateMatrix = flag.Bool("update-matrix", false, "write the table of the fault matrix into its guide")

// matrixTable shows how each kind of request meets each fault: kinds that meet all
// of them in the same way share a row, and faults that are alike a column.
func matrixTable() string {
	var columns, rows []string
	for i := range faults {
		if !slices.Contains(columns, faults[i].row()) {
			columns = append(columns, faults[i].row())
		}
	}
	kinds := map[string][]string{}
	for i := range requestKinds {
		k := &requestKinds[i]
		met := map[string]string{}
		for j := range faults {
			met[faults[j].row()] = string(k.meets(&faults[j]))
		}
		row := ""
		for _, column := range columns {
			row += " " + met[column] + " |"
		}
		if kinds[row] == nil {
			rows = append(rows, row)
		}
		group, text := k.group+": ", k.name
		if slices.ContainsFunc(kinds[row], func(other string) bool { return strings.HasPrefix(other, group) }) {
			group = ""
		}
		kinds[row] = append(kinds[row], group+text)
	}
	var b strings.Builder
	b.WriteString("| Requests | " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", 1+len(columns)) + "|\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(kinds[row], ", ") + " |" + row + "\n")
	}
	return b.String()
}

// TestFaultMatrix_isInTheGuide compares the table, which ends the guide, with what
// the tests check.
func TestFaultMatrix_isInTheGuide(t *testing.T) {
	t.Parallel()
	guide := fileText(t, matrixGuide)
	head, _, _ := strings.Cut(guide, "| Requests |")
	want := head + matrixTable()
	if *updateMatrix {
		expect.NoError(t, os.WriteFile(matrixGuide, []byte(want), 0o644))
	} else if guide != want {
		t.Errorf("%s is not what the tests check: go test ./internal/e2e -run TestFaultMatrix_isInTheGuide -update-matrix, then make generate", matrixGuide)
	}
}
