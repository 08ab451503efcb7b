package main

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

const testCSC = "A1B2C3D4-E5F6"

var (
	withCSC = map[string]any{
		"consumerInvoice": map[string]any{"tokenId": "000001", "csc": testCSC},
		"general":         map[string]any{"technicalResponsible": nil},
	}
	withCSRTs = map[string]any{"general": map[string]any{"technicalResponsible": map[string]any{
		"csrts": []any{map[string]any{"id": 1, "csrt": "ABCDEFGHIJ"}},
	}}}
)

// switches are what the service in memory can do otherwise, and how that is told.
var switches = []struct {
	name     string
	options  sandbox.Options
	settings map[string]any
	about    string // an operation or an assumption
	verdict  string
	seen     string // or the note
	exit     int
	pasted   string
}{
	{name: "slow authority", options: sandbox.Options{AuthorizeAfter: 9 * time.Second}, about: "cancel_takes_reason", verdict: holds, seen: "after 10s"},
	{name: "limit", options: sandbox.Options{RateLimit: true}, about: "limit_per_key", verdict: holds, seen: "59 requests"},
	{name: "another limit", options: sandbox.Options{RateLimit: true, RateLimitPerMinute: 90}, about: "limit_per_key", verdict: holds, seen: "89 requests"},
	{
		name: "nothing but what is specified", options: sandbox.Options{OnlySpecified: true},
		about: "list_consumer_invoices", verdict: missing, exit: exitDiffers,
	},
	{
		name: "without updates of webhooks", options: sandbox.Options{Without: []string{"PUT /v1/webhooks/{id}"}},
		about: "update_webhook", verdict: missing, exit: exitDiffers,
	},
	{
		name: "without updates of companies", options: sandbox.Options{Without: []string{"PUT /v1/companies/{id}"}},
		about: "update_company", verdict: missing, exit: exitDiffers,
	},
	{
		name: "without the list of consumer invoices", options: sandbox.Options{Without: []string{"GET /v1/consumer-invoices"}},
		about: "list_consumer_invoices", verdict: missing, seen: "journal",
	},
	{
		name: "without the list of products", options: sandbox.Options{Without: []string{"GET /v1/products"}},
		about: "list_products", verdict: missing, seen: "read by id",
	},
	{
		name: "without the list of orders", options: sandbox.Options{Without: []string{"GET /v1/orders"}},
		about: "list_orders", verdict: missing, seen: "needs `get_order`",
		pasted: "  operations = {\n    get_order = \"GET /v1/orders/{id}\"\n  }\n",
	},
	{
		name: "without list and read of orders", options: sandbox.Options{Without: []string{"GET /v1/orders", "GET /v1/orders/{id}"}},
		about: "get_order", verdict: missing, seen: "sends no order", exit: exitDiffers,
	},
	{
		name: "cancellation by POST", options: sandbox.Options{CancelByPost: true}, about: "cancel_service_invoice", verdict: missing,
		seen: "POST /v1/{model}-invoices/{id}/cancel answers", exit: exitDiffers,
		pasted: "  operations = {\n    cancel_invoice = \"POST /v1/{model}-invoices/{id}/cancel\"\n  }\n",
	},
	{
		name: "no merging", options: sandbox.Options{NoMergeByIntegrationID: true},
		about: "post_updates_rejected", verdict: differs, seen: "made another service invoice",
	},
	{
		name: "an echo", options: sandbox.Options{AnswersWithWhatIsThere: true},
		about: "authorized_is_issued_once", verdict: holds, seen: "answered with the invoice that is there",
	},
	{
		name: "drafts are queued", options: sandbox.Options{QueueDrafts: true}, about: "issue_false_makes_a_draft", verdict: differs,
		seen: "a service invoice with issue = false is enqueued", exit: exitDiffers,
	},
	{
		name: "drafts are queued and nothing is merged", options: sandbox.Options{QueueDrafts: true, NoMergeByIntegrationID: true},
		about: "authorized_is_issued_once", verdict: differs, seen: "made another one", exit: exitDiffers,
	},
	{
		name: "check-status always says queued", options: sandbox.Options{CheckStatusQueued: true},
		about: "check_status_400_is_queued", verdict: differs, seen: "400 for an invoice that is authorized", exit: exitDiffers,
	},
	{
		name: "orders without invoices, where none has one", options: sandbox.Options{OrdersWithoutInvoices: true},
		about: "order_shows_invoices", verdict: notSeen, seen: "no order with an invoice was seen",
	},
	{name: "a lag", options: sandbox.Options{ListLag: 8 * time.Second}, about: "lists_lag_briefly", verdict: holds, seen: "after 8s"},
	{
		name: "a long lag", options: sandbox.Options{ListLag: 25 * time.Second},
		about: "lists_lag_briefly", verdict: differs, seen: "after 26s", pasted: "for 60 seconds by default",
	},
	{
		name: "a lag that is too long", options: sandbox.Options{ListLag: 65 * time.Second},
		about: "lists_lag_briefly", verdict: differs, seen: "after 1m6s", exit: exitDiffers,
	},
	{
		name:    "a lag that authorization would hide",
		options: sandbox.Options{ListLag: 8 * time.Second, AuthorizeAfter: 20 * time.Second},
		about:   "lists_lag_briefly", verdict: holds, seen: "a service invoice showed after 8s",
	},
	{
		name: "a long lag of invoices", options: sandbox.Options{ListLag: 25 * time.Second, AuthorizeAfter: time.Minute},
		about: "lists_lag_briefly", verdict: differs, seen: "a service invoice showed after 26s",
	},
	{
		name: "deletions that lists follow late", options: sandbox.Options{DeletionLag: 25 * time.Second},
		about: "success_false_is_a_refusal", verdict: holds, seen: "confirmed deletions are done",
	},
	{
		name:    "deletions that only lists show, late",
		options: sandbox.Options{DeletionLag: 8 * time.Second, NoReadByID: true},
		about:   "success_false_is_a_refusal", verdict: holds, seen: "confirmed deletions are done",
	},
	{
		name:    "deletions that lists never follow",
		options: sandbox.Options{DeletionLag: time.Hour, NoReadByID: true, CapitalIDsInLists: true},
		about:   "success_false_is_a_refusal", verdict: notSeen, seen: "no deletion could be verified",
		pasted: "Removed, but it may show in lists a while: customer ",
	},
	{
		name:    "creations and deletions that lists follow late",
		options: sandbox.Options{ListLag: 8 * time.Second, DeletionLag: 2 * time.Minute, NoReadByID: true},
		about:   "webhook_fields", verdict: holds, seen: "a read shows all of them",
	},
	{
		name: "ids in capitals", options: sandbox.Options{CapitalIDsInLists: true},
		about: "ids_ignore_case", verdict: holds, seen: "lists write them in another case",
	},
	{
		name: "lists without integrationId", options: sandbox.Options{ListsWithoutIntegrationID: true},
		about: "integration_id_filter", verdict: differs, seen: "does not show the integrationId", exit: exitDiffers,
	},
	{name: "no filters", options: sandbox.Options{IgnoreFilters: true}, about: "integration_id_filter", verdict: differs, seen: "integrationId is ignored"},
	{
		name: "orders that issue although that is disabled", options: sandbox.Options{IssueDisabledOrders: true},
		about: "order_fields", verdict: differs, seen: "an order whose autoIssueMode is disabled has an invoice", exit: exitDiffers,
	},
	{name: "no filters of orders", options: sandbox.Options{IgnoreFilters: true}, about: "order_filter", verdict: differs, seen: "ignored"},
	{name: "no reads by id", options: sandbox.Options{NoReadByID: true}, about: "get_customer", verdict: missing, seen: "list"},
	{
		name: "no deletions of customers", options: sandbox.Options{NoCustomerDelete: true},
		about: "delete_customer", verdict: missing, seen: "state", exit: exitUnusual, pasted: "Not removed, remove it by hand: customer ",
	},
	{name: "empty addresses", options: sandbox.Options{EmptyAddresses: true}, about: "empty_is_null", verdict: differs, seen: "without values"},
	{name: "capitals", options: sandbox.Options{Capitals: true}, about: "values_are_kept", verdict: differs, seen: "customer.legalName, customer.name"},
	{name: "single objects", options: sandbox.Options{SingleObjectLists: true}, about: "customers_are_paged", verdict: differs, seen: oneObject},
	{name: "small pages", options: sandbox.Options{MaxPageSize: 7}, about: "page_size_100", verdict: differs, seen: "cut to 7"},
	{
		name: "pages from 0", options: sandbox.Options{PagesFromZero: true}, about: "lists_have_items", verdict: differs,
		exit: exitDiffers, pasted: "list_customers cannot be read: its first page is page 0",
		seen: "list_companies cannot be read: its first page is page 0; the company",
	},
	{
		name: "no lag of pages from 0", options: sandbox.Options{PagesFromZero: true},
		about: "lists_lag_briefly", verdict: notSeen, seen: "list_customers cannot be read", exit: exitDiffers,
	},
	{
		name: "statuses in capitals", options: sandbox.Options{CapitalStatuses: true}, about: "words_begin_small",
		verdict: differs, seen: "status begins with a capital", pasted: "The provider reads them in any case.",
	},
	{name: "wrappers", options: sandbox.Options{WrapResults: true}, about: "results_are_bare", verdict: differs, seen: "result"},
	{
		name: "masked secrets", options: sandbox.Options{SecretReads: sandbox.SecretsMasked}, settings: withCSC,
		about: "settings_hide_secrets", verdict: holds, seen: "csc is masked",
	},
	{
		name: "hidden secrets", options: sandbox.Options{SecretReads: sandbox.SecretsHidden}, settings: withCSC,
		about: "settings_hide_secrets", verdict: holds, seen: "csc is asterisks",
	},
	{
		name: "absent secrets", options: sandbox.Options{SecretReads: sandbox.SecretsAbsent}, settings: withCSC,
		about: "settings_hide_secrets", verdict: holds, seen: "csc is left out",
	},
	{
		name: "secrets that are null", options: sandbox.Options{SecretReads: sandbox.SecretsNull}, settings: withCSC,
		about: "settings_hide_secrets", verdict: notSeen, seen: "csc is null",
	},
	{
		name: "clear secrets", options: sandbox.Options{SecretReads: sandbox.SecretsClear}, settings: withCSC,
		about: "settings_hide_secrets", verdict: differs, seen: "csc is in clear",
	},
	{
		name: "cut secrets", options: sandbox.Options{SecretReads: sandbox.SecretsCut}, settings: withCSRTs,
		about: "settings_hide_secrets", verdict: holds, seen: "the texts of csrts are left out",
	},
	{
		name: "a mask without a mask character", options: sandbox.Options{SecretMask: "A1B2"}, settings: withCSC,
		about: "settings_hide_secrets", verdict: differs, seen: "csc is in clear, or cut",
	},
	{
		name: "a second POST is refused", options: sandbox.Options{RefuseSecondPost: true}, about: "post_updates_rejected",
		verdict: differs, seen: "is refused (HTTP 409), and makes no second invoice", exit: exitDiffers,
		pasted: "correct the invoice under another integration_id",
	},
	{
		name: "lists under names of their own", options: sandbox.Options{NamedLists: true}, about: "lists_have_items",
		verdict: differs, exit: exitDiffers, pasted: "list_webhooks cannot be read",
		seen: "list_companies cannot be read: it is neither a list nor an object with an id; the company of this key is not found",
	},
	{
		name: "no lag of lists that cannot be read", options: sandbox.Options{NamedLists: true},
		about: "lists_lag_briefly", verdict: holds, seen: "a customer showed", exit: exitDiffers,
	},
	{
		name: "settings that replace all", options: sandbox.Options{SettingsReplaceAll: true},
		about: "settings_put_keeps_other_blocks", verdict: differs, seen: "serviceInvoice changed: environmentType",
		pasted: "The provider copes: The provider reads the settings after the write. If values of other blocks are gone",
	},
	{
		name: "settings that replace all by defaults", options: sandbox.Options{SettingsReplaceAll: true, SettingsResetFilled: true},
		settings: map[string]any{"serviceInvoice": map[string]any{"environmentType": "simulation"}},
		about:    "settings_put_keeps_other_blocks", verdict: differs, seen: "serviceInvoice changed: environmentType", exit: exitDiffers,
	},
	{name: "an empty answer of settings", options: sandbox.Options{EmptySettingsAnswer: true}, about: "update_settings", verdict: answers, seen: "nothing"},
	{
		name: "documents in base64", options: sandbox.Options{DocumentForm: sandbox.DocumentBase64},
		about: "documents_in_any_encoding", verdict: holds, seen: "base64",
	},
	{
		name: "raw documents", options: sandbox.Options{DocumentForm: sandbox.DocumentRaw},
		about: "documents_in_any_encoding", verdict: holds, seen: "raw",
	},
	{
		name: "fields that nobody documents", options: sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCustomers: {"creditLimit"}}},
		about: "update_keeps_unknown_fields", verdict: holds, seen: "creditLimit",
	},
}

