// Package einvoice is the client of the electronic invoicing service: one method
// per operation, plain structs in and out, and one error type, *Error. It knows
// nothing of Terraform and reads no environment.
//
// # What a caller can rely on
//
// A POST is sent once. It is repeated only after a 429, which the service did not
// process, and after a failure in which not one byte reached it. The cancellation
// of an invoice is treated alike. Every other request is repeated on failures that
// leave its outcome open. An error says which of three things happened:
//
//   - ErrNotSent: nothing reached the service.
//   - ErrAmbiguous: the service may have processed the request, and no usable
//     answer came. Look before sending again.
//   - neither: the service answered, and did nothing.
//
// Waiting, for the request limit or after a 429, ends with the caller's context,
// and nothing is sent after that. The exchange of a POST, once begun, runs to its
// end under a deadline of its own.
//
// The API key travels in the header X-Api-Key to the configured address alone:
// redirects are followed for reads at the same scheme, host and port. Neither the
// key nor a secret of a request appears in an error.
//
// The limit of requests is kept per service and key for all processes that share
// Config.Budget, in a document that holds times and no key.
//
// # How many requests are made
//
// An operation is one exchange, and its repetitions, with these exceptions. An
// update of a company is two, because its PUT replaces the record. An update whose
// answer does not hold the object is followed by a read. A read by id that is
// answered with 404 or 405, and a deletion that is answered with 404, are followed
// by the list. Lists are read in pages of 100, or as many as the service allows.
//
// The Refresh methods, for objects that the caller knows already, share one list of
// their collection, that of the month for an invoice in a long list. It is only taken
// at its word that an object is as the caller knows it: see snapshot. Whatever is about
// to be changed is read by its id.
//
// PollInvoice, for an invoice that is waited for, goes behind the other requests
// of this process. Where three or more are waited for, one page of their list is
// read for all: see invoicePolls.
//
// A list proves that something is not there only when it is whole. It does not when it
// comes with errors, as a single other object, with fewer entries than it counts, with
// entries without an id or, in a look-up by integrationId, without one of these. A list
// is given up when a page repeats, or when it goes on for a minute behind the pages
// that it counts.
//
// # What the specification documents
//
//   - The base URL ends in /v1, and the paths repeat it; exactly one is sent.
//   - Customers: create, update and list, and the fields of a customer. The list
//     is described as paged and sampled as a single object; both are read, and a
//     bare array.
//   - Companies: create, read and delete, the field names of a company that it
//     shows, and that the API key is whole in the answer to the creation alone.
//     Their settings by name: read and PUT, the four blocks, allowOfflineContingency,
//     tokenId and csc of consumerInvoice, and that there is a technical responsible.
//   - Products: the deletion.
//   - Invoices: creation and read by id of the three models, the lists of service
//     and product invoices, that these have the filter integrationId, the read
//     shape, the state check of product invoices, the downloads of consumer invoices
//     as a JSON string, that drafts exist, that an authorized invoice can be canceled,
//     and that an order's or invoice's acceptance is not its authorization.
//   - Orders: creation by name, the four values of autoIssueMode, the status
//     approved, and the explicit issue with its effectiveDate.
//   - Webhooks: creation, reading and rotating the secret, by name; the fields event
//     and url, and the eight events.
//   - Payload examples: examples, provider and sourceIssuedOn. Of the integrated
//     cities only that there is such a query, with nationalServiceInvoiceRegimes.
//   - Inbound invoices: list by cursor and what it filters by, read of both models,
//     the search on demand with its 429, sync status, and their fields. That there
//     are downloads and manifestations.
//   - Correction letters of product invoices: {letter}, answered with the letter,
//     and with the eventId too by another passage.
//   - Disablements of product invoices: the list, what it filters by, and the fields.
//   - The upload of a certificate is a form, the only one.
//   - Errors 400, 403 and 429; {success: true} of deletions; the two pagination
//     envelopes; the headers of the limit, with x-rate-limit-reset in UTC, and
//     Retry-After, retryAfterSeconds and nextAllowedSyncAt of the inbound search.
//
// # What is assumed, not shown by the specification
//
//   - Customers: read by id, delete. Products: everything but the deletion, and the
//     fields name, code, price and invoiceModel. Webhooks: list, read, update,
//     delete, enable, disable, and the field enabled. Companies: list and update, and
//     the fields email, phone, mobilePhone, address, taxRegime and
//     economicActivities. Settings: every other field, and where in the blocks it is.
//     Where reading by id answers 404 or 405, the list is searched, and absence is
//     taken only from a complete list.
//   - A PUT of a customer or product may replace or merge: all fields are sent, and
//     those given up are sent as null. A PUT of a company replaces, so the whole
//     record is sent back. A PUT of settings replaces inside each block sent and
//     leaves the other blocks alone.
//   - Objects come bare; a result wrapper is taken off, and a data wrapper where it
//     clearly is one. {success: false} in a 2xx is a refusal, of any operation.
//   - Error bodies: {errors: [{message, path}]}, and beside that message, title,
//     detail, error, a map of fields to messages, plain text, HTML and nothing. The
//     trace id is the header x-trace-id or the member traceId.
//   - The statuses 401, 404, 405, 409, 422 and 5xx mean what HTTP says.
//   - Cancelling is DELETE of the invoice with the body {reason}. Issuing a draft is
//     POST to its /issue, without a body; the field issue of a payload makes one. A
//     POST under the integrationId of a draft or a rejected invoice updates it, or
//     makes another invoice. Consumer invoices have a list, and service and consumer
//     invoices have the state check too. All models have the downloads, which also
//     come as raw bytes, as base64, or as base64 in a JSON string.
//   - The filters of invoice lists beside integrationId: transactionId,
//     effectiveDateStart, effectiveDateEnd and receiverFederalTaxNumber. The query
//     parameters of the inbound list beside cursor: limit, accessKey, status
//     (repeated for several), manifestationStatus, initialDate, endDate,
//     environmentType and operationType. Callers filter again.
//   - Orders: their fields, GET of the list with the filter transactionId, read by
//     id, and PUT of /orders/{id}/status with {status}. An order shows its invoices
//     with id, status and model; where it does not, the invoices name their order. A
//     transactionId may be used twice, so it is looked up. The explicit issue issues
//     what is not issued yet, rejected invoices too,
//     and SPD004 from it means that nothing was left. The other words of the status
//     and those of paymentMethod; the sums of amounts.
//   - Certificates: POST and GET of /companies/{id}/certificates, the parts
//     certificateFile and password, the fields id, subject, issuer, expirationAt and
//     isActive, and the wording by which a file the company has already is refused.
//   - The query parameters of the list of disablements: startDate, endDate, status.
//   - The integrated cities are /service-invoices/cities, with the filters code and
//     state, and the fields id, code, name, state and provider {name, options}.
//     nationalServiceInvoiceRegimes is a list, one word, or several with commas.
//   - Inbound invoices of both models have downloads as issued invoices have. A
//     declaration about a received NF-e is POST to its /manifest with {status,
//     justification}, and the answer may show the invoice.
//   - pageSize 100 is accepted by offset lists. Where hasNext is missing, the counts
//     show the end, else a page that is not full.
//   - Rotating the secret takes {windowHours}, or no body; its answer may hold
//     secret, rotatedAt and previousSecretValidUntil, or nothing.
//   - The webhook secret is {secret} or a JSON string.
//   - An item of the payload examples is the body itself beside provider and
//     sourceIssuedOn, unless it has a member body, example or payload.
//   - The limit counts per key. Its windows may be fixed or slide; the client obeys
//     both. A 429 with requests remaining is the limit per second. x-rate-limit-reset
//     may also be seconds or milliseconds since 1970.
//   - A masked key or secret holds a mask character such as an asterisk.
//   - Codes of cities and countries, numbers, dates and flags may come as strings or
//     as numbers; an enum that was never set comes as 0.
package einvoice
