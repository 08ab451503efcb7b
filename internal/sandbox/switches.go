package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// switches are the manners in which accounts differ, or may, by the names that the program takes: the specification is
// open there, or what integrations report contradicts itself. [Options] say what each does.
var switches = map[string]func(*Options){
	"answers-with-what-is-there": func(o *Options) { o.AnswersWithWhatIsThere = true },
	"cancel-by-post":             func(o *Options) { o.CancelByPost = true },
	"capital-statuses":           func(o *Options) { o.CapitalStatuses = true },
	"check-status-queued":        func(o *Options) { o.CheckStatusQueued = true },
	"documents-base64":           func(o *Options) { o.DocumentForm = DocumentBase64 },
	"documents-raw":              func(o *Options) { o.DocumentForm = DocumentRaw },
	"goods-drafts":               func(o *Options) { o.GoodsDrafts = true },
	"invoice-keys":               func(o *Options) { o.InvoiceKeys = true },
	"keeps-rejected":             func(o *Options) { o.KeepsRejected = true },
	"lists-ignore-filters":       func(o *Options) { o.IgnoreFilters = true },
	"lists-lag":                  func(o *Options) { o.ListLag, o.DeletionLag = 5*time.Second, 5*time.Second },
	"no-drafts":                  func(o *Options) { o.QueueDrafts = true },
	"no-merge":                   func(o *Options) { o.NoMergeByIntegrationID = true },
	"no-production":              func(o *Options) { o.NoProduction = true },
	"no-read-by-id":              func(o *Options) { o.NoReadByID = true },
	"normalizes-urls":            func(o *Options) { o.NormalizesURLs = true },
	"orders-need-legal-name":     func(o *Options) { o.OrdersNeedLegalName = true },
	"orders-need-period":         func(o *Options) { o.OrdersNeedPeriod = true },
	"orders-without-invoices":    func(o *Options) { o.OrdersWithoutInvoices = true },
	"pages-from-zero":            func(o *Options) { o.PagesFromZero = true },
	"refuses-second-post":        func(o *Options) { o.RefuseSecondPost = true },
	"secrets-absent":             func(o *Options) { o.SecretReads = SecretsAbsent },
	"secrets-clear":              func(o *Options) { o.SecretReads = SecretsClear },
	"settings-replace-all":       func(o *Options) { o.SettingsReplaceAll = true },
	"single-object-lists":        func(o *Options) { o.SingleObjectLists = true },
	"upper-case":                 func(o *Options) { o.Capitals = true },
	"wrapped-results":            func(o *Options) { o.WrapResults = true },
}

// Switches are the names of manners that [Options.Switch] takes.
func Switches() []string { return slices.Sorted(maps.Keys(switches)) }

// Switch chooses manners by their names, separated by commas.
func (o *Options) Switch(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		choose, known := switches[strings.TrimSpace(name)]
		if !known {
			return fmt.Errorf("%q is none of %s", name, strings.Join(Switches(), ", "))
		}
		choose(o)
	}
	return nil
}
