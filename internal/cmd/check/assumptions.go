package main

// assumption is something that the provider takes for granted and that the interface
// does not show. The page "Interface coverage" and the check program go by the list.
type assumption struct {
	ID        string
	Text      string
	Evidence  string // the section of the interface that leaves it open, or who reports it
	Otherwise string // what the provider does where it is not so
}

// assumptions are all of them.
var assumptions = []assumption{
	{
		"customers_are_paged",
		"The list of customers is paged. The interface samples a single customer.",
		"Pagination envelopes; Endpoints",
		"A bare array and a single customer are read too. A single other customer does not prove that one is gone.",
	},
	{
		"lists_have_items", "A list is an object with items, or an array.", "Pagination envelopes",
		"A list in another form is an error that says what came. It is never taken for an empty one.",
	},
	{
		"page_size_100", "A list takes pages of 100 objects.", "Limits",
		"The provider reads smaller pages. If the size is refused, it leaves the size to the service.",
	},
	{
		"lists_end", "hasNext or the counts tell whether another page follows.", "Pagination envelopes",
		"Without them a page that is not full ends the list. " +
			"A list that repeats a page, or that has not ended after a minute, is an error.",
	},
	{
		"lists_lag_briefly",
		"A list shows a new or changed object after some seconds at most. A read by id shows it at once.",
		integrations,
		"After a lost response the provider looks for 20 seconds before it sends again. " +
			"A list that lags longer can lead to a duplicate.",
	},
	{
		"results_are_bare", "Objects come bare.", vendor,
		"The wrapper result is taken off, and data where it clearly is one.",
	},
	{
		"success_false_is_a_refusal",
		"A 2xx with {success: false} is a refusal, and a 2xx without a body is a success.",
		vendor,
		"An answer that does not show the object is followed by a read. A deletion that is answered so counts as done.",
	},
	{
		"scalars_vary",
		"Identifiers, codes, numbers, dates and flags may be strings or numbers. " +
			"An enumeration that was never set is 0.",
		integrations,
		"Both spellings are read. 0 is read as null.",
	},
	{
		"empty_is_null",
		"Null, a member that is left out, and a text or object without a value say the same: nothing.",
		integrations,
		"An object whose members are all empty is read as null too.",
	},
	{
		"dates_without_offset_are_local", "A date without an offset is São Paulo's time.", "one integration",
		"Dates would be wrong by three hours, and a period for canceling would be said to end at another time.",
	},
	{
		"ids_ignore_case", "Ids are UUIDs: two spellings that differ in case are one object.", "Conventions",
		"Two objects whose ids differ in case alone would be taken for one.",
	},
	{
		"masks_have_a_mask_character",
		"A masked key or secret has an asterisk or another mask character in it.",
		integrations,
		"A mask without one would be taken for the secret: a new key that the service does not accept is an error.",
	},
	{
		"values_are_kept", "A customer, product or webhook is stored as it was sent.", "Resources and their fields",
		"The write and each plan that repeats it warn of a value that is stored otherwise, in capitals for example.",
	},
	{
		"keys_may_repeat",
		"Two customers may have the same tax number, two products the same code, two webhooks the same event and url.",
		"Resources and their fields",
		"The service's refusal is the error: import the object that is there. " +
			"If the service answers with the first object, two blocks manage the same one.",
	},
	{
		"update_merges_or_replaces", "A PUT of a customer, product or webhook merges or replaces.", "Endpoints",
		"The provider reads the object, sends it back whole, and sends null for what was given up. " +
			"It warns of a value that is stored otherwise.",
	},
	{
		"update_keeps_unknown_fields",
		"An update keeps fields that nobody documents when they are sent back.",
		"Resources and their fields",
		"The write and each plan that repeats it warn of a value that is stored otherwise.",
	},
	{
		"product_fields", "A product has name, code, price and invoiceModel.", vendor,
		"A field that the service ignores is a warning after the write.",
	},
	{
		"webhook_fields",
		"A webhook has event, url and enabled. A PUT changes event and url, and enable and disable the rest.",
		vendor,
		"A webhook that shows no enabled is taken for enabled. A switch without effect shows in the next plan.",
	},
	{
		"company_put_replaces", "A PUT of a company replaces the whole record.", integrations,
		"The provider reads the company and sends the whole record back, which is right where the PUT merges too.",
	},
	{
		"company_is_unique", "A second company with the same tax number is refused.", vendor,
		"A second company is found by the same tax number: the provider names both and adopts none.",
	},
	{
		"company_fields",
		"A company has email, phone, mobilePhone, address, taxRegime and economicActivities with code and type.",
		vendor,
		"A field that the service ignores is a warning after the write.",
	},
	{
		"settings_put_keeps_other_blocks",
		"A PUT of the settings leaves the blocks alone that it does not send.",
		integrations,
		"The provider reads the settings after the write. " +
			"If it has reset blocks, all blocks are sent once more in the same apply. " +
			"A secret in them that the provider does not know is lost: an error names it, and so does each later plan.",
	},
	{
		"settings_put_replaces_a_block", "Inside a block that is sent, a PUT of the settings replaces.", integrations,
		"The provider sends whole blocks, which is right where it merges too.",
	},
	{
		"settings_hide_secrets", "The settings show csc, password and csrts masked, or not at all.", "Company",
		"They may also come in clear. A mask with a mask character, or a value under 8 characters, which may be cut, " +
			"is never written back: configure such a secret before you change its block.",
	},
	{
		"settings_fields",
		"The blocks of the settings have the fields that einvoice_company_settings lists.",
		integrations,
		"The read after the write shows a field that was ignored, and the provider warns of it.",
	},
	{
		"certificate_form",
		"A certificate is uploaded as a form with the parts certificateFile and password.",
		integrations,
		"The service's refusal is the error.",
	},
	{
		"certificate_registered",
		"A certificate that the company has already is refused with 400 and words that say so.",
		integrations,
		"The service's refusal is the error.",
	},
	{
		"cancel_takes_reason", "A cancellation is sent with {reason}, and is decided later.", vendor,
		"The service's refusal is the error, and the invoice stays in state.",
	},
	{
		"issue_false_makes_a_draft",
		"issue = false in the payload of a service invoice makes a draft, which issue_invoice issues.",
		vendor,
		"Any other answer to issue = false is an error that names the invoice.",
	},
	{
		"post_updates_rejected",
		"A second POST under the integrationId of a draft or of a rejected invoice updates it.",
		vendor,
		"Where the service makes a second invoice, the apply warns and names both. " +
			"The rejected one stays rejected. Where it refuses the POST, the refusal is the error: " +
			"correct the invoice under another integration_id.",
	},
	{
		"authorized_is_issued_once",
		"A second POST under the integrationId of an invoice in process or authorized makes no second one.",
		"Fiscal rejections, SPD004",
		"The provider sends nothing while a look-up, or its journal, shows an invoice.",
	},
	{
		"integration_id_filter",
		"The filter integrationId finds the invoices of that name, and the list shows the name of each.",
		"Versioning",
		"The provider compares again. It ends with an error if the filter is refused, or if an entry does not show " +
			"its integrationId.",
	},
	{
		"invoice_filters",
		"Lists of invoices filter by transactionId, effectiveDateStart, effectiveDateEnd and receiverFederalTaxNumber.",
		integrations,
		"The provider filters again, and reads more pages. A filter that is refused is an error.",
	},
	{
		"check_status_400_is_queued",
		"check_invoice_status answers 400 while the invoice is queued, on every model.",
		"Rules per endpoint",
		"The provider waits, and sends nothing.",
	},
	{
		"documents_in_any_encoding", "PDF and XML are raw bytes, a JSON string, or base64 in one.", "Endpoints",
		"Anything else is an error of the document's data source.",
	},
	{
		"order_fields",
		"An order has the fields that einvoice_order lists, and the words of status and paymentMethod.",
		vendor,
		"The service's refusal is the error.",
	},
	{
		"order_filter", "The list of orders filters by transactionId. Two orders may have the same one.", vendor,
		"The provider filters again, and looks an order up before it sends it. A filter that is refused is an error.",
	},
	{
		"order_shows_invoices", "An order shows its invoices with id, status and model.", "one integration",
		"The provider finds them in the lists of invoices by the order that they name.",
	},
	{
		"order_issue_is_complete",
		"The explicit issue of an order issues what is not issued yet, rejected invoices too. " +
			"SPD004 means that nothing was left.",
		integrations,
		"The provider follows the invoices that the order shows afterwards.",
	},
	{
		"letter_shows_an_event",
		"The answer to a correction letter shows the letter, and perhaps the id of its event.",
		"Endpoints",
		"event_id is null.",
	},
	{
		"disablement_filters", "The list of disablements filters by startDate, endDate and status.", "Endpoints",
		"The provider filters again. A filter that is refused is an error.",
	},
	{
		"inbound_filters",
		"The list of inbound invoices takes limit, accessKey, status (repeated), manifestationStatus, " +
			"operationType, environmentType, initialDate and endDate.",
		integrations,
		"The provider filters again. A filter that is refused is an error.",
	},
	{
		"manifest_body", "A manifestation is sent as {status, justification}.", integrations,
		"The service's refusal is the error.",
	},
	{
		"city_fields",
		"A city has id, code, name, state and provider {name, options}. The list filters by code and state.",
		integrations,
		"The provider filters again. What is missing is null.",
	},
	{
		"example_is_the_body",
		"An item of the payload examples is the body itself, or has it in body, example or payload.",
		"Rules per endpoint",
		"The item is shown as it came.",
	},
	{
		"rotation_takes_window_hours", "The rotation of the webhook secret takes {windowHours}, or no body.", "Events",
		"The service's refusal is the error.",
	},
	{
		"rotation_may_show_the_secret",
		"The answer to a rotation shows secret, rotatedAt and previousSecretValidUntil, or nothing.",
		"Events",
		"The provider reads the secret, and counts the window from its own clock.",
	},
	{
		"secret_form", "The webhook secret is {secret} or a JSON string.", "one integration",
		"An error says that the answer holds no secret, and shows nothing of it.",
	},
	{
		"errors_have_messages",
		"An error body is {errors: " +
			"[{message, path}]}, has message, title, detail or error, maps fields to messages, or is text.",
		vendor,
		"The error shows the status and the trace id alone.",
	},
	{
		"statuses_mean_http", "401, 404, 405, 409, 422 and 5xx mean what HTTP says.", "HTTP errors",
		"A 404 proves that an object is gone only beside a complete list, or another object of it.",
	},
	{
		"limit_per_key", "The request limit counts per key, in windows that are fixed or slide.", vendor,
		"A 429 makes all requests of the key wait.",
	},
	{
		"limit_reset_is_a_time", "x-rate-limit-reset is a time, or seconds or milliseconds since 1970.", integrations,
		"The provider waits a minute.",
	},
}
