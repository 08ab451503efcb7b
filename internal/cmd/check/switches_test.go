package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var companySettings = map[string]map[string]any{
	"csc": {
		"consumerInvoice": map[string]any{"tokenId": "000001", "csc": "A1B2C3D4-E5F6"}, "general": map[string]any{"technicalResponsible": nil},
	},
	"csrts": {"general": map[string]any{"technicalResponsible": map[string]any{
		"csrts": []any{map[string]any{"id": 1, "csrt": "ABCDEFGHIJ"}},
	}}},
	"filled":     {"general": map[string]any{"technicalResponsible": nil}, "serviceInvoice": map[string]any{"series": "7"}},
	"production": {"serviceInvoice": map[string]any{"environmentType": "production"}},
}

// proxy stands before the service: it answers itself and returns true, or changes an answer.
type proxy struct {
	handle func(*sandbox.Server, http.ResponseWriter, *http.Request) bool
	change func(*http.Request, object)
}

// answered is a proxy that answers some requests itself.
func answered(status int, body string, is func(*http.Request) bool) proxy {
	return proxy{handle: func(_ *sandbox.Server, w http.ResponseWriter, q *http.Request) bool {
		if is(q) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
		return is(q)
	}}
}

var proxies = map[string]proxy{
	"": {},
	"patch": {handle: func(_ *sandbox.Server, w http.ResponseWriter, q *http.Request) bool {
		isPlain := strings.HasPrefix(q.URL.Path, "/v1/products/") || strings.HasPrefix(q.URL.Path, "/v1/webhooks/")
		if isPlain && q.Method == http.MethodPut && strings.Count(q.URL.Path, "/") == 3 {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return true
		}
		q.Method = strings.Replace(q.Method, http.MethodPatch, http.MethodPut, 1)
		return false
	}},
	"stuck": answered(http.StatusBadRequest, "", func(q *http.Request) bool {
		return strings.HasPrefix(q.URL.Path, "/v1/product-invoices/") && strings.HasSuffix(q.URL.Path, "/issue")
	}),
	"stamps": {change: func(_ *http.Request, of object) {
		now := time.Now()
		for _, block := range []object{of, of.part("general"), of.part("serviceInvoice")} {
			if block["id"] != nil || block["series"] != nil {
				block["concurrencyStamp"], block["modifiedOn"], block["revision"] = now.UnixNano(), now.Format(time.RFC3339Nano), now.UnixNano()
			}
		}
	}},
	"loss": {change: func(q *http.Request, of object) {
		if strings.HasPrefix(q.URL.Path, "/v1/customers/") && !strings.HasSuffix(of.text("name"), " b") {
			of["creditLimit"] = 500
		}
	}},
	"mask": {change: func(_ *http.Request, of object) {
		items, _ := of["items"].([]any)
		for _, item := range items {
			if company, _ := item.(map[string]any); company["apiCredentials"] != nil {
				company["apiCredentials"] = map[string]any{"apiKey": keyOf(company)[:4] + "****-****-****-************"}
			}
		}
	}},
	"dead": answered(http.StatusOK, `{"success": true}`, func(q *http.Request) bool {
		return q.Method == http.MethodPut && strings.HasPrefix(q.URL.Path, "/v1/customers/")
	}),
	"blind": answered(http.StatusOK, `{"items": [], "totalCount": 0, "hasNext": false}`, func(q *http.Request) bool {
		return q.URL.Query().Get("integrationId") != ""
	}),
	"cities": {handle: func(_ *sandbox.Server, w http.ResponseWriter, q *http.Request) bool {
		isCities := strings.HasSuffix(q.URL.Path, "/cities")
		if isCities {
			_, _ = io.WriteString(w, `{"items": [`+map[bool]string{true: `{"id": "a"}`}[q.URL.Query().Get("page") == "0"]+`], "hasNext": false}`)
		}
		return isCities
	}},
}

// faults are what happens once to a request, by the first word of what stands before the sandbox.
var faults = map[string]sandbox.Fault{
	"lost":      {Kind: sandbox.FaultDropAfter},
	"failed":    {Kind: sandbox.FaultStatusAfter, Status: http.StatusInternalServerError},
	"empty":     {Kind: sandbox.FaultBody, Body: "{}"},
	"confirmed": {Kind: sandbox.FaultStatus, Status: http.StatusOK, Body: `{"success": true}`, Times: -1},
}

