package testkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A story tells, as data, what becomes of objects while a person and the service act on them. It has a sandbox of its
// own, and steps that follow each other, each with up to three parts, in this order. First something happens at the
// service: inject, seed, patch and what stands beside them in storyStep. Then a person does one thing: run is all that
// a CLI does in a run (refresh, plan, apply, and a plan that has to be empty), while plan, apply, create, end and
// import are parts of one; invoke is an action, and read a data source. At last what was said, what is in state, what
// was sent since the counts began and what the service holds are compared with what the step expects of them. What it
// leaves out is not compared, but nothing may fail without fails, and no field may be sent that the service does not
// know.

// stories are a file of testdata, about one kind of resource. In each text $name is what was seeded under that name,
// $branch the id of a company and $branch.key its key, $it.id an attribute of an object in state, and
// $serviceInvoices.id a member of the first of these at the service.
type stories struct {
	Kind      string
	Arguments map[string]any    // of the steps, where they change none, by paths such as address.city.code
	Stories   []json.RawMessage // a told each
}

// told is how a story is written.
type told struct {
	Row       string
	Each      map[string]map[string]any // it is told with each of these: $word is what a word stands for
	Arguments map[string]any            // in the place of those of the file
	Service   sandbox.Options
	Clock     time.Time         // of the service, which then stands still
	Companies map[string]string // the tax numbers of those beside the main one, whose name is owner
	Unknown   bool              // The service is sent fields that it does not know.
	Steps     []json.RawMessage
}

// storyStep is what happens at the service, then what a person does, and what is then so.
type storyStep struct {
	Resets   bool // the counts of requests
	Inject   *sandbox.Fault
	Script   map[string][]sandbox.Outcome
	Seed     map[string]map[string]any // by name, in the order of those; _in is the kind
	Patch    map[string]map[string]any // by kind/id
	Remove   string                    // kind/id
	Status   map[string]string         // of invoices, by id
	Settings map[string]map[string]any // by company
	Issue    string                    // the invoices of an order, by its id
	Sync     map[string]any            // of the owner's inbound invoices
	Before   []string                  // all that happens then, after these requests have begun, the last one of them

	Of, Kind string         // the name of the object, "it" for none, and its kind
	Provider map[string]any // of another process, which may be {}
	Again    bool           // another run of the same process
	Run      map[string]any // other arguments, as those of the next ones
	PlanOnly bool
	Plan     map[string]any
	Apply    bool // of the last plan
	Create   map[string]any
	Refresh  bool // before the others
	PlanEnd  bool
	End      bool
	Import   string
	ImportBy map[string]any // an identity
	Invoke   string         // an action
	Read     string         // a data source
	With     map[string]any

	Fails    string   // as the next ones, a regular expression; no errors where it is empty
	AsBefore bool     // the errors are those of the step before
	Says     []string // after an exclamation mark, what is not said
	Summary  []string // all that is said, in short
	Silent   bool     // nothing is said but errors and progress
	At       string   // the argument of what is said, and of the error
	Progress string   // of an action
	Plans    plancheck.ResourceActionType
	Planned  map[string]any // as the next one, by paths such as address.city.code
	State    map[string]any
	Matches  map[string]string // texts that are read, as regular expressions; those in base64 decoded
	Counts   map[string]int    // of the entries that are read
	Lists    map[string][]any  // a member of each entry that is read, such as invoices.number
	Identity map[string]any
	Gone     bool
	Requests map[string]int               // by method and path; "" is any, and "writes" are all that change something
	Sent     map[string]any               // the last body by method and path
	Asked    map[string]map[string]string // the first query by method and path; "*" is any value
	Key      string                       // the company whose key all requests since the counts began have had
	Held     map[string][]map[string]any  // all at the service, by kind, with these members; the owner's settings
}

// story is one that is told.
type story struct {
	t       *testing.T
	s       *sandbox.Server
	process func(settings map[string]any) *Protocol
	p       *Protocol
	shared  map[string]any
	kind    string
	unknown bool
	names   map[string]string
	objects map[string]*Object
	used    map[string]bool // the objects that this run has had

	failed  string        // the errors of the last step
	config  tftypes.Value // of the last plan
	planned *tfprotov6.PlanResourceChangeResponse
}

