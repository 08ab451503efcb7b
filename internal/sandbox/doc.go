// Package sandbox is the invoicing service in memory: its routes, its rules and its failures, for tests and for
// trying the provider without an account.
//
// It follows the specification of the service. Where that shows no rule, a comment says "reported" of a rule that
// integrations with the service report, and "assumed" of one that nobody reports.
//
// It shares no type with the client, so that a wrong field name there fails a test here. Objects are kept in their wire
// form: maps that hold only string, json.Number, bool, nil, []any and map[string]any. A key that starts with an
// underscore belongs to the sandbox and never leaves it.
//
// A script or the published rules of the authorities decide on an invoice: see authority.go.
//
// Every handler runs alone under the server's lock. Time comes from a Clock, so a test moves it by hand.
package sandbox
