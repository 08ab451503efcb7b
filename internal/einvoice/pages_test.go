package einvoice

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func customers(ids ...string) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = `{"id":"` + id + `"}`
	}
	return "[" + strings.Join(items, ",") + "]"
}

func idsOf(list []*Customer) (ids []string) {
	for _, v := range list {
		ids = append(ids, string(v.ID))
	}
	return ids
}

func numbered(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = prefix + strconv.Itoa(i)
	}
	return ids
}

func page1(number int, answer string) exchange {
	return exchange{method: "GET", path: fmt.Sprintf("/v1/customers?page=%d&pageSize=100", number), answer: answer}
}

func TestPages_walkEveryForm(t *testing.T) {
	t.Parallel()
	full := numbered("f", 100)
	for _, tt := range []struct {
		name    string
		answers []string
		want    []string
		text    string // of the error
	}{
		{"one page", []string{`{"items":` + customers("1", "2") + `,"totalCount":2,"pageCount":1,"pageSize":100,"hasNext":false}`}, []string{"1", "2"}, ""},
		{"several pages", []string{`{"items":` + customers("1") + `,"hasNext":true}`, `{"items":` + customers("2") + `,"hasNext":"false"}`}, []string{"1", "2"}, ""},
		{"no entries", []string{`{"items":[],"totalCount":0,"pageCount":0,"hasNext":false}`}, nil, ""},
		{"no items member but a count", []string{`{"totalCount":0}`}, nil, ""},
		{"an empty string for the end", []string{`{"items":` + customers("1") + `,"hasNext":"","pageCount":""}`}, []string{"1"}, ""},
		{"a count of pages", []string{`{"items":` + customers("1") + `,"pageCount":2}`, `{"items":` + customers("2") + `,"pageCount":2}`}, []string{"1", "2"}, ""},
		{"a count of entries", []string{`{"items":` + customers("1") + `,"totalCount":"2"}`, `{"items":` + customers("2") + `,"totalCount":"2"}`}, []string{"1", "2"}, ""},
		{"a short page by the reported size", []string{`{"items":` + customers("1", "2") + `,"pageSize":2}`, `{"items":` + customers("3") + `,"pageSize":2}`}, []string{"1", "2", "3"}, ""},
		{"a short page by the asked size", []string{`{"items":` + customers(full...) + `}`, `{"items":` + customers("x") + `}`}, append(slices.Clone(full), "x"), ""},
		{"items alone", []string{`{"items":` + customers("1") + `}`}, []string{"1"}, ""},
		{"an array", []string{customers("1", "2")}, []string{"1", "2"}, ""},
		{"arrays by pages", []string{customers(full...), customers("x")}, append(slices.Clone(full), "x"), ""},
		{"an array of a full page that is the same on each page", []string{customers(full...), customers(full...)}, full, "page 2 repeats"},
		{"an array that is the same on each page", []string{customers(full[:57]...), customers(full[:57]...)}, full[:57], ""},
		{"arrays by pages that are smaller than was asked for", []string{customers(full[:20]...), customers(full[20:40]...), customers(full[40:45]...)}, full[:45], ""},
		{"full arrays by smaller pages", []string{customers(full[:20]...), customers(full[20:40]...), `[]`}, full[:40], ""},
		{"items alone by smaller pages", []string{`{"items":` + customers(full[:20]...) + `}`, `{"items":` + customers(full[20:30]...) + `}`}, full[:30], ""},
		{"a count and no entries", []string{`{"items":[],"totalCount":1,"hasNext":false}`}, nil, "counts 1 entries and has shown 0"},
		{"a count and no entries by pages", []string{`{"items":[],"totalCount":1,"pageCount":1}`}, nil, "counts 1 entries"},
		{"fewer entries than are counted", []string{`{"items":` + customers("1") + `,"totalCount":3,"hasNext":true}`, `{"items":` + customers("2") + `,"totalCount":3,"hasNext":false}`}, []string{"1", "2"}, "counts 3 entries and has shown 2"},
		{"fewer pages than are counted", []string{`{"items":` + customers("1") + `,"pageCount":3,"hasNext":false}`}, []string{"1"}, "it has 3 pages and ends with page 1"},
		{"an entry that was deleted meanwhile may hide another", []string{`{"items":` + customers("1", "2") + `,"totalCount":4,"hasNext":true}`, `{"items":` + customers("4") + `,"totalCount":3,"hasNext":false}`}, []string{"1", "2", "4"}, "changed meanwhile"},
		{"an entry that was deleted on the last page", []string{`{"items":` + customers("1", "2") + `,"totalCount":3,"hasNext":true}`, `{"items":[],"totalCount":2,"hasNext":false}`}, []string{"1", "2"}, "changed meanwhile"},
		{"an entry that was added meanwhile", []string{`{"items":` + customers("1", "2") + `,"totalCount":3,"hasNext":true}`, `{"items":` + customers("2", "3") + `,"totalCount":4,"hasNext":false}`}, []string{"1", "2", "3"}, ""},
		{"an array of more than was asked for", []string{customers(numbered("m", 150)...)}, numbered("m", 150), ""},
		{"an empty array", []string{`[]`}, nil, ""},
		{"a single object", []string{`{"id":"1","name":"x"}`}, []string{"1"}, ""},
		{"a result wrapper", []string{`{"result":{"items":` + customers("1") + `,"hasNext":false}}`}, []string{"1"}, ""},
		{"a data wrapper of one object", []string{`{"data":{"id":"1"}}`}, []string{"1"}, ""},
		{"no errors", []string{`{"items":` + customers("1") + `,"errors":[]}`}, []string{"1"}, ""},
		{"errors beside no entries", []string{`{"items":[],"totalCount":0,"errors":[{"message":"index is down"}]}`}, nil, "index is down"},
		{"errors beside entries", []string{`{"items":` + customers("1") + `,"errors":{"list":["index is down"]}}`}, nil, "it holds errors"},
		{"errors around a wrapped list", []string{`{"result":{"items":[]},"errors":["index is down"]}`}, nil, "index is down"},
		{"an error beside no entry", []string{`{"items":[],"totalCount":0,"error":"timeout"}`}, nil, "it holds errors"},
		{"errors in a wrapped list", []string{`{"result":{"items":[],"errors":"index is down"}}`}, nil, "it holds errors"},
		{"an empty entry", []string{`[{}]`}, nil, "no id, but no members at all"},
		{"an entry without an id", []string{`[{"id":"1"},{"name":"x","email":"y"}]`}, []string{"1"}, "no id, but the members email, name"},
		{"items under the name of what they are", []string{`{"customers":` + customers("1") + `,"totalCount":1,"hasNext":false}`}, nil, "neither a list nor an object"},
		{"a wrapper of another name around one object", []string{`{"customer":{"id":"1","name":"x"}}`}, nil, "neither a list nor an object"},
		{"a count of entries that are not there", []string{`{"totalCount":2,"hasNext":false}`}, nil, "neither a list nor an object"},
		{"an entry that moved to the next page", []string{`{"items":` + customers("1", "2") + `,"hasNext":true}`, `{"items":` + customers("2", "3") + `,"hasNext":false}`}, []string{"1", "2", "3"}, ""},
		{"a last page of entries that all moved there", []string{`{"items":` + customers("1", "2") + `,"hasNext":true}`, `{"items":` + customers("2") + `,"hasNext":false}`}, []string{"1", "2"}, ""},
		{"a page that comes again", []string{`{"items":` + customers("1") + `,"hasNext":true}`, `{"items":` + customers("1") + `,"hasNext":true}`}, []string{"1"}, "page 2 repeats"},
		{"a last page that comes again", []string{`{"items":` + customers("1") + `,"pageCount":2}`, `{"items":` + customers("1") + `,"pageCount":2}`}, []string{"1"}, "page 2 repeats"},
		{"more is promised and nothing comes", []string{`{"items":` + customers("1") + `,"hasNext":true}`, `{"items":[],"hasNext":true}`}, []string{"1"}, "page 2 is empty"},
		{"nothing at all", []string{``}, nil, "neither a list nor an object"},
		{"a text", []string{`"none"`}, nil, "neither a list nor an object"},
		{"an object without an id", []string{`{"name":"x"}`}, nil, "neither a list nor an object"},
		{"items of another kind", []string{`{"items":{"a":1}}`}, nil, "its items are not a list"},
		{"entries of another kind", []string{`[1]`}, nil, "items[0] is not an object"},
		{"an entry of another kind", []string{`[{"id":"1","name":{}}]`}, nil, "the field name"},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			script := make([]exchange, len(tt.answers))
			for i, a := range tt.answers {
				script[i] = page1(i+1, a)
			}
			list, end := all(newService(t, script...).client().Customers(t.Context()))
			wantSame(t, tt.want, idsOf(list))
			switch {
			case tt.text == "" && end != nil:
				t.Errorf("error %v", end)
			case tt.text != "" && (end == nil || !strings.Contains(end.Error(), tt.text) || !strings.Contains(kinds(end), "bad answer")):
				t.Errorf("error %v, want %q", end, tt.text)
			}
		})
	}
}

