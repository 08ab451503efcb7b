package sandbox

import "slices"

// The interface as data, for tests to compare with: what the specification shows besides the routes. Assumed fields
// are not in it; integrations report them.

// Shape is an object of the service. A field is named by its path, such as "address.city.code".
type Shape struct {
	Name string
	// Kind is the kind of document, empty if the store has none.
	Kind string
	// Fields are those that the specification names.
	Fields  []string
	Assumed []string
}

// Words are the values of an enum.
type Words struct {
	// Name is the shape and the field.
	Name  string
	Words []string
}

// below puts a path in front of names.
func below(path string, names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = path + "." + name
	}
	return out
}

var (
	streetFields = []string{
		"street", "district", "postalCode", "number", "additionalInformation", "city.code", "city.name", "city.state",
	}
	addressFields = slices.Concat(streetFields, []string{"country.name", "country.code"})
	partyFields   = slices.Concat(
		[]string{"name", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber", "email", "phoneNumber"},
		below("address", streetFields...), []string{"address.country"},
	)
)

// Shapes returns the objects of the service (specification, Resources and their fields).
func Shapes() []Shape {
	return []Shape{
		{
			Name: "Customer", Kind: KindCustomers,
			Fields: slices.Concat(
				[]string{"id", "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber"},
				[]string{"email", "phone", "mobilePhone"},
				below("address", addressFields...), []string{"address.cityName"},
			),
		},
		{
			Name: "Company", Kind: KindCompanies,
			Fields: []string{
				"id", "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber",
				"apiCredentials.apiKey",
			},
			Assumed: slices.Concat(
				[]string{"email", "phone", "mobilePhone"}, below("address", addressFields...),
				[]string{"taxRegime", "economicActivities.code", "economicActivities.type"},
			),
		},
		{
			Name:   "Company settings",
			Fields: below("consumerInvoice", "allowOfflineContingency", "tokenId", "csc"),
			Assumed: slices.Concat(
				below("consumerInvoice", "series", "nextNumber", "environmentType"),
				below("general", "allowDuplicateFederalTaxNumbers", "allowNaturalPersonCompany",
					"allowMultipleInvoiceModelsPerOrder", "decimalPrecision", "taxReformFieldsEnabled"),
				below("general.technicalResponsible", "federalTaxNumber", "contactName", "email", "phone"),
				below("productInvoice", "series", "nextNumber", "environmentType", "danfePrintLayout",
					"inbound.enabled", "inbound.startDate"),
				below("serviceInvoice", "series", "nextNumber", "nextBatchNumber", "environmentType", "issueType",
					"userName", "password", "authNumber", "sendCityTaxNumber"),
			),
		},
		{
			Name: "Certificate", Kind: KindCertificates,
			Assumed: []string{"id", "subject", "issuer", "expirationAt", "isActive"},
		},
		{
			Name: "Product", Kind: KindProducts,
			Fields:  []string{"id"},
			Assumed: []string{"name", "code", "price", "invoiceModel"},
		},
		{
			Name: "Webhook", Kind: KindWebhooks,
			Fields:  []string{"id", "event", "url"},
			Assumed: []string{"enabled"},
		},
		{
			Name: "Order", Kind: KindOrders,
			Fields: []string{"id", "autoIssueMode", "status"},
			Assumed: slices.Concat(
				[]string{"transactionId", "date", "amount", "discountAmount", "freightAmount", "paymentMethod"},
				[]string{"warrantyDate", "sendEmailToCustomer"},
				below("customer", "name", "federalTaxNumber", "email"), below("customer.address", addressFields...),
				below("items", "quantity", "price", "amount", "discountAmount", "freightAmount"),
				below("items.product", "code", "name", "price", "invoiceModel"),
				below("invoices", "id", "model", "status"),
			),
		},
		invoiceShape(),
		{
			Name: "Inbound invoice", Kind: KindInbound,
			Fields: slices.Concat(
				[]string{"id", "model", "environmentType", "accessKey", "nsu", "isComplete", "status"},
				[]string{"issuedOn", "amount", "operationType"},
				below("issuer", "name", "legalName", "federalTaxNumber"),
				below("manifestation", "status", "date", "justification", "protocol", "reasonCode"),
				[]string{"creationTime", "lastModificationTime"},
			),
		},
		{
			Name: "Disablement", Kind: KindDisablements,
			Fields: []string{
				"id", "identifier", "date", "initialNumber", "finalNumber", "series", "reason",
				"protocolNumber", "status", "environment", "messageCode", "messageText",
			},
		},
		{
			Name: "Inbound sync status",
			Fields: []string{
				"lastNsu", "lastSyncAt", "nextAllowedSyncAt",
				"lastAttemptOutcome", "lastAttemptMessage", "lastAttemptAt",
			},
		},
		{
			Name:   "Correction letter",
			Fields: []string{"letter", "eventId"},
		},
		{
			Name:    "Integrated city",
			Fields:  []string{"nationalServiceInvoiceRegimes"},
			Assumed: []string{"code", "name", "state", "provider.name", "provider.options"},
		},
		{
			Name:   "Payload example",
			Fields: []string{"provider", "sourceIssuedOn"},
		},
	}
}

// invoiceShape is the read shape of all three models; the last three are of service invoices alone.
func invoiceShape() Shape {
	return Shape{
		Name: "Invoice", Kind: KindProductInvoices,
		Fields: slices.Concat(
			[]string{"id", "integrationId", "status", "model", "environmentType", "issuedOn", "effectiveDate"},
			below("receiver", partyFields...), []string{"receiver.suframaTaxNumber"},
			below("company", "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber"),
			below("order", "id", "date", "transactionId"),
			below("authorization", "date", "protocol", "digestValue"),
			below("cancellation", "date", "protocol", "justification"),
			[]string{"amount", "number"},
			below("processingDetail", "status", "message", "code", "on"),
			[]string{"isFromApi", "accessKey", "series", "operationType", "printingType", "issueType", "purposeType"},
			below("pickup", partyFields...), below("delivery", partyFields...),
			[]string{"debitType", "creditType", "govPurchase.type", "govPurchase.rate", "govOperationType"},
			[]string{"contingency.date", "contingency.reason", "authorizedPersons"},
			[]string{"rps.number", "rps.series", "batchNumber", "receiver.municipalTaxNumber"},
		),
	}
}

// Vocabulary returns the enums of the specification.
func Vocabulary() []Words {
	return []Words{
		{"Invoice status", []string{
			statusCreated, statusEnqueued, statusReceived, statusAuthorized, statusInContingent,
			statusRejected, statusCanceled, statusDenied, statusRemoved, statusDisabled,
		}},
		{"Invoice processingDetail.status", []string{detailSuccess, detailProcessing, detailFailed}},
		{"Invoice model", []string{modelProduct.name, modelConsumer.name, modelService.name}},
		{"Invoice environmentType", environmentTypes},
		{"Invoice operationType", invoiceEnums["operationType"]},
		{"Invoice printingType", invoiceEnums["printingType"]},
		{"Invoice issueType", invoiceEnums["issueType"]},
		{"Invoice purposeType", invoiceEnums["purposeType"]},
		{"Invoice debitType", invoiceEnums["debitType"]},
		{"Invoice creditType", invoiceEnums["creditType"]},
		{"Invoice govOperationType", invoiceEnums["govOperationType"]},
		{"Order autoIssueMode", []string{issueImmediately, issueAfterPayment, issueAfterWarranty, issueDisabled}},
		{"Order status", []string{orderApproved}},
		{"Inbound invoice status", inboundStates},
		{"Inbound invoice model", []string{modelProduct.name, modelService.name}},
		{"Inbound invoice environmentType", environmentTypes},
		{"Inbound invoice operationType", invoiceEnums["operationType"]},
		{"Inbound invoice manifestation.status", manifestationStates},
		{"Inbound invoice event type", inboundEventTypes},
		{"Inbound sync status lastAttemptOutcome", []string{
			syncNeverAttempted, syncSynchronized, syncUpToDate, "throttledByAuthority", "communicationFailure",
			"unexpectedResponse", syncApplyFailure, syncCertificateMissing, "unexpectedError",
		}},
		{"Disablement status", disablementStates},
		{"Disablement environment", environmentTypes},
		{"Webhook event", webhookEvents},
	}
}
