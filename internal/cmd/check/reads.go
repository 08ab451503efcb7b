package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Values that nothing at a service has.
const (
	nobodysKey = "00000000000000000000000000000000000000000000"
	saoPaulo   = "3550308"
)

// mostCompanies are looked at for the one of the key.
const mostCompanies = 50

// farAhead is a date of no invoice.
const farAhead = "2099-01-01T00:00:00-03:00"

func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return query
}

// access asks for what every service has.
func (c *check) access(ctx context.Context) error {
	a := c.ask(ctx, question{operation: "list_customers", query: queryOf("page", "1", "pageSize", "100")})
	switch {
	case a.ok():
		c.seeList(a.Body)
	case a.isForbidden():
		return fmt.Errorf("the service does not accept the API key (HTTP %d)", a.Status)
	case a.isRefusal():
		c.differs("page_size_100", true, "a page of 100 is refused")
		a = c.ask(ctx, question{operation: "list_customers"})
		c.seeList(a.Body)
	}
	if !a.ok() {
		return fmt.Errorf("GET /v1/customers, which every service has, failed: %w", a.err)
	}
	c.learnRefusals(ctx)
	return nil
}

// seeList looks at the form of a list of customers.
func (c *check) seeList(body []byte) {
	items, around, form := itemsIn(body)
	for _, customer := range items {
		c.seeAddress(customer)
	}
	if form != aPage {
		c.differs("customers_are_paged", true, form)
		return
	}
	c.holds("customers_are_paged", form)
	switch size := text(around["pageSize"]); size {
	case "100", "":
		c.holds("page_size_100", "a page of 100 is accepted")
	default:
		c.differs("page_size_100", true, "a page of 100 is cut to "+size)
	}
	var told []string
	for _, name := range []string{"hasNext", "pageCount", "totalCount"} {
		if around[name] != nil {
			told = append(told, name)
		}
	}
	if len(told) == 0 {
		c.differs("lists_end", true, "a list has neither hasNext nor pageCount nor totalCount")
		return
	}
	c.holds("lists_end", strings.Join(told, ", "))
}

// seeLimit looks at the headers of the limit.
func (c *check) seeLimit(header http.Header) {
	if left := header.Get("x-rate-limit-remaining"); left != "" && c.assumption("limit_per_key").Verdict == notSeen {
		c.holds("limit_per_key", left+" requests were left after the first")
	}
	reset := header.Get("x-rate-limit-reset")
	_, errTime := time.Parse(time.RFC3339, reset)
	switch {
	case reset == "":
	case errTime == nil:
		c.holds("limit_reset_is_a_time", "a date-time")
	case decimal.MatchString(reset) && len(reset) >= 10:
		c.holds("limit_reset_is_a_time", "a number, counted from 1970")
	default:
		c.differs("limit_reset_is_a_time", true, "neither a date-time nor a number counted from 1970")
	}
}

// companies finds the company of the key, and reads it and its settings.
func (c *check) companies(ctx context.Context) {
	list := c.ask(ctx, question{operation: "list_companies", query: queryOf("page", "1", "pageSize", "100")})
	if items, _, _ := itemsIn(list.Body); c.companyID == "" {
		c.companyID = c.ownCompany(ctx, items)
	}
	if c.companyID == "" {
		if c.unreadable["list_companies"] {
			c.differs("lists_have_items", false,
				"the company of this key is not found: give its id with -company")
		}
		return
	}
	id := []string{c.companyID}
	if a := c.ask(ctx, question{operation: "get_company", ids: id}); a.ok() {
		c.seeCompany(a.Body)
	}
	c.ask(ctx, question{operation: "list_certificates", ids: id})
	if a := c.ask(ctx, question{operation: "get_settings", ids: id}); a.ok() {
		c.seeSettings(blocksIn(a.Body))
	}
}

// ownCompany is the one company whose key may be this one, by its masked key, "" for none.
func (c *check) ownCompany(ctx context.Context, companies []object) string {
	var own []string
	for _, company := range companies[:min(len(companies), mostCompanies)] {
		key := company.part("apiCredentials").text("apiKey")
		if key == "" && len(companies) > 1 { // A read by id may show it.
			a := c.look(ctx, question{operation: "get_company", ids: []string{company.text("id")}})
			whole, _ := objectIn(a.Body)
			key = whole.part("apiCredentials").text("apiKey")
		}
		c.seeKey(key)
		_, proves := einvoice.MaskMatchesKey(key, c.config.APIKey)
		shown := strings.TrimRight(key, "*•●…")
		if shown != "" && strings.HasPrefix(c.config.APIKey, shown) || !proves && len(companies) == 1 {
			own = append(own, company.text("id"))
		}
	}
	if len(own) != 1 {
		return ""
	}
	return own[0]
}