func TestPages_endTheEndlessList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // However slow the machine is.
		n := 0
		c := wired(t, func(*http.Request) (*http.Response, error) {
			n++
			return reply(200, `{"items":`+customers(strconv.Itoa(n))+`,"hasNext":true}`), nil
		})
		if _, end := all(c.Customers(t.Context())); end == nil || !strings.Contains(end.Error(), "more than 10000 pages") || n != maxPages {
			t.Errorf("%v after %d pages", end, n)
		}
	})
}

// A list that counts its pages may take as long as these need under the limit.
func TestPages_takeAMinuteUnlessTheyAreCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Counts string
		Last   int // page, 0 for none
		Pages  int // that are read
		End    bool
	}](t, "pages_take_a_minute_unless_they_are_counted.json") {
		bubble(t, name, func(t *testing.T) {
			n := 0
			c := wired(t, func(*http.Request) (*http.Response, error) {
				n++
				<-time.After(5 * time.Second)
				return reply(200, fmt.Sprintf(`{"items":[{"id":"%d"}],"hasNext":%t%s}`, n, n != tt.Last, tt.Counts)), nil
			})
			_, end := all(c.Customers(t.Context()))
			if n != tt.Pages || (end == nil) != tt.End {
				t.Errorf("%v after %d pages, want %d", end, n, tt.Pages)
			}
		})
	}
}

