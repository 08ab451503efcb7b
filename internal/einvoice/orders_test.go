package einvoice

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestOrder_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","transactionId":"t-1","invoices":[]}`
	order := &Order{ID: "1", TransactionID: "t-1", Invoices: []*Invoice{}, Raw: json.RawMessage(object)}
	create := func(c *Client) (*Order, error) {
		return c.CreateOrder(t.Context(), Order{
			TransactionID: "t-1", Amount: ptr(Number(10.5)), SendEmailToCustomer: ptr(Flag(false)), AutoIssueMode: IssueAfterWarranty,
			Customer: &Customer{Name: "Maria"}, Items: []OrderItem{{Quantity: ptr(Number(1)), Product: &Product{Code: "C1"}}},
		}, json.RawMessage(`{"amount":1,"transport":{"carrier":"X"}}`), nil)
	}
	read := func(c *Client) (*Order, error) { return c.Order(t.Context(), "1", "t-1") }
	setStatus := func(c *Client) (*Order, error) { return c.SetOrderStatus(t.Context(), "1", OrderApproved, nil) }
	issue := func(c *Client) (*Order, error) { return nil, c.IssueOrderInvoices(t.Context(), "1", "", nil) }
	issueOn := func(c *Client) (*Order, error) {
		return nil, c.IssueOrderInvoices(t.Context(), "1", "2026-03-10T09:00:00-03:00", nil)
	}
	present := exchange{method: "GET", path: "/v1/customers?pageSize=1"}
	posted := exchange{method: "POST", path: "/v1/orders", body: `{"amount":10.5,"autoIssueMode":"afterWarrency","customer":{"name":"Maria"},` +
		`"items":[{"product":{"code":"C1"},"quantity":1}],"sendEmailToCustomer":false,"transactionId":"t-1","transport":{"carrier":"X"}}`}
	got := exchange{method: "GET", path: "/v1/orders/1"}
	invoice := exchange{method: "GET", path: "/v1/service-invoices/2"}
	answered := func(object string) *Invoice {
		v := &Invoice{Raw: json.RawMessage(object)}
		must(t, json.Unmarshal(v.Raw, v))
		return v
	}
	listed := exchange{method: "GET", path: "/v1/orders?endDate=2099-12-31&initialDate=2000-01-01&page=1&pageSize=100&transactionId=t-1"}
	changed := exchange{method: "PUT", path: "/v1/orders/1/status", body: `{"status":"approved"}`}
	issued := exchange{method: "POST", path: "/v1/orders/1/invoices/issue"}
	issuedOn := exchange{method: "POST", path: "/v1/orders/1/invoices/issue", body: `{"effectiveDate":"2026-03-10T09:00:00-03:00"}`}
	runOperations(t, []operation[*Order]{
		{"a creation, whose own fields win over the extra ones", create, []exchange{posted.answering(200, object)}, order, ""},
		{"a creation that is answered with its invoice", create, []exchange{
			posted.answering(200, `{"id":"2","model":"serviceInvoice","order":{"id":"1","transactionId":"t-1","date":"2026-03-10"},"receiver":{"federalTaxNumber":"52998224725"}}`),
		}, &Order{
			ID: "1", TransactionID: "t-1", Date: "2026-03-10", Customer: &Customer{FederalTaxNumber: "52998224725"},
			Invoices: []*Invoice{answered(`{"id":"2","model":"serviceInvoice","order":{"id":"1","transactionId":"t-1","date":"2026-03-10"},"receiver":{"federalTaxNumber":"52998224725"}}`)},
		}, ""},
		{"a creation that is answered with an invoice whose read names the order", create, []exchange{
			posted.answering(200, `{"id":"2","model":"serviceInvoice"}`), invoice.answering(200, `{"id":"2","model":"serviceInvoice","order":{"id":"1"}}`),
		}, &Order{ID: "1", Invoices: []*Invoice{answered(`{"id":"2","model":"serviceInvoice","order":{"id":"1"}}`)}}, ""},
		{"a creation that is answered with an invoice that does not name it", create, []exchange{
			posted.answering(200, `{"id":"2","accessKey":"k"}`),
		}, nil, "bad answer, order unnamed, ambiguous"},
		{"a read", read, []exchange{got.answering(200, object)}, order, ""},
		{"a read by the list", read, []exchange{got.answering(405, ``), listed.answering(200, `{"items":[{"id":"0"},`+object+`],"hasNext":false}`)}, order, ""},
		{"a read of what is gone", read, []exchange{got.answering(404, ``), listed.answering(200, `{"items":[],"hasNext":false}`)}, nil, "not found"},
		{"a read by the list of what is gone", read, []exchange{got.answering(405, ``), listed.answering(200, `{"items":[{"id":"0"}],"hasNext":false}`)}, nil, "not found, method not allowed"},
		{"a read without a list", read, []exchange{got.answering(404, ``), listed.answering(405, ``), present.answering(200, `[]`), listed.answering(405, ``)}, nil, "missing"},
		{"a read without a list, with a branch's key", read, []exchange{got.answering(405, ``), listed.answering(404, ``), present.answering(403, ``), listed.answering(404, ``)}, nil, "missing"},
		{"a read whose list a gateway does not find", read, []exchange{
			got.answering(404, ``), listed.answering(404, ``), present.answering(200, `[]`), listed.answering(200, `[]`),
		}, nil, "unproven"},
		{"a read at a wrong address", read, []exchange{got.answering(404, ``), listed.answering(404, ``), present.answering(404, ``)}, nil, "unproven"},
		{"a read whose list fails", read, []exchange{got.answering(404, ``), listed.answering(403, ``)}, nil, "forbidden"},
		{"a change of status", setStatus, []exchange{changed.answering(200, object)}, order, ""},
		{"issuing", issue, []exchange{issued.answering(200, ``)}, nil, ""},
		{"issuing on a date", issueOn, []exchange{issuedOn.answering(200, `{"success":true}`)}, nil, ""},
		{"issuing that is refused", issue, []exchange{issued.answering(200, `{"success":false}`)}, nil, "not successful"},
	})
}

