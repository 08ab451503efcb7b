package session

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// A CLI that is gone takes no progress, and the framework would wait for it.
func TestProgress_waitsForNobodyAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	gone := make(chan struct{})
	defer close(gone)
	report := progress(ctx, &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) {
		interrupt()
		<-gone
	}})
	report(text.Of("cause", text.With{"error": "Waiting."})) // It returns, or the test runs out of time.
	if ctx.Err() == nil {
		t.Error("the line was taken")
	}
}
