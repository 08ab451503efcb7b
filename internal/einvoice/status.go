package einvoice

// The statuses of an invoice (specification: States and transitions, "Invoice status").
const (
	StatusCreated      = "created"
	StatusEnqueued     = "enqueued"
	StatusReceived     = "received"
	StatusAuthorized   = "authorized"
	StatusInContingent = "inContingent"
	StatusRejected     = "rejected"
	StatusCanceled     = "canceled"
	StatusDenied       = "denied"
	StatusRemoved      = "removed"
	StatusDisabled     = "disabled"
)

// Meaning is what the status of an invoice tells about it. The specification shows no transition of received, denied,
// removed and disabled: their rows follow from the words of the law, and are assumed.
type Meaning struct {
	// Live invoices are valid, or may become so without another request of this provider. A destroy must not forget
	// them in silence, and nothing may be sent beside them (specification: the transitions from enqueued on).
	Live bool
	// Valid invoices are legal documents: tax is due on them. One in contingency is valid before its authorization
	// (specification: "issued in contingency, awaiting definitive authorization").
	Valid bool
	// Final invoices change only if somebody cancels or voids them. So a list may confirm that nothing is new, and an
	// import knows their content. Not removed: the service shows such an invoice in no list.
	Final bool
	// Cancelable invoices are those that the service cancels (specification: the transition from authorized; "While
	// inContingent, cancellation is stated to be unavailable").
	Cancelable bool
	// Correctable invoices take another payload under the same id. Of a rejected one the code decides too: engine
	// waits while the rejection is transient (specification: "awaits explicit issue", "rejected").
	Correctable bool
	// Numbered invoices may have a number and an access key, so a read without them is incomplete. A draft and one in
	// the queue have none yet (specification: Invoice, `number` and `accessKey`).
	Numbered bool
	// UsesNumber is whether the number counts as used, or is about to be. A number of any other invoice is a gap in
	// the series, which the issuer has to declare as unused (inutilização).
	UsesNumber bool
	// Documents is whether the service has the PDF and the XML (specification: "document and XML available at once"
	// in contingency). A canceled invoice keeps those of its authorization.
	Documents Documents
}

// Documents is whether an invoice has documents.
type Documents int

// When an invoice has documents.
const (
	DocumentsUnknown Documents = iota // the status is not known
	DocumentsLater                    // after the authorization
	DocumentsNow
	DocumentsNever // it was not authorized, and cannot be any more without another payload
)

// statusTable has the statuses in the order of the specification.
var statusTable = []struct {
	Status string
	Meaning
}{
	{StatusCreated, Meaning{Correctable: true, Documents: DocumentsLater}},
	{StatusEnqueued, Meaning{Live: true, UsesNumber: true, Documents: DocumentsLater}},
	{StatusReceived, Meaning{Live: true, UsesNumber: true, Documents: DocumentsLater}},
	{StatusAuthorized, Meaning{
		Live: true, Valid: true, Final: true, Cancelable: true, Numbered: true, UsesNumber: true, Documents: DocumentsNow,
	}},
	{StatusInContingent, Meaning{Live: true, Valid: true, Numbered: true, UsesNumber: true, Documents: DocumentsNow}},
	{StatusRejected, Meaning{Correctable: true, Numbered: true, Documents: DocumentsNever}},
	{StatusCanceled, Meaning{Final: true, Numbered: true, UsesNumber: true, Documents: DocumentsNow}},
	{StatusDenied, Meaning{Final: true, Numbered: true, UsesNumber: true, Documents: DocumentsNever}},
	{StatusRemoved, Meaning{Numbered: true, Documents: DocumentsNever}},
	{StatusDisabled, Meaning{Final: true, Numbered: true, Documents: DocumentsNever}},
}

// unknownStatus is the row of a status that is missing, or newer than this provider. Such an invoice may be valid or
// become so: it is neither forgotten, nor canceled, nor sent again.
var unknownStatus = Meaning{Live: true, Numbered: true, UsesNumber: true}

// InvoiceStatuses are all statuses of the specification.
var InvoiceStatuses = func() (all []string) {
	for _, row := range statusTable {
		all = append(all, row.Status)
	}
	return all
}()

// MeaningOf returns what a status tells about an invoice.
func MeaningOf(status string) Meaning {
	for _, row := range statusTable {
		if row.Status == status {
			return row.Meaning
		}
	}
	return unknownStatus
}

// HasEnded reports whether the invoice cannot become valid any more, whatever is sent.
func (m Meaning) HasEnded() bool { return !m.Live && !m.Correctable }

// Meaning returns what the status of the invoice tells about it.
func (v *Invoice) Meaning() Meaning { return MeaningOf(string(v.Status)) }

// IsDraft reports whether the invoice waits for somebody to issue it.
func (v *Invoice) IsDraft() bool { return string(v.Status) == StatusCreated }
