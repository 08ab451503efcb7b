package e2e_test

import (
	"bytes"
	"cmp"
	_ "embed" // The tables.
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// requestKind is one kind of request that the provider sends. What a group of kinds shares stands before its requests.
type requestKind struct {
	Group, Name string // as the guide shows them
	Why         string // it is met in its own way
	Class       class

	// The request of the run that the faults hit: Skip is how many like it, and Before how many of any kind, the run
	// sends ahead of it.
	Method, Path string
	Skip, Before int
	List         bool // its answer is a list
	First        bool // of the reads of a family: it meets every fault

	Options sandbox.Options
	After   string // the authority takes so long
	Object  object // is there before, and its id stands for WANTED

	// Given is applied before the faults, Wanted under them, both besides Arguments, which an empty one has alone.
	Resource      string // einvoice_customer, or data.einvoice_customer
	Arguments     object
	Given, Wanted object
	Destroy       bool // the faulty run destroys what is given
	PlanOnly      bool // the faulty run plans: what is tested is a read

	// By the row of the fault, or for any other one: how it is met instead of by the rule, and what the user reads
	// instead of the fault's own words.
	Instead map[string]meeting
	Says    map[string]string
	// Task is in the summary of each error, as a regular expression; Standing in that of warnings that come without any
	// fault, Adopts in that of one that tells of a look-up.
	Task, Standing, Adopts string

	// Objects is the kind of what the service is to hold, and Bystander one of them that nobody may touch: other answers
	// are about it, but where Other has the members of what they are about.
	Objects          string
	Bystander, Other object
	Keeps            bool // destroying leaves the object at the service
	// Done and Becomes tell when the service has done what the run is for. A run that ends with an error at a read has
	// not, unless Acted says that the read comes later.
	Done    string
	Becomes object // the one object that the runs made
	Acted   bool
	// Named tells that what is created has a name by which it is found, so that what shows nowhere may be sent again.
	Named bool
	// Person tells that the same run is refused while nobody knows what became of the request, until a person has looked.
	Person bool
	// WriteOnly tells that the resource needs a CLI that knows write-only arguments.
	WriteOnly bool
	Shows     object // afterwards in the state
	Lists     string // the attribute in which all objects are

	given, wanted string
	done          func(c *cell) bool
}

var (
	//go:embed testdata/requests.json
	requestsJSON []byte
	//go:embed testdata/faults.json
	faultsJSON []byte
)

// decoded is a table, of which every member is known.
func decoded[T any](text []byte, into T) T {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&into); err != nil {
		panic(err)
	}
	return into
}

// requestKinds are the columns of the tables. The first ones take longest.
var requestKinds = func() (kinds []requestKind) {
	for _, group := range decoded(requestsJSON, []struct {
		requestKind

		Requests []json.RawMessage
	}{}) {
		for _, request := range group.Requests {
			k := decoded(request, group.requestKind)
			if k.Given != nil {
				k.given = asLines(with(k.Arguments, k.Given))
			}
			if k.Wanted != nil {
				k.wanted = asLines(with(k.Arguments, k.Wanted))
			}
			if k.After != "" {
				after, err := time.ParseDuration(k.After)
				if err != nil {
					panic(err)
				}
				k.Options.AuthorizeAfter = after
			}
			if k.done = isDone[k.Done]; k.Becomes != nil {
				k.done = func(c *cell) bool { return hasBecome(c.made(), k.Becomes) }
			}
			if (k.done == nil) != (k.Done == "" && k.Becomes == nil) {
				panic(k.title() + ": nobody knows " + k.Done)
			}
			kinds = append(kinds, k)
		}
	}
	return kinds
}()

// with adds to an object.
func with(of, more object) object {
	all := object{}
	maps.Copy(all, of)
	maps.Copy(all, more)
	return all
}

// hasBecome tells whether there is one object, and it holds these members.
func hasBecome(made []map[string]any, members object) bool {
	for name, value := range members {
		if len(made) != 1 || !reflect.DeepEqual(made[0][name], value) {
			return false
		}
	}
	return true
}

