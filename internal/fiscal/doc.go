// Package fiscal holds the rules of Brazilian tax documents that need nothing
// but their input: tax numbers, access keys, states and municipal codes, and
// what a rejection code means. It does no I/O and reads no clock.
//
// Rejection codes follow the section "Fiscal rejections" of the interface
// specification. The other rules are public law or the tables of the tax
// administration (IBGE codes, the NF-e layout), not the service's own.
package fiscal
