package inbound_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccInboundInvoiceDataSource_readsBothModels(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	nfe := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"amount": 12.5, "issuedOn": "2026-11-10T10:00:00-03:00", "accessKey": inboundKey(1), "isComplete": true,
		"manifestation": map[string]any{"status": "notPerformed", "date": "2026-11-11T10:00:00-03:00", "justification": "Mercadoria não recebida", "protocol": "135"},
	})
	nfse := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"model": "serviceInvoice", "manifestation": map[string]any{"status": "rejected", "date": nil, "justification": nil, "reasonCode": "3"},
	})
	config := func(model, id string) string {
		return acctest.Config(s, fmt.Sprintf("data \"einvoice_inbound_invoice\" \"test\" {\n  model = %q\n  id    = %q\n}", model, id))
	}
	expect := func(value map[string]knownvalue.Check) []statecheck.StateCheck {
		var checks []statecheck.StateCheck
		for name, check := range value {
			checks = append(checks, statecheck.ExpectKnownValue("data.einvoice_inbound_invoice.test", tfjsonpath.New(name), check))
		}
		return checks
	}
	text := knownvalue.StringExact
	acctest.Run(t, []resource.TestStep{
		{
			Config: config("productInvoice", nfe),
			ConfigStateChecks: expect(map[string]knownvalue.Check{
				"id": text(nfe), "model": text("productInvoice"), "environment_type": text("production"), "access_key": text(inboundKey(1)), "nsu": knownvalue.NotNull(),
				"is_complete": knownvalue.Bool(true), "status": text("authorized"), "issued_on": text("2026-11-10T10:00:00-03:00"), "amount": knownvalue.Float64Exact(12.5),
				"operation_type": text("outgoing"), "creation_time": knownvalue.NotNull(), "last_modification_time": knownvalue.Null(),
				"issuer": knownvalue.ObjectExact(map[string]knownvalue.Check{
					"name": text("Fornecedor"), "legal_name": text("Fornecedor Ltda"), "federal_tax_number": text("42318949000184"),
				}),
				"manifestation": knownvalue.ObjectExact(map[string]knownvalue.Check{
					"status": text("notPerformed"), "date": text("2026-11-11T10:00:00-03:00"), "justification": text("Mercadoria não recebida"), "protocol": text("135"),
					"reason_code": knownvalue.Null(),
				}),
				"raw_json": knownvalue.StringRegexp(regexp.MustCompile(`^\{.*"isComplete":true`)),
			}),
		},
		{
			Config: config("serviceInvoice", nfse),
			ConfigStateChecks: expect(map[string]knownvalue.Check{
				"is_complete": knownvalue.Bool(true), "access_key": knownvalue.StringRegexp(regexp.MustCompile(`^\d{50}$`)),
				"manifestation": knownvalue.ObjectPartial(map[string]knownvalue.Check{"status": text("rejected"), "protocol": knownvalue.Null(), "reason_code": text("3")}),
			}),
		},
		{Config: config("serviceInvoice", nfe), PlanOnly: true, ExpectError: regexp.MustCompile(`Inbound invoice not found(.|\n)*NFS-e(.|\n)*model`)},
		{Config: config("consumerInvoice", nfe), PlanOnly: true, ExpectError: regexp.MustCompile(`Invalid model(.|\n)*productInvoice,\s+serviceInvoice`)},
		{Config: config("productInvoice", ""), PlanOnly: true, ExpectError: regexp.MustCompile(`Empty id`)},
		{
			PreConfig: func() {
				s.Inject(sandbox.Fault{
					Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/inbound-product-invoices/{id}", Status: 403, Message: "not in the plan of the account",
				})
			},
			Config: config("productInvoice", nfe), PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read inbound invoice(.|\n)*not in the plan`),
		},
	})
}
