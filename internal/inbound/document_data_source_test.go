package inbound_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func inboundDocumentConfig(s *sandbox.Server, id, format string) string {
	return acctest.Config(s, fmt.Sprintf("data \"einvoice_inbound_invoice_document\" \"test\" {\n  id     = %q\n  format = %q\n}", id, format))
}

func TestAccInboundInvoiceDocumentDataSource_readsBothModels(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	const address = acctest.Address("data.einvoice_inbound_invoice_document.test")
	var steps []resource.TestStep
	for _, id := range []string{
		s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true}),
		s.SeedInbound(s.OwnerCompanyID(), map[string]any{"model": "serviceInvoice"}),
	} {
		steps = append(
			steps,
			resource.TestStep{
				Config: inboundDocumentConfig(s, id, "xml"),
				ConfigStateChecks: []statecheck.StateCheck{
					address.Has("content_base64", acctest.DecodesTo(`^<\?xml(.|\n)*42318949000184`)), address.Has("content", knownvalue.StringRegexp(regexp.MustCompile(`^<\?xml`))),
				},
			},
			resource.TestStep{
				Config:            inboundDocumentConfig(s, id, "pdf"),
				ConfigStateChecks: []statecheck.StateCheck{address.Has("content_base64", acctest.DecodesTo(`^%PDF`)), address.Has("content", knownvalue.Null())},
			},
		)
	}
	acctest.Run(t, steps)
}

func TestAccInboundInvoiceDocumentDataSource_ofASummary(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.SeedInbound(s.OwnerCompanyID(), map[string]any{})
	w := acctest.NewAttached(t, inboundDocumentConfig(s, id, "xml"))
	if output := w.MustRun("plan"); strings.Count(output, "Warning: Only the summary of an inbound invoice") != 1 {
		t.Errorf("the plan does not warn once of the summary:\n%s", output)
	}
	w.Write(inboundDocumentConfig(s, id, "pdf"))
	output, ok := w.Run("plan")
	text := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(output)), " ")
	if ok || !strings.Contains(text, `its status is "authorized", and the status of its manifestation is "none"`) {
		t.Errorf("the plan ends with:\n%s", output)
	}
}

func TestAccInboundInvoiceDocumentDataSource_otherFailures(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true})
	fails := func(config, want string, faults ...sandbox.Fault) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() {
				for _, fault := range faults {
					fault.Method = "GET"
					s.Inject(fault)
				}
			},
			Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(want),
		}
	}
	const document, service = "/v1/inbound-product-invoices/{id}/pdf", "/v1/inbound-service-invoices/{id}/pdf"
	acctest.Run(t, []resource.TestStep{
		fails(inboundDocumentConfig(s, id, "pdf"), `Cannot read inbound invoice document(.|\n)*being\s+made`, sandbox.Fault{
			Kind: sandbox.FaultStatus, Path: document, Status: 400, Message: "It is being made.",
		}),
		fails(inboundDocumentConfig(s, id, "pdf"), `Cannot read inbound invoice document(.|\n)*no access`, sandbox.Fault{
			Kind: sandbox.FaultStatus, Path: document, Status: 403, Message: "no access",
		}),
		// The other model's route may not exist, and must not hide the first answer.
		fails(
			inboundDocumentConfig(s, id, "pdf"), `Cannot read inbound invoice document(.|\n)*not\s+here`,
			sandbox.Fault{Kind: sandbox.FaultStatus, Path: document, Status: 404, Message: "not here"},
			sandbox.Fault{Kind: sandbox.FaultStatus, Path: service, Status: 404},
		),
		fails(inboundDocumentConfig(s, "7c9e6679-7425-40de-944b-e07fc1f90ae7", "pdf"), `Inbound invoice not found`),
		fails(inboundDocumentConfig(s, id, "html"), `Invalid format`),
		fails(inboundDocumentConfig(s, "", "pdf"), `Empty id`),
	})
}