// seeKey looks at how the key of a company is shown.
func (c *check) seeKey(key string) {
	switch {
	case key == "":
	case einvoice.IsMasked(key):
		c.holds("masks_have_a_mask_character", "the key of a company")
	default:
		c.differs("masks_have_a_mask_character", false, "the key of a company has none")
	}
}

func (c *check) seeCompany(body []byte) {
	company, _ := c.object(body)
	c.seeKey(company.part("apiCredentials").text("apiKey"))
	known := []string{"email", "phone", "mobilePhone", "address", "taxRegime", "economicActivities"}
	lacks := slices.DeleteFunc(known, func(name string) bool { _, has := company[name]; return has })
	if len(lacks) > 0 {
		c.differs("company_fields", true, "it lacks "+strings.Join(lacks, ", "))
		return
	}
	c.holds("company_fields", "a read shows all of them")
}

// object reads an object, and notes whether it was below "result".
func (c *check) object(body []byte) (of object, found bool) {
	of, wrapped := objectIn(body)
	switch {
	case wrapped:
		c.differs("results_are_bare", true, `below "result"`)
	case of["id"] != nil:
		c.holds("results_are_bare", "bare")
	}
	return of, of["id"] != nil
}

// lists asks for what is only read.
func (c *check) lists(ctx context.Context) {
	page := queryOf("page", "1", "pageSize", "20")
	c.ask(ctx, question{operation: "list_products", query: page})
	c.ask(ctx, question{operation: "list_webhooks", query: page})
	if _, err := c.client.WebhookSecret(ctx); err == nil {
		c.tell(question{operation: "get_webhook_secret"}, answers, http.StatusOK, "")
		c.holds("secret_form", "the provider can read it")
	} else if failure := (*einvoice.Error)(nil); errors.As(err, &failure) {
		switch {
		case failure.Status == http.StatusOK:
			c.tell(question{operation: "get_webhook_secret"}, answers, failure.Status,
				"the provider finds no secret in it")
			c.differs("secret_form", false, "another form")
		case errors.Is(err, einvoice.ErrNotFound), errors.Is(err, einvoice.ErrMethodNotAllowed):
			c.tell(question{operation: "get_webhook_secret"}, missing, failure.Status, without("get_webhook_secret"))
		default:
			c.tell(question{operation: "get_webhook_secret"}, refused, failure.Status, "")
		}
	}
	for _, model := range []string{"product", "consumer"} {
		q := question{operation: "list_disablements", model: model, query: page}
		a := c.ask(ctx, q)
		c.filters(ctx, "disablement_filters", q, a.Body, "startDate", farAhead)
	}
	c.cities(ctx)
	c.inbound(ctx)
}

// filters asks for a list with filters that nothing matches, where the list has anything.
func (c *check) filters(ctx context.Context, assumption string, q question, unfiltered []byte, pairs ...string) {
	if items, _, _ := itemsIn(unfiltered); len(items) == 0 {
		return
	}
	for pair := range slices.Chunk(pairs, 2) {
		q.query = queryOf(pair...)
		a := c.look(ctx, q)
		items, _, _ := itemsIn(a.Body)
		switch {
		case a.isRefusal():
			c.differs(assumption, false, pair[0]+" is refused")
		case !a.ok():
		case len(items) > 0:
			c.differs(assumption, true, pair[0]+" is ignored")
		default:
			c.holds(assumption, pair[0]+" filters")
		}
	}
}

