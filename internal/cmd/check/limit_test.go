package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// paced runs a check at the usual pace, on a clock of its own.
func paced(t *testing.T, service *sandbox.Server) outcome {
	t.Helper()
	t.Cleanup(service.Close)
	network := testkit.NewNetwork(t)
	c, err := newCheck(einvoice.Config{
		BaseURL: "http://" + network.Serve(t, service).Address + "/v1", APIKey: service.OwnerKey(), Dial: network.Dial,
		RequestsPerMinute: 60, RequestsPerSecond: 5, MaxRetries: 3,
	})
	expect.NoError(t, err)
	return finished(t.Context(), t, c)
}

// A run with the usual limits is refused by none, and tries everything.
func TestCheck_keepsToTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Options{RateLimit: true})
		o := paced(t, service)
		for _, request := range service.Requests() {
			if request.Status == 429 {
				t.Errorf("%s %s was refused for the limit", request.Method, request.Path)
			}
		}
		for _, operation := range o.report.Operations {
			if operation.Verdict == notTried && !strings.HasPrefix(operation.Note, "it would ") {
				t.Errorf("%s was not tried: %s", operation.Name, operation.Note)
			}
		}
	})
}

// A 429 is waited for, and no answer to what was asked.
func TestCheck_asksAgainAfterTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Options{})
		service.Inject(sandbox.Fault{
			Method: "GET", Path: "/v1/companies/{id}/settings", Kind: sandbox.FaultStatus, Status: 429,
			Header: http.Header{"Retry-After": {"1"}}, Times: 1,
		})
		paced(t, service).wants(t, "get_settings", answers, "")
	})
}