// A list need not have many pages to fill a memory.
func TestPages_endTheListThatIsTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // However slow the machine is.
		sent := 0
		c := wired(t, func(r *http.Request) (*http.Response, error) {
			body := fmt.Sprintf(`{"items":[{"id":"%d","name":%q}],"hasNext":true,"nextCursor":"%[1]d"}`, sent, strings.Repeat("x", 1<<17))
			sent += len(body)
			return reply(200, body), nil
		})
		c.maxWalk = 1 << 20
		for name, walk := range map[string]func() error{
			"pages":   func() error { _, end := all(c.Customers(t.Context())); return end },
			"cursors": func() error { _, end := all(c.InboundInvoices(t.Context(), InboundFilter{})); return end },
		} {
			sent = 0
			if end := walk(); end == nil || !strings.Contains(end.Error(), "the list is larger than 1 MiB; narrow it with filters, or set a lower limit") {
				t.Errorf("%s: %v", name, end)
			}
			if sent > 10<<17 {
				t.Errorf("%s: %d bytes were read", name, sent)
			}
		}
		if c := mustClient(t, Config{BaseURL: "https://host.example/v1"}); c.maxWalk != 1<<30 {
			t.Errorf("a walk may read %d bytes", c.maxWalk)
		}
	})
}

func TestPages_leaveTheirSizeToAServiceThatRefusesIt(t *testing.T) {
	t.Parallel()
	refusal := exchange{method: "GET", path: "/v1/customers?page=1&pageSize=100", status: 400, answer: `{"errors":[{"message":"The field pageSize must be between 1 and 20.","path":null}]}`}
	s := newService(t, refusal,
		exchange{method: "GET", path: "/v1/customers?page=1", answer: `{"items":` + customers("1") + `,"hasNext":true}`},
		exchange{method: "GET", path: "/v1/customers?page=2", answer: `{"items":` + customers("2") + `,"hasNext":false}`},
	)
	list, err := all(s.client().Customers(t.Context()))
	wantKind(t, err, "")
	wantSame(t, []string{"1", "2"}, idsOf(list))
	other := refusal
	other.answer = `{"message":"no"}`
	_, err = all(newService(t, other).client().Customers(t.Context()))
	wantKind(t, err, "bad request")
}

// An entry without an integrationId may be the invoice that is looked up.
func TestInvoices_proveNoAbsenceWithoutIntegrationIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Answer string
		Found        int
		Kind         string
	}](t, "invoices_prove_no_absence_without_integration_ids.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			s := newService(t, exchange{method: "GET", path: "/v1/service-invoices?integrationId=a&page=1&pageSize=100", answer: tt.Answer})
			list, err := all(s.client().Invoices(t.Context(), ModelService, InvoiceFilter{IntegrationID: "a"}))
			wantKind(t, err, tt.Kind)
			expect.Is(t, len(list), tt.Found, "invoices")
		})
	}
}

