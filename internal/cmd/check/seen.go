package main

// sight is how the check program sees an assumption.
type sight struct {
	how    string // for the page "Interface coverage"
	unseen string // why a run may have seen nothing, "" for want of objects
}

const (
	byWrites  = "only a run without -read-only sees it"
	byIssuing = "only a run that issues an invoice sees it"
	never     = "einvoice-check cannot see it: "
)

// byCompany are the assumptions that only a run shows that knows the company of the key.
var byCompany = []string{
	"company_fields", "settings_fields", "settings_hide_secrets", "settings_put_keeps_other_blocks", "order_fields",
}

// unseeable is an assumption that no run sees.
func unseeable(why string) sight { return sight{"not seen: " + why, never + why} }

// seenBy has an entry for each assumption.
var seenBy = map[string]sight{
	"customers_are_paged":  {"the list of customers, also with one customer", ""},
	"lists_have_items":     {"all lists", ""},
	"page_size_100":        {"the list of customers with pageSize=100", ""},
	"lists_end":            {"the members beside the items", "no list came as a page"},
	"lists_lag_briefly":    {"the time until a new object is in its list", byWrites},
	"results_are_bare":     {"all objects", ""},
	"scalars_vary":         {"the types in new objects and in the list of customers", byWrites},
	"empty_is_null":        {"the address of a customer without one", ""},
	"ids_ignore_case":      {"the ids of new objects, in responses and in lists", byWrites},
	"values_are_kept":      {"a read of new objects", byWrites},
	"keys_may_repeat":      {"two objects with the same key, if they can be deleted", byWrites},
	"product_fields":       {"a read of a new product", byWrites},
	"webhook_fields":       {"a new webhook, which is disabled and enabled", byWrites},
	"company_fields":       {"the company of the key", "the company of the key cannot be read"},
	"settings_fields":      {"the settings of the company", "the settings cannot be read"},
	"statuses_mean_http":   {"an id that no object has", ""},
	"errors_have_messages": {"a customer whose name is too long", byWrites},
	"limit_per_key":        {"the header x-rate-limit-remaining", "the service shows no x-rate-limit-remaining"},
	"limit_reset_is_a_time": {
		"the header x-rate-limit-reset", "the service shows no x-rate-limit-reset",
	},
	"success_false_is_a_refusal": {"reads after deletions", byWrites},
	"masks_have_a_mask_character": {
		"the company's key, csc and password", "no masked key or secret was shown",
	},
	"settings_hide_secrets": {
		"csc, password and csrts in the settings", "the settings cannot be read, or hold no secret",
	},
	"update_merges_or_replaces": {
		"an update of a customer and a product that leaves a field out", byWrites,
	},
	"update_keeps_unknown_fields": {
		"objects with undocumented fields, sent back", "no object showed such a field",
	},
	"settings_put_keeps_other_blocks": {
		"a PUT of one block as it was read; none if a model is in production",
		byWrites + ", with a block that can be put back and no model in production",
	},
	"dates_without_offset_are_local": {"the date of a new invoice", byIssuing},
	"cancel_takes_reason":            {"the invoice of each model is canceled", byIssuing},
	"issue_false_makes_a_draft":      {"the invoice of each model is first sent with issue = false", byIssuing},
	"post_updates_rejected":          {"the payload of a draft or a rejected invoice is sent twice", byIssuing},
	"authorized_is_issued_once":      {"the payload of one authorized invoice is sent twice", byIssuing},
	"integration_id_filter": {
		"look-ups by the name, by its beginning and by an unknown name", "no invoice to look up",
	},
	"invoice_filters":               {"filters that match nothing", "the lists have no invoice"},
	"check_status_400_is_queued":    {"check_invoice_status of a queued invoice and of a decided one", byIssuing},
	"documents_in_any_encoding":     {"PDF and XML of an authorized invoice", "no authorized invoice"},
	"order_fields":                  {"an order that issues nothing", byWrites},
	"order_filter":                  {"a filter that matches nothing", "the list has no order"},
	"order_shows_invoices":          {"the orders in the list, and the new one", "no order with an invoice"},
	"letter_shows_an_event":         {"a letter for the issued product invoice", byIssuing},
	"disablement_filters":           {"filters that match nothing", "the lists have no disablement"},
	"inbound_filters":               {"filters that match nothing", "the list has no inbound invoice"},
	"city_fields":                   {"the list of cities, and code=3550308", "the list has no city"},
	"example_is_the_body":           {"the examples of São Paulo", "the service has no example of São Paulo"},
	"secret_form":                   {"a read of the webhook secret, which is not shown", "the secret cannot be read"},
	"company_put_replaces":          unseeable("it would change a company"),
	"company_is_unique":             unseeable("it would create a company"),
	"settings_put_replaces_a_block": unseeable("it would change settings"),
	"certificate_form":              unseeable("it would change a company's certificate"),
	"certificate_registered":        unseeable("it would change a company's certificate"),
	"order_issue_is_complete":       unseeable("it would issue a second invoice"),
	"manifest_body":                 unseeable("a manifestation is a legal act"),
	"rotation_takes_window_hours":   unseeable("it would replace the account's secret"),
	"rotation_may_show_the_secret":  unseeable("it would replace the account's secret"),
}
