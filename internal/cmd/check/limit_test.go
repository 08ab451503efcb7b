package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A run with the usual limits is refused by none, and tries everything.
func TestCheck_keepsToTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, network := sandbox.New(sandbox.Options{RateLimit: true}), testkit.NewNetwork(t)
		t.Cleanup(service.Close)
		c, err := newCheck(einvoice.Config{
			BaseURL: "http://" + network.Serve(t, service).Address + "/v1", APIKey: service.OwnerKey(), Dial: network.Dial,
			RequestsPerMinute: 60, RequestsPerSecond: 5, MaxRetries: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		o := finished(t.Context(), t, c)
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
		service, network := sandbox.New(sandbox.Options{}), testkit.NewNetwork(t)
		t.Cleanup(service.Close)
		service.Inject(sandbox.Fault{
			Method: "GET", Path: "/v1/companies/{id}/settings", Kind: sandbox.FaultStatus, Status: 429,
			Header: http.Header{"Retry-After": {"1"}}, Times: 1,
		})
		c, err := newCheck(einvoice.Config{
			BaseURL: "http://" + network.Serve(t, service).Address + "/v1", APIKey: service.OwnerKey(),
			Dial: network.Dial, MaxRetries: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		finished(t.Context(), t, c).wants(t, "get_settings", answers, "")
	})
}