// isDone tells whether the service has done what the run is for.
var isDone = map[string]func(*cell) bool{
	"exists":   func(c *cell) bool { return len(c.made()) > 0 },
	"gone":     func(c *cell) bool { return len(c.made()) == 0 },
	"canceled": func(c *cell) bool { return hasBecome(c.made(), object{"status": "canceled"}) },
	"issued": func(c *cell) bool {
		made := c.made()
		return len(made) == 1 && made[0]["status"] != "created"
	},
	"corrected": func(c *cell) bool {
		return slices.ContainsFunc(c.made(), func(v map[string]any) bool { return v["description"] == "Assessoria" && v["status"] != "created" })
	},
	"ordered": func(c *cell) bool {
		return slices.ContainsFunc(c.service.Invoices(""), func(v map[string]any) bool { return v["status"] != "created" })
	},
	"order canceled": func(c *cell) bool { return hasBecome(c.service.Invoices(""), object{"status": "canceled"}) },
	"lettered":       func(c *cell) bool { return len(c.service.Corrections(c.words["WANTED"])) > 0 },
	"declared": func(c *cell) bool {
		held, _ := c.service.Object(sandbox.KindInbound, c.words["WANTED"])
		return held["manifestation"].(map[string]any)["status"] == "confirmed"
	},
	"secret changed": func(c *cell) bool { return c.service.WebhookSecret() != c.secret },
	"series written": func(c *cell) bool {
		block, _ := c.service.SettingsClear(c.service.OwnerCompanyID())["productInvoice"].(map[string]any)
		return block["series"] == "7"
	},
}

// settled is what the service holds after all runs, and what it should, by the group.
var settled = map[string]func(c *cell) (got, want any){
	"Invoices": func(c *cell) (got, want any) { return statuses(c.made()), c.settledAs(len(c.made())) },
	"Orders":   func(c *cell) (got, want any) { return statuses(c.service.Invoices("")), c.settledAs(1) },
	"Correction letters": func(c *cell) (got, want any) {
		return len(c.service.Corrections(c.words["WANTED"])), 1
	},
	"Declarations about received NF-e": func(c *cell) (got, want any) {
		held, _ := c.service.Object(sandbox.KindInbound, c.words["WANTED"])
		events, _ := held["events"].([]any)
		return len(events), 1
	},
	"Webhook secret": func(c *cell) (got, want any) {
		return c.kind.Class == classRead && fixture.Rotations(c.service) > 1, false
	},
	"Settings of companies": func(c *cell) (got, want any) {
		all := maps.Clone(c.held)
		block, _ := all["productInvoice"].(map[string]any)
		all["productInvoice"] = with(block, object{"series": "7"})
		return c.service.SettingsClear(c.service.OwnerCompanyID()), all
	},
}

func statuses(invoices []map[string]any) []any {
	all := []any{}
	for _, invoice := range invoices {
		all = append(all, invoice["status"])
	}
	return all
}

// settledAs are the statuses of so many invoices.
func (c *cell) settledAs(count int) []any {
	return slices.Repeat([]any{map[bool]any{false: "authorized", true: "canceled"}[c.kind.Destroy]}, count)
}

// checkState checks the state after all runs.
func (c *cell) checkState(t *testing.T, attributes map[string]any) {
	t.Helper()
	for name, want := range c.kind.Shows {
		if word, ok := c.words[fmt.Sprint(want)]; ok {
			want = word
		}
		expect.Is(t, attributes[name], want, "%s: %s in state", c, name)
	}
	switch {
	case c.kind.Lists != "":
		want := 1
		if c.kind.Objects != "" {
			want = len(c.service.Objects(c.kind.Objects))
		}
		listed, _ := attributes[c.kind.Lists].([]any)
		expect.Is(t, len(listed), want, "%s: in the list", c)
	case c.kind.Group == "Webhook secret":
		expect.True(t, attributes["secret"] == c.service.WebhookSecret(), "%s: the secret is not the one in force", c)
	case c.kind.Group == "Companies":
		id, _ := attributes["id"].(string)
		want := c.service.KeyOf(id)
		if c.kind.Class == classCreation && c.want == meetLookedUp { // The key is shown once, in the answer to the creation.
			want = ""
		}
		expect.Is(t, attributes["api_key"], any(want), "%s: the API key", c)
	}
}

func (k *requestKind) isData() bool { return strings.HasPrefix(k.Resource, "data.") }

func (k *requestKind) managesSettings() bool { return k.Resource == "einvoice_company_settings" }

