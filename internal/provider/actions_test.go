package provider

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// invoked is what an invocation of an action came to.
type invoked struct {
	progress         []string
	errors, warnings string
}

// invoke validates, plans and invokes an action as a CLI does.
func (p *protocolProvider) invoke(name string, arguments map[string]any) invoked {
	p.t.Helper()
	return p.invokeUntil(p.t.Context(), name, arguments)
}

// invokeUntil ends the invocation with ctx, as an interrupt does.
func (p *protocolProvider) invokeUntil(ctx context.Context, name string, arguments map[string]any) invoked {
	p.t.Helper()
	schema := p.schemas.ActionSchemas[name]
	if schema == nil {
		p.t.Fatalf("no action %s is served", name)
	}
	config := p.config(schema.Schema, arguments)
	valid, err := p.ValidateActionConfig(p.t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	p.mustNotFail(valid.Diagnostics)
	planned, err := p.PlanAction(p.t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	p.mustNotFail(planned.Diagnostics)
	stream, err := p.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: name, Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	var result invoked
	completed := 0
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			result.progress = append(result.progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			completed++
			result.errors = errorsIn(event.Diagnostics)
			for _, d := range event.Diagnostics {
				if d.Severity == tfprotov6.DiagnosticSeverityWarning {
					result.warnings += d.Summary + ": " + d.Detail + "\n"
				}
			}
		}
	}
	if completed != 1 {
		p.t.Errorf("%s ended %d times", name, completed)
	}
	for _, text := range append(result.progress, result.errors, result.warnings) {
		if found := wordsOfResources.FindString(text); found != "" {
			p.t.Errorf("%s speaks of %q, which is for resources:\n%s", name, found, text)
		}
	}
	for _, line := range result.progress {
		if !strings.HasSuffix(line, ".") || strings.Contains(line, "\n") {
			p.t.Errorf("%s: the progress %q is no line with a period at its end", name, line)
		}
	}
	return result
}

// wordsOfResources are what makes no sense to somebody who has invoked an action.
var wordsOfResources = regexp.MustCompile(`(?i)(apply again|run destroy|in state|payload_json|cancellation_reason|issue_invoices|wait_for_invoices|this resource|run plan|same triggers|timeouts)`)

// expect compares the outcome: parts of the error, or of the warnings where
// there is to be no error, and of the last line of progress.
func (i invoked) expect(t *testing.T, last, errors, warnings string) {
	t.Helper()
	if errors == "" && i.errors != "" || !strings.Contains(i.errors, errors) {
		t.Errorf("the error is %q, want one with %q", i.errors, errors)
	}
	if warnings == "" && i.warnings != "" || !strings.Contains(i.warnings, warnings) {
		t.Errorf("the warnings are %q, want %q", i.warnings, warnings)
	}
	if last == "" {
		return
	}
	if len(i.progress) == 0 || !strings.Contains(i.progress[len(i.progress)-1], last) {
		t.Errorf("the progress is %q, want %q at its end", i.progress, last)
	}
}

// validActions are arguments that each action accepts.
var validActions = map[string]map[string]any{
	"einvoice_correction_letter":     {"invoice_id": "1", "letter": "Onde se lê 1 volume, leia-se 2 volumes."},
	"einvoice_inbound_manifest":      {"id": "1", "status": "confirmed"},
	"einvoice_inbound_sync":          {},
	"einvoice_invoice_cancel":        {"model": "productInvoice", "id": "1", "reason": "Pedido cancelado pelo cliente."},
	"einvoice_invoice_check_status":  {"model": "productInvoice", "id": "1"},
	"einvoice_order_issue_invoices":  {"order_id": "1"},
	"einvoice_webhook_secret_rotate": {},
}

func TestActions_refuseAnUnusableKeyInPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	empty, unknown := serve(t, s, map[string]any{"api_key": ""}), serve(t, s, map[string]any{"api_key": tftypes.UnknownValue})
	if got, want := len(empty.schemas.ActionSchemas), len(validActions); got != want {
		t.Errorf("%d actions are served, and %d are tested", got, want)
	}
	for name, arguments := range validActions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := empty.config(empty.schemas.ActionSchemas[name].Schema, arguments)
			planned, err := empty.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			if text := errorsIn(planned.Diagnostics); !strings.Contains(text, "Empty API key") {
				t.Errorf("the plan with an empty key ends with %q", text)
			}
			planned, err = unknown.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			if text := errorsIn(planned.Diagnostics); text != "" {
				t.Errorf("the plan with a key that is not known yet ends with %q", text)
			}
			unknown.invoke(name, arguments).expect(t, "", "Provider configuration not known yet", "")
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n > 0 {
			t.Errorf("%d requests without a key", n)
		}
	})
}

