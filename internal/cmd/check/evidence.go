package main

import (
	"cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Who reports what the interface does not show.
const (
	vendor       = "the vendor's texts"
	integrations = "several integrations"
)

// evidenceOf returns the section of the interface that has an operation, or who reports it.
func evidenceOf(o einvoice.Operation) string {
	return cmp.Or(otherEvidence[o.Name], usualEvidence[o.Basis])
}

var usualEvidence = map[einvoice.Basis]string{
	einvoice.Shown:   "Endpoints",
	einvoice.Named:   "Endpoints, other operations",
	einvoice.Assumed: vendor,
}

var otherEvidence = map[string]string{
	"create_certificate":       integrations,
	"list_certificates":        integrations,
	"get_order":                "one integration",
	"list_invoices":            "Endpoints, other operations; consumer: one integration",
	"check_invoice_status":     "Endpoints; others: " + vendor,
	"get_invoice_pdf":          "Endpoints; others: " + vendor,
	"get_invoice_xml":          "Endpoints; others: " + vendor,
	"get_correction_pdf":       "named in Endpoints; the path: one integration",
	"get_correction_xml":       "named in Endpoints; the path: one integration",
	"preview_invoice":          "named in What the service does, rule 11; no source shows a path",
	"list_disablements":        "Endpoints; consumer: by analogy",
	"list_cities":              "Rules per endpoint, Payload example by city",
	"manifest_inbound_invoice": "What the service does, rule 10",
	"get_inbound_document":     "What the service does, rule 10",
}