func TestOrder_looksForTheInvoicesThatItDoesNotShow(t *testing.T) {
	t.Parallel()
	list := func(model string, status int, answer string) exchange {
		return exchange{method: "GET", path: "/v1/" + model + "-invoices?page=1&pageSize=100&transactionId=t-1", status: status, answer: answer}
	}
	const (
		products = `{"items":[{"id":"a","order":{"id":"2","transactionId":"t-1"}},{"id":"b","order":{"transactionId":"t-2"}},{"id":"c"},` +
			`{"id":"d","status":"authorized","order":{"transactionId":"t-1"}}],"hasNext":false}`
		services = `{"items":[{"id":"e","model":"serviceInvoice","status":"rejected","order":{"id":"1"}}],"hasNext":false}`
	)
	for name, shown := range map[string]string{
		"says nothing":           `{"id":"1","transactionId":"t-1"}`,
		"says null":              `{"id":"1","transactionId":"t-1","invoices":null}`,
		"does not say the id":    `{"id":"1","transactionId":"t-1","invoices":[{"model":"serviceInvoice"}]}`,
		"does not say the model": `{"id":"1","transactionId":"t-1","invoices":[{"id":"d"},{"id":"e","model":"serviceInvoice"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := exchange{method: "GET", path: "/v1/orders/1", status: 200, answer: shown}
			order, err := newService(t, got, list("product", 200, products), list("consumer", 405, ``), list("service", 200, services)).client().Order(t.Context(), "1", "t-1")
			must(t, err)
			var found []string
			for _, v := range order.Invoices {
				found = append(found, string(v.ID)+" "+string(v.Model)+" "+string(v.Status))
			}
			wantSame(t, []string{"d productInvoice authorized", "e serviceInvoice rejected"}, found)
		})
	}
	t.Run("a list that fails is an error", func(t *testing.T) {
		t.Parallel()
		got := exchange{method: "GET", path: "/v1/orders/1", status: 200, answer: `{"id":"1","transactionId":"t-1"}`}
		if _, err := newService(t, got, list("product", 403, ``)).client().Order(t.Context(), "1", "t-1"); !errors.Is(err, ErrForbidden) {
			t.Errorf("got %v", err)
		}
	})
}

// An order that is listed without its invoices is read by id: nobody knows what became of them.
func TestRefreshOrder_sharesTheListOfOrders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		opts  sandbox.Options
		known bool
		byID  int
		lists int
	}{
		{name: "as known", known: true, byID: 1, lists: 1},
		{name: "otherwise", byID: 20, lists: 1},
		{name: "without invoices", opts: sandbox.Options{OrdersWithoutInvoices: true}, known: true, byID: 20, lists: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, tt.opts)
			c := ownerOf(t, s)
			for i := range 20 {
				s.Seed(sandbox.KindOrders, map[string]any{"transactionId": strconv.Itoa(i)})
			}
			for _, object := range s.Objects(sandbox.KindOrders) {
				v, err := c.RefreshOrder(t.Context(), object["id"].(string), "", func(*Order) bool { return tt.known })
				if err != nil || string(v.TransactionID) != object["transactionId"] {
					t.Errorf("read as %+v, %v", v, err)
				}
			}
			if byID, lists := s.Count("GET", "/v1/orders/{id}"), s.Count("GET", "/v1/orders"); byID != tt.byID || lists != tt.lists {
				t.Errorf("%d reads by id, %d pages", byID, lists)
			}
		})
	}
}

func TestRefreshOrder_looksInTheListAsOrderDoes(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{method: "GET", path: "/v1/orders/1", status: 404},
		exchange{method: "GET", path: "/v1/orders?endDate=2099-12-31&initialDate=2000-01-01&page=1&pageSize=100&transactionId=t-1", answer: `[{"id":"1","transactionId":"t-1","invoices":[]}]`})
	if v, err := s.client().RefreshOrder(t.Context(), "1", "t-1", func(*Order) bool { return false }); err != nil || v.ID != "1" {
		t.Errorf("read as %+v, %v", v, err)
	}
}
