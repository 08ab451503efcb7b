package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// Options are choices where the specification is open, or accounts are reported to differ. The zero value is the
// simplest: real time, no limits, everything visible at once.
type Options struct {
	// Clock drives every time and timer; nil is real time.
	Clock Clock
	// AuthorizeAfter is how long the authority takes with an invoice; zero is right after the answer to the creation.
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
	// AnswersWithWhatIsThere answers a second POST under the integrationId of an invoice that is in process or
	// authorized with that invoice, and does not refuse it.
	AnswersWithWhatIsThere bool
	// KeepsRejected answers a second POST under the integrationId of a rejected invoice with that invoice as it is, and
	// transmits nothing.
	KeepsRejected bool
	// QueueDrafts issues what is sent with issue = false.
	QueueDrafts bool
	// GoodsDrafts makes drafts of NF-e and NFC-e too. The specification does not say of which models they are (What the
	// service does, rule 11), and reports have them of NFS-e.
	GoodsDrafts bool
	// InvoiceKeys lets the key of another company than the main one perform invoice operations alone, to the letter of the
	// specification, Authentication: no customers and products.
	InvoiceKeys bool
	// NoProduction refuses settings with environmentType production, as a test account is reported to do.
	NoProduction bool
	// NormalizesURLs stores the address of a webhook as browsers write it.
	NormalizesURLs bool
	// CheckStatusQueued answers every check-status 400, whatever has become of the invoice.
	CheckStatusQueued bool
	// CancelByPost cancels invoices at POST /{id}/cancel, and not by DELETE.
	CancelByPost bool
	// OrdersNeedPeriod refuses a list of orders without initialDate and endDate.
	OrdersNeedPeriod bool
	// OrdersNeedLegalName refuses an order whose customer has a CNPJ and no legalName.
	OrdersNeedLegalName bool
	// OrdersWithoutInvoices leaves the invoices out of orders; the invoices still name their order.
	OrdersWithoutInvoices bool
	// OrdersAnswerInvoice answers the creation of an order that issues at once with its first invoice.
	OrdersAnswerInvoice bool
	// ListLag is how long lists keep showing the state before a creation or a change. Reads by id show it at once.
	ListLag time.Duration
	// DeletionLag is how long lists keep showing what was deleted. Reads by id do not.
	DeletionLag time.Duration
	// CapitalStatuses writes every status with a capital at its beginning.
	CapitalStatuses bool
	// CapitalIDsInLists writes the ids in lists in capital letters: a UUID is the same in either case.
	CapitalIDsInLists bool
	// ListsWithoutIntegrationID leaves integrationId out of the invoices in lists.
	ListsWithoutIntegrationID bool
	// IgnoreFilters makes every list ignore its filters.
	IgnoreFilters bool
	// NoReadByID leaves GET /{customers,products,webhooks}/{id} unknown; the specification does not name these reads.
	NoReadByID bool
	// NoCustomerDelete leaves DELETE /customers/{id} unknown; the specification does not name it.
	NoCustomerDelete bool
	// EmptyAddresses answers with an address without any value, instead of null, for a customer that has none.
	EmptyAddresses bool
	// Capitals stores the names of customers and products, and product codes, in capital letters without accents.
	Capitals bool
	// SingleObjectLists answers a list of exactly one customer with that customer alone, the specification's sample.
	SingleObjectLists bool
	// MaxPageSize caps pageSize of offset lists; zero is 100. A larger pageSize is cut to it, not refused.
	MaxPageSize int
	// PagesFromZero numbers the pages of offset lists from 0.
	PagesFromZero bool
	// WrapResults puts every JSON object of a successful answer below "result".
	WrapResults bool
	// SecretReads is how stored secrets are read: SecretsMasked (also for ""), SecretsHidden, SecretsAbsent,
	// SecretsNull, SecretsClear or SecretsCut.
	SecretReads string
	// SecretMask is the text that a stored csc or password is read as, instead of the form of SecretReads.
	SecretMask string
	// RefuseSecondPost answers 409 to a second POST of an invoice under one integrationId, whatever its status.
	RefuseSecondPost bool
	// IssueDisabledOrders issues the invoices of an order at once, although its autoIssueMode is "disabled".
	IssueDisabledOrders bool
	// NamedLists answers lists of companies, products and webhooks as {"companies": [...], "paging": {...}}.
	NamedLists bool
	// SettingsReplaceAll makes a PUT of settings reset the blocks that it does not send.
	SettingsReplaceAll bool
	// SettingsResetFilled makes that reset give the values of a new company, and not blanks.
	SettingsResetFilled bool
	// EmptySettingsAnswer answers a PUT of settings without a body; its answer is not documented.
	EmptySettingsAnswer bool
	// EmptyManifestAnswer answers a manifestation without a body; its answer is not documented.
	EmptyManifestAnswer bool
	// EmptyRotateAnswer answers the rotation of the webhook secret without a body; its answer is not documented.
	EmptyRotateAnswer bool
	// DocumentForm is how PDF and XML are answered: DocumentJSON (also for ""), DocumentBase64 or DocumentRaw.
	DocumentForm string
	// ExtraFields names, by kind, top-level fields that this service knows beyond the documented ones. It stores them
	// and answers with them untouched. It ignores any other unknown field.
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
		o.Without = append(slices.Clone(o.Without),
			"GET /v1/customers/{id}", "GET /v1/products/{id}", "GET /v1/webhooks/{id}")
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
