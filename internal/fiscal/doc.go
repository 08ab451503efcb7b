// Package fiscal holds rules of Brazilian tax documents: tax numbers, access keys,
// states and municipal codes, and the meaning of rejection codes. Its functions
// depend on their arguments alone: they do no I/O and read no clock.
//
// The codes of the authorities stand in law.csv, each with its documents, its source and
// the days on which it holds; law_tables.go has the tables, periods and limits that go with
// them. The sandbox's authority reads these too. Field names are its own: of a law it reads
// no words.
//
// The service's own codes follow the section "Fiscal rejections" of the interface
// specification. The other rules are public law or tables of the tax
// administration (IBGE codes, the layout of the NF-e), not the service's own.
package fiscal