func TestInvoices_sendTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{method: "GET", path: "/v1/product-invoices?effectiveDateEnd=2026-02-01T00%3A00%3A00Z&effectiveDateStart=2026-01-01T00%3A00%3A00Z&integrationId=a%26b&page=1&pageSize=100&receiverFederalTaxNumber=191&transactionId=t", answer: `[{"id":"1","integrationId":"a&b","model":"productInvoice"}]`},
		exchange{method: "GET", path: "/v1/consumer-invoices?page=1&pageSize=100", answer: `[]`},
	)
	c := s.client()
	filter := InvoiceFilter{IntegrationID: "a&b", TransactionID: "t", EffectiveDateStart: "2026-01-01T00:00:00Z", EffectiveDateEnd: "2026-02-01T00:00:00Z", ReceiverFederalTaxNumber: "191"}
	if list, err := all(c.Invoices(t.Context(), ModelProduct, filter)); err != nil || len(list) != 1 || list[0].Model != ModelProduct {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := all(c.Invoices(t.Context(), ModelConsumer, InvoiceFilter{})); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestCursor_walk(t *testing.T) {
	t.Parallel()
	page := func(cursor, answer string) exchange {
		query := url.Values{"limit": {"200"}, "status": {"authorized"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		return exchange{method: "GET", path: "/v1/inbound-product-invoices?" + query.Encode(), answer: answer}
	}
	for _, tt := range []struct {
		name   string
		script []exchange
		want   int
		text   string
	}{
		{"two pages", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":"a b","hasNext":true}`), page("a b", `{"items":[{"id":"2","nsu":"7","isComplete":true,"manifestation":{"status":"none"},"issuer":{"name":"x"}}],"nextCursor":null,"hasNext":false}`)}, 2, ""},
		{"no cursor is the end", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":""}`)}, 1, ""},
		{"a cursor without hasNext", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":"a"}`), page("a", `{"items":[]}`)}, 1, ""},
		{"an array", []exchange{page("", `[{"id":"1"}]`)}, 1, ""},
		{"a result wrapper", []exchange{page("", `{"result":{"items":[{"id":"1"}],"nextCursor":"a","hasNext":true}}`), page("a", `{"result":{"items":[{"id":"2"}]}}`)}, 2, ""},
		{"the same cursor again", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":"a","hasNext":true}`), page("a", `{"items":[{"id":"2"}],"nextCursor":"a","hasNext":true}`)}, 2, "comes again"},
		{"more is promised without a cursor", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":null,"hasNext":true}`)}, 1, "without a cursor"},
		{"empty pages before the entries", []exchange{
			page("", `{"items":[],"nextCursor":"a","hasNext":true}`), page("a", `{"items":[],"nextCursor":"b"}`), page("b", `{"items":[{"id":"1"}],"nextCursor":null}`),
		}, 1, ""},
		{"an empty page and the same cursor again", []exchange{page("", `{"items":[],"nextCursor":"a","hasNext":true}`), page("a", `{"items":[],"nextCursor":"a","hasNext":true}`)}, 0, "comes again"},
		{"an empty page and no cursor", []exchange{page("", `{"items":[],"nextCursor":"","hasNext":true}`)}, 0, "without a cursor"},
		{"entries come again", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":"a","hasNext":true}`), page("a", `{"items":[{"id":"1"}],"nextCursor":"b","hasNext":true}`)}, 1, "repeats"},
		{"a cursor of another kind", []exchange{page("", `{"items":[{"id":"1"}],"nextCursor":{},"hasNext":true}`)}, 0, "nextCursor"},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			list, end := all(newService(t, tt.script...).client().InboundInvoices(t.Context(), InboundFilter{Statuses: []string{"authorized"}}))
			expect.Is(t, len(list), tt.want, "entries")
			if (tt.text == "") != (end == nil) || end != nil && !strings.Contains(end.Error(), tt.text) {
				t.Errorf("error %v, want %q", end, tt.text)
			}
		})
	}
}

func TestInboundInvoices_sendTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t, exchange{
		method: "GET",
		path:   "/v1/inbound-product-invoices?accessKey=k&endDate=2026-02-01&environmentType=production&initialDate=2026-01-01&limit=200&manifestationStatus=none&operationType=incoming&status=authorized&status=canceled",
		answer: `{"items":[{"id":"1","model":"productInvoice","nsu":5,"isComplete":"false","amount":"10.5","lastModificationTime":null,"issuer":{"federalTaxNumber":191},"manifestation":{"status":"none","reasonCode":0}}],"nextCursor":null,"hasNext":false}`,
	})
	filter := InboundFilter{AccessKey: "k", Statuses: []string{"authorized", "canceled"}, ManifestationStatus: "none", OperationType: "incoming", EnvironmentType: "production", IssuedFrom: "2026-01-01", IssuedTo: "2026-02-01"}
	for v, err := range s.client().InboundInvoices(t.Context(), filter) {
		must(t, err)
		if *v.NSU != 5 || bool(*v.IsComplete) || *v.Amount != 10.5 || v.Issuer.FederalTaxNumber != "00000000191" || v.Manifestation.Status != "none" || v.LastModificationTime != "" || len(v.Raw) == 0 {
			t.Errorf("%+v", v)
		}
	}
}

func TestEach_handsOverAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	list := func(looked *int, end error, statuses ...Enum) iter.Seq2[*Invoice, error] {
		return func(yield func(*Invoice, error) bool) {
			for _, status := range statuses {
				*looked++
				if !yield(&Invoice{Status: status}, nil) {
					return
				}
			}
			if end != nil {
				yield(nil, end)
			}
		}
	}
	all := func(*Invoice) bool { return true }
	authorized := func(v *Invoice) bool { return v.Status == "authorized" }
	for _, test := range []struct {
		name     string
		statuses []Enum
		end      error
		match    func(*Invoice) bool
		limit    int64
		want     int
		more     bool
		looked   int
		err      error
	}{
		{"an empty list", nil, nil, all, 2, 0, false, 0, nil},
		{"fewer than the limit", []Enum{"authorized"}, nil, all, 2, 1, false, 1, nil},
		{"exactly the limit is not cut", []Enum{"authorized", "denied"}, nil, all, 2, 2, false, 2, nil},
		{"one above the limit is cut, and no more is read", []Enum{"authorized", "denied", "denied", "denied"}, nil, all, 2, 2, true, 3, nil},
		{"the limit counts after filtering", []Enum{"denied", "denied", "authorized"}, nil, authorized, 1, 1, false, 3, nil},
		{"a failing page is an error, not an end", []Enum{"authorized"}, broken, all, 2, 0, false, 1, broken},
	} {
		looked := 0
		found := 0
		more, err := Each(list(&looked, test.end, test.statuses...), test.match, test.limit, func(*Invoice) { found++ })
		if err != nil {
			found = 0
		}
		if found != test.want || more != test.more || looked != test.looked || !errors.Is(err, test.err) {
			t.Errorf("%s: found %d, more %t, looked at %d, error %v; want %d, %t, %d, %v", test.name, found, more, looked, err, test.want, test.more, test.looked, test.err)
		}
	}
}

func TestMatching_readsAListThatChangesOnceMore(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	for name, test := range map[string]struct {
		ends  []error // of each reading
		found int
		err   error
	}{
		"it is whole":                   {[]error{nil}, 1, nil},
		"it changed while it was read":  {[]error{errIncomplete, nil}, 1, nil},
		"it never shows what it counts": {[]error{errIncomplete, errIncomplete}, 0, errIncomplete},
		"it cannot be read":             {[]error{broken}, 0, broken},
	} {
		readings := 0
		list := func(yield func(*Invoice, error) bool) {
			end := test.ends[readings]
			readings++
			if yield(&Invoice{}, nil) && end != nil {
				yield(nil, end)
			}
		}
		found, err := Matching(list, func(*Invoice) bool { return true })
		if len(found) != test.found || !errors.Is(err, test.err) || readings != len(test.ends) {
			t.Errorf("%s: found %d, error %v after %d readings; want %d, %v, %d", name, len(found), err, readings, test.found, test.err, len(test.ends))
		}
	}
}

// A list proves what it can, and no more: each row is a service whose list has 12 invoices, in pages of 5.
func TestLacks_provesWhatTheListCan(t *testing.T) {
	t.Parallel()
	list := sandbox.Fault{Method: "GET", Path: "/v1/service-invoices", Times: -1}
	fails := func(kind sandbox.FaultKind, status int) *sandbox.Fault {
		fault := list
		fault.Kind, fault.Status = kind, status
		return &fault
	}
	for name, tt := range map[string]struct {
		opts     sandbox.Options
		fault    *sandbox.Fault
		change   map[string]any // of one entry
		lacks    bool
		requests int
	}{
		"a complete list":                       {lacks: true, requests: 3},
		"a list that ignores filters":           {opts: sandbox.Options{IgnoreFilters: true}, lacks: true, requests: 3},
		"a list that lags":                      {opts: sandbox.Options{ListLag: time.Hour}, lacks: true, requests: 3},
		"an entry that was made elsewhere":      {change: map[string]any{"integrationId": nil, "isFromApi": false}, lacks: true, requests: 3},
		"an entry that has no name":             {change: map[string]any{"integrationId": nil}, lacks: true, requests: 3},
		"another spelling of the name":          {change: map[string]any{"integrationId": " NEW "}, requests: 3},
		"a list that is refused":                {fault: fails(sandbox.FaultStatus, http.StatusForbidden), requests: 1},
		"a list that the service does not have": {fault: fails(sandbox.FaultStatus, http.StatusMethodNotAllowed), requests: 1},
		"a list that is not JSON":               {fault: fails(sandbox.FaultGarbage, 0), requests: 1},
		"a list that fails":                     {fault: fails(sandbox.FaultStatus, http.StatusInternalServerError), requests: 1},
	} {
		rows.Case(t, name, func(t *testing.T) {
			tt.opts.MaxPageSize = 5
			s, of := issued(t, tt.opts, 12)
			if tt.fault != nil {
				s.Inject(*tt.fault)
			}
			s.Patch(sandbox.KindServiceInvoices, string(of[3].ID), tt.change)
			c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
			lacks(t, c, "first", false)
			expect.Is(t, len(s.Requests()), 0, "requests for the first name")
			c.listsOf(ModelService).all().asked.Store(2)
			lacks(t, c, "new", tt.lacks)
			expect.Is(t, len(s.Requests()), tt.requests, "requests")
			lacks(t, c, "new", tt.lacks)
			lacks(t, c, " Sale-0-7", false)
			if n := len(s.Requests()); n != tt.requests {
				t.Errorf("%d requests for two more, want none", n-tt.requests)
			}
		})
	}
}

func lacks(t *testing.T, c *Client, name string, want bool) {
	t.Helper()
	expect.Is(t, c.Lacks(t.Context(), ModelService, name), want, "the service lacks %q", name)
}

// Lists as no sandbox makes them.
func TestLacks_provesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Body  string
		Lacks bool
	}](t, "lacks_proves_nothing.json") {
		rows.Case(t, name, func(t *testing.T) {
			c := wired(t, func(*http.Request) (*http.Response, error) { return reply(200, tt.Body), nil })
			lacks(t, c, "first", false)
			lacks(t, c, "new", tt.Lacks)
		})
	}
}

// A list is brought up to date a minute later, by what is dated since its newest entry, and read anew after a while.
func TestLacks_isBroughtUpToDate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 20, 0, 0, 0, SaoPaulo)
	s, _ := issued(t, sandbox.Options{MaxPageSize: 5}, 28)
	c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
	c.listsOf(ModelService).now = func() time.Time { return now }
	c.listsOf(ModelService).all().asked.Store(10)
	var asked []string
	look := func(name string, want bool) {
		t.Helper()
		s.ResetRequests()
		lacks(t, c, name, want)
		for _, r := range s.Requests() {
			since, _, _ := strings.Cut(r.Query.Get("effectiveDateStart"), "T")
			asked = append(asked, r.Query.Get("page")+" "+since)
		}
	}
	sent := func(name string, day time.Time) {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": name, "status": StatusAuthorized, "effectiveDate": day.Format(time.RFC3339)})
	}
	for n, tt := range []struct {
		after time.Duration
		sends string // another machine
		name  string
		lacks bool
		want  string
	}{
		{0, "", "a", true, "[1  2  3  4  5  6 ]"},
		{time.Minute, "b", "b", true, "[]"}, // Not seen yet: a common journal, or the service, prevents it.
		{time.Second, "", "b", false, "[1 2026-03-28]"},
		{time.Second, "", "c", true, "[]"},
		{2 * time.Minute, "d", "e", true, "[1 2026-03-28]"},
		{0, "", "d", false, "[]"},
		{3 * time.Minute, "", "f", true, "[1  2  3  4  5  6 ]"}, // As many were asked for.
		{6 * time.Minute, "", "g", false, "[]"},
	} {
		now, asked = now.Add(tt.after), nil
		if tt.sends != "" {
			sent(tt.sends, now)
		}
		if look(tt.name, tt.lacks); fmt.Sprint(asked) != tt.want {
			t.Errorf("%d: asked for %v, want %s", n, asked, tt.want)
		}
	}
}
