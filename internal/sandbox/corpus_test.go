package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// document is one that is issued, and what is said of it.
type document struct {
	Name, About string
	// After is what a sound document is made after.
	After, Model string
	// Regime and City are the issuer's that a plan knows; As is what only the service knows: one of issuers, a regime or
	// the code of a city.
	Regime, City, As string
	Payload          json.RawMessage
	// From is the document that this one changes: members by their paths, null takes them away.
	From string
	Set  map[string]json.RawMessage
	// Finds is what payload_check says; Code are the rules of the authority that are broken, the answered one first.
	// Law is the rejection that a slip means, and Missed says why payload_check is silent about it.
	Finds, Code, Law, Missed string
	// Says is what the authority's message names.
	Says string
}

// corpusNow is when the documents are issued.
var corpusNow = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)

// corpus are all documents, sound ones first: made after public samples, after what issuers sent, and drawn at random
// once from values that a member may have.
func corpus(t *testing.T) (all []document, byName map[string]document) {
	t.Helper()
	byName = map[string]document{}
	for _, file := range []string{
		"documents_sound", "payload_sound", "real_contract", "corpus_sound", "corpus_broken", "corpus_drawn", "documents_broken", "payload_cases",
	} {
		raw, err := os.ReadFile("../fiscal/testdata/" + file + ".jsonl")
		expect.NoError(t, err)
		for documents := json.NewDecoder(bytes.NewReader(raw)); documents.More(); {
			var d document
			expect.NoError(t, documents.Decode(&d))
			all, byName[d.Name] = append(all, d), d
		}
	}
	wantSame(t, len(all), len(byName), "number of documents by name")
	return all, byName
}

// whole is a document with what it has of the one that it is from.
func (d document) whole(t *testing.T, all map[string]document) (document, object) {
	t.Helper()
	if d.From == "" {
		body, _ := decoded(d.Payload).(object)
		return d, body
	}
	of, body := all[d.From].whole(t, all)
	for path, value := range d.Set {
		setAt(t, body, strings.Split(path, "."), value)
	}
	d.Model, d.City, d.Regime, d.As = of.Model, of.City, of.Regime, cmp.Or(d.As, of.As)
	return d, body
}

func setAt(t *testing.T, at any, path []string, value json.RawMessage) {
	t.Helper()
	last := len(path) == 1
	switch parent := at.(type) {
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(parent) {
			t.Fatalf("no element %v", path)
		}
		if !last {
			setAt(t, parent[i], path[1:], value)
			return
		}
		parent[i] = decoded(value)
	case object:
		switch {
		case !last:
			setAt(t, parent[path[0]], path[1:], value)
		case string(value) == "null":
			delete(parent, path[0])
		default:
			parent[path[0]] = decoded(value)
		}
	default:
		t.Fatalf("nothing at %v", path)
	}
}

// The documents are judged as the provider sends them. What payload_check finds is refused, or it is told here; a slip
// that is found no more, or found at last, too. The sandbox knows each member of a sound one, but for
// export, which the specification does not name.
func TestCorpus_payloadCheckAndTheAuthorityAgree(t *testing.T) {
	t.Parallel()
	all, byName := corpus(t)
	clients, isMet, foundAlone := map[string]*client{}, map[string]bool{}, map[string]bool{"not_an_object": true}
	for _, d := range all {
		d, body := d.whole(t, byName)
		raw, _ := json.Marshal(body)
		body, _ = decoded(fiscal.SendablePayload(raw)).(object)
		as := d.Regime + d.City + d.As
		if clients[as] == nil {
			clients[as] = newIssuerAs(t, d.Regime, d.City, d.As)
		}
		c := clients[as]
		var found []string
		issuer, known := fiscal.Issuer{Regime: d.Regime, State: c.state()}, len(c.s.UnknownFields())
		for _, f := range issuer.CheckPayload(d.Model, body, corpusNow.Format(time.RFC3339)) {
			finding := strings.TrimSpace(f.Code + " " + f.Path)
			found, foundAlone[f.Code] = append(found, finding), foundAlone[f.Code] || finding == d.Finds
			expect.True(t, regexp.MustCompile(`^[^a-z].*\.$`).MatchString(f.Message.In(t.Context())), "%s: %s is no sentence", d.Name, f.Code)
		}
		code, message, broken := answeredCode(c, pathsOf[d.Model], body)
		for i, r := range broken {
			if isMet[r.words] = true; i > 0 {
				code += " " + r.code
			} else {
				wantTexts(t, message, r.words, d.Says)
			}
		}
		if got := strings.Join(found, ", "); got != d.Finds || code != d.Code {
			t.Errorf("%s: payload_check finds %q, want %q; the authority answers %q (%s), want %q\n%s", d.Name, got, d.Finds, code, message, d.Code, raw)
		}
		if d.Law != "" && (d.Finds == "") != (d.Missed != "") {
			t.Errorf("%s: either payload_check finds a slip, or it is said why not", d.Name)
		}
		for _, u := range c.s.UnknownFields()[known:] {
			expect.True(t, d.Finds+d.Code != "" || u.Field == "export", "%s: the sandbox does not know %s", d.Name, u.Field)
		}
	}
	for _, rule := range fiscal.PayloadRules() {
		expect.True(t, foundAlone[rule.Code], "no document breaks %s alone", rule.Code)
	}
	for _, r := range authorityRules() { // What was law until August 2026 has a test of its own.
		expect.True(t, isMet[r.words] || r.code == "794", "no document breaks %s of %s: %s", r.code, r.source, r.words)
	}
}