func TestSwitches_areToldApart(t *testing.T) {
	t.Parallel()
	for _, tt := range switches {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, clock, c := started(t, tt.options)
			if tt.options.RateLimit {
				s.OnRequest(func(sandbox.Request) { _ = clock.Pause(t.Context(), time.Second) })
			}
			if tt.settings != nil {
				s.SetSettings(s.OwnerCompanyID(), tt.settings)
			}
			o := finished(t.Context(), t, c)
			expect.Is(t, o.exit, tt.exit, "it exits with :\n%s", o.out)
			o.wants(t, tt.about, tt.verdict, tt.seen)
			expect.Contains(t, o.out, tt.pasted)
			canDelete := !tt.options.NoCustomerDelete && !tt.options.OnlySpecified
			if canDelete {
				wantNothingLeft(t, s)
			}
			if isTold := len(o.report.Left) > 0; isTold == canDelete {
				t.Errorf("%v are told to be left", o.report.Left)
			}
		})
	}
}

func TestSeeSecret_doesNotTakeACutSecretForACopedOneWhereKeysAreCut(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{})
	c.seeKey("a1b2c3")
	c.seeSecret(object{"csc": "A1B2C3"}, "csc", "tokenId")
	if got := c.assumption("settings_hide_secrets"); got.Verdict != differs || got.Coped {
		t.Errorf("%+v", got)
	}
}