// before is the address of a proxy in front of a service.
func (p proxy) before(t *testing.T, s *sandbox.Server) string {
	t.Helper()
	target, err := url.Parse(strings.TrimSuffix(s.BaseURL(), "/v1"))
	expect.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = func(a *http.Response) error {
		body, err := io.ReadAll(a.Body)
		if of, _ := decoded(body).(map[string]any); p.change != nil && of != nil {
			p.change(a.Request, of)
			body = encoded(of)
			a.ContentLength = int64(len(body))
			a.Header.Del("Content-Length")
		}
		a.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if p.handle == nil || !p.handle(s, w, q) {
			forward.ServeHTTP(w, q)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestSwitches_areToldApart(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/switches.txt")
	expect.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := append(strings.Split(strings.TrimRight(line, "\n"), "|"), "")
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		rows.Case(t, columns[0], func(t *testing.T) {
			var options sandbox.Options
			expect.NoError(t, json.Unmarshal([]byte("{"+columns[1]+"}"), &options))
			s, clock, r := started(t, options)
			if options.RateLimit {
				s.OnRequest(func(sandbox.Request) { _ = clock.Pause(t.Context(), time.Second) })
			}
			if settings := companySettings[columns[2]]; settings != nil {
				s.SetSettings(s.OwnerCompanyID(), settings)
			}
			if word, request, ok := strings.Cut(columns[3], " "); ok {
				fault := faults[word]
				fault.Method, fault.Path, _ = strings.Cut(request, " ")
				s.Inject(fault)
			} else if word != "" {
				r = runAt(t, proxies[columns[3]].before(t, s), s, clock)
			}
			o := finished(t.Context(), t, r)
			exit, _ := strconv.Atoi(columns[6])
			got := o.of(columns[4])
			isJudged := columns[4] == "" || strings.HasPrefix(got, columns[5]+": ") && strings.Contains(got, columns[7])
			expect.False(t, o.exit != exit || !isJudged,
				"it exits with %d, and of %s was seen %q:\n%s", o.exit, columns[4], got, o.out)
			expect.True(t, strings.Contains(o.out, columns[8]), "the output lacks %q:\n%s", columns[8], o.out)
			canDelete := !options.NoCustomerDelete && !options.OnlySpecified && !strings.HasPrefix(columns[8], "Not removed")
			if canDelete {
				wantNothingLeft(t, s)
			}
			isTold := len(o.report.Left) > 0
			expect.False(t, isTold == canDelete, "%v are told to be left", o.report.Left)
		})
	}
}

// Each switch of the sandbox is in a row of the table, but for what it says here: two need an account that is not new,
// and nobody asks in a run whether production is refused.
func TestSwitches_areAllInTheTable(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/switches.txt")
	expect.NoError(t, err)
	for _, name := range sandbox.Switches() {
		var options sandbox.Options
		expect.NoError(t, options.Switch(name))
		isInTable := slices.ContainsFunc(strings.Split(string(table), "\n"), func(row string) bool {
			v := reflect.ValueOf(options)
			for i := range v.NumField() {
				if !v.Field(i).IsZero() && !strings.Contains(row, strconv.Quote(v.Type().Field(i).Name)) {
					return false
				}
			}
			return true
		})
		isElsewhere := slices.Contains([]string{"invoice-keys", "orders-without-invoices", "no-production"}, name)
		expect.Is(t, isInTable && name != "orders-without-invoices", !isElsewhere, "%s is in the table", name)
	}
}

func TestSwitches_ofAnAccountThatIsNotNew(t *testing.T) {
	t.Parallel()
	s, clock, r := started(t, sandbox.Options{OrdersWithoutInvoices: true, InvoiceKeys: true})
	order := without(r.kinds["order"].Body)
	order["autoIssueMode"] = "immediately"
	r.look(t.Context(), request{operation: "create_order", body: order})
	expect.NoError(t, clock.Pause(t.Context(), time.Minute))
	r.readOnly = true
	expect.Is(t, finished(t.Context(), t, r).of("order_shows_invoices"),
		"differs: an order that an invoice names shows no invoices", "of orders was seen")

	_, key := fixture.Company(s, fixture.BranchNumber)
	r = newRun(text.English)
	expect.NoError(t, r.connect(einvoice.Config{BaseURL: s.BaseURL(), APIKey: key}))
	expect.Is(t, strings.Contains(finished(t.Context(), t, r).out, "use the key of the account's main company"), true, "it is told")
}
