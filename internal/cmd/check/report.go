package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The verdicts on an operation.
const (
	answers  = "answers"
	missing  = "missing"
	refused  = "refused"
	notTried = "not_tried"
)

// The verdicts on an assumption.
const (
	holds   = "holds"
	differs = "differs"
	notSeen = "not_seen"
)

// report is what a run found. Programs read it: its names do not change.
type report struct {
	BaseURL     string             `json:"base_url"`
	Requests    int64              `json:"requests"`
	Operations  []operationResult  `json:"operations"`
	Assumptions []assumptionResult `json:"assumptions"`
	Left        []string           `json:"left,omitempty"`      // what was made and could not be removed
	Lingering   []string           `json:"lingering,omitempty"` // what was removed and lists may still show
	Changed     []string           `json:"changed,omitempty"`   // settings that could not be put back
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

// entry is the name of an operation in the report: list_consumer_invoices.
func (q question) entry() string {
	if q.model == "" {
		return q.operation
	}
	if before, after, found := strings.Cut(q.operation, "invoice"); found {
		return before + q.model + "_invoice" + after
	}
	at := strings.LastIndex(q.operation, "_") + 1
	return q.operation[:at] + q.model + "_" + q.operation[at:]
}

const readsList = "the provider reads the list; without one the object stays in state, with a warning"

// copedWithout are the operations without which the provider does its work, and why.
var copedWithout = map[string]string{
	"list_consumer_invoices":        "the provider relies on its journal alone, and warns once a run",
	"list_orders":                   "the provider needs `get_order`, and relies on its journal",
	"list_products":                 "the objects are read by id, or stay in state with a warning",
	"list_webhooks":                 "the objects are read by id, or stay in state with a warning",
	"get_order":                     "the provider reads the list; without one it sends no order",
	"get_customer":                  readsList,
	"get_product":                   readsList,
	"get_webhook":                   readsList,
	"delete_customer":               "destroy only removes it from state, with a warning",
	"delete_product":                "destroy only removes it from state, with a warning",
	"delete_webhook":                "destroy only removes it from state, with a warning",
	"check_product_invoice_status":  "the provider waits for the service's own follow-up",
	"check_consumer_invoice_status": "the provider waits for the service's own follow-up",
	"check_service_invoice_status":  "the provider waits for the service's own follow-up",
}

func without(entry string) string {
	if entry == "list_companies" {
		return "without it look-ups of companies by tax number and `environments` fail with an error that names it"
	}
	return cmp.Or(copedWithout[entry], "without it the provider fails with an error that names it")
}

// tell notes a verdict on an operation. The first one counts, but "answers" replaces all others.
func (c *check) tell(q question, verdict string, status int, note string) {
	entry := q.entry()
	held, told := c.operations[entry]
	if told && (held.Verdict == answers || verdict != answers && held.Verdict != notTried) {
		return
	}
	basis := c.tableEntry(q.operation).BasisFor(q.model)
	c.operations[entry] = &operationResult{entry, basis, verdict, status, note}
}

// holds notes that an assumption was seen to hold.
func (c *check) holds(id, seen string) {
	held := c.assumption(id)
	if held.Verdict == differs {
		return
	}
	held.Verdict, held.Coped = holds, true
	held.add(seen)
}

// differs notes that an assumption was seen not to hold.
func (c *check) differs(id string, coped bool, seen string) {
	held := c.assumption(id)
	if held.Verdict != differs {
		held.Verdict, held.Coped, held.Seen = differs, coped, ""
	}
	held.Coped = held.Coped && coped
	held.add(seen)
}

func (c *check) assumption(id string) *assumptionResult {
	if c.assumptions[id] == nil {
		c.assumptions[id] = &assumptionResult{id, assumptionOf(id).Text, notSeen, "", true}
	}
	return c.assumptions[id]
}

func assumptionOf(id string) assumption {
	return assumptions[slices.IndexFunc(assumptions, func(a assumption) bool { return a.ID == id })]
}

func (r *assumptionResult) add(seen string) {
	if !slices.Contains(strings.Split(r.Seen, "; "), seen) {
		r.Seen = strings.TrimPrefix(r.Seen+"; "+seen, "; ")
	}
}

// report is the complete table, with the operations that were not tried and the assumptions that were not seen.
func (c *check) report() report {
	r := report{
		BaseURL: c.client.BaseURL(), Requests: c.requests.Load(), Left: c.left, Lingering: c.lingering, Changed: c.changed,
	}
	for _, q := range everyQuestion() {
		if c.operations[q.entry()] == nil {
			c.tell(q, notTried, 0, cmp.Or(c.untried(q), "there is no object to try it on"))
		}
		r.Operations = append(r.Operations, *c.operations[q.entry()])
	}
	if c.operations["list_orders"].Verdict == missing && c.operations["get_order"].Verdict == answers {
		// The provider cannot try it before it has sent an order.
		c.instead["get_order"] = cmp.Or(c.instead["get_order"], einvoice.StandardOperation("get_order"))
	}
	for _, a := range assumptions {
		held := c.assumption(a.ID)
		if held.Verdict == notSeen && held.Seen == "" {
			held.Seen = c.unseen(a.ID)
		}
		r.Assumptions = append(r.Assumptions, *held)
	}
	return r
}

// cutShort is why a run that was interrupted, or had no access, has not seen something.
const cutShort = "the run ended before"

const companyUnknown = "the company is unknown: take the main company's key, or give the company's id with -company"

// unseen says why nothing showed whether an assumption holds.
func (c *check) unseen(id string) string {
	if c.isCut && !strings.HasPrefix(seenBy[id].how, "not seen") {
		return cutShort
	}
	for _, operation := range seenBy[id].needs {
		if why := c.unasked(operation); why != "" {
			return why
		}
	}
	return seenBy[id].unseen
}

// unasked says why an operation, or an entry of one, has shown nothing, "" if it answered about an object.
func (c *check) unasked(operation string) (why string) {
	for _, q := range everyQuestion() {
		entry, held := q.entry(), c.operations[q.entry()]
		switch {
		case q.operation != operation && entry != operation:
		case held.Verdict != answers:
			why = fmt.Sprintf("%s: %s, %s", entry, strings.ReplaceAll(held.Verdict, "_", " "), held.Note)
		case held.Note == unknownID:
			why = c.untried(q)
		case !c.unreadable[entry]:
			return ""
		default:
			why = entry + " cannot be read"
		}
	}
	return why
}

// untried says why an operation was not tried, "" for want of an object.
func (c *check) untried(q question) string {
	o := c.tableEntry(q.operation)
	switch {
	case c.readOnly && o.Method != "GET":
		return "-read-only sends only GET requests"
	case q.operation == "create_company":
		return "it would create a company"
	case q.operation == "rotate_webhook_secret":
		return "it would replace the account's secret"
	case q.operation == "sync_inbound":
		return "it would use up the interval between two searches"
	case c.isCut:
		return cutShort
	case c.companyID == "" && (slices.Contains([]string{"create_order", "create_invoice"}, q.operation) ||
		strings.Contains(o.Path, "companies/")):
		return companyUnknown
	case q.operation == "create_order" && !c.mayOrder():
		return "an order could issue invoices: this needs no model in production, " +
			"and a known environment of service invoices"
	case q.operation == "create_invoice":
		return "no invoice of this model is issued: its environment is " + cmp.Or(c.environments[q.model], "unknown")
	case q.operation == "update_settings" && len(c.production) > 0:
		return "no settings are written while a model is in production"
	}
	return ""
}

// everyQuestion has an entry for each operation and model.
func everyQuestion() []question {
	var all []question
	for _, o := range einvoice.Operations {
		if o.Name == "preview_invoice" || strings.HasPrefix(o.Name, "get_correction_") {
			continue // A draft and a letter would be needed, and they are read by one data source alone.
		}
		if o.Models == "" {
			all = append(all, question{operation: o.Name})
		}
		for model := range strings.FieldsSeq(o.Models) {
			all = append(all, question{operation: o.Name, model: model})
		}
	}
	return all
}

// troubles are the differences that the provider does not cope with.
func (r report) troubles() (found []string) {
	isMissing := func(name string) bool {
		return slices.ContainsFunc(r.Operations, func(o operationResult) bool {
			return o.Name == name && o.Verdict == missing
		})
	}
	for _, o := range r.Operations {
		nothingFindsOrders := o.Name == "get_order" && isMissing("list_orders")
		if o.Verdict == missing && (copedWithout[o.Name] == "" || nothingFindsOrders) {
			found = append(found, o.Name)
		}
	}
	for _, a := range r.Assumptions {
		if a.Verdict == differs && !a.Coped {
			found = append(found, a.ID)
		}
	}
	return found
}

// write prints the tables, what differs and what to do.
func (r report) write(out io.Writer, instead map[string]string, production []string) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nOPERATION\tBASIS\tVERDICT\tSTATUS\tNOTE\n")
	for _, o := range r.Operations {
		status := strings.TrimPrefix(fmt.Sprint(o.Status), "0")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", o.Name, o.Basis, o.Verdict, status, o.Note)
	}
	_ = table.Flush()
	fmt.Fprintf(table, "\nASSUMPTION\tVERDICT\tSEEN\n")
	for _, a := range r.Assumptions {
		fmt.Fprintf(table, "%s\t%s\t%s\n", a.ID, a.Verdict, a.Seen)
	}
	_ = table.Flush()

	fmt.Fprintf(out, "\nDifferences, after %d requests to %s:\n", r.Requests, r.BaseURL)
	none := true
	for _, o := range r.Operations {
		if o.Verdict == missing {
			none = false
			fmt.Fprintf(out, "- %s is missing: %s.\n", o.Name, o.Note)
		}
	}
	for _, a := range r.Assumptions {
		if a.Verdict == differs {
			none = false
			fmt.Fprintf(out, "- %s: %s\n  Seen: %s.\n  %s: %s\n",
				a.ID, a.Text, a.Seen, coping(a.Coped), assumptionOf(a.ID).Otherwise)
		}
	}
	if none {
		fmt.Fprintln(out, "None were found.")
	}
	r.writeLeft(out)
	for _, model := range production {
		fmt.Fprintf(out, "No %s invoice was issued: the company's environment is production.\n", model)
	}
	if len(instead) > 0 {
		fmt.Fprintf(out, "\nPaste this into the provider block:\n\n%s", pasted(instead))
	}
}

// writeLeft names what the run has left behind.
func (r report) writeLeft(out io.Writer) {
	for _, label := range r.Left {
		fmt.Fprintf(out, "Not removed, remove it by hand: %s\n", label)
	}
	for _, label := range r.Changed {
		fmt.Fprintf(out, "Not as before, set it again by hand: %s\n", label)
	}
	for _, label := range r.Lingering {
		fmt.Fprintf(out, "Removed, but it may show in lists a while: %s\n", label)
	}
}

func coping(coped bool) string {
	if coped {
		return "The provider copes"
	}
	return "THE PROVIDER DOES NOT COPE"
}

// pasted is the block for the provider's configuration.
func pasted(instead map[string]string) string {
	var names []string
	widest := 0
	for name := range instead {
		names, widest = append(names, name), max(widest, len(name))
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("  operations = {\n")
	for _, name := range names {
		fmt.Fprintf(&b, "    %-*s = %q\n", widest, name, instead[name])
	}
	b.WriteString("  }\n")
	return b.String()
}