// issuers are what companies of samples have of their own.
var issuers = map[string]func(c *client){
	"":                         func(*client) {},
	"cpf":                      oldCPF,
	"annfs":                    settings("serviceInvoice", object{"issueType": "annfs"}),
	"with the reform added":    settings("general", object{"taxReformFieldsEnabled": true}),
	"without a registration":   company(object{"stateTaxNumber": nil}),
	"exempt of a registration": company(object{"stateTaxNumber": stateTaxExempt}),
	"without a next number":    settings("productInvoice", object{"nextNumber": nil}),
	"without a CSC":            settings("consumerInvoice", object{"csc": nil}),
	"CNPJ with a slip":         company(object{"federalTaxNumber": "98765432000199"}),
	"CPF with a slip":          company(object{"federalTaxNumber": "11111111111"}),
	"with an old certificate": func(c *client) {
		c.s.Seed(KindCertificates, object{
			"_companyId": c.s.OwnerCompanyID(), "isActive": true, "expirationAt": instant(corpusNow.Add(-time.Hour)),
		})
	},
}

// newIssuerAs is the issuer of the documents of one company.
func newIssuerAs(t *testing.T, as ...string) *client {
	t.Helper()
	c := newIssuer(t, Options{Clock: NewManualClock(corpusNow)})
	for _, word := range as {
		change := issuers[word]
		if _, err := strconv.Atoi(word); err == nil {
			city := object{"code": word, "state": strings.ToLower(fiscal.StateOfCity(word, ""))}
			change = company(object{"address": object{"city": city}})
		} else if change == nil {
			change = company(object{"taxRegime": word})
		}
		change(c)
	}
	return c
}

// answeredCode is the code that a document is rejected with, 400 for a refusal by the service, and "" for none, with
// the message; broken are the rules that it breaks.
func answeredCode(c *client, path string, body object) (code, message string, broken []rule) {
	made := c.do("POST", path, body)
	if made.status != 200 {
		return strconv.Itoa(made.status), "", nil
	}
	var ref invoiceRef
	c.s.locked(func() { ref, _ = c.s.findInvoice(fmt.Sprint(made.doc["id"])) }) // Samples of one company share a server.
	doc := c.must("GET", path+"/"+ref.id, nil)
	detail := part(doc, "processingDetail")
	code, message = text(detail, "code"), text(detail, "message")
	switch {
	case doc["status"] == "authorized":
		code = ""
	case doc["status"] != "rejected":
		c.t.Errorf("the document is %v", doc["status"])
	case code == codeUnmapped:
		code, _, _ = strings.Cut(message, ":")
	}
	return code, message, c.s.breaches(ref)
}

// state is that of the main company.
func (c *client) state() (in string) {
	id := c.s.OwnerCompanyID()
	c.s.locked(func() {
		company, _ := c.s.get(KindCompanies, id)
		in = state(company)
	})
	return in
}

// company changes the main company before the invoice is sent.
func company(fields object) func(c *client) {
	return func(c *client) { c.s.Patch(KindCompanies, c.s.OwnerCompanyID(), fields) }
}

func settings(block string, fields object) func(c *client) {
	return func(c *client) { c.s.SetSettings(c.s.OwnerCompanyID(), object{block: fields}) }
}

const (
	product  = "/product-invoices"
	consumer = "/consumer-invoices"
	service  = "/service-invoices"
)

// pathsOf are the paths that issue, by model.
var pathsOf = map[string]string{"productInvoice": product, "consumerInvoice": consumer, "serviceInvoice": service}

var oldCPF = company(object{"federalTaxNumber": "52998224725"})

// breaches are all rules that an invoice breaks. What the service finds is not transmitted.
func (s *Server) breaches(ref invoiceRef) (met []rule) {
	s.locked(func() {
		p := s.present(ref)
		for _, r := range authorityRules() {
			transmitted := len(met) == 0 || met[0].code != codePayload || r.code == codePayload
			if _, broken := r.breach(p); broken && transmitted {
				met = append(met, r)
			}
		}
	})
	return met
}

func TestAuthority_goesByTheDayOfEmission(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change object
		want   string
	}{
		"six days late":      {object{"effectiveDate": local(noon.AddDate(0, 0, -6))}, "100"},
		"eight days late":    {object{"effectiveDate": local(noon.AddDate(0, 0, -8))}, "150"},
		"while a rule holds": {object{"presenceType": "delivery"}, "794"},
	} {
		c := newIssuer(t, Options{Clock: NewManualClock(noon)})
		doc := c.must("GET", product+"/"+c.issued(product, tt.change), nil)
		wantSame(t, tt.want, text(part(doc, "processingDetail"), "code"), "%s: code", name)
	}
}

