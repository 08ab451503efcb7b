// Package einvoice is the client of the electronic invoicing service: one method per operation, plain structs in and
// out, and one error type, *Error. It knows nothing of Terraform and reads no environment.
//
// # What a caller can rely on
//
// A POST is sent once. It is repeated only after a 429, which the service did not process, and after a failure in
// which not one byte reached the service. The same holds for cancellations. Every other request is repeated after
// failures that leave its outcome open. An error says what happened:
//
//   - ErrNotSent: nothing reached the service.
//   - ErrAmbiguous: the service may have processed the request, and no usable
//     answer came. Look before sending again.
//   - neither: the service answered, and did nothing.
//
// Waiting, for the request limit or after a 429, ends with the caller's context, and nothing is sent after that. The
// exchange of a POST, once begun, runs to its end under a deadline of its own.
//
// The API key travels in the header X-Api-Key to the configured address alone. Redirects are followed for reads at
// the same scheme, host and port. Neither the key nor a secret of a request appears in an error.
//
// [Operations] is the table of all methods and paths with what each rests on. The check
// program lists all that the interface leaves open.
package einvoice
