package e2e_test

import "github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"

// endpointRow says where an endpoint is in the provider, or why it is not.
type endpointRow struct {
	in   []component
	what string // what the request is for; to read when empty
	why  string
	// test is what exercises an endpoint that no resource and no data source requests.
	test string
}

const (
	companyPart     component = "resource einvoice_company"
	certificatePart component = "resource einvoice_company_certificate"
	settingsPart    component = "resource einvoice_company_settings"
	letterPart      component = "resource einvoice_correction_letter"
	customerPart    component = "resource einvoice_customer"
	declarationPart component = "resource einvoice_inbound_manifestation"
	issuancePart    component = "resource einvoice_invoice_issuance"
	salePart        component = "resource einvoice_order"
	goodsPart       component = "resource einvoice_product"
	webhookPart     component = "resource einvoice_webhook"
	rotationPart    component = "resource einvoice_webhook_secret_rotation"

	companyDataPart         component = "data source einvoice_company"
	companiesDataPart       component = "data source einvoice_companies"
	certificatesDataPart    component = "data source einvoice_company_certificates"
	settingsDataPart        component = "data source einvoice_company_settings"
	customerDataPart        component = "data source einvoice_customer"
	customersDataPart       component = "data source einvoice_customers"
	disablementsDataPart    component = "data source einvoice_disablements"
	inboundDataPart         component = "data source einvoice_inbound_invoice"
	inboundDocumentDataPart component = "data source einvoice_inbound_invoice_document"
	inboundsDataPart        component = "data source einvoice_inbound_invoices"
	syncDataPart            component = "data source einvoice_inbound_sync_status"
	invoiceDataPart         component = "data source einvoice_invoice"
	documentDataPart        component = "data source einvoice_invoice_document"
	invoicesDataPart        component = "data source einvoice_invoices"
	totalsDataPart          component = "data source einvoice_invoice_totals"
	numberingDataPart       component = "data source einvoice_numbering"
	examplesDataPart        component = "data source einvoice_payload_examples"
	orderDataPart           component = "data source einvoice_order"
	ordersDataPart          component = "data source einvoice_orders"
	productDataPart         component = "data source einvoice_product"
	productsDataPart        component = "data source einvoice_products"
	citiesDataPart          component = "data source einvoice_service_cities"
	webhookDataPart         component = "data source einvoice_webhook"
	webhooksDataPart        component = "data source einvoice_webhooks"

	companyListPart  component = "list resource einvoice_company"
	customerListPart component = "list resource einvoice_customer"
	productListPart  component = "list resource einvoice_product"
	webhookListPart  component = "list resource einvoice_webhook"

	secretPart            component = "ephemeral resource einvoice_webhook_secret"
	documentEphemeralPart component = "ephemeral resource einvoice_invoice_document"

	cancelActionPart  component = "action einvoice_invoice_cancel"
	checkActionPart   component = "action einvoice_invoice_check_status"
	letterActionPart  component = "action einvoice_correction_letter"
	manifestationPart component = "action einvoice_inbound_manifest"
	orderActionPart   component = "action einvoice_order_issue_invoices"
	rotateActionPart  component = "action einvoice_webhook_secret_rotate"
	syncActionPart    component = "action einvoice_inbound_sync"
)

// What several rows have in common.
const (
	forIssuing   = "create, and to send a draft or a rejected invoice anew"
	forLookingUp = "all that match, or of a month; and to find an invoice by `integration_id` before it is sent"
	forFollowing = "read and import; and while waiting"
	forCanceling = "destroy with `cancellation_reason`"
	forDraft     = "`issue` of a draft"
	forChecking  = "when nothing has moved for a minute, and before a rejected invoice is sent again"

	whyResend = "It only sends an e-mail again, and is reported, not specified. `sendEmailToCustomer` in the payload and `send_email_to_customer` of an order send it on issuing."
	whyVoid   = "Voiding numbers is a legal act that cannot be undone, and the specification has no operation for it. What was voided is read by [data source `einvoice_disablements`](../data-sources/disablements.md)."
)

