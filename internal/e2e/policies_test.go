package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The policies of the guide on pipelines, which must refuse what they cannot
// judge.

var jqProgram = regexp.MustCompile(`(?s)\| jq -ne '(.*?)'\n`)

// policies are the guide's two: against cancellations, and against amounts.
func policies(t *testing.T) (cancels, amounts string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(guidesDir, "pipelines.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := jqProgram.FindAllStringSubmatch(string(text), -1)
	if len(programs) != 2 {
		t.Fatalf("the guide has %d policies, want 2", len(programs))
	}
	return programs[0][1], programs[1][1]
}

// passes runs a policy as `jq -e` does on texts of JSON.
func passes(t *testing.T, program string, inputs ...string) bool {
	t.Helper()
	query, err := gojq.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	var decoded []any
	for _, input := range inputs {
		var value any
		if err := json.Unmarshal([]byte(input), &value); err != nil {
			return false
		}
		decoded = append(decoded, value)
	}
	code, err := gojq.Compile(query, gojq.WithInputIter(gojq.NewIter(decoded...)))
	if err != nil {
		t.Fatal(err)
	}
	var last any
	for results := code.Run(nil); ; {
		result, more := results.Next()
		if !more {
			return last != nil && last != false
		}
		if _, failed := result.(error); failed {
			return false
		}
		last = result
	}
}

func TestGuides_policiesFailClosed(t *testing.T) {
	t.Parallel()
	cancels, amounts := policies(t)
	planOf := func(changes ...string) string {
		plan := `{"format_version":"1.2","planned_values":{},"resource_changes":[`
		for n, change := range changes {
			if n > 0 {
				plan += ","
			}
			plan += change
		}
		return plan + "]}"
	}
	change := func(kind, actions, before, after, unknown string) string {
		return fmt.Sprintf(`{"type":%q,"mode":"managed","change":{"actions":%s,"before":%s,"after":%s,"after_unknown":%s}}`, kind, actions, before, after, unknown)
	}
	const (
		issuance, order     = "einvoice_invoice_issuance", "einvoice_order"
		creates, deletes    = `["create"]`, `["delete"]`
		replaces, swaps     = `["delete","create"]`, `["create","delete"]`
		updates, does       = `["update"]`, `["no-op"]`
		unknown, all        = `{"status":true}`, `{}`
		reasoned, forgotten = `{"cancellation_reason":"Issued twice, by mistake"}`, `{"cancellation_reason":null}`
	)
	paying := func(payload string) string {
		return fmt.Sprintf(`{"payload_json":%q}`, payload)
	}
	sends := func(payload string) string {
		return planOf(change(issuance, creates, "null", paying(payload), unknown))
	}
	acts := func(action string) string {
		return fmt.Sprintf(`{"planned_values":{},"action_invocations":[{"type":%q,"name":"x","config_values":{}}]}`, action)
	}
	for name, test := range map[string]struct {
		plan                string
		cancels, overspends bool // what is to be refused
	}{
		"a plan of nothing":          {plan: `{"planned_values":{}}`},
		"nothing changes":            {plan: planOf(change(issuance, does, reasoned, paying(`{"total":{"invoiceAmount":99999}}`), all))},
		"one is forgotten":           {plan: planOf(change(issuance, deletes, forgotten, "null", all))},
		"one is canceled":            {plan: planOf(change(issuance, deletes, reasoned, "null", all)), cancels: true},
		"one is replaced":            {plan: planOf(change(issuance, replaces, reasoned, paying(`{"total":{"invoiceAmount":1}}`), unknown)), cancels: true},
		"one is created before":      {plan: planOf(change(issuance, swaps, reasoned, paying(`{"total":{"invoiceAmount":1}}`), unknown)), cancels: true},
		"an action cancels":          {plan: acts("einvoice_invoice_cancel"), cancels: true},
		"another action":             {plan: acts("einvoice_inbound_sync")},
		"an action issues":           {plan: acts("einvoice_order_issue_invoices"), overspends: true},
		"little":                     {plan: sends(`{"total":{"invoiceAmount":10000}}`)},
		"much":                       {plan: sends(`{"total":{"invoiceAmount":10000.01}}`), overspends: true},
		"much in parts":              {plan: planOf(change(issuance, creates, "null", paying(`{"total":{"invoiceAmount":4000}}`), unknown), change(issuance, creates, "null", paying(`{"total":{"invoiceAmount":6001}}`), unknown)), overspends: true},
		"much by a replacement":      {plan: planOf(change(issuance, replaces, forgotten, paying(`{"total":{"invoiceAmount":10001}}`), unknown)), overspends: true},
		"much, created before":       {plan: planOf(change(issuance, swaps, forgotten, paying(`{"total":{"invoiceAmount":10001}}`), unknown)), overspends: true},
		"much by a correction":       {plan: planOf(change(issuance, updates, forgotten, paying(`{"total":{"invoiceAmount":10001}}`), unknown)), overspends: true},
		"an update that sends none":  {plan: planOf(change(issuance, updates, forgotten, paying(`{"total":{"invoiceAmount":10001}}`), all))},
		"an NF-e without a total":    {plan: sends(`{"payments":[{"method":"pix","amount":10001}]}`), overspends: true},
		"an NF-e of little":          {plan: sends(`{"payments":[{"method":"pix","amount":10}],"items":[{"totalAmount":10}]}`)},
		"only items":                 {plan: sends(`{"items":[{"totalAmount":6000},{"totalAmount":4001}]}`), overspends: true},
		"more items than its total":  {plan: sends(`{"total":{"invoiceAmount":1},"items":[{"totalAmount":10001}]}`), overspends: true},
		"more paid than its total":   {plan: sends(`{"total":{"invoiceAmount":1},"payments":[{"amount":10001}]}`), overspends: true},
		"no amount at all":           {plan: sends(`{"description":"x"}`), overspends: true},
		"no payload":                 {plan: planOf(change(issuance, creates, "null", `{}`, `{"status":true,"payload_json":true}`)), overspends: true},
		"an amount as text":          {plan: sends(`{"total":{"invoiceAmount":"10001"}}`), overspends: true},
		"a payment without amount":   {plan: sends(`{"payments":[{"method":"pix"}],"total":{"invoiceAmount":1}}`), overspends: true},
		"an item without amount":     {plan: sends(`{"items":[{"quantity":100,"unitAmount":1000}]}`), overspends: true},
		"one that takes away":        {plan: planOf(change(issuance, creates, "null", paying(`{"total":{"invoiceAmount":-20000}}`), unknown), change(issuance, creates, "null", paying(`{"total":{"invoiceAmount":20000}}`), unknown)), overspends: true},
		"parts of an odd shape":      {plan: sends(`{"payments":[10001],"total":{"invoiceAmount":1}}`), overspends: true},
		"a total of an odd shape":    {plan: sends(`{"total":[10001]}`), overspends: true},
		"a large order":              {plan: planOf(change(order, creates, "null", `{"amount":10001}`, `{"invoices":true}`)), overspends: true},
		"an order of unknown amount": {plan: planOf(change(order, creates, "null", `{}`, `{"invoices":true,"amount":true}`)), overspends: true},
		"an order that is approved":  {plan: planOf(change(order, updates, `{}`, `{"amount":10001}`, `{"invoices":true}`)), overspends: true},
		"a small order":              {plan: planOf(change(order, creates, "null", `{"amount":10000}`, `{"invoices":true}`))},
		"something else":             {plan: planOf(change("einvoice_customer", creates, "null", `{"name":"x"}`, `{"id":true}`))},
		"a state, not a plan":        {plan: `{"format_version":"1.0","values":{}}`, cancels: true, overspends: true},
		"an empty object":            {plan: `{}`, cancels: true, overspends: true},
		"a list":                     {plan: `[]`, cancels: true, overspends: true},
		"null":                       {plan: `null`, cancels: true, overspends: true},
		"changes of an odd shape":    {plan: `{"planned_values":{},"resource_changes":"none"}`, cancels: true, overspends: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := !passes(t, cancels, test.plan); got != test.cancels {
				t.Errorf("the policy against cancellations refuses: %t, want %t", got, test.cancels)
			}
			if got := !passes(t, amounts, test.plan); got != test.overspends {
				t.Errorf("the policy against amounts refuses: %t, want %t", got, test.overspends)
			}
		})
	}
	if passes(t, cancels) || passes(t, amounts) {
		t.Error("an empty input, as of a command that has failed, passes")
	}
}

