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
// # What the interface shows, and what is assumed
//
// [Operations] is the table of all methods and paths with what each rests on. The check
// program lists all that the interface leaves open.
package einvoice
