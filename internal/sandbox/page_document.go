package sandbox

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// pageDocument is what the page prints of an invoice.
func (s *Server) pageDocument(id string) (page.Document, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref, ok := s.findInvoice(id)
	if !ok {
		return page.Document{}, false
	}
	if !hasDocuments(s.shelf(ref.model.kind).byID[ref.id].latest()) {
		return page.Document{Invoice: page.Invoice{ID: ref.id}}, false
	}
	p := s.pageMaker(page.Query{})
	e := s.shelf(ref.model.kind).byID[ref.id]
	// Secrets are hidden first: in the forms of paper and XML they would not be found.
	doc := p.withoutSecrets(e.latest())
	issued, _ := parseMoment(text(doc, "issuedOn"))
	authorization := part(doc, "authorization")
	authorized, _ := parseMoment(text(authorization, "date"))
	company, _ := s.get(KindCompanies, text(doc, "_company"))
	receiver := part(doc, "receiver")
	out := page.Document{
		Invoice: p.invoice(ref.model, e), Nature: text(doc, "operationNature"),
		Issued: p.moment(issued), Environment: p.Value("environmentType", doc["environmentType"]),
		Issuer:   party(part(doc, "company"), part(p.withoutSecrets(company), "address")),
		Receiver: party(receiver, part(receiver, "address")),
		Items:    s.printedItems(ref.model, doc, p), Totals: printedTotals(ref.model, part(doc, "totals")),
		Notes:     text(doc, "additionalInformation"),
		AccessKey: text(doc, "accessKey"), Protocol: text(authorization, "protocol"), Authorized: p.moment(authorized),
		Contingency: part(doc, "contingency") != nil,
	}
	// The document has room for the whole text.
	out.Invoice.Description = text(doc, "description")
	out.XML = string(signedInvoice(doc))
	if ref.model == modelService {
		out.Services = printedServices(doc)
		return out, true
	}
	sent := part(doc, "_payload")
	out.Direction, out.Purpose = text(sent, "operationType"), text(sent, "purposeType")
	references, _ := sent["referencedDocuments"].([]any)
	for _, one := range references {
		reference, _ := one.(object)
		out.References = append(out.References, text(reference, "accessKey"))
	}
	return out, true
}

// withoutSecrets is a copy of a document in which secrets are hidden.
func (p *pageMaker) withoutSecrets(doc object) object {
	if doc == nil {
		return nil
	}
	hidden, _ := decoded(json.RawMessage(p.Value("", doc))).(object)
	return hidden
}

// party is one side of an invoice as it is printed.
func party(of, address object) page.Party {
	street := strings.TrimSuffix(text(address, "street")+", "+text(address, "number"), ", ")
	var parts []string
	for _, one := range []string{
		street, text(address, "additionalInformation"), text(address, "district"),
		cityOf(address), printedPostalCode(text(address, "postalCode")),
	} {
		if one != "" {
			parts = append(parts, one)
		}
	}
	name := text(of, "legalName")
	if name == "" {
		name = text(of, "name")
	}
	return page.Party{
		Name: name, TaxNumber: text(of, "federalTaxNumber"),
		StateTaxNumber: text(of, "stateTaxNumber"), CityTaxNumber: text(of, "cityTaxNumber"),
		Email: text(of, "email"), Phone: text(of, "phoneNumber"), Address: strings.Join(parts, " – "),
	}
}

// printedServices are the facts that a city prints. The specification shows no verification code: the sandbox makes
// one from the digest. The national environment has an access key instead.
func printedServices(doc object) []page.Setting {
	var out []page.Setting
	for _, name := range []string{
		"federalServiceCode", "cityServiceCode", "nationalTaxationCode", "nbsCode", "cnaeCode",
	} {
		if value := text(doc, name); value != "" {
			out = append(out, page.Setting{Name: name, Value: value})
		}
	}
	if rps := part(doc, "rps"); rps != nil {
		value := "série " + text(rps, "series") + ", número " + written(rps["number"])
		out = append(out, page.Setting{Name: "rps", Value: value})
	}
	digest, _ := base64.StdEncoding.DecodeString(text(part(doc, "authorization"), "digestValue"))
	if len(digest) >= 5 && text(doc, "accessKey") == "" {
		code := base32.StdEncoding.EncodeToString(digest[:5])
		out = append(out, page.Setting{Name: "verificationCode", Value: code[:4] + "-" + code[4:]})
	}
	return out
}

// printedPostalCode is one as it is printed; empty where there is none.
func printedPostalCode(code string) string {
	if len(code) != 8 {
		return code
	}
	return "CEP " + code[:5] + "-" + code[5:]
}

// printedItems are the items that the invoice was sent with, or else those of its order.
func (s *Server) printedItems(m invoiceModel, doc object, p *pageMaker) []page.Item {
	var out []page.Item
	sent, _ := part(doc, "_payload")["items"].([]any)
	for _, one := range sent {
		item, _ := one.(object)
		origin, icms := part(item, "sourceDocument"), part(part(item, "taxes"), "icms")
		out = append(out, page.Item{
			ICMS: page.Tax{
				Situation: cmp.Or(written(icms["cst"]), written(icms["csosn"])),
				Rate:      written(icms["rate"]), Amount: written(icms["amount"]),
			},
			Origin: written(origin["accessKey"]), OriginItem: written(origin["itemNumber"]),
			Code: written(item["code"]), Description: written(item["description"]),
			NCM: written(item["ncm"]), CFOP: written(item["cfop"]),
			Unit: written(item["unit"]), Quantity: written(item["quantity"]),
			UnitAmount: written(item["unitAmount"]), Amount: written(item["totalAmount"]),
		})
	}
	order, ok := s.get(KindOrders, text(part(doc, "order"), "id"))
	if len(out) > 0 || !ok {
		return out
	}
	for _, group := range groupItems(p.withoutSecrets(order)) {
		if group.model != m {
			continue
		}
		for _, item := range group.items {
			product := part(item, "product")
			description := text(item, "description")
			if description == "" {
				description = text(product, "name")
			}
			out = append(out, page.Item{
				Code: text(product, "code"), Description: description, Quantity: written(item["quantity"]),
				UnitAmount: written(item["price"]), Amount: written(item["amount"]),
			})
		}
	}
	return out
}

// printedTotals are the totals by name, without that of the whole invoice, which has its own place.
func printedTotals(m invoiceModel, totals object) []page.Setting {
	totals = maps.Clone(totals)
	if totals == nil {
		totals = object{}
	}
	if m == modelService {
		setDefault(totals, "issRate", nil)
		setDefault(totals, "issAmount", nil)
	}
	var out []page.Setting
	for _, name := range slices.Sorted(maps.Keys(totals)) {
		value := written(totals[name])
		if withheld, ok := totals[name].(bool); ok {
			value = map[bool]string{true: "sim", false: "não"}[withheld]
		}
		if (value != "" || name == "issRate" || name == "issAmount") && name != "invoiceAmount" {
			out = append(out, page.Setting{Name: name, Value: value})
		}
	}
	return out
}

// indented is JSON with a line for each field; any other text stays as it is.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}