// TellStories runs the stories of a table of the package's testdata.
func TellStories(t *testing.T, table string) {
	t.Helper()
	all := rows.ReadOne[stories](t, table)
	expect.False(t, len(all.Stories) == 0, "%s has no stories", table)
	for _, raw := range all.Stories {
		var plain told
		rows.Decode(t, raw, &plain)
		if plain.Each == nil {
			plain.Each = map[string]map[string]any{"": nil}
		}
		for variant, words := range plain.Each {
			rows.Case(t, strings.TrimSpace(plain.Row+" "+variant), func(t *testing.T) {
				var story told
				if rows.Decode(t, withWords(raw, words), &story); !story.Clock.IsZero() {
					story.Service.Clock = sandbox.NewManualClock(story.Clock)
				}
				OnClock(t, story.Service, func(t *testing.T, s *Clocked) { all.tell(t, story, s) })
			})
		}
	}
}

// withWords is a story with what its words mean.
func withWords(raw []byte, words map[string]any) []byte {
	text := string(raw)
	for word, means := range words {
		whole, _ := json.Marshal(means)
		text = strings.ReplaceAll(text, `"$`+word+`"`, string(whole))
		text = strings.ReplaceAll(text, "$"+word, strings.TrimPrefix(strings.TrimSuffix(string(whole), `"`), `"`))
	}
	return []byte(text)
}

func (all stories) tell(t *testing.T, told told, s *Clocked) {
	t.Helper()
	w := &story{
		t: t, s: s.Server, process: s.Process, kind: all.Kind, shared: all.Arguments, unknown: told.Unknown,
		objects: map[string]*Object{}, used: map[string]bool{},
	}
	w.names = map[string]string{
		"owner": s.OwnerCompanyID(), "owner.key": s.OwnerKey(),
		"productPayload": fixture.ProductPayload, "consumerPayload": fixture.ConsumerPayload,
	}
	for name, number := range told.Companies {
		w.names[name], w.names[name+".key"] = fixture.Company(s.Server, number)
	}
	if told.Arguments != nil {
		w.shared = told.Arguments
	}
	w.p = w.process(nil)
	for n, raw := range told.Steps {
		var step storyStep
		rows.Decode(t, []byte(w.named(string(raw))), &step)
		w.take(step)
		if t.Failed() {
			t.Fatalf("that was step %d: %s", n+1, raw)
		}
	}
}

var inStories = regexp.MustCompile(`\$[a-zA-Z]+(\.[a-zA-Z_]+)*`)

// named puts what names stand for in their places.
func (w *story) named(text string) string {
	return inStories.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1:]
		of, at, _ := strings.Cut(name, ".")
		var value any
		switch o := w.objects[of]; {
		case name == "webhookSecret":
			value = w.s.WebhookSecret()
		case w.names[name] != "":
			value = w.names[name]
		case o != nil:
			value = At(o.State(), at)
		case (strings.HasSuffix(of, "s") || of == sandbox.KindInbound) && len(w.s.Objects(of)) > 0:
			value = At(w.s.Objects(of)[0], at)
		default:
			w.t.Fatalf("nothing has the name %s", name)
		}
		quoted, _ := json.Marshal(fmt.Sprint(value)) // A text can be written.
		return string(quoted[1 : len(quoted)-1])
	})
}

func (w *story) take(step storyStep) {
	w.t.Helper()
	if step.Resets {
		w.s.ResetRequests()
	}
	happens := func() { w.happens(step) }
	for n := len(step.Before) - 1; n >= 0; n-- {
		method, path, _ := strings.Cut(step.Before[n], " ")
		then := happens
		happens = func() { w.s.Before(method, path, then) }
	}
	happens()
	step.Of = cmp.Or(step.Of, "it")
	if step.Provider != nil {
		w.p = w.process(step.Provider)
		clear(w.used)
	} else if step.Again || step.Run != nil && w.used[step.Of] {
		w.p.Configure(w.p.configured)
		clear(w.used)
	}
	w.used[step.Of] = true
	o := w.objects[step.Of]
	if kind := cmp.Or(step.Kind, w.kind); o == nil && w.p.Schemas.ResourceSchemas[kind] != nil {
		o = w.p.Object(kind)
		w.objects[step.Of] = o
	}
	if o != nil {
		o.Protocol = w.p
	}
	switch {
	case step.Invoke != "":
		invoked := w.p.Invoke(step.Invoke, step.With)
		w.says(step, invoked.Errors, strings.TrimSpace(invoked.Errors+"\n"+invoked.warnings))
		if progress := strings.Join(invoked.Progress, "\n"); !matches(step.Progress, progress) {
			w.t.Errorf("the progress is %q, want %q", progress, step.Progress)
		}
	case step.Read != "":
		w.reads(step)
	case o != nil:
		w.does(step, o)
	}
	w.isSo(step)
}