func (k *requestKind) title() string { return k.Group + ": " + k.Name }

// class says what a request may do to the service.
type class string

const (
	classRead     class = ""
	classWrite    class = "write"    // doing it twice is doing it once
	classCreation class = "creation" // doing it twice makes two
)

// meeting is how the provider meets a fault: a cell of the tables.
type meeting string

const (
	// meetRepeated sends the request again. A fault that outlasts the repetitions is reported.
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
	for _, row := range []string{f.row(), "any other"} {
		if m, ok := k.Instead[row]; ok {
			return m
		}
	}
	switch f.Nature {
	case natureLimited:
		return meetRepeated
	case natureLost:
		switch {
		case k.Class != classCreation:
			return meetRepeated
		case f.Processed:
			return meetLookedUp
		case k.Named && f.row() == faultCut:
			return meetSentAgain
		}
	case natureUnreadable, natureTooLarge:
		switch {
		case k.Class == classCreation:
			return meetLookedUp
		case k.Class == classWrite && f.Nature == natureUnreadable:
			return meetHarmless
		}
	case natureUnsent, natureRefused:
	}
	return meetReported
}

// fault is one way in which an exchange goes wrong.
type fault struct {
	Name   string
	Column string // of the table: faults that are met in the same way share one; the name where it is empty
	Nature nature
	// Processed tells that the service has done what the request asks for, and Headed that at least the status of its
	// answer arrives.
	Processed, Headed bool
	Says              string // what a user who meets the fault must read, as a regular expression

	Kind           sandbox.FaultKind // none: the service's port is closed
	Status, MiB    int
	Form           string // of the body of a status
	Body, ListBody string
	RetryAfter     string
}

// faults are the rows of the tables.
var faults = decoded(faultsJSON, []fault{})

// row is what the kinds and the guide call the fault.
func (f *fault) row() string { return cmp.Or(f.Column, f.Name) }

// hint is how long the service asks to wait, before a request is repeated.
func (f *fault) hint() time.Duration { return map[string]time.Duration{"1": time.Second}[f.RetryAfter] }

var errorForms = map[string]sandbox.ErrorForm{
	"errors": sandbox.FormErrors, "message": sandbox.FormMessage, "title": sandbox.FormTitle, "HTML": sandbox.FormHTML, "empty": sandbox.FormEmpty,
}

// at is the fault for the requests of a cell.
func (f *fault) at(c *cell) sandbox.Fault {
	made := sandbox.Fault{
		Method: c.kind.Method, Path: c.kind.Path, Skip: c.kind.Skip,
		Kind: f.Kind, Status: f.Status, Form: errorForms[f.Form], MiB: f.MiB, Body: f.Body,
	}
	switch {
	case f.Kind == sandbox.FaultStatus:
		made.Message = http.StatusText(f.Status)
	case f.Kind == sandbox.FaultRedirect:
		made.Location = "http://localhost" + c.kind.Path
	case f.Name == faultOther && c.kind.List:
		made.Body = fmt.Sprintf(`{"items": [%s], "totalCount": 1, "pageCount": 1, "pageSize": 20, "hasNext": false}`, c.otherObject())
	case f.Name == faultOther:
		made.Body = c.otherObject()
	case c.kind.List:
		made.Body = cmp.Or(f.ListBody, f.Body)
	}
	if f.RetryAfter != "" {
		made = asking(made, "Retry-After", f.RetryAfter)
	}
	return made
}

// nature is what the provider can know of a request after the fault. What is to become of a request follows from it.
type nature string

const (
	natureUnsent     nature = "unsent"     // nothing reached the service
	natureLost       nature = "lost"       // it may have been processed; asking again may help
	natureLimited    nature = "limited"    // the service wants to be asked later, and did nothing
	natureRefused    nature = "refused"    // the service did nothing, and will not
	natureUnreadable nature = "unreadable" // answered with success, and not with what is expected
	natureTooLarge   nature = "too large"  // answered with success, and not read to its end
)

const (
	faultCut      = "Cut off, 502 or 503" // not the request itself was at fault
	faultNotFound = "404"
	faultOther    = "Answer about another object"
)

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
		group, text := k.Group+": ", k.Name
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

// TestFaultMatrix_isInTheGuide compares the table, which ends the guide, with what the tests check.
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