func TestActions_endWithAnInterrupt(t *testing.T) {
	t.Parallel()
	const status, invoice = "/v1/inbound-product-invoices/sync-status", "/v1/product-invoices/{id}"
	for name, tt := range map[string]struct {
		action    string
		arguments map[string]any
		prepare   func(s *sandbox.Server, interrupt func(), arguments map[string]any)
		want      string
	}{
		"while a search runs": {
			action: "einvoice_inbound_sync", arguments: map[string]any{"wait": true}, want: "It is safe to invoke the action again.",
			prepare: func(s *sandbox.Server, interrupt func(), _ map[string]any) {
				s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
				s.Before("GET", status, func() { s.Before("GET", status, interrupt) })
			},
		},
		"while a cancellation is sent": {
			action: "einvoice_invoice_cancel", want: "The run was interrupted.",
			arguments: map[string]any{"model": "productInvoice", "reason": "Pedido cancelado pelo cliente."},
			prepare: func(s *sandbox.Server, interrupt func(), arguments map[string]any) {
				arguments["id"] = seededNFe(s, "authorized")
				s.Before("GET", invoice, func() { s.Before("GET", invoice, func() { s.Before("GET", invoice, interrupt) }) })
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Hour})
			ctx, interrupt := context.WithCancel(t.Context())
			tt.prepare(s, interrupt, tt.arguments)
			serve(t, s, nil).invokeUntil(ctx, tt.action, tt.arguments).expect(t, "", tt.want, "")
		})
	}
}

func TestActions_checkTheirArguments(t *testing.T) {
	t.Parallel()
	p := serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	short := "too short"
	for name, tt := range map[string]struct {
		action   string
		argument string
		value    any
		want     string
	}{
		"a model that is none":          {"einvoice_invoice_cancel", "model", "order", "productInvoice, consumerInvoice, serviceInvoice"},
		"a reason of 9 characters":      {"einvoice_invoice_cancel", "reason", short, "15 to 255 characters"},
		"an empty id":                   {"einvoice_invoice_check_status", "id", "", "empty"},
		"a letter of 9 characters":      {"einvoice_correction_letter", "letter", short, "15 to 1000 characters"},
		"a declaration that is none":    {"einvoice_inbound_manifest", "status", "rejected", "acknowledged, confirmed, unknown, notPerformed"},
		"a date that is none":           {"einvoice_order_issue_invoices", "effective_date", "tomorrow", "a date"},
		"a window of a week":            {"einvoice_webhook_secret_rotate", "window_hours", 168, "0 to 72"},
		"a timeout that is no duration": {"einvoice_inbound_sync", "timeout", "10", "a duration above zero"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := map[string]any{tt.argument: tt.value}
			for other, value := range validActions[tt.action] {
				if other != tt.argument {
					arguments[other] = value
				}
			}
			config := p.config(p.schemas.ActionSchemas[tt.action].Schema, arguments)
			valid, err := p.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: tt.action, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			text := errorsIn(valid.Diagnostics)
			if !strings.Contains(text, tt.want) || !strings.Contains(text, tt.argument) {
				t.Errorf("the error is %q, want one with %q about %s", text, tt.want, tt.argument)
			}
		})
	}
}

func TestInboundManifest_warnsOfAMissingJustification(t *testing.T) {
	t.Parallel()
	p := serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	const name = "einvoice_inbound_manifest"
	for status, arguments := range map[string]map[string]any{
		"notPerformed": {}, "unknown": {"justification": "não"}, "confirmed": {}, "acknowledged": {"justification": "não"},
	} {
		arguments["id"], arguments["status"] = "1", status
		config := p.config(p.schemas.ActionSchemas[name].Schema, arguments)
		valid, err := p.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		p.mustNotFail(valid.Diagnostics)
		if warns := len(valid.Diagnostics) > 0; warns != (status == "notPerformed" || status == "unknown") {
			t.Errorf("%s: %v", status, valid.Diagnostics)
		}
	}
}

// Every text of the shared code that names what only a resource has is worded
// anew; paths and severities stay.
func TestInActionWords(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	diags.AddError("E", "It failed.\n\nRun apply again: it looks first. "+message.ForgetInstead)
	diags.AddWarning("W", "The invoice stays as it is, and in state. Run destroy again when it is settled. "+message.ForgetInstead)
	diags.AddAttributeError(path.Root("invoice_id"), "E", "It is not authorized.\n\n"+
		"Apply again after the authorization: with `invoice_id` taken from an `einvoice_invoice_issuance`, the letter waits for it.")
	worded := session.InActionWords(diags)
	var texts []string
	for n, d := range worded {
		if d.Severity() != diags[n].Severity() {
			t.Errorf("%s has another severity", d.Summary())
		}
		texts = append(texts, d.Detail())
	}
	if located, ok := worded[2].(diag.DiagnosticWithPath); !ok || located.Path().String() != "invoice_id" {
		t.Errorf("%v has lost its path", worded[2])
	}
	if texts[0] != "It failed.\n\nInvoke the action again: it looks first." || texts[1] != "The invoice stays as it is. Invoke the action again when it is settled." {
		t.Errorf("%q", texts)
	}
	for _, text := range texts {
		if found := wordsOfResources.FindString(text); found != "" {
			t.Errorf("%q is left in %q", found, text)
		}
	}
}
