package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// Options chooses how the service behaves. The zero value is the simplest: real time, no limits, everything visible at once.
// What the specification leaves open, and what different accounts have been reported to do, is a choice here.
type Options struct {
	// Clock drives every time and timer; nil is real time.
	Clock Clock
	// AuthorizeAfter is how long the authority takes with an invoice; zero settles it right after the creating answer.
	AuthorizeAfter time.Duration
	// Seed makes identifiers, keys and numbers repeatable; zero draws them at random.
	Seed int64

	// RateLimit switches on the limits of the specification, section Limits, and their headers on every answer.
	RateLimit bool
	// RateLimitPerMinute is the limit of a minute; zero is the specification's 60.
	RateLimitPerMinute int

	// SyncInterval is the least time between two inbound syncs of a company; zero is one hour.
	SyncInterval time.Duration

	// OnlySpecified answers 404 for every operation that the specification neither shows nor names.
	OnlySpecified bool
	// Without answers 404 for these operations: method and path, as in "GET /v1/orders/{id}".
	Without []string

	// NoMergeByIntegrationID makes a second POST under one integrationId create a second invoice.
	NoMergeByIntegrationID bool
	// AnswersWithWhatIsThere makes a second POST under the integrationId of an invoice that is in process or authorized
	// answer with that, as it is, in the place of refusing it.
	AnswersWithWhatIsThere bool
	// QueueDrafts issues what is sent with issue = false.
	QueueDrafts bool
	// CheckStatusQueued answers every check-status 400, whatever has become of the invoice.
	CheckStatusQueued bool
	// CancelByPost cancels invoices at POST /{id}/cancel, and not by DELETE.
	CancelByPost bool
	// OrdersWithoutInvoices makes orders say nothing about their invoices, which name their order.
	OrdersWithoutInvoices bool
	// OrdersAnswerInvoice answers the creation of an order that issues at once with its first invoice.
	OrdersAnswerInvoice bool
	// ListLag is how long lists keep showing what was before a creation or a change; reads by id show it at once.
	ListLag time.Duration
	// CapitalIDsInLists writes the ids of what a list shows in capital letters: they are UUIDs, and a UUID is the same
	// in either case.
	CapitalIDsInLists bool
	// ListsWithoutIntegrationID leaves integrationId out of the invoices in lists.
	ListsWithoutIntegrationID bool
	// IgnoreFilters makes every list ignore its filters, as a route does that does not know them.
	IgnoreFilters bool
	// NoReadByID leaves GET /{customers,products,webhooks}/{id} unknown; the specification does not name these reads.
	NoReadByID bool
	// NoCustomerDelete leaves DELETE /customers/{id} unknown; the specification does not name it.
	NoCustomerDelete bool
	// EmptyAddresses answers an address without any value for a customer that has none, in the place of null.
	EmptyAddresses bool
	// Capitals stores the names of customers and products, and the codes of products, in capital letters without accents.
	Capitals bool
	// SingleObjectLists answers a list of exactly one customer as that customer alone, the specification's sample.
	SingleObjectLists bool
	// MaxPageSize caps pageSize of offset lists; zero is 100. A larger pageSize is cut to it, not refused.
	MaxPageSize int
	// WrapResults puts every JSON object of a successful answer below "result".
	WrapResults bool
	// SecretReads is how stored secrets are read: SecretsMasked (also for ""), SecretsHidden, SecretsAbsent,
	// SecretsNull, SecretsClear or SecretsCut.
	SecretReads string
	// SecretMask is what a stored csc or password is read as, in the place of SecretReads.
	SecretMask string
	// RefuseSecondPost answers 409 to a second POST of an invoice under one integrationId, whatever its status.
	RefuseSecondPost bool
	// NamedLists answers lists of companies, products and webhooks as {"companies": [...], "paging": {...}}.
	NamedLists bool
	// SettingsReplaceAll makes a PUT of settings reset the blocks that it does not send.
	SettingsReplaceAll bool
	// EmptySettingsAnswer answers a PUT of settings without a body; what it answers is not shown.
	EmptySettingsAnswer bool
	// EmptyManifestAnswer answers a manifestation without a body; what it answers is not shown.
	EmptyManifestAnswer bool
	// EmptyRotateAnswer answers the rotation of the webhook secret without a body; what it answers is not shown.
	EmptyRotateAnswer bool
	// DocumentForm is how PDF and XML are answered: DocumentJSON (also for ""), DocumentBase64 or DocumentRaw.
	DocumentForm string
	// ExtraFields names, by kind, top-level fields this service knows beyond the documented ones. They are stored and
	// answered untouched; any other unknown field is ignored.
	ExtraFields map[string][]string
}

// The values of Options.SecretReads.
const (
	// SecretsMasked shows the first two characters.
	SecretsMasked = "masked"
	// SecretsHidden shows asterisks only.
	SecretsHidden = "hidden"
	SecretsAbsent = "absent"
	// SecretsNull answers null, set or not.
	SecretsNull  = "null"
	SecretsClear = "clear"
	// SecretsCut shows a list of secrets with the numbers in its elements and without their texts, and any other
	// secret as SecretsMasked does.
	SecretsCut = "cut"
)

// The values of Options.DocumentForm.
const (
	// DocumentJSON answers a JSON string that holds the document itself.
	DocumentJSON = "json"
	// DocumentBase64 answers a JSON string that holds the document in base64.
	DocumentBase64 = "base64"
	// DocumentRaw answers the document's bytes under their own content type.
	DocumentRaw = "raw"
)

// defaultPageSize is that of offset lists.
const defaultPageSize = 20

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.NoReadByID {
		o.Without = append(slices.Clone(o.Without), "GET /v1/customers/{id}", "GET /v1/products/{id}", "GET /v1/webhooks/{id}")
	}
	o.SyncInterval = cmp.Or(o.SyncInterval, time.Hour)
	o.RateLimitPerMinute = cmp.Or(o.RateLimitPerMinute, requestsPerMinute)
	o.MaxPageSize = cmp.Or(o.MaxPageSize, 100)
	o.SecretReads = cmp.Or(o.SecretReads, SecretsMasked)
	o.DocumentForm = cmp.Or(o.DocumentForm, DocumentJSON)
	return o
}

// withholds reports whether an operation is not offered.
func (o Options) withholds(pattern string) bool {
	return slices.Contains(o.Without, pattern) || o.OnlySpecified && sourceOf(pattern) == SourceAssumed
}
