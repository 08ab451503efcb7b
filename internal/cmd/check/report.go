package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// The verdicts on an operation, and on an assumption.
const (
	answers, missing, refused, notTried = "answers", "missing", "refused", "not_tried"
	holds, differs, notSeen             = "holds", "differs", "not_seen"
)

// assumption is something that the provider takes for granted and that the interface does not show. The catalogs say
// what it is, and what the provider does where it is not so.
type assumption struct{ id, seen string }

//go:embed assumptions.txt
var assumptionsFile string

// assumptions are all of them, with where a run sees each: "not seen" where none does.
var assumptions = func() (all []assumption) {
	for line := range strings.Lines(assumptionsFile) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		all = append(all, assumption{columns[0], columns[len(columns)-1]})
	}
	return all
}()

// report is what a run found. Programs read it: its names do not change.
type report struct {
	BaseURL     string             `json:"base_url"`
	Requests    int                `json:"requests"`
	Operations  []operationResult  `json:"operations"`
	Assumptions []assumptionResult `json:"assumptions"`
	Measured    []measurement      `json:"measured,omitempty"`
	Left        []string           `json:"left,omitempty"`      // what was made and could not be removed
	Lingering   []string           `json:"lingering,omitempty"` // what was removed and lists may still show
	Changed     []string           `json:"changed,omitempty"`   // settings that could not be put back
}

// measurement is a figure or a manner of the service.
type measurement struct {
	ID   string `json:"id"`
	Seen string `json:"seen"`
}

type operationResult struct {
	Name    string         `json:"name"`
	Basis   einvoice.Basis `json:"basis"`
	Verdict string         `json:"verdict"`
	Status  int            `json:"status"`
	Note    string         `json:"note"`
}

type assumptionResult struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Verdict string `json:"verdict"`
	Seen    string `json:"seen"`
	Coped   bool   `json:"coped"`
}

// report is the complete table, with the operations that were not tried and the assumptions that were not seen.
func (r *run) report() report {
	found := report{
		BaseURL: r.client.BaseURL(), Requests: r.requests, Measured: r.measured,
		Left: r.left, Lingering: r.lingering, Changed: r.changed,
	}
	for _, q := range everyRequest {
		held := r.operations[q.entry()]
		if held == nil {
			held = &operationResult{q.entry(), q.inTable().BasisFor(q.model), notTried, 0, r.in(r.untried(q))}
		}
		found.Operations = append(found.Operations, *held)
	}
	for _, a := range assumptions {
		held := *r.assumption(a.id)
		switch {
		case held.Seen != "":
		case strings.HasPrefix(a.seen, "not seen"):
			held.Seen = r.in(words("never", nil))
		case r.isCut:
			held.Seen = r.in(words("cut_short", nil))
		default:
			held.Seen = r.in(words("unshown", nil))
		}
		found.Assumptions = append(found.Assumptions, held)
	}
	return found
}

// differences are what differs in words, operations in groups, and how many the provider copes with (false) and not.
func (r *run) differences(found report) (all []string, count map[bool]int) {
	operations := groups{}
	count = map[bool]int{}
	for _, o := range found.Operations {
		isUnfound := o.Name == "get_order" && r.verdictOn("list_orders") == missing // Orders need a way to be found.
		isTrouble := o.Verdict == missing && (!text.Has("without."+o.Name) || o.Name == "list_companies" || isUnfound)
		if o.Verdict == missing || o.Verdict == refused {
			count[isTrouble]++
			operations.add(r.in(words("operation", with{
				"verdict": o.Verdict, "status": o.Status, "note": o.Note, "trouble": isTrouble,
			})), o.Name)
		}
	}
	for _, of := range operations {
		all = append(all, of[0]+"\n  "+strings.Join(of[1:], ", "))
	}
	for _, a := range found.Assumptions {
		if _, otherwise := r.assumed(a.ID); a.Verdict == differs {
			count[!a.Coped]++
			all = append(all, r.in(words("difference", with{
				"id": a.ID, "text": a.Text, "seen": a.Seen, "trouble": !a.Coped, "otherwise": otherwise,
			})))
		}
	}
	return all, count
}

// write prints what was found: the counts, what was measured, what was not seen, and last what differs and what to do.
func (r *run) write(out io.Writer, found report) {
	say := func(key string, with with) { fmt.Fprintln(out, r.in(words(key, with))) }
	count, unseen, measured := map[string]int{}, groups{}, groups{}
	for _, o := range found.Operations {
		if count[o.Verdict]++; o.Verdict == notTried {
			unseen.add(o.Note, o.Name)
		}
	}
	for _, a := range found.Assumptions {
		if count[a.Verdict]++; a.Verdict == notSeen {
			unseen.add(a.Seen, a.ID)
		}
	}
	say("counts", with{
		"url": found.BaseURL, "requests": found.Requests, "answers": count[answers], "missing": count[missing],
		"refused": count[refused], "not_tried": count[notTried], "holds": count[holds], "differs": count[differs],
		"not_seen": count[notSeen],
	})
	for _, m := range found.Measured {
		measured.add(m.ID, m.Seen)
	}
	fmt.Fprintln(out)
	for _, of := range measured {
		say("measured_"+of[0], with{"all": of[1:]})
	}
	fmt.Fprintln(out)
	say("unseen", nil)
	for _, of := range unseen {
		say("unseen_one", with{"why": of[0], "names": of[1:]})
	}
	all, differ := r.differences(found)
	fmt.Fprintln(out)
	say("differences", with{"coped": differ[false], "troubles": differ[true]})
	for _, each := range all {
		fmt.Fprintln(out, each)
	}
	for _, model := range r.production {
		say("production", with{"model": model})
	}
	if r.verdictOn("list_orders") == missing && r.verdictOn("get_order") == answers {
		// The provider cannot try it before it has sent an order.
		r.instead["get_order"] = einvoice.StandardOperation("get_order")
	}
	if len(r.instead) > 0 {
		fmt.Fprintln(out)
		say("paste", nil)
		fmt.Fprintln(out, "  operations = {")
		for _, name := range slices.Sorted(maps.Keys(r.instead)) {
			fmt.Fprintf(out, "    %s = %q\n", name, r.instead[name])
		}
		fmt.Fprintln(out, "  }")
	}
}

// groups are names in the order in which they came, each with its members.
type groups [][]string

func (g *groups) add(name, member string) {
	at := slices.IndexFunc(*g, func(of []string) bool { return of[0] == name })
	if at < 0 {
		at, *g = len(*g), append(*g, []string{name})
	}
	(*g)[at] = append((*g)[at], member)
}

// save writes the findings to a file, "" for none.
func (r report) save(file string) error {
	if file == "" {
		return nil
	}
	encoded, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(encoded, '\n'), 0o600)
}
