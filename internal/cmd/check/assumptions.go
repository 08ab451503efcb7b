package main

import "fmt"

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
		"The list of customers is paged. The specification shows a single customer as its example.",
		"Pagination envelopes; Endpoints",
		"The provider also reads a plain array or a single customer. If it gets a single customer, it does not " +
			"conclude that the others are gone.",
	},
	{
		"lists_have_items", "A list is an object with items, or an array. Pages are numbered from 1.",
		"Pagination envelopes",
		"A list in another form, or with fewer items than its totalCount, is an error, never an empty list. Without a " +
			"totalCount, the provider misses a page 0.",
	},
	{
		"page_size_100", "A list accepts pages of 100 objects.", "Limits",
		"The provider also reads smaller pages. If the service refuses the size, the provider leaves it to the " +
			"service.",
	},
	{
		"lists_end", "hasNext or the counts say whether another page follows.", "Pagination envelopes",
		"Without them, a page that is not full ends the list. If a list repeats a page or does not end within a " +
			"minute, the read fails.",
	},
	{
		"lists_lag_briefly",
		"A list shows a new or changed object within a few seconds. A read by id shows it at once.",
		integrations,
		fmt.Sprintf("After a lost response, the provider looks for the object for twice request_timeout, at least 20 "+
			"seconds, before it sends again: for %.0f seconds by default. A list that lags longer can lead to a "+
			"duplicate.", lagAllowed.Seconds()),
	},
	{
		"results_are_bare", "The service returns objects without a wrapper.", vendor,
		"The provider removes the wrapper result, and the wrapper data if it clearly is one.",
	},
	{
		"success_false_is_a_refusal",
		"A 2xx with {success: false} is a refusal. A 2xx without a body is a success.",
		vendor,
		"If the response does not show the object, the provider reads it. " +
			"A deletion with such a response counts as done.",
	},
	{
		"scalars_vary",
		"Identifiers, codes, numbers, dates and flags may be strings or numbers. " +
			"An enumeration that was never set is 0.",
		integrations,
		"The provider reads both forms. It reads 0 as null, and gives a tax number its leading zeros back.",
	},
	{
		"words_begin_small", "Statuses, environments and events begin with a small letter: authorized.",
		"States and transitions",
		"The provider reads them in any case.",
	},
	{
		"empty_is_null",
		"Null, a missing member, an empty text and an empty object mean the same: no value.",
		integrations,
		"The provider also reads an object whose members are all empty as null.",
	},
	{
		"dates_without_offset_are_local",
		"A date without an offset is São Paulo time; that of an authorization is the time of the issuer's state.",
		"one integration",
		"Dates would be wrong by some hours, and so would the end of a period for canceling. An apply warns of an " +
			"authorization that then lies in the future.",
	},
	{
		"ids_ignore_case", "Ids are UUIDs: two ids that differ only in case are the same object.", "Conventions",
		"The provider would confuse two objects whose ids differ only in case.",
	},
	{
		"masks_have_a_mask_character",
		"A masked key or secret contains a mask character, repeats one character, is in brackets, or ends with dots.",
		integrations,
		"The provider would mistake the mask for the secret. If the service does not accept a new key, the creation " +
			"fails.",
	},
	{
		"values_are_kept", "The service stores a customer, product or webhook as it was " +
			"sent.", "Resources and their fields",
		"If the service changes a value, for example to capitals, the apply warns, and each plan shows the " +
			"difference.",
	},
	{
		"keys_may_repeat",
		"Two customers may have the same tax number, two products the same code, two webhooks the same event and url.",
		"Resources and their fields",
		"If the service refuses the second object, the apply fails: import the existing object. If the service " +
			"returns the first object, two blocks manage the same one.",
	},
	{
		"update_merges_or_replaces", "A PUT of a customer, product or webhook merges or replaces.", "Endpoints",
		"The provider reads the object, sends it back whole, and sends null for what was given up. " +
			"It warns of a value that is stored otherwise.",
	},
	{
		"update_keeps_unknown_fields",
		"An update keeps undocumented fields that are sent back.",
		"Resources and their fields",
		"If the service changes a value, the apply warns, and each plan shows the difference.",
	},
	{
		"product_fields", "A product has name, code, price and invoiceModel.", vendor,
		"If the service ignores a field, the apply warns.",
	},
	{
		"webhook_fields",
		"A webhook has event, url and enabled. A PUT changes event and url. Only enable and disable change enabled.",
		vendor,
		"A webhook that does not show enabled counts as enabled. If enable or disable has no effect, the next plan shows it.",
	},
	{
		"company_put_replaces", "A PUT of a company replaces the whole record.", integrations,
		"The provider reads the company and sends the whole record back, which is also right if the PUT merges.",
	},
	{
		"company_is_unique", "The service refuses a second company with the same tax number.", vendor,
		"The provider finds both companies by the tax number, names them, and adopts neither.",
	},
	{
		"company_fields",
		"A company has email, phone, mobilePhone, address, taxRegime and economicActivities with code and type.",
		vendor,
		"If the service ignores a field, the apply warns.",
	},
	{
		"settings_put_keeps_other_blocks",
		"A PUT of the settings does not change the blocks that it does not contain.",
		integrations,
		"The provider reads the settings after the write. " +
			"If other blocks have other values than before, the apply fails. " +
			"The error shows the former values, and names secrets without their values.",
	},
	{
		"settings_put_replaces_a_block", "A PUT of the settings replaces each block that it contains.", integrations,
		"The provider sends whole blocks, which is also right if the PUT merges.",
	},
	{
		"settings_hide_secrets", "The settings show csc, password and csrts masked, or not at all.", "Company",
		"The service may also show them in clear. The provider never writes back a mask with a mask character, " +
			"or a value under 8 characters, which may be the beginning of a longer one: " +
			"configure such a secret before you change its block.",
	},
	{
		"settings_fields",
		"The blocks of the settings have the fields that einvoice_company_settings lists.",
		integrations,
		"The provider reads the settings after the write, and fails if the service ignored a field.",
	},
	{
		"certificate_form",
		"A certificate is uploaded as a multipart form with the parts certificateFile and password.",
		integrations,
		"The apply fails with the service's message.",
	},
	{
		"certificate_registered",
		"The service refuses a certificate that the company already has, with 400 and a message that says so.",
		integrations,
		"The apply fails with the service's message.",
	},
	{
		"cancel_takes_reason", "A cancellation takes {reason}, and the authority decides later.", vendor,
		"The apply fails with the service's message, and the invoice stays in state.",
	},
	{
		"issue_false_makes_a_draft",
		"issue = false in the payload of a service invoice makes a draft, which issue_invoice issues.",
		vendor,
		"With any other response to issue = false, the apply fails and names the invoice.",
	},
	{
		"post_updates_rejected",
		"A second POST under the integrationId of a draft or of a rejected invoice updates it.",
		vendor,
		"If the service creates a second invoice, the apply warns and names both. The rejected one stays rejected. " +
			"If the service refuses the POST, the apply fails: correct the invoice under another integration_id.",
	},
	{
		"authorized_is_issued_once",
		"A second POST under the integrationId of an invoice in progress or authorized creates no second invoice.",
		"Fiscal rejections, SPD004",
		"The provider sends nothing if a look-up or its journal shows an invoice.",
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
		"Lists of invoices can be filtered by transactionId, effectiveDateStart, effectiveDateEnd and " +
			"receiverFederalTaxNumber.",
		integrations,
		"The provider filters again, and reads more pages. A filter that is refused is an error.",
	},
	{
		"check_status_400_is_queued",
		"check_invoice_status returns 400 while an invoice of any model is queued.",
		"Rules per endpoint",
		"The provider waits, and sends nothing. If the invoice shows as rejected for two minutes, the apply fails and " +
			"says so.",
	},
	{
		"documents_in_any_encoding", "PDF and XML are raw bytes, a JSON string, or base64 in a JSON " +
			"string.", "Endpoints",
		"With anything else, the data source of the document fails.",
	},
	{
		"order_fields",
		"An order has the fields of einvoice_order, and its values of status and paymentMethod.",
		vendor,
		"The apply fails with the service's message.",
	},
	{
		"order_filter", "The list of orders filters by transactionId. Two orders may have the same one.", vendor,
		"The provider filters again, and looks an order up before it sends it. A filter that is refused is an error.",
	},
	{
		"order_shows_invoices", "An order shows its invoices with id, status and model.", "one integration",
		"The provider finds them in the lists of invoices, which name their order.",
	},
	{
		"order_issue_is_complete",
		"The explicit issue of an order issues everything that is not issued yet, including rejected invoices. " +
			"SPD004 means that there was nothing left to issue.",
		integrations,
		"The provider waits for the invoices that the order shows afterwards.",
	},
	{
		"letter_shows_an_event",
		"The response to a correction letter shows the letter, and perhaps the id of its event.",
		"Endpoints",
		"event_id is null.",
	},
	{
		"disablement_filters", "The list of disablements filters by startDate, endDate and status.", "Endpoints",
		"The provider filters again. A filter that is refused is an error.",
	},
	{
		"inbound_filters",
		"The list of inbound invoices accepts limit, accessKey, status (repeated), manifestationStatus, " +
			"operationType, environmentType, initialDate and endDate.",
		integrations,
		"The provider filters again. A filter that is refused is an error.",
	},
	{
		"manifest_body", "A manifestation is sent as {status, justification}.", integrations,
		"The apply fails with the service's message.",
	},
	{
		"city_fields",
		"A city has id, code, name, state and provider {name, options}. The list can be filtered by code and state.",
		integrations,
		"The provider filters the results itself. Missing fields are null.",
	},
	{
		"example_is_the_body",
		"An item of the payload examples is the payload itself, or contains it in body, example or payload.",
		"Rules per endpoint",
		"The data source shows the item unchanged.",
	},
	{
		"rotation_takes_window_hours", "The rotation of the webhook secret accepts {windowHours}, or no " +
			"body.", "Events",
		"The apply fails with the service's message.",
	},
	{
		"rotation_may_show_the_secret",
		"The response to a rotation shows secret, rotatedAt and previousSecretValidUntil, or nothing.",
		"Events",
		"The provider reads the secret, and counts the window by its own clock.",
	},
	{
		"secret_form", "The webhook secret is {secret} or a JSON string.", "one integration",
		"The provider reports that the response contains no secret, and does not show the response.",
	},
	{
		"errors_have_messages",
		"An error body is {errors: " +
			"[{message, path}]}, has message, title, detail or error, maps fields to messages, or is text.",
		vendor,
		"The error shows only the status and the trace id.",
	},
	{
		"statuses_mean_http", "401, 404, 405, 409, 422 and 5xx mean what HTTP says.", "HTTP errors",
		"A 404 alone does not prove that an object is gone: a complete list, or another object from it, must confirm " +
			"it. After a 404, 405, 409, 422 or 501 to what issues, the provider looks for the effect before it sends again.",
	},
	{
		"limit_per_key", "The request limit applies to each key, in fixed or sliding windows.", vendor,
		"After a 429, all requests with the key wait.",
	},
	{
		"limit_reset_is_a_time", "x-rate-limit-reset is a time, or seconds or milliseconds since 1970.", integrations,
		"The provider waits a minute.",
	},
}
