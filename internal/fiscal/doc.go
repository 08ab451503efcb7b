// Package fiscal holds rules of Brazilian tax documents: tax numbers, access keys,
// states and municipal codes, and the meaning of rejection codes. Its functions
// depend on their arguments alone: they do no I/O and read no clock.
//
// Rejection codes follow the section "Fiscal rejections" of the interface
// specification. The other rules are public law or tables of the tax
// administration (IBGE codes, the layout of the NF-e), not the service's own.
package fiscal
