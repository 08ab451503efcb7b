package testkit

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// reads is what a data source reads.
func (w *story) reads(step storyStep) {
	w.t.Helper()
	state, said := w.p.Read(step.Read, step.With)
	w.heard(step, said)
	for at, want := range step.State {
		expect.Same(w.t, want, At(state, at), "%s", at)
	}
	for at, want := range step.Matches {
		text := fmt.Sprint(At(state, at))
		if of, isEncoded := strings.CutSuffix(at, "_base64"); isEncoded {
			decoded, err := base64.StdEncoding.DecodeString(text)
			expect.NoError(w.t, err)
			if text = string(decoded); state[of] != nil {
				expect.Is(w.t, state[of], any(text), "%s", of)
			}
		}
		if !matches(want, text) {
			w.t.Errorf("%s is %q, want %q", at, text, want)
		}
	}
	for at, want := range step.Counts {
		list, _ := state[at].([]any)
		expect.Is(w.t, len(list), want, "%s", at)
	}
	for at, want := range step.Lists {
		list, member, _ := strings.Cut(at, ".")
		entries, _ := state[list].([]any)
		got := []any{}
		for _, entry := range entries {
			got = append(got, At(entry, member))
		}
		expect.Same(w.t, want, got, "%s", at)
	}
}

// happens is what happens at the service.
func (w *story) happens(step storyStep) {
	if step.Inject != nil {
		w.s.Inject(*step.Inject)
	}
	for name, outcomes := range step.Script {
		w.s.ScriptInvoice(name, outcomes...)
	}
	for _, name := range slices.Sorted(maps.Keys(step.Seed)) {
		doc := step.Seed[name]
		kind := fmt.Sprint(doc["_in"])
		if delete(doc, "_in"); kind == sandbox.KindInbound {
			company, _ := doc["_company"].(string)
			w.names[name] = w.s.SeedInbound(cmp.Or(company, w.s.OwnerCompanyID()), doc)
			continue
		}
		w.names[name] = w.s.Seed(kind, doc)
	}
	for at, changes := range step.Patch {
		kind, id, _ := strings.Cut(at, "/")
		if !w.s.Patch(kind, id, changes) {
			w.t.Errorf("there is no %s", at)
		}
	}
	if kind, id, isNamed := strings.Cut(step.Remove, "/"); isNamed {
		w.s.Remove(kind, id)
	}
	for id, status := range step.Status {
		w.s.SetInvoiceStatus(id, status)
	}
	if step.Sync != nil {
		w.s.SetSyncStatus(w.s.OwnerCompanyID(), step.Sync)
	}
	if step.Issue != "" {
		asked := httptest.NewRequest(http.MethodPost, "/v1/orders/"+step.Issue+"/invoices/issue", nil)
		asked.Header.Set("X-Api-Key", w.s.OwnerKey())
		answer := httptest.NewRecorder()
		if w.s.ServeHTTP(answer, asked); answer.Code >= http.StatusBadRequest {
			w.t.Error(answer.Body)
		}
	}
	for company, changes := range step.Settings {
		w.s.SetSettings(company, changes)
	}
}

// arguments are those of a step. Some are JSON, and written as such.
func (w *story) arguments(o *Object, of map[string]any) tftypes.Value {
	all := map[string]any{}
	if o.kind == w.kind {
		maps.Copy(all, w.shared)
	}
	for _, at := range slices.Sorted(maps.Keys(of)) {
		Set(all, at, of[at])
	}
	read, _ := json.Marshal(all) // It was read as JSON, as what is written below.
	rows.Decode(w.t, []byte(w.named(string(read))), &all)
	for name, value := range all {
		if _, isText := value.(string); strings.HasSuffix(name, "_json") && value != nil && !isText {
			text, _ := json.Marshal(value)
			all[name] = string(text)
		}
	}
	return o.Value(o.Type, all)
}

