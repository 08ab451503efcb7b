package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// play is what becomes of one object, run by run, as testdata/plays has it. $owner in it is the main company's id.
type play struct {
	Each      map[string]map[string]any // it goes alike with each of these: $word is what a word stands for
	Options   sandbox.Options
	Provider  map[string]any              // its configuration
	Seeds     map[string][]map[string]any // what the service has before, by kind
	Imports   string                      // the object, in the place of a creation
	Arguments map[string]any              // of each run
	Steps     []struct {
		Step

		// Sets are settings of the main company, and Patches fields of all objects of a kind, that somebody changes before.
		Sets      map[string]any
		Patches   map[string]map[string]any
		Removes   []string // all objects of a kind, or KIND/ID
		Faults    []sandbox.Fault
		Arguments map[string]any // besides, by paths such as address.city.code; null takes one out
		Sends     []string       // the writes of the run, such as PUT /v1/webhooks/{id}/disable
		Sent      []string       // parts of the last body
		Requests  *int           // of the run, with the refresh before it and the plan after it
		Writes    *int           // by now
		Holds     map[string]any // at the service then: settings.BLOCK.FIELD, or fields of the last object of a kind
	}
	Hides []string // what nobody says
	// Finds and Refuses are import IDs with the id that each finds and the error of each; Reads are of the data source.
	Finds, Refuses map[string]string
	Reads          []DataRead
	Refusals       []Refusal // of the arguments with one value that is wrong
}

// Plays plays each table in testdata/plays of a package with an object of this kind.
func Plays(t *testing.T, kind string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("testdata", "plays", "*.json"))
	if len(files) == 0 {
		t.Fatal("there is no play")
	}
	for _, file := range files {
		name := filepath.Base(file)
		for title, raw := range rows.Read[map[string]json.RawMessage](t, filepath.Join("plays", name)) {
			each := playOf(t, raw, nil).Each
			if each == nil {
				each = map[string]map[string]any{"": nil}
			}
			for variant, words := range each {
				title := strings.TrimSpace(strings.TrimSuffix(name, ".json") + "/" + title + " " + variant)
				rows.Case(t, title, func(t *testing.T) { perform(t, kind, raw, words) })
			}
		}
	}
}

// playOf reads a play with its words.
func playOf(t *testing.T, raw []byte, words map[string]any) (p play) {
	t.Helper()
	text := string(raw)
	for word, means := range words {
		whole, _ := json.Marshal(means)
		text = strings.ReplaceAll(text, `"$`+word+`"`, string(whole))
		text = strings.ReplaceAll(text, "$"+word, strings.TrimPrefix(strings.TrimSuffix(string(whole), `"`), `"`))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func perform(t *testing.T, kind string, raw []byte, words map[string]any) {
	t.Helper()
	s := sandbox.Start(t, playOf(t, raw, words).Options)
	words = maps.Clone(words)
	if words == nil {
		words = map[string]any{}
	}
	words["owner"] = s.OwnerCompanyID()
	p := playOf(t, raw, words)
	for kind, objects := range p.Seeds {
		for _, object := range objects {
			s.Seed(kind, object)
		}
	}
	o := Serve(t, s, p.Provider).Object(kind)
	if p.Imports != "" {
		o.MustNotFail(o.Import(p.Imports))
	}
	for i, step := range p.Steps {
		for at, value := range step.Sets {
			block, field, _ := strings.Cut(at, ".")
			s.SetSettings(s.OwnerCompanyID(), map[string]any{block: map[string]any{field: value}})
		}
		for kind, fields := range step.Patches {
			PatchAll(s, kind, fields)
		}
		for _, gone := range step.Removes {
			if kind, id, isOne := strings.Cut(gone, "/"); isOne {
				s.Remove(kind, id)
			} else {
				RemoveAll(s, kind)
			}
		}
		for _, fault := range step.Faults {
			s.Inject(fault)
		}
		arguments := map[string]any{}
		maps.Copy(arguments, p.Arguments)
		for at, value := range step.Arguments {
			Set(arguments, at, value)
		}
		o.Protocol = Serve(t, s, p.Provider) // Each run of a CLI begins anew.
		requests, before := len(s.Requests()), len(writesOf(s))
		step.Hides = p.Hides
		o.step(i+1, o.Value(o.Type, arguments), step.Step)
		if n := len(s.Requests()) - requests; step.Requests != nil && n != *step.Requests {
			t.Errorf("step %d: %d requests, want %d", i+1, n, *step.Requests)
		}
		writes := writesOf(s)
		if got := writes[before:]; step.Sends != nil && !slices.Equal(got, step.Sends) {
			t.Errorf("step %d: the writes are %q, want %q", i+1, got, step.Sends)
		}
		if step.Writes != nil && len(writes) != *step.Writes {
			t.Errorf("step %d: the writes by now are %q, want %d", i+1, writes, *step.Writes)
		}
		for _, part := range step.Sent {
			if body := lastBody(s); !strings.Contains(body, part) {
				t.Errorf("step %d: sent %s, want %s", i+1, body, part)
			}
		}
		for at, want := range step.Holds {
			if got := heldAt(s, at); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("step %d: the service holds %v at %s, want %v", i+1, got, at, want)
			}
		}
	}
	if len(p.Finds)+len(p.Refuses) > 0 {
		WantImports(t, Serve(t, s, p.Provider), s, kind, p.Finds, p.Refuses, p.Hides...)
	}
	if p.Refusals != nil {
		WantRefusals(t, kind, p.Arguments, p.Refusals)
	}
	if p.Reads != nil {
		WantDataReads(t, s, kind, p.Reads)
	}
}

// writesOf are the requests that may change something, by their routes.
func writesOf(s *sandbox.Server) (writes []string) {
	for _, r := range s.Requests() {
		if r.Method != "GET" {
			writes = append(writes, s.RouteOf(r.Method, r.Path))
		}
	}
	return writes
}

func lastBody(s *sandbox.Server) (body string) {
	for _, r := range s.Requests() {
		if r.Method != "GET" {
			body = string(r.Body)
		}
	}
	return body
}

// heldAt is a setting of the main company, secrets in clear, or a field of the last object of a kind.
func heldAt(s *sandbox.Server, at string) any {
	kind, field, _ := strings.Cut(at, ".")
	if kind == "settings" {
		return At(s.SettingsClear(s.OwnerCompanyID()), field)
	}
	objects := s.Objects(kind)
	if len(objects) == 0 {
		return nil
	}
	return At(objects[len(objects)-1], field)
}
