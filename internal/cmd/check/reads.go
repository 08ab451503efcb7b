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
	c.seeNumber("totalCount", around["totalCount"])
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
	switch {
	case c.unreadable["list_customers"]:
	case len(told) == 0:
		c.differs("lists_end", true, "a list has neither hasNext nor pageCount nor totalCount")
	default:
		c.holds("lists_end", strings.Join(told, ", "))
	}
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
	c.seeFields("company_fields", company, "email", "phone", "mobilePhone", "address", "taxRegime", "economicActivities")
	activities, _ := company["economicActivities"].([]any)
	for _, activity := range objects(activities) {
		if activity["code"] == nil || activity["type"] == nil {
			c.differs("company_fields", true, "an activity lacks code or type")
		}
	}
}

// word is a status or an environment in lower case.
func (c *check) word(of object, name string) string {
	word := strings.ToLower(of.text(name))
	switch {
	case word == "":
	case word[0] != of.text(name)[0]:
		c.differs("words_begin_small", true, name+" begins with a capital")
	default:
		c.holds("words_begin_small", name)
	}
	return word
}

// seeFields looks which fields an object shows. One that is left out may be unset, unless others that are unset are
// null.
func (c *check) seeFields(assumption string, of object, names ...string) {
	var shown, null, absent []string
	for _, name := range names {
		switch value, has := of[name]; {
		case !has:
			absent = append(absent, name)
		case isEmpty(value):
			null = append(null, name)
		default:
			shown = append(shown, name)
		}
	}
	unset := append(null, absent...)
	switch {
	case len(absent) > 0 && len(null) > 0:
		c.differs(assumption, true, "a read lacks "+strings.Join(absent, ", ")+", and shows others as null")
	case len(unset) == 0:
		c.holds(assumption, "a read shows all of them")
	case len(shown) > 0:
		c.holds(assumption, "a read shows all but "+strings.Join(unset, ", ")+", which may be unset")
	default:
		c.assumption(assumption).add("a read shows none of them: they may be unset")
	}
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
	if c.ask(ctx, question{operation: "get_webhook_secret"}).ok() {
		_, err := c.client.WebhookSecret(ctx)
		failure := (*einvoice.Error)(nil)
		switch {
		case err == nil:
			c.holds("secret_form", "the provider can read it")
		case errors.Is(err, einvoice.ErrMasked):
			c.differs("secret_form", false, "it is masked")
		case errors.As(err, &failure) && failure.Status == http.StatusOK:
			c.differs("secret_form", false, "the provider finds no secret in it")
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
		items, _, form := itemsIn(a.Body)
		switch {
		case a.isRefusal():
			c.differs(assumption, false, pair[0]+" is refused")
		case !a.ok() || form == noList:
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
			if !slices.ContainsFunc(items, func(city object) bool { return city[name] != nil }) {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) > 0 {
			c.differs("city_fields", true, "no city has "+strings.Join(lacks, ", "))
		}
		a := c.look(ctx, question{operation: "list_cities", query: queryOf("code", saoPaulo)})
		found, _, _ := itemsIn(a.Body)
		switch {
		case !a.ok() || len(items) == 1:
		case len(found) > 1:
			c.differs("city_fields", true, "code is ignored")
		case len(found) == 1 && found[0].text("code") == saoPaulo:
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
			c.invoiced = append(c.invoiced, invoice.part("order").text("id"))
		}
		for _, invoice := range items {
			if c.word(invoice, "status") == "authorized" {
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
	none := c.name + "-none" // The run's own order may have issued.
	c.filters(ctx, "invoice_filters", q, unfiltered,
		"transactionId", none, "effectiveDateStart", farAhead, "receiverFederalTaxNumber", "99999999000191")
	c.filters(ctx, "integration_id_filter", q, unfiltered, "integrationId", none)
}

// orderLists looks at the orders that are there.
func (c *check) orderLists(ctx context.Context) {
	a := c.ask(ctx, question{operation: "list_orders", query: queryOf("page", "1", "pageSize", "20")})
	items, _, _ := itemsIn(a.Body)
	c.filters(ctx, "order_filter", question{operation: "list_orders"}, a.Body, "transactionId", c.name+"-none")
	if len(items) == 0 {
		return
	}
	at := slices.IndexFunc(items, func(order object) bool { return isAmong(c.invoiced, order.text("id")) })
	order := items[max(at, 0)]
	if a := c.ask(ctx, question{operation: "get_order", ids: []string{order.text("id")}}); a.ok() {
		order, _ = c.object(a.Body)
	}
	c.seeOrderInvoices(order, at >= 0)
}

// seeOrderInvoices looks at the invoices of an order. One that has none may have issued none.
func (c *check) seeOrderInvoices(order object, isIssued bool) {
	array, _ := order["invoices"].([]any)
	switch invoices := objects(array); {
	case len(invoices) == 0 && isIssued:
		c.differs("order_shows_invoices", true, "an order that an invoice names shows no invoices")
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
