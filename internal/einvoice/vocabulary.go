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

var Models = []string{ModelProduct, ModelConsumer, ModelService}

var (
	EnvironmentTypes   = []string{"production", "development", "simulation"}
	InvoiceIssueTypes  = []string{"normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt"}
	DanfePrintLayouts  = []string{"default", "simplified"}
	SecretsDescription = "Secrets as write-only arguments: the service gets them and the state does not hold them. Needs Terraform 1.11 or OpenTofu 1.11; " +
		"on older CLIs use `consumer_invoice.csc` and `service_invoice.password`."
)