// TestAccGuides_policiesTellPlansApart runs the guide's policies on what a CLI
// writes.
func TestAccGuides_policiesTellPlansApart(t *testing.T) {
	t.Parallel()
	cancels, amounts := policies(t)
	const reason = `cancellation_reason = "Issued for the wrong month"`
	s := sandbox.Start(t, sandbox.Options{})
	invoice := func(name, id string, amount int, more string) string {
		return fmt.Sprintf(`
resource "einvoice_invoice_issuance" %q {
  model          = "serviceInvoice"
  integration_id = %q
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = %d } })
  %s
}`, name, id, amount, more)
	}
	sale := func(amount int) string {
		return fmt.Sprintf(`
resource "einvoice_order" "sale" {
  transaction_id = "t-1"
  amount         = %[1]d
  customer       = { name = "Maria" }
  items          = [{ price = %[1]d, product = { name = "Camisa" } }]
}`, amount)
	}
	given := invoice("forgotten", "a", 1, "") + invoice("canceled", "b", 2, reason)
	w := acctest.NewWorkspace(t, acctest.Config(s, given), "")
	w.MustApply()
	for _, test := range []struct {
		name, config        string
		cancels, overspends bool
	}{
		{"nothing changes", given, false, false},
		{"one is forgotten", invoice("canceled", "b", 2, reason), false, false},
		{"one is canceled", invoice("forgotten", "a", 1, ""), true, false},
		{"one is replaced", invoice("forgotten", "a", 1, "") + invoice("canceled", "c", 2, reason), true, false},
		{"one is replaced by a large one", given[:len(given)-len(invoice("canceled", "b", 2, reason))] + invoice("canceled", "c", 10001, ""), true, true},
		{"a reason is added", invoice("forgotten", "a", 1, reason) + invoice("canceled", "b", 2, reason), false, false},
		{"little is issued", given + invoice("c", "c", 4000, "") + invoice("d", "d", 6000, ""), false, false},
		{"much is issued", given + invoice("c", "c", 4000, "") + invoice("d", "d", 6001, ""), false, true},
		{"a small order", given + sale(10000), false, false},
		{"a large order", given + sale(10001), false, true},
		{"an NF-e without a total", given + `
resource "einvoice_invoice_issuance" "nfe" {
  model          = "productInvoice"
  integration_id = "nfe"
  payload_json   = jsonencode({ isFinalCustomer = true, payments = [{ method = "pix", amount = 10001 }] })
}`, false, true},
	} {
		w.Write(acctest.Config(s, test.config))
		w.MustRun("plan", "-out=tfplan")
		plan := w.MustRun("show", "-json", "tfplan")
		if got := !passes(t, cancels, plan); got != test.cancels {
			t.Errorf("%s: the policy against cancellations refuses: %t, want %t", test.name, got, test.cancels)
		}
		if got := !passes(t, amounts, plan); got != test.overspends {
			t.Errorf("%s: the policy against amounts refuses: %t, want %t", test.name, got, test.overspends)
		}
	}
}
