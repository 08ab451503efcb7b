package einvoice

// The words of the settings (specification, "Company settings").
var (
	EnvironmentTypes  = []string{"production", "development", "simulation"}
	DanfePrintLayouts = []string{"default", "simplified"}
	InvoiceIssueTypes = []string{
		"normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt",
	}
)
