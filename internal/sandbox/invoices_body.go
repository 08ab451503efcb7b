package sandbox

import (
	"cmp"
	"math/big"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

const (
	integrationIDLimit = 36
	// stateNational is the state of the national environment in the location of a service.
	stateNational = "an"
)

var (
	taxationTypes = []string{
		"taxationInMunicipality", "taxationOutsideMunicipality", "exemption", "immune", "suspendedByCourt",
		"suspendedByAdministrativeProcedure", "exportation", "nonIncidence",
	}
	taxLocations = []string{"companyMunicipality", "customerMunicipality", "serviceProvisionMunicipality"}

	// invoiceEnums are the words of the specification's read shape, and two reported ones of the issuing body.
	invoiceEnums = map[string][]string{
		"operationType": {"incoming", "outgoing"},
		"printingType":  {"none", "portrait", "landscape", "simplified", "consumerInvoice", "electronicMessage"},
		"issueType": {
			"normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt",
		},
		"purposeType": {"normal", "complement", "adjustment", "devolution", "credit", "debit"},
		"debitType": {
			"creditTransferToCooperatives", "creditReversalForExemptOrImmuneOutputs",
			"unprocessedInvoiceDebitInAssessment", "penaltyAndInterest", "creditTransferBySuccession",
			"advancePayment", "inventoryLoss",
		},
		"creditType":       {"finesAndInterest", "appropriation"},
		"govOperationType": {"supply", "receipt"},
	}
	invoiceDestinations = []string{"internal", "interstate", "international"}
	invoicePresences    = []string{
		"none", "presence", "internet", "telephone", "delivery", "othersNonPresenceOperation", outsidePresence,
	}
	paymentMethods = []string{
		"money", "check", "creditCard", "debitCard", "storeCredit", "foodVoucher", "mealVoucher", "giftVoucher",
		"billetBanking", "bankDeposit", "pix", "dynamicPix", "bankTransfer", "fidelityProgram", "commercialDuplicate",
		fiscal.NoPayment, "other",
	}
	simplesAnnexes = []string{"I", "II", "III", "IV", "V"}
)

// payload reads an issuing body into the fields that the invoice takes from it. It sets every such field, so that a
// repeated request replaces the earlier one. It accepts and ignores a status, which only the service controls.
func (m invoiceModel) payload(in *fields) object {
	in.own("status", "issue", "sendEmailToCustomer", "model")
	in.flag("issue")
	in.flag("sendEmailToCustomer")
	doc := object{
		"integrationId":         in.text("integrationId", integrationIDLimit),
		"receiver":              in.party("receiver", m == modelService),
		"additionalInformation": in.text("additionalInformation", 0),
	}
	if id := doc["integrationId"]; id == "" {
		doc["integrationId"] = nil
	}
	doc["issuedOn"], doc["effectiveDate"] = local(in.c.s.clock.Now()), nil
	if t, ok := in.moment("issuedOn"); ok {
		doc["issuedOn"] = local(t)
	}
	if t, ok := in.moment("effectiveDate"); ok {
		doc["effectiveDate"] = local(t)
	}
	doc["_number"] = in.integer("number")
	doc["_payload"] = in.in
	if m == modelService {
		in.serviceInvoice(doc)
	} else {
		in.goodsInvoice(m, doc)
	}
	return doc
}

// serviceInvoice reads the fields that only service invoices have. The description and total.invoiceAmount are
// reported to be required. The service reads "total" and answers "totals", which the specification has in an issuing
// body too: either is taken.
func (f *fields) serviceInvoice(doc object) {
	// Fields of the payload examples, so that one can be sent as it is.
	f.own("provider", "sourceIssuedOn")
	doc["description"] = f.required("description", 0)
	doc["_batchNumber"] = f.integer("batchNumber")
	doc["_rpsNumber"] = f.integer("rpsNumber")
	doc["_rpsSeries"] = f.text("rpsSeries", 0)
	doc["taxationType"] = f.enum("taxationType", taxationTypes...)
	doc["taxLocation"] = f.enum("taxLocation", taxLocations...)
	for _, name := range []string{
		"cnaeCode", "nbsCode", "federalServiceCode", "nationalTaxationCode", "cityServiceCode", "cstPisCofins",
	} {
		doc[name] = f.text(name, 0)
	}
	doc["simplesNacionalAnnex"] = f.enum("simplesNacionalAnnex", simplesAnnexes...)
	doc["approximateTaxes"] = f.raw("approximateTaxes")
	doc["intermediary"] = f.intermediary()
	doc["location"] = f.location("location")
	doc["ibsCbs"] = f.raw("ibsCbs")
	doc["national"] = f.raw("national")
	doc["amount"], doc["totals"] = f.total(true)
}

// goodsInvoice reads the fields that NF-e and NFC-e have. The schema of an NF-e is reported to require
// isFinalCustomer alone.
func (f *fields) goodsInvoice(m invoiceModel, doc object) {
	f.own("environmentType")
	if m == modelProduct {
		f.demand("isFinalCustomer")
	}
	doc["isFinalCustomer"] = f.flag("isFinalCustomer")
	doc["series"] = f.text("series", 3)
	for name, words := range invoiceEnums {
		// Contingency cannot be forced per request (specification, What the service does, rule 8).
		if value := f.enum(name, words...); value != nil && name != "issueType" {
			doc[name] = value
		}
	}
	doc["operationNature"] = f.text("operationNature", 0)
	doc["destination"] = f.enum("destination", invoiceDestinations...)
	doc["presenceType"] = f.enum("presenceType", invoicePresences...)
	if t, ok := f.moment("operationDate"); ok {
		doc["operationDate"] = local(t)
	}
	doc["pickup"] = f.party("pickup", false)
	doc["delivery"] = f.party("delivery", false)
	doc["intermediary"] = f.raw("intermediary")
	doc["govPurchase"] = f.raw("govPurchase")
	doc["authorizedPersons"] = f.raw("authorizedPersons")
	// The read shape of the specification has no items, payments or references.
	doc["_referencedDocuments"] = f.raw("referencedDocuments")
	f.own("transport", "billing", "duplicates")
	for name := range f.in {
		f.known[name] = f.known[name] || isChange(name)
	}
	sum := new(big.Rat)
	items := f.children("items")
	for _, item := range items {
		sum.Add(sum, rational(item.number("totalAmount")))
		item.goods()
	}
	if m == modelProduct {
		f.checkReturn()
	}
	for _, payment := range f.children("payments") {
		payment.paymentMethod()
		payment.number("amount")
		payment.acceptAll()
	}
	doc["amount"], doc["totals"] = f.total(false)
	if doc["amount"] == nil && len(items) > 0 {
		day := cmp.Or(text(doc, "effectiveDate"), text(doc, "issuedOn"))[:len(time.DateOnly)]
		if composed, known := fiscal.ComposedTotal(f.in, day); known {
			sum = composed
		}
		doc["amount"] = money(sum)
	}
}

// goods checks the types of an item's fields. How many fields its schema has is not documented: all others are
// accepted.
func (f *fields) goods() {
	for _, name := range []string{"code", "description", "gtinCode", "ncm", "cest", "unit", "unitTax"} {
		f.text(name, 0)
	}
	for _, name := range []string{"quantity", "unitAmount", "quantityTax", "unitTaxAmount", "discountAmount"} {
		f.number(name)
	}
	f.integer("cfop")
	f.flag("makeupTotal")
	if taxes := f.child("taxes"); taxes != nil {
		for _, name := range []string{"icms", "pis", "cofins", "ipi"} {
			if tax := taxes.child(name); tax != nil {
				for _, amount := range []string{"baseTax", "rate", "amount"} {
					tax.number(amount)
				}
				tax.acceptAll()
			}
		}
		taxes.acceptAll()
	}
	f.acceptAll()
}

// acceptAll accepts every remaining field of a part.
func (f *fields) acceptAll() {
	for name := range f.in {
		f.known[name] = true
	}
}

// paymentMethod reads a method by its name or by the two digits of the authority's table; both are reported, and so is
// that "cash", a word of orders, is refused.
func (f *fields) paymentMethod() {
	if value, ok := f.text("method", 0).(string); ok && len(value) == 2 && strings.Trim(value, "0123456789") == "" {
		return
	}
	f.enum("method", paymentMethods...)
}

// total reads the totals as they are; the authority checks their amounts. It returns the invoice's amount too.
func (f *fields) total(required bool) (amount, totals any) {
	in := f.child("total")
	if in == nil && required {
		in = f.child("totals")
	}
	if in == nil {
		if required {
			f.demand("total")
		}
		return nil, nil
	}
	in.acceptAll()
	amount = in.number("invoiceAmount")
	if required {
		in.demand("invoiceAmount")
	}
	out := wired(in.in)
	if amount != nil {
		out["invoiceAmount"] = amount
	}
	return amount, out
}

// party reads a receiver and its like. The city's code is answered as an integer, the country is a string.
func (f *fields) party(name string, municipal bool) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	out := object{
		"name":             in.text("name", 0),
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 18),
		"stateTaxNumber":   in.stateTax(),
		"suframaTaxNumber": in.text("suframaTaxNumber", 0),
		"cityTaxNumber":    in.text("cityTaxNumber", 20),
		"email":            in.email("email", 0),
		"phoneNumber":      in.phone("phoneNumber", 20),
		"address":          in.partyAddress("address"),
	}
	if name == "pickup" || name == "delivery" { // As a receiver, but without this one (specification).
		delete(out, "suframaTaxNumber")
	}
	if municipal {
		out["municipalTaxNumber"] = in.text("municipalTaxNumber", 20)
		if out["municipalTaxNumber"] == nil {
			out["municipalTaxNumber"] = out["cityTaxNumber"]
		}
	}
	return out
}

// intermediary is a party that has the seller's name at it too.
func (f *fields) intermediary() any {
	party, ok := f.party("intermediary", true).(object)
	if !ok {
		return nil
	}
	in, _ := f.in["intermediary"].(object)
	f.parts[len(f.parts)-1].known["sellerRegistrationId"] = true
	party["sellerRegistrationId"] = in["sellerRegistrationId"]
	return party
}

func (f *fields) partyAddress(name string) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	return object{
		"street":                in.text("street", 100),
		"district":              in.text("district", 100),
		"postalCode":            in.postalCode("postalCode", 15),
		"number":                in.text("number", 10),
		"additionalInformation": in.text("additionalInformation", 150),
		"city":                  cityWithNumber(in.city("city")),
		"country":               in.text("country", 60),
	}
}

// location reads where a service was done: a city, or the state "an" for the national environment.
func (f *fields) location(name string) any {
	in, _ := f.in[name].(object)
	if state, _ := in["state"].(string); !strings.EqualFold(state, stateNational) {
		return cityWithNumber(f.city(name))
	}
	at := f.child(name)
	at.text("state", 0)
	return object{"code": at.integer("code"), "name": at.text("name", 0), "state": stateNational}
}
