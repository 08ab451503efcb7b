package testkit

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Invoked is what an invocation of an action came to.
type Invoked struct {
	Progress         []string
	Errors, warnings string
}

// Invoke validates, plans and invokes an action as a CLI does.
func (p *Protocol) Invoke(name string, arguments map[string]any) Invoked {
	p.T.Helper()
	return p.InvokeUntil(p.T.Context(), name, arguments)
}

// InvokeUntil ends the invocation with ctx, as an interrupt does.
func (p *Protocol) InvokeUntil(ctx context.Context, name string, arguments map[string]any) Invoked {
	p.T.Helper()
	schema := p.Schemas.ActionSchemas[name]
	if schema == nil {
		p.T.Fatalf("no action %s is served", name)
	}
	config := p.Config(schema.Schema, arguments)
	valid := Answered(p.T, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
		ActionType: name, Config: config,
	})
	p.MustNotFail(valid.Diagnostics)
	planned := Answered(p.T, p.PlanAction, &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
	p.MustNotFail(planned.Diagnostics)
	stream, err := p.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: name, Config: config})
	if err != nil {
		p.T.Fatal(err)
	}
	var result Invoked
	completed := 0
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			result.Progress = append(result.Progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			completed++
			result.Errors = ErrorsIn(p.Heard(event.Diagnostics))
			for _, d := range event.Diagnostics {
				if d.Severity == tfprotov6.DiagnosticSeverityWarning {
					result.warnings += d.Summary + ": " + d.Detail + "\n"
				}
			}
		}
	}
	if completed != 1 {
		p.T.Errorf("%s ended %d times", name, completed)
	}
	for _, text := range append(result.Progress, result.Errors, result.warnings) {
		if found := fixture.WordsOfResources.FindString(text); found != "" {
			p.T.Errorf("%s speaks of %q, which is for resources:\n%s", name, found, text)
		}
	}
	for _, line := range result.Progress {
		if !strings.HasSuffix(line, ".") || strings.Contains(line, "\n") {
			p.T.Errorf("%s: the progress %q is no line with a period at its end", name, line)
		}
	}
	return result
}

// Expect compares the outcome: parts of the error, or of the warnings where
// there is to be no error, and of the last line of progress.
func (i Invoked) Expect(t *testing.T, last, errors, warnings string) {
	t.Helper()
	if errors == "" && i.Errors != "" || !strings.Contains(i.Errors, errors) {
		t.Errorf("the error is %q, want one with %q", i.Errors, errors)
	}
	if warnings == "" && i.warnings != "" || !strings.Contains(i.warnings, warnings) {
		t.Errorf("the warnings are %q, want %q", i.warnings, warnings)
	}
	if last == "" {
		return
	}
	if len(i.Progress) == 0 || !strings.Contains(i.Progress[len(i.Progress)-1], last) {
		t.Errorf("the progress is %q, want %q at its end", i.Progress, last)
	}
}