// endpointRows has a row for every route of the sandbox, by its pattern.
var endpointRows = map[string]endpointRow{
	"POST /v1/companies":                    {in: []component{companyPart}, what: "create"},
	"GET /v1/companies":                     {in: []component{companiesDataPart, companyDataPart, companyPart, companyListPart}, what: "all, or one by tax number; and import by it"},
	"GET /v1/companies/{id}":                {in: []component{companyPart, companyDataPart}, what: "read and import"},
	"PUT /v1/companies/{id}":                {in: []component{companyPart}, what: "update: the whole record, as read before"},
	"DELETE /v1/companies/{id}":             {in: []component{companyPart}, what: "destroy, once `deletion_protection` is off"},
	"GET /v1/companies/{id}/settings":       {in: []component{settingsPart, settingsDataPart}},
	"PUT /v1/companies/{id}/settings":       {in: []component{settingsPart}, what: "whole blocks, only those that change"},
	"GET /v1/companies/{id}/certificates":   {in: []component{certificatePart, certificatesDataPart}, what: "read, and to adopt one that is registered"},
	"POST /v1/companies/{id}/certificates":  {in: []component{certificatePart}, what: "create"},
	"POST /v1/customers":                    {in: []component{customerPart}, what: "create"},
	"GET /v1/customers":                     {in: []component{customersDataPart, customerDataPart, customerPart, customerListPart}, what: "all, or one by tax number; and import by it"},
	"GET /v1/customers/{id}":                {in: []component{customerPart, customerDataPart}, what: "read and import"},
	"PUT /v1/customers/{id}":                {in: []component{customerPart}, what: "update"},
	"DELETE /v1/customers/{id}":             {in: []component{customerPart}, what: "destroy"},
	"POST /v1/products":                     {in: []component{goodsPart}, what: "create"},
	"GET /v1/products":                      {in: []component{productsDataPart, productDataPart, goodsPart, productListPart}, what: "all, or one by code; and import by it"},
	"GET /v1/products/{id}":                 {in: []component{goodsPart, productDataPart}, what: "read and import"},
	"PUT /v1/products/{id}":                 {in: []component{goodsPart}, what: "update"},
	"DELETE /v1/products/{id}":              {in: []component{goodsPart}, what: "destroy"},
	"POST /v1/webhooks":                     {in: []component{webhookPart}, what: "create"},
	"GET /v1/webhooks":                      {in: []component{webhooksDataPart, webhookDataPart, webhookPart, webhookListPart}, what: "all, or one by event and URL; and import by them"},
	"GET /v1/webhooks/{id}":                 {in: []component{webhookPart, webhookDataPart}, what: "read and import"},
	"PUT /v1/webhooks/{id}":                 {in: []component{webhookPart}, what: "update"},
	"DELETE /v1/webhooks/{id}":              {in: []component{webhookPart}, what: "destroy"},
	"PUT /v1/webhooks/{id}/enable":          {in: []component{webhookPart}, what: "`enabled`, also after the service has disabled it"},
	"PUT /v1/webhooks/{id}/disable":         {in: []component{webhookPart}, what: "`enabled`"},
	"GET /v1/webhooks/secret":               {in: []component{rotationPart, secretPart}, what: "`store_secret`, or without a trace in the state"},
	"POST /v1/webhooks/secret/rotate":       {in: []component{rotationPart, rotateActionPart}, what: "to rotate, once"},
	"POST /v1/orders":                       {in: []component{salePart}, what: "create"},
	"GET /v1/orders":                        {in: []component{ordersDataPart, orderDataPart, salePart}, what: "all, or one by `transaction_id`; and to find the sale by it before it is sent"},
	"GET /v1/orders/{id}":                   {in: []component{salePart, orderDataPart}, what: "read and import"},
	"PUT /v1/orders/{id}/status":            {in: []component{salePart}, what: "`status`"},
	"POST /v1/orders/{id}/invoices/issue":   {in: []component{salePart, orderActionPart}, what: "`issue_invoices` and `effective_date`"},
	"DELETE /v1/orders/{id}/cancel":         {why: "It is reported, not specified, and reported to cancel the invoices without a guarantee. Each invoice is canceled by itself instead, and waited for: `cancellation_reason` of [`einvoice_order`](../resources/order.md) and of [`einvoice_invoice_issuance`](../resources/invoice_issuance.md)."},
	"POST /v1/service-invoices":             {in: []component{issuancePart}, what: forIssuing},
	"POST /v1/product-invoices":             {in: []component{issuancePart}, what: forIssuing},
	"POST /v1/consumer-invoices":            {in: []component{issuancePart}, what: forIssuing},
	"GET /v1/service-invoices":              {in: []component{invoicesDataPart, invoiceDataPart, totalsDataPart, numberingDataPart, issuancePart}, what: forLookingUp},
	"GET /v1/product-invoices":              {in: []component{invoicesDataPart, invoiceDataPart, totalsDataPart, numberingDataPart, issuancePart}, what: forLookingUp},
	"GET /v1/consumer-invoices":             {in: []component{invoicesDataPart, invoiceDataPart, totalsDataPart, numberingDataPart, issuancePart}, what: forLookingUp},
	"GET /v1/service-invoices/{id}":         {in: []component{issuancePart, invoiceDataPart}, what: forFollowing},
	"GET /v1/product-invoices/{id}":         {in: []component{issuancePart, invoiceDataPart}, what: forFollowing},
	"GET /v1/consumer-invoices/{id}":        {in: []component{issuancePart, invoiceDataPart}, what: forFollowing},
	"DELETE /v1/service-invoices/{id}":      {in: []component{issuancePart, salePart, cancelActionPart}, what: forCanceling},
	"DELETE /v1/product-invoices/{id}":      {in: []component{issuancePart, salePart, cancelActionPart}, what: forCanceling},
	"DELETE /v1/consumer-invoices/{id}":     {in: []component{issuancePart, salePart, cancelActionPart}, what: forCanceling},
	"POST /v1/service-invoices/{id}/issue":  {in: []component{issuancePart}, what: forDraft},
	"POST /v1/product-invoices/{id}/issue":  {in: []component{issuancePart}, what: forDraft},
	"POST /v1/consumer-invoices/{id}/issue": {in: []component{issuancePart}, what: forDraft},

	"POST /v1/service-invoices/{id}/check-status":  {in: []component{issuancePart, checkActionPart}, what: forChecking},
	"POST /v1/product-invoices/{id}/check-status":  {in: []component{issuancePart, checkActionPart}, what: forChecking},
	"POST /v1/consumer-invoices/{id}/check-status": {in: []component{issuancePart, checkActionPart}, what: forChecking},
	"POST /v1/service-invoices/{id}/resend-email":  {why: whyResend},
	"POST /v1/product-invoices/{id}/resend-email":  {why: whyResend},
	"POST /v1/consumer-invoices/{id}/resend-email": {why: whyResend},
	"GET /v1/service-invoices/{id}/pdf":            {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"GET /v1/service-invoices/{id}/xml":            {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"GET /v1/product-invoices/{id}/pdf":            {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"GET /v1/product-invoices/{id}/xml":            {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"GET /v1/consumer-invoices/{id}/pdf":           {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"GET /v1/consumer-invoices/{id}/xml":           {in: []component{documentDataPart, documentEphemeralPart}, what: "read, or without a trace in the state"},
	"POST /v1/product-invoices/{id}/corrections":   {in: []component{letterPart, letterActionPart}, what: "to send a letter, once"},

	"GET /v1/product-invoices/disablements":                      {in: []component{disablementsDataPart, numberingDataPart}},
	"GET /v1/consumer-invoices/disablements":                     {in: []component{numberingDataPart}, what: "read. The specification has this list for NF-e alone; a service without it is warned of"},
	"POST /v1/product-invoices/disablement":                      {why: whyVoid},
	"POST /v1/consumer-invoices/disablement":                     {why: whyVoid},
	"GET /v1/service-invoices/cities":                            {in: []component{citiesDataPart}},
	"GET /v1/inbound-product-invoices":                           {in: []component{inboundsDataPart}, what: "all pages, by cursor"},
	"GET /v1/inbound-product-invoices/{id}":                      {in: []component{inboundDataPart}},
	"GET /v1/inbound-service-invoices/{id}":                      {in: []component{inboundDataPart}},
	"GET /v1/inbound-product-invoices/{id}/pdf":                  {in: []component{inboundDocumentDataPart}},
	"GET /v1/inbound-product-invoices/{id}/xml":                  {in: []component{inboundDocumentDataPart}},
	"GET /v1/inbound-service-invoices/{id}/pdf":                  {in: []component{inboundDocumentDataPart}},
	"GET /v1/inbound-service-invoices/{id}/xml":                  {in: []component{inboundDocumentDataPart}},
	"GET /v1/inbound-product-invoices/sync-status":               {in: []component{syncDataPart}},
	"POST /v1/inbound-product-invoices/sync":                     {in: []component{syncActionPart}, what: "to search now", test: "TestInboundSyncAction"},
	"POST /v1/inbound-product-invoices/{id}/manifest":            {in: []component{declarationPart, manifestationPart}, what: "to answer an NF-e", test: "TestInboundManifestAction"},
	"GET /v1/service-invoices/cities/{cityCode}/payload-example": {in: []component{examplesDataPart}},
}

// computedRows are the parts of the provider that send nothing.
var computedRows = []struct {
	in   component
	what string
}{
	{"function access_key_parse", "takes the access key of an NF-e or NFC-e apart, 44 digits, and checks its last one"},
	{"function tax_number_normalize", "a CPF or CNPJ without punctuation, as it is sent"},
	{"function tax_number_kind", "tells a CPF, a CNPJ and a foreign document apart"},
	{"function rejection_explain", "what the code of a rejection means, why it is given, and what to do"},
	{"function payload", "the payload of an invoice from an object, spelled as it is sent"},
	{"function payload_check", "what is wrong with a payload, by rules with their sources"},
	{"function integration_id", "an `integrationId` of 36 characters from your own keys, the same every time"},
}

// shapePlace is a component that shows an object, below a path that ends in a
// period or is empty.
type shapePlace struct {
	component component
	under     string
}

// shapeRow says where the fields of an object are. An attribute has the field's
// name in snake case, unless it is renamed.
type shapeRow struct {
	in      []shapePlace
	renamed map[string]string
	// unfilled are fields that one of the components has an attribute for, which no answer fills.
	unfilled map[string]component
	text     string // below the table
}

var shapeRows = map[string]shapeRow{
	"Customer": {in: []shapePlace{{customerPart, ""}, {customerDataPart, ""}, {customersDataPart, "customers."}}},
	"Company": {
		in:      []shapePlace{{companyPart, ""}, {companyDataPart, ""}, {companiesDataPart, "companies."}},
		renamed: map[string]string{"apiCredentials.apiKey": "api_key"},
		text: "`api_key` holds the key of the creation for good; later answers show it masked, which is `api_key_masked`. " +
			"Fields that have no attribute can be sent by `extra_json`, here and in a customer, a product and an order.",
	},
	"Company settings": {
		in: []shapePlace{{settingsPart, ""}, {settingsDataPart, ""}},
		text: "The data of the technical responsible (`infRespTec`) is `general.technical_responsible`. A secret may also be given by `secrets`, which reaches no state. " +
			"Settings that have no attribute are sent back as they were read, and `extra_json` sets them. The CSRTs of the technical responsible, of which no form is shown, are a JSON text: `secrets.csrts_wo`.",
	},
	"Certificate": {
		in: []shapePlace{{certificatePart, ""}, {certificatesDataPart, "certificates."}}, renamed: map[string]string{"expirationAt": "expires_at"},
		text: "What is uploaded, the only multipart form of the interface, is `pfx_base64_wo` and `password_wo`.",
	},
	"Product": {in: []shapePlace{{goodsPart, ""}, {productDataPart, ""}, {productsDataPart, "products."}}},
	"Webhook": {
		in: []shapePlace{{webhookPart, ""}, {webhookDataPart, ""}, {webhooksDataPart, "webhooks."}},
		text: "The secret of the account is `secret` of [`einvoice_webhook_secret_rotation`](../resources/webhook_secret_rotation.md) and of the " +
			"[ephemeral resource `einvoice_webhook_secret`](../ephemeral-resources/webhook_secret.md), which reaches no state. The window of a rotation is `window_hours`.",
	},
	"Order": {
		in: []shapePlace{{salePart, ""}, {orderDataPart, ""}, {ordersDataPart, "orders."}},
		text: "Each of `invoices` shows `number` and `access_key` too, as read from the invoice. The `effectiveDate` of an explicit issue is `effective_date`. " +
			"The names of transport data and of a recurring order's mode are not shown; `extra_json` can send them.",
	},
	"Invoice": {
		in: []shapePlace{{invoiceDataPart, ""}, {invoicesDataPart, "invoices."}},
		text: "[`einvoice_invoice_issuance`](../resources/invoice_issuance.md) shows those that an issuance is about. What is sent is `payload_json`, in the service's own field names: " +
			"all emission fields can be in it, those that were added later as well (`ibsStateRedRate`, `ibsCityRedRate` and `cbsRedRate` of the totals of an NFS-e; `singleStageRetQuantityTax`, " +
			"`singleStageRetAdRemRate` and `singleStageRetAmount` of items; `authorizedPersons`; intermediary data; `rpsNumber`, `rpsSeries`, `batchNumber` and `cstPisCofins`). " +
			"What an answer holds beyond the table is in `raw_json`.",
	},
	"Inbound invoice": {
		in: []shapePlace{{inboundDataPart, ""}, {inboundsDataPart, "invoices."}},
		// The list is of NF-e alone.
		unfilled: map[string]component{"manifestation.reasonCode": inboundsDataPart},
		text: "The specification gives `company`, `events`, `number`, `serviceDescription`, `serviceLocation`, `role` and more of the issuer to webhook payloads alone, and the " +
			"inbound event object (`id`, `type`, `eventCode`, `sequenceNumber`, `date`, `protocol`, `description`) too. A provider receives no webhooks; " +
			"where a read answers them all the same, they are in `raw_json`.",
	},
	"Disablement":         {in: []shapePlace{{disablementsDataPart, "disablements."}}},
	"Inbound sync status": {in: []shapePlace{{syncDataPart, ""}}, text: "`healthy` and `advice` say what the outcome means."},
	"Correction letter":   {in: []shapePlace{{letterPart, ""}}},
	"Integrated city": {
		in:      []shapePlace{{citiesDataPart, "cities."}},
		renamed: map[string]string{"provider.name": "provider_name", "provider.options": "provider_options_json"},
	},
	"Payload example": {in: []shapePlace{{examplesDataPart, "examples."}}, text: "The body itself is `body_json`, to be merged with fields of your own and issued."},
}

// wordRow says where the values of an enum are.
type wordRow struct {
	where string
	in    component
	// attribute is where the values come to in a state, unless test names what
	// exercises them.
	attribute string
	test      string
	meaning   map[string]string
}

var wordRows = map[string]wordRow{
	"Invoice status": {
		where: "`status`", in: invoicesDataPart, attribute: "invoices.status",
		meaning: map[string]string{
			"created":      "A draft, or an order's invoice before its trigger. Waited on by nobody: `issue`, `issue_invoices` or the order's `status` moves it.",
			"enqueued":     "Waited on.",
			"received":     "Waited on. Which transitions lead to it is not shown.",
			"authorized":   "The end of an issuance.",
			"inContingent": "Waited on, or the end where `accept_contingency` is true. It cannot be canceled, and the error says so.",
			"rejected":     "An error with code, message and what to do; with a transient code it is waited on. The next apply sends it again under the same id.",
			"canceled":     "The end of a cancellation. Otherwise an error: a new `integration_id` is needed.",
			"denied":       "An error: a new `integration_id` is needed.",
			"removed":      "The same. An issued invoice that the service no longer finds is kept as `removed`, with a warning.",
			"disabled":     "An error: a new `integration_id` is needed.",
		},
	},
	"Invoice processingDetail.status": {
		where: "`processing_detail.status`", in: invoicesDataPart, attribute: "invoices.processing_detail.status",
		meaning: map[string]string{
			"success":    "No verdict: a rejected invoice has it too.",
			"processing": "No verdict.",
			"failed":     "No verdict either: the wait goes on, and an error at its end names it.",
		},
	},
	"Invoice model":            {where: "`model`", in: invoicesDataPart, attribute: "invoices.model"},
	"Invoice environmentType":  {where: "`environment_type`", in: invoicesDataPart, attribute: "invoices.environment_type"},
	"Invoice operationType":    {where: "`operation_type`", in: invoicesDataPart, attribute: "invoices.operation_type"},
	"Invoice printingType":     {where: "`printing_type`", in: invoicesDataPart, attribute: "invoices.printing_type"},
	"Invoice issueType":        {where: "`issue_type`", in: invoicesDataPart, attribute: "invoices.issue_type"},
	"Invoice purposeType":      {where: "`purpose_type`", in: invoicesDataPart, attribute: "invoices.purpose_type"},
	"Invoice debitType":        {where: "`debit_type`", in: invoicesDataPart, attribute: "invoices.debit_type"},
	"Invoice creditType":       {where: "`credit_type`", in: invoicesDataPart, attribute: "invoices.credit_type"},
	"Invoice govOperationType": {where: "`gov_operation_type`", in: invoicesDataPart, attribute: "invoices.gov_operation_type"},
	"Order autoIssueMode": {
		where: "`auto_issue_mode`", in: salePart, attribute: "auto_issue_mode",
		meaning: map[string]string{
			"immediately":   "The invoices are issued and waited for in the apply that records the sale.",
			"afterPayment":  "They are issued and waited for in the apply that makes `status` `approved`.",
			"afterWarrency": "The service issues them after `warranty_date`; no apply waits so long, and a refresh shows them.",
			"disabled":      "They are issued when `issue_invoices` becomes true.",
		},
	},
	"Order status": {
		where: "`status`", in: salePart, attribute: "status",
		meaning: map[string]string{"approved": "Issues an order with `afterPayment`. Other words are reported, so they are taken, with a warning where they are not known."},
	},
	"Inbound invoice status":               {where: "`status`, and the filter `statuses`", in: inboundsDataPart, attribute: "invoices.status"},
	"Inbound invoice model":                {where: "`model`", in: inboundDataPart, attribute: "model"},
	"Inbound invoice manifestation.status": {where: "`manifestation.status`, and the filter `manifestation_status`", in: inboundsDataPart, attribute: "invoices.manifestation.status"},
	"Inbound sync status lastAttemptOutcome": {
		where: "`last_attempt_outcome`; `advice` has a text for each", in: syncDataPart, test: "TestAccInboundSyncStatusDataSource_readsAndAdvises",
	},
	"Disablement status": {where: "`status`, and the filter of that name", in: disablementsDataPart, attribute: "disablements.status"},
	"Webhook event": {
		where: "`event`", in: webhookPart, attribute: "event",
		meaning: map[string]string{
			"invoice.status_changed":    "Any change of an invoice's status.",
			"invoice.authorized":        "An invoice was authorized.",
			"invoice.rejected":          "An invoice was rejected.",
			"invoice.canceled":          "An invoice was canceled.",
			"invoice.contingency":       "An invoice was issued in contingency.",
			"inbound_invoice.detected":  "An inbound invoice was found.",
			"inbound_invoice.completed": "The whole XML of an inbound NF-e was released. Never sent for NFS-e.",
			"inbound_invoice.event":     "Something happened to an inbound invoice.",
		},
	},
}

// testedRow is a row that a test of its own exercises.
type testedRow struct{ what, text, test string }

// transitionRows say what the provider makes of each transition.
var transitionRows = map[sandbox.Transition]testedRow{
	{From: "", Trigger: "issuing request", To: "enqueued"}: {
		text: "[`einvoice_invoice_issuance`](../resources/invoice_issuance.md), or [`einvoice_order`](../resources/order.md): after a look-up, once.",
		test: "TestAccIssuance_fromARefusalToItsEnd",
	},
	{From: "created", Trigger: "explicit issue or automatic trigger", To: "enqueued"}: {
		text: "`issue` of a draft; `issue_invoices`, or `status` of an order.", test: "TestIssuance_draftIsIssuedInPlace",
	},
	{From: "enqueued", Trigger: "authority accepts", To: "authorized"}: {
		text: "The wait ends well.", test: "TestAccIssuance_fromARefusalToItsEnd",
	},
	{From: "enqueued", Trigger: "authority or service refuses", To: "rejected"}: {
		text: "An error with code, message, kind and action.", test: "TestIssuance_rejectionLeavesNothingInState",
	},
	{From: "enqueued", Trigger: "authority unavailable (NFC-e)", To: "inContingent"}: {
		text: "Waited on, or accepted by `accept_contingency`. It needs `allow_offline_contingency`, `token_id` and `csc` in the settings, which is checked while planning.",
		test: "TestIssuance_contingencyIsWaitedOutUnlessAccepted",
	},
	{From: "inContingent", Trigger: "transmitted later, accepted", To: "authorized"}: {
		text: "The wait ends well; where it was accepted before, the next refresh shows it.", test: "TestIssuance_contingencyIsWaitedOutUnlessAccepted",
	},
	{From: "inContingent", Trigger: "transmitted later, refused", To: "rejected"}: {
		text: "An error as for any rejection; where it was accepted before, a warning in every plan.", test: "TestAccCoverage_everyCodeAndTransitionIsMet",
	},
	{From: "rejected", Trigger: "check-status", To: "the authority's result"}: {
		text: "Asked before a rejected invoice is sent again, and of one that is stale.", test: "TestAccCoverage_everyCodeAndTransitionIsMet",
	},
	{From: "authorized", Trigger: "cancellation", To: "canceled"}: {
		text: "Destroy with an applied `cancellation_reason`, followed until `canceled`.", test: "TestIssuance_destroyDoesWhatThePlanHasSaid",
	},
}

// codeRows say what the provider makes of each status and code of an error.
var codeRows = []testedRow{
	{"400", "An error on the attribute that the message is about, with the service's words. Of check-status on a queued invoice: waited on.", "TestAccIssuance_fromARefusalToItsEnd"},
	{"403", "An error: the key is missing, wrong, revoked, of the other environment, or of a company that may not do this.", "TestAccAlias_wrongKeySaysWhatToCheck"},
	{"429", "Waited out as long as the service says, then sent again: the request was not processed.", "TestAccFaultMatrix"},
	{"429 of the inbound search", "`Retry-After`, `retryAfterSeconds` and `nextAllowedSyncAt` are all understood.", "TestInboundSyncAction"},
	{"any other", "404 may mean that an object is gone, which must be proven; 401 is met as 403. The guide [Reliability](reliability.md) has the rest.", "TestAccFaultMatrix"},
	{"numeric, E9999", "Rejected by the tax authority. An error with its text; correct what it names and apply again.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD001", "Waited on, with a check-status now and then.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD002", "The cancellation is waited on, and not asked for twice.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD003", "An error; correct the payload and apply again.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD004", "Looked up and adopted.", "TestAccTwoRuns_issueOnce"},
	{"SPD005", "An error; the operation does not apply.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD006", "Waited on.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD998", "Waited on; never issued again.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
	{"SPD999", "Waited on; never issued again.", "TestAccCoverage_everyCodeAndTransitionIsMet"},
}

// limitRows say how the provider keeps each limit.
var limitRows = []testedRow{
	{"60 requests a minute, 5 a second, with their headers", "Kept for all runs of a machine by `requests_per_minute` and `requests_per_second`; the headers are obeyed.", "TestAccRateLimit_isKeptOverPlanApplyAndAliases"},
	{"Pages: `page`, `pageSize`, `totalCount`, `pageCount`, `hasNext`, `items`", "Every list is read to its end, or to `limit`.", "TestLists_readAllPages"},
	{"Cursor: `cursor`, `nextCursor`, `hasNext`, at most 200 items", "Followed as it is, to the end or to `limit`.", "TestAccInboundInvoicesDataSource_walksTheCursor"},
	{"Interval between inbound searches", "Shown as `next_allowed_sync_at`; the action `einvoice_inbound_sync` waits for its end within its `timeout`.", "TestAccInboundSyncStatusDataSource_readsAndAdvises"},
	{"Lengths of a customer's fields", "Checked while planning.", "TestCustomer_refusesWrongValuesWhilePlanning"},
	{"Correction letter, 15 to 1000 characters", "Checked while planning, counting characters.", "TestAccCorrectionLetter_wrongValues"},
	{"Window of a rotation, at most 72 hours", "Checked while planning.", "TestAccWebhookSecretRotation_validatesWhilePlanning"},
	{"Access key, 44 or 50 digits", "Checked where it is a filter; `access_key_parse` takes one of 44 apart.", "TestAccInboundInvoicesDataSource_wrongValues"},
}

// ruleRows say what the provider makes of the rules that are no endpoint, field
// or state of their own.
var ruleRows = []testedRow{
	{"A 2xx to an issuing request is no authorization", "The invoice is followed by reads until it is settled. Webhooks are for your own systems; no receiver is needed.", "TestAccIssuance_fromARefusalToItsEnd"},
	{"`status` is never sent", "`payload_json` with a `status` is refused while planning.", "TestIssuance_refusesWrongValuesInPlan"},
	{"A city is a code, or a name with its state", "Either form is taken in every address; what the service resolves is shown.", "TestAccCompany_planIsEmptyForEverySpelling"},
	{"A company's key is shown once, by its creation", "Kept in `api_key`, and never replaced by a mask.", "TestAccCompany_keepsTheWholeKey"},
	{"Only the main company's key manages companies", "A 403 says so.", "TestCompany_saysWhyItCannotBeCreated"},
	{"A webhook may be disabled after failed deliveries", "It shows as drift, and apply enables it again.", "TestAccWebhook_enablesAgainWhatTheServiceDisabledAndRecreatesWhatVanished"},
	{"Each correction letter is a new event", "It is sent once, and never again on an answer that was lost.", "TestAccCorrectionLetter_aLostAnswerIsNeverSentAgain"},
	{"Offline contingency needs `tokenId` and `csc`", "Checked while planning, or before the settings are written.", "TestCompanySettings_offlineContingencyNeedsTokenAndCode"},
	{"Returns of an NF-e name the origin of each item", "Warned of while planning, from the two dates on; the service decides.", "TestIssuance_returnsAreCheckedInPlanAndByTheService"},
	{"An example may be empty, and may lack fields", "An empty list is normal; the city still issues.", "TestPayloadExamplesDataSource_readsTheExamplesOfACity"},
}
