// Package fiscal holds rules of Brazilian tax documents: tax numbers, access keys, states and municipal codes, and the
// meaning of rejection codes. Its functions depend on their arguments alone: they do no I/O and read no clock.
//
// Three tables are data. law.csv has the codes of the authorities, each with its documents,
// its source and the days on which it holds; law_tables.go has the lists, rates and limits
// that go with them. The sandbox's authority reads both, with field names of its own.
// rules.csv has what payload_check looks for, and shapes.csv the members of issuing bodies.
//
// The service's own codes follow the section "Fiscal rejections" of the interface specification. The other rules are
// public law or tables of the tax administration (IBGE codes, the layout of the NF-e), not the service's own.
package fiscal
