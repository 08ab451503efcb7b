package einvoice

// The states of an invoice (specification, "Invoice status").
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

// InvoiceStatuses are all of them.
var InvoiceStatuses = []string{
	StatusCreated, StatusEnqueued, StatusReceived, StatusAuthorized, StatusInContingent,
	StatusRejected, StatusCanceled, StatusDenied, StatusRemoved, StatusDisabled,
}

// The words of the settings (specification, "Company settings").
var (
	EnvironmentTypes  = []string{"production", "development", "simulation"}
	DanfePrintLayouts = []string{"default", "simplified"}
	InvoiceIssueTypes = []string{
		"normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt",
	}
)
