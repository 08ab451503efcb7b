// Package einvoice is the client of the electronic invoicing service: one method
// per operation, plain structs in and out, and one error type.
package einvoice
