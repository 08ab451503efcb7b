// Package fiscal holds rules of Brazilian tax documents: tax numbers, access keys, states and municipal codes, and the
// meaning of rejection codes. Its functions depend on their arguments alone: they do no I/O and read no clock.
//
// Tables are data. law.csv has the codes of the authorities, each with its documents, its source and the days on which
// it holds; lists.csv the codes and states that rules go by, and law_tables.go rates and limits. rules.csv has what
// payload_check looks for, and shapes.csv the members of issuing bodies. The sandbox's authority reads them too, and
// asks CheckPayload for what both judge.
//
// The service's own codes follow the section "Fiscal rejections" of the interface specification. The other rules are
// public law or tables of the tax administration (IBGE codes, the layout of the NF-e), not the service's own.
package fiscal
