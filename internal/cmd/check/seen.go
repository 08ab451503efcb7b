package main

// sight is how the check program sees an assumption.
type sight struct {
	how    string   // for the page "Interface coverage"
	unseen string   // why a run that tried what it needs has seen nothing
	needs  []string // operations that show it
}

// unseeable is an assumption that no run sees.
func unseeable(why string) sight {
	return sight{how: "not seen: " + why, unseen: "einvoice-check cannot see it: " + why}
}

func seen(how, unseen string, needs ...string) sight { return sight{how, unseen, needs} }

const (
	noObject  = "no object could be made that shows it"
	noRead    = "it could not be read"
	emptyList = "the list is empty"
	noDecided = "no authorized invoice was seen"
)

// seenBy has an entry for each assumption.
var seenBy = map[string]sight{
	"customers_are_paged": seen("the list of customers, also with one customer", "no customers were listed"),
	"lists_have_items":    seen("all lists", "no list was answered"),
	"page_size_100":       seen("the list of customers with pageSize=100", "no list came as a page"),
	"lists_end":           seen("the members beside the items", "no list came as a page", "list_customers"),
	"lists_lag_briefly": seen("the time from a creation to the list", noObject,
		"create_customer", "list_customers"),
	"results_are_bare":            seen("all objects", "no object was answered"),
	"scalars_vary":                seen("the types in new objects and in lists", noObject, "create_customer"),
	"words_begin_small":           seen("the statuses and environments that are read", "none was read"),
	"empty_is_null":               seen("the address of a customer without one", "no customer without one was seen"),
	"ids_ignore_case":             seen("the ids of new objects, in answers and in lists", noObject, "create_customer"),
	"values_are_kept":             seen("a read of new objects", noRead, "create_customer"),
	"keys_may_repeat":             seen("two objects with the same key", noObject, "delete_customer"),
	"product_fields":              seen("a read of a new product", noRead, "create_product"),
	"webhook_fields":              seen("a new webhook, disabled and enabled", noRead, "create_webhook"),
	"company_fields":              seen("the company of the key", "the company shows none of them", "get_company"),
	"settings_fields":             seen("the settings of the company", "the settings show none of them", "get_settings"),
	"statuses_mean_http":          seen("an id that no object has", "another status was answered"),
	"errors_have_messages":        seen("a customer whose name is too long", "the name was accepted", "create_customer"),
	"limit_per_key":               seen("the header x-rate-limit-remaining", "the service sends no such header"),
	"limit_reset_is_a_time":       seen("the header x-rate-limit-reset", "the service sends no such header"),
	"success_false_is_a_refusal":  seen("reads after deletions", "no deletion could be verified", "delete_customer"),
	"masks_have_a_mask_character": seen("the company's key, csc and password", "no masked key or secret was shown"),
	"settings_hide_secrets":       seen("csc, password and csrts in the settings", "they hold no secret", "get_settings"),
	"update_merges_or_replaces": seen("an update of a customer and a product that leaves a field out",
		"no update could be compared", "update_customer"),
	"update_keeps_unknown_fields": seen("objects with undocumented fields, sent back",
		"no object showed such a field", "update_customer"),
	"settings_put_keeps_other_blocks": seen("a PUT of one block as it was read; none if a model is in production",
		"no block could be compared", "update_settings"),
	"dates_without_offset_are_local": seen("the date of a new invoice", "no date tells its zone", "create_invoice"),
	"cancel_takes_reason":            seen("the invoice of each model is canceled", noDecided, "create_invoice"),
	"issue_false_makes_a_draft": seen("the invoice of each model is first sent with issue = false",
		"the status of the invoice could not be read", "create_service_invoice"),
	"post_updates_rejected": seen("the payload of a draft or a rejected invoice is sent twice",
		"no invoice was a draft or rejected", "create_invoice"),
	"authorized_is_issued_once": seen("the payload of one authorized invoice is sent twice",
		noDecided+", or a second POST of its draft made another one", "create_invoice"),
	"integration_id_filter": seen("look-ups by the name, its beginning and an unknown name", emptyList, "list_invoices"),
	"invoice_filters":       seen("filters that match nothing", emptyList, "list_invoices"),
	"check_status_400_is_queued": seen("check_invoice_status of a queued invoice and of a decided one",
		"no invoice was queued or decided", "create_invoice", "check_invoice_status"),
	"documents_in_any_encoding": seen("PDF and XML of an authorized invoice", noDecided, "get_invoice_pdf"),
	"order_fields":              seen("an order that issues nothing", noRead, "create_order"),
	"order_filter":              seen("a filter that matches nothing", emptyList, "list_orders"),
	"order_shows_invoices":      seen("an order that an invoice names", "no order with an invoice was seen"),
	"letter_shows_an_event": seen("a letter for the issued product invoice", "no authorized product invoice was seen",
		"create_product_invoice"),
	"disablement_filters":           seen("filters that match nothing", emptyList, "list_disablements"),
	"inbound_filters":               seen("filters that match nothing", emptyList, "list_inbound_invoices"),
	"city_fields":                   seen("the list of cities, and code=3550308", emptyList, "list_cities"),
	"example_is_the_body":           seen("the examples of São Paulo", "no example is shown", "get_payload_example"),
	"secret_form":                   seen("a read of the webhook secret", noRead, "get_webhook_secret"),
	"company_put_replaces":          unseeable("it would write a company, which may hold more than a read shows"),
	"company_is_unique":             unseeable("it would create a company"),
	"settings_put_replaces_a_block": unseeable("it would change settings"),
	"certificate_form":              unseeable("it would change a company's certificate"),
	"certificate_registered":        unseeable("it would change a company's certificate"),
	"order_issue_is_complete":       unseeable("it would issue a second invoice"),
	"manifest_body":                 unseeable("a manifestation is a legal act"),
	"rotation_takes_window_hours":   unseeable("it would replace the account's secret"),
	"rotation_may_show_the_secret":  unseeable("it would replace the account's secret"),
}