func (c *check) cities(ctx context.Context) {
	all := c.ask(ctx, question{operation: "list_cities", query: queryOf("page", "1", "pageSize", "20")})
	if items, _, _ := itemsIn(all.Body); len(items) > 0 {
		var lacks []string
		for _, name := range []string{"id", "code", "name", "state", "provider"} {
			if items[0][name] == nil {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) > 0 {
			c.differs("city_fields", true, "it lacks "+strings.Join(lacks, ", "))
		}
		a := c.look(ctx, question{operation: "list_cities", query: queryOf("code", saoPaulo)})
		if found, _, _ := itemsIn(a.Body); a.ok() && len(found) > 1 {
			c.differs("city_fields", true, "code is ignored")
		} else if a.ok() {
			c.holds("city_fields", "code filters")
		}
	}
	a := c.ask(ctx, question{operation: "get_payload_example", ids: []string{saoPaulo}})
	of, _ := objectIn(a.Body)
	array, _ := of["examples"].([]any)
	for _, example := range objects(array) {
		form := ""
		for _, name := range []string{"body", "example", "payload"} {
			if example.part(name) != nil {
				form = "it is in " + name
			}
		}
		switch {
		case form != "":
			c.holds("example_is_the_body", form)
		case example["description"] != nil || example["total"] != nil:
			c.holds("example_is_the_body", "it is the body")
		default:
			c.differs("example_is_the_body", true, "it is neither the body nor in body, example or payload")
		}
	}
}

func (c *check) inbound(ctx context.Context) {
	c.ask(ctx, question{operation: "get_inbound_sync_status"})
	a := c.ask(ctx, question{operation: "list_inbound_invoices", query: queryOf("limit", "20")})
	items, _, _ := itemsIn(a.Body)
	c.filters(ctx, "inbound_filters", question{operation: "list_inbound_invoices"}, a.Body,
		"accessKey", nobodysKey, "initialDate", farAhead)
	if len(items) > 1 {
		one := c.look(ctx, question{operation: "list_inbound_invoices", query: queryOf("limit", "1")})
		if found, _, _ := itemsIn(one.Body); one.ok() && len(found) > 1 {
			c.differs("inbound_filters", true, "limit is ignored")
		}
	}
	if len(items) == 0 {
		return
	}
	id := items[0].text("id")
	c.ask(ctx, question{operation: "get_inbound_invoice", model: "product", ids: []string{id}})
	c.document(ctx, question{operation: "get_inbound_document", model: "product", ids: []string{id, "xml"}}, "xml")
}

// document reads a PDF or an XML that is there, and notes its form.
func (c *check) document(ctx context.Context, q question, format string) {
	a := c.ask(ctx, q)
	if !a.ok() {
		return
	}
	if form := documentForm(a.Body, format); form != "" {
		c.holds("documents_in_any_encoding", form)
		return
	}
	c.differs("documents_in_any_encoding", false, "another form of "+strings.ToUpper(format))
}

// invoiceLists looks at the invoices that are there.
func (c *check) invoiceLists(ctx context.Context) {
	for _, model := range issuedModels {
		q := question{operation: "list_invoices", model: model, query: queryOf("page", "1", "pageSize", "20")}
		a := c.ask(ctx, q)
		items, _, _ := itemsIn(a.Body)
		c.invoiceFilters(ctx, model, a.Body)
		if len(items) == 0 {
			continue
		}
		c.ask(ctx, question{operation: "get_invoice", model: model, ids: []string{items[0].text("id")}})
		for _, invoice := range items {
			if invoice.text("status") == "authorized" {
				c.documents(ctx, model, invoice.text("id"))
				break
			}
		}
	}
}

func (c *check) documents(ctx context.Context, model, id string) {
	for _, format := range []string{"pdf", "xml"} {
		c.document(ctx, question{operation: "get_invoice_" + format, model: model, ids: []string{id}}, format)
	}
}

func (c *check) invoiceFilters(ctx context.Context, model string, unfiltered []byte) {
	q := question{operation: "list_invoices", model: model}
	c.filters(ctx, "invoice_filters", q, unfiltered,
		"transactionId", c.name, "effectiveDateStart", farAhead, "receiverFederalTaxNumber", "99999999000191")
	c.filters(ctx, "integration_id_filter", q, unfiltered, "integrationId", c.name+"-none")
}

// orderLists looks at the orders that are there.
func (c *check) orderLists(ctx context.Context) {
	a := c.ask(ctx, question{operation: "list_orders", query: queryOf("page", "1", "pageSize", "20")})
	items, _, _ := itemsIn(a.Body)
	c.filters(ctx, "order_filter", question{operation: "list_orders"}, a.Body, "transactionId", c.name+"-none")
	for i, order := range items {
		if i == 0 {
			c.ask(ctx, question{operation: "get_order", ids: []string{order.text("id")}})
		}
		c.seeOrderInvoices(order)
	}
}

func (c *check) seeOrderInvoices(order object) {
	array, has := order["invoices"].([]any)
	switch invoices := objects(array); {
	case !has:
		c.differs("order_shows_invoices", true, "an order has no invoices")
	case len(invoices) == 0:
	case invoices[0]["id"] == nil || invoices[0]["status"] == nil || invoices[0]["model"] == nil:
		c.differs("order_shows_invoices", true, "an invoice lacks id, status or model")
	default:
		c.holds("order_shows_invoices", "id, status and model")
	}
}

// blocksIn are the blocks of settings, each as it was sent.
func blocksIn(body []byte) map[string]json.RawMessage {
	var blocks map[string]json.RawMessage
	if json.Unmarshal(body, &blocks) != nil {
		return nil
	}
	if blocks["general"] == nil && blocks["result"] != nil {
		return blocksIn(blocks["result"])
	}
	return blocks
}

// localDate matches a date-time without an offset.
var localDate = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d`)