// does is what a person does with an object.
func (w *story) does(step storyStep, o *Object) {
	w.t.Helper()
	var said []*tfprotov6.Diagnostic
	if step.Refresh {
		said = o.Refresh()
	}
	switch {
	case step.Run != nil:
		config := w.arguments(o, step.Run)
		action, heard := o.Once(config, step.PlanOnly)
		if said = heard; step.Plans != "" && action != step.Plans {
			w.t.Errorf("plans %s, want %s", action, step.Plans)
		}
		if ErrorsIn(said) == "" && !step.PlanOnly {
			o.mustBeSettled(config)
		}
	case step.Plan != nil:
		w.config = w.arguments(o, step.Plan)
		planned, heard := o.Plan(w.config)
		w.planned, said = planned, append(said, heard...)
		if step.Plans != "" && o.Action(w.planned) != step.Plans {
			w.t.Errorf("plans %s, want %s", o.Action(w.planned), step.Plans)
		}
	case step.Create != nil:
		w.config = w.arguments(o, step.Create)
		if w.planned, said = o.Plan(w.config); ErrorsIn(said) == "" {
			said = append(said, o.Apply(w.config, w.planned)...)
		}
	case step.Apply:
		said = o.Apply(w.config, w.planned)
	case step.PlanEnd:
		w.config = tftypes.NewValue(o.Type, nil)
		w.planned, said = o.PlanDestroy()
	case step.End:
		planned, heard := o.PlanDestroy()
		said = append(heard, o.Destroy(planned)...)
	case step.Import != "":
		said = o.Import(step.Import)
	case step.ImportBy != nil:
		said = o.ImportBy(step.ImportBy)
	}
	w.heard(step, said)
	for at, want := range step.Planned {
		expect.Same(w.t, want, At(JSON(w.t, o.Unpack(w.planned.PlannedState, o.Type)), at), "%s is planned", at)
	}
	o.holds(step.State)
	if step.Identity != nil {
		expect.Same(w.t, any(step.Identity), o.Identity(), "the identity")
	}
	if step.Gone && o.State() != nil {
		w.t.Errorf("the state has %v", o.State())
	}
}

func (w *story) heard(step storyStep, said []*tfprotov6.Diagnostic) {
	w.t.Helper()
	w.says(step, ErrorsIn(said), TextsOf(said))
	summaries := []string{}
	for _, d := range said {
		summaries = append(summaries, d.Summary)
	}
	if step.Summary != nil {
		expect.Same(w.t, step.Summary, summaries, "what is said")
	}
	if step.At != "" && !slices.ContainsFunc(said, func(d *tfprotov6.Diagnostic) bool {
		return d.Attribute.String() == `AttributeName("`+step.At+`")` && matches(step.Fails, d.Summary+": "+d.Detail)
	}) {
		w.t.Errorf("it is not said at %s: %v", step.At, said)
	}
}

func (w *story) says(step storyStep, failed, text string) {
	w.t.Helper()
	if step.AsBefore && failed != w.failed {
		w.t.Errorf("the error is %q, want %q", failed, w.failed)
	}
	w.failed = failed
	if (step.Fails == "") != (failed == "") || !matches(step.Fails, failed) {
		w.t.Errorf("the error is %q, want %q", failed, step.Fails)
	}
	for _, part := range step.Says {
		if !matches(part, text) {
			w.t.Errorf("it says, and should say %q:\n%s", part, text)
		}
	}
	if step.Silent && text != failed {
		w.t.Errorf("it says more than its errors: %s", text)
	}
}

// matches is about a regular expression, or about one that is not to match, after an exclamation mark.
func matches(expression, text string) bool {
	expression, isNot := strings.CutPrefix(expression, "!")
	return regexp.MustCompile("(?s)"+expression).MatchString(text) != isNot
}

// isSo compares the service.
func (w *story) isSo(step storyStep) {
	w.t.Helper()
	for sent, want := range step.Requests {
		if method, path, _ := strings.Cut(sent, " "); sent != "writes" {
			fixture.WantRequests(w.t, w.s, method, path, want)
			continue
		}
		fixture.WantWrites(w.t, w.s, want)
	}
	for sent, want := range step.Sent {
		method, path, _ := strings.Cut(sent, " ")
		request, _ := w.s.Last(method, path)
		var got any
		_ = json.Unmarshal(request.Body, &got) // What is no JSON is another body.
		expect.Same(w.t, want, got, "%s", sent)
	}
	for sent, members := range step.Asked {
		method, path, _ := strings.Cut(sent, " ")
		asked := map[string]string{}
		if all := w.s.All(method, path); len(all) > 0 {
			for name := range all[0].Query {
				if asked[name] = all[0].Query.Get(name); members[name] == "*" && asked[name] != "" {
					asked[name] = "*"
				}
			}
		}
		expect.Same(w.t, members, asked, "what %s asked for first", sent)
	}
	if unknown := w.s.UnknownFields(); !w.unknown && len(unknown) > 0 {
		w.t.Errorf("the service does not know %v", unknown)
	}
	for _, r := range w.s.Requests() {
		if step.Key != "" && r.Key != step.Key {
			w.t.Errorf("%s %s was sent with the key of %s", r.Method, r.Path, r.Key)
		}
	}
	for kind, wanted := range step.Held {
		held := []map[string]any{w.s.SettingsClear(w.s.OwnerCompanyID())}
		if kind != "settings" {
			held = w.s.Objects(kind)
		}
		text, _ := json.Marshal(held)
		rows.Decode(w.t, text, &held) // Its numbers were texts.
		if len(held) != len(wanted) {
			w.t.Errorf("there are %d %s, want %d: %v", len(held), kind, len(wanted), held)
			continue
		}
		for n, members := range wanted {
			for at, want := range members {
				expect.Same(w.t, want, At(held[n], at), "%s of %s %d", at, kind, n+1)
			}
		}
	}
}