// Each code has its source, its documents and an explanation in one table.
func TestAuthority_answersNoCodeThatTheLawDoesNotHave(t *testing.T) {
	t.Parallel()
	if _, ok := fiscal.LawOf(codeNumberUsed); !ok {
		t.Errorf("%s is not in the table of law", codeNumberUsed)
	}
	for _, r := range authorityRules() {
		law, ok := fiscal.LawOf(r.code)
		if r.code != codePayload && (!ok || len(r.models) == 0) || r.source == "" {
			t.Errorf("%s: %+v", r.code, law)
		}
		for _, model := range r.models {
			told := fiscal.ExplainRejection(r.code, model.name)
			if told.Kind == fiscal.RejectionUnknown || told.Cause.IsZero() && r.code != codePayload {
				t.Errorf("rejection_explain says of %s of a %s: %+v", r.code, model.name, told)
			}
		}
	}
}

// noon is when manual clocks of these tests begin.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// client talks to a sandbox as anybody would, with the main company's key unless key is changed.
type client struct {
	t   *testing.T
	s   *Server
	key string
}

// got is an answer; err is set where there was none.
type got struct {
	status int
	header http.Header
	raw    string
	doc    object
	err    error
}

func newClient(t *testing.T, opts Options) *client {
	t.Helper()
	s := Start(t, opts)
	return &client{t: t, s: s, key: s.OwnerKey()}
}

// do sends body, a string as it is and anything else as JSON, to a path below /v1.
func (c *client) do(method, path string, body any) got {
	c.t.Helper()
	return c.send(method, path, body, nil)
}

func (c *client) send(method, path string, body any, header http.Header) got {
	c.t.Helper()
	return c.exchange(method, c.s.BaseURL()+path, body, header)
}

func (c *client) exchange(method, address string, body any, header http.Header) got {
	c.t.Helper()
	resp, err := c.begin(method, address, body, header)
	if err != nil {
		return got{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	g := got{status: resp.StatusCode, header: resp.Header, raw: string(raw), err: err}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&g.doc) != nil {
		g.doc = nil
	}
	return g
}

// begin is exchange for an answer that is not read to its end.
func (c *client) begin(method, address string, body any, header http.Header) (*http.Response, error) {
	c.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		expect.NoError(c.t, err)
		content = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, address, content)
	expect.NoError(c.t, err)
	req.Header.Set("X-Api-Key", c.key)
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	// One connection per request: a closed one is then never mistaken for an idle one and silently tried again.
	return (&http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(req)
}

// must is do where anything but a 200 ends the test.
func (c *client) must(method, path string, body any) object {
	c.t.Helper()
	g := c.do(method, path, body)
	if g.err != nil || g.status != http.StatusOK {
		c.t.Fatalf("%s %s = %d %s %v, want 200", method, path, g.status, g.raw, g.err)
	}
	return g.doc
}

// items are those that a list shows.
func (c *client) items(path string) []any {
	c.t.Helper()
	items, _ := c.must("GET", path, nil)["items"].([]any)
	return items
}

// as is a client with another company's key.
func (c *client) as(company string) *client { return &client{t: c.t, s: c.s, key: c.s.KeyOf(company)} }

// in is the same client in a subtest.
func (c *client) in(t *testing.T) *client { return &client{t: t, s: c.s, key: c.key} }

// problems are the "path: message" of an answer in the usual error form.
func (g got) problems() []string {
	out := []string{}
	list, _ := g.doc["errors"].([]any)
	for _, e := range list {
		e := e.(object)
		out = append(out, fmt.Sprintf("%v: %v", e["path"], e["message"]))
	}
	return out
}

// pick is the wanted fields of a document, for comparing without what the service adds.
func pick(doc object, like object) object {
	out := object{}
	for name, want := range like {
		value, ok := doc[name]
		if !ok {
			continue
		}
		if sub, ok := want.(object); ok {
			if inner, ok := value.(object); ok {
				value = pick(inner, sub)
			}
		}
		out[name] = value
	}
	return out
}

// wantSame compares two values; format and args say what they are.
func wantSame(t *testing.T, want, got any, format string, args ...any) {
	t.Helper()
	expect.Same(t, want, got, "%s differs", fmt.Sprintf(format, args...))
}

// wantTexts wants others in a text.
func wantTexts(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		expect.Contains(t, text, w)
	}
}

func wantNoTexts(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("%q is in %s", u, text)
		}
	}
}

func wantFields(t *testing.T, doc, want object) {
	t.Helper()
	wantSame(t, want, pick(doc, want), "document")
}

func wantStatus(t *testing.T, g got, status int) {
	t.Helper()
	if g.err != nil || g.status != status {
		t.Fatalf("answer = %d %s %v, want status %d", g.status, g.raw, g.err, status)
	}
}
