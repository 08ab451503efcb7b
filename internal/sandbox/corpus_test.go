package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// sample is a document, made here after the shape of really authorized ones: the one it is from, with changes.
type sample struct {
	Name, From string
	// Set are changes such as "items.0.cfop=6102": JSON, or else a text; nothing takes the member away, and @name is one
	// of parts. With ! before it, a change comes after the sums.
	Set string
	// As changes the company: one of issuers, its regime or the code of its city.
	As string
	// Finding is the rule of payload_check and the path of the member; Code is the authority's rule, that a broken
	// document meets; where it breaks several, they have all, and code the answered one first.
	Finding, Code string
	// Says is the member that the authority's message names.
	Says string
}

// corpusNow is when the documents are issued.
var corpusNow = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)

// parts are what many documents have.
var parts = func() (parts map[string]json.RawMessage) {
	raw, err := os.ReadFile("testdata/corpus_parts.json")
	if err == nil {
		err = json.Unmarshal(raw, &parts)
	}
	if err != nil {
		panic(err)
	}
	return parts
}()

// textMembers are texts, whatever they look like.
var textMembers = []string{
	"federalTaxNumber", "stateTaxNumber", "number", "postalCode", "ncm", "gtinCode", "presenceType", "federalServiceCode",
	"nationalTaxationCode", "cityServiceCode", "nbsCode", "classification",
}

// decodedPart decodes one of parts, with those that it names.
func decodedPart(t *testing.T, text string) any {
	t.Helper()
	if !json.Valid([]byte(text)) {
		return namedParts(t, text) // A text without quotes.
	}
	return namedParts(t, decoded([]byte(text)))
}

func namedParts(t *testing.T, value any) any {
	t.Helper()
	switch v := value.(type) {
	case string:
		if name, ok := strings.CutPrefix(v, "@"); ok && parts[name] != nil {
			return decodedPart(t, string(parts[name]))
		}
	case object:
		for name, member := range v {
			v[name] = namedParts(t, member)
		}
	case []any:
		for i, element := range v {
			v[i] = namedParts(t, element)
		}
	}
	return value
}

// document is the body of a sample.
func (s sample) document(t *testing.T, all map[string]sample) object {
	t.Helper()
	body, _ := decodedPart(t, string(parts[s.From])).(object)
	if parts[s.From] == nil {
		from, ok := all[s.From]
		if !ok {
			t.Fatalf("%s: there is no sample %q", s.Name, s.From)
		}
		body = from.document(t, all)
	}
	s.apply(t, body, false)
	if body["items"] != nil && !strings.Contains(s.Set, "!items=") {
		addUp(body)
	}
	s.apply(t, body, true)
	return body
}

func (s sample) apply(t *testing.T, body object, afterwards bool) {
	t.Helper()
	for _, change := range strings.Split(s.Set, "; ") {
		path, value, ok := strings.Cut(strings.TrimSpace(change), "=")
		if !ok || strings.HasPrefix(path, "!") != afterwards {
			continue
		}
		setAt(t, body, strings.Split(strings.TrimPrefix(path, "!"), "."), value)
	}
}

func setAt(t *testing.T, at any, path []string, value string) {
	t.Helper()
	switch parent := at.(type) {
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(parent) {
			t.Fatalf("no element %v", path)
		}
		if len(path) == 1 {
			parent[i] = decodedPart(t, value)
			return
		}
		setAt(t, parent[i], path[1:], value)
	case object:
		switch {
		case len(path) > 1:
			setAt(t, parent[path[0]], path[1:], value)
		case value == "":
			delete(parent, path[0])
		case slices.Contains(textMembers, path[0]) && !strings.HasPrefix(value, "@"):
			parent[path[0]] = strings.Trim(value, `"`)
		default:
			parent[path[0]] = decodedPart(t, value)
		}
	default:
		t.Fatalf("nothing at %v", path)
	}
}

// addUp calculates what follows from the items: their totals and taxes, the totals and a single payment.
func addUp(body object) {
	sums := map[string]*big.Rat{}
	add := func(name string, value *big.Rat) {
		if sums[name] == nil {
			sums[name] = new(big.Rat)
		}
		sums[name].Add(sums[name], value)
	}
	percent := func(base *big.Rat, rate any) *big.Rat {
		return new(big.Rat).Mul(base, new(big.Rat).Quo(decimal(rate), big.NewRat(100, 1)))
	}
	for _, item := range objectsOf(body["items"]) {
		total := new(big.Rat).Mul(decimal(item["quantity"]), decimal(item["unitAmount"]))
		if item["totalAmount"] != nil && total.Sign() == 0 {
			total = decimal(item["totalAmount"]) // Of a complement.
		}
		item["totalAmount"], item["quantityTax"], item["unitTaxAmount"] = exact(total), item["quantity"], item["unitAmount"]
		icms := part(part(item, "taxes"), "icms")
		if icms["rate"] != nil {
			base := new(big.Rat).Sub(total, percent(total, icms["baseTaxReduction"]))
			icms["baseTax"], icms["amount"] = exact(base), exact(percent(base, icms["rate"]))
			add("icmsBaseTax", base)
			add("icmsAmount", percent(base, icms["rate"]))
		}
		if part(part(item, "taxes"), "issqn") == nil {
			add("productAmount", total)
		}
		add("invoiceAmount", total)
		add("discountAmount", decimal(item["discountAmount"]))
		add("freightAmount", decimal(item["freightAmount"]))
		add("icmsStAmount", decimal(icms["stAmount"]))
		add("ipiAmount", decimal(part(part(item, "taxes"), "ipi")["amount"]))
	}
	total := object{}
	for name, sum := range sums {
		switch name {
		case "discountAmount":
			sums["invoiceAmount"].Sub(sums["invoiceAmount"], sum)
		case "freightAmount", "icmsStAmount", "ipiAmount":
			sums["invoiceAmount"].Add(sums["invoiceAmount"], sum)
		}
		if sum.Sign() != 0 {
			total[name] = exact(sum)
		}
	}
	total["invoiceAmount"] = exact(sums["invoiceAmount"])
	body["total"] = total
	if payments := objectsOf(body["payments"]); len(payments) == 1 && !isUnpaid(payments[0]) {
		payments[0]["amount"] = total["invoiceAmount"]
	}
}

func exact(amount *big.Rat) json.Number { return json.Number(amount.FloatString(2)) }

// corpus are all samples, by name: those that the authority authorizes, and those that break one rule each.
func corpus(t *testing.T) (all map[string]sample, sound, broken int) {
	t.Helper()
	authorized := rows.Read[[]sample](t, "corpus_sound.json")
	refused := append(rows.Read[[]sample](t, "corpus_broken.json"), missingMembers()...)
	all = map[string]sample{}
	for _, s := range slices.Concat(authorized, refused) {
		all[s.Name] = s
	}
	return all, len(authorized), len(refused)
}

// missingMembers leave out what the layout asks for, member by member.
func missingMembers() []sample {
	var all []sample
	for _, name := range itemFields {
		all = append(all, sample{
			Name: "item without " + name, From: "within the state", Set: fmt.Sprintf("!items.0.%s=; !total=; !payments=@unpaid", name),
			Finding: "item_incomplete items[0]", Code: codePayload, Says: "items[0]." + name,
		})
	}
	for _, name := range neededOfAddress {
		all = append(all, sample{
			Name: "address without " + name, From: "within the state", Set: "receiver.address." + name + "=",
			Finding: "address_incomplete receiver.address", Code: codePayload, Says: "receiver.address. " + name,
		})
	}
	return all
}

// pathOf is where a sample is issued, by the part that it began with.
func (s sample) pathOf(all map[string]sample) string {
	switch s.From {
	case "sale":
		return product
	case "counter":
		return consumer
	case "service":
		return service
	}
	return all[s.From].pathOf(all)
}

// company is the company of a sample, or of the one that it is from.
func (s sample) company(all map[string]sample) string {
	if s.As == "" && all[s.From].Name != "" {
		return all[s.From].company(all)
	}
	return s.As
}

func TestCorpus_payloadCheckAndTheAuthorityAgree(t *testing.T) {
	t.Parallel()
	all, sound, broken := corpus(t)
	if sound < 60 || broken < 120 {
		t.Errorf("%d sound documents and %d broken ones, want 60 and 120", sound, broken)
	}
	wantSame(t, sound+broken, len(all), "number of samples by name")
	for _, rule := range fiscal.PayloadRules() {
		if !slices.ContainsFunc(slices.Collect(maps.Values(all)), func(s sample) bool {
			code, more, _ := strings.Cut(s.Finding, " ")
			return code == rule.Code && !strings.Contains(more, ", ")
		}) && rule.Code != "not_an_object" {
			t.Errorf("no document breaks %s alone", rule.Code)
		}
	}
	var met sync.Map // The rules that a document breaks, by their words.
	t.Cleanup(func() {
		for _, r := range authorityRules() {
			// What was law until August 2026 has a test of its own.
			if _, ok := met.Load(r.words); !ok && r.code != "794" {
				t.Errorf("no document breaks %s of %s: %s", r.code, r.source, r.words)
			}
		}
	})
	clients := map[string]*client{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		as := s.company(all)
		if clients[as] == nil {
			clients[as] = newIssuerAs(t, as)
		}
		rows.Case(t, name, func(t *testing.T) {
			for _, r := range s.judge(clients[as].in(t), all) {
				met.Store(r.words, true)
			}
		})
	}
}

// The authority refuses what payload_check finds in documents that issuers sent, and authorizes the sound ones. What
// integrations send to the service is sound, and the sandbox knows each member of it.
func TestAuthority_judgesWhatIssuersRunInto(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"payload_cases", "payload_sound", "real_contract"} {
		raw, err := os.ReadFile("../fiscal/testdata/" + table + ".json")
		expect.NoError(t, err)
		var cases []struct {
			Name, Model, Regime, Code string
			Pending                   bool
			ExemptIssuer              bool `json:"exempt_issuer"`
			Payload                   json.RawMessage
		}
		expect.NoError(t, json.Unmarshal(raw, &cases))
		for _, entry := range cases {
			c := newIssuerAs(t, entry.Regime)
			if entry.ExemptIssuer {
				company(object{"stateTaxNumber": stateTaxExempt})(c)
			}
			code, message, broken := answeredCode(c, pathsOf[entry.Model], decoded(entry.Payload).(object))
			for _, r := range broken[min(1, len(broken)):] {
				code += " " + r.code
			}
			if code != entry.Code && !entry.Pending {
				t.Errorf("%s: the authority answers %q (%s), want %q", entry.Name, code, message, entry.Code)
			}
			if unknown := c.s.UnknownFields(); len(unknown) > 0 && table == "real_contract" {
				t.Errorf("%s: the sandbox does not know %v", entry.Name, unknown)
			}
		}
	}
}

// document is a whole document, made after a public sample or its layout, or what breaks one thing in another.
type document struct {
	Name, About string
	// After is what a sound document is made after; City is the issuer's.
	After, Model, City, Regime string
	Payload                    json.RawMessage
	// From is the sound document that a broken one changes: members by their paths, null takes them away.
	From string
	Set  map[string]json.RawMessage
	// Law is the rejection that the slip means; Finds is what payload_check says, and Code the authority's answer.
	Law, Finds, Code string
	// Missed says why payload_check is silent about a slip.
	Missed string
}

func documentsOf(t *testing.T, file string) (all []document) {
	t.Helper()
	raw, err := os.ReadFile("../fiscal/testdata/" + file)
	expect.NoError(t, err)
	for line := range bytes.Lines(raw) {
		var d document
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatalf("%s: %s", err, line)
		}
		all = append(all, d)
	}
	return all
}

// The documents are judged as the provider sends them, by an issuer whose regime and state a plan knows. A slip that is
// found no more, or found at last, has to be told here.
func TestCorpus_wholeDocumentsAndTheirSlips(t *testing.T) {
	t.Parallel()
	sound, broken := documentsOf(t, "documents_sound.jsonl"), documentsOf(t, "documents_broken.jsonl")
	if len(sound) < 100 || len(broken) < 100 {
		t.Errorf("%d sound documents and %d broken ones, want 100 of each", len(sound), len(broken))
	}
	clients := map[string]*client{}
	for _, d := range slices.Concat(sound, broken) {
		of := d
		if d.From != "" {
			of = sound[slices.IndexFunc(sound, func(s document) bool { return s.Name == d.From })]
		}
		body, _ := decoded(of.Payload).(object)
		for path, value := range d.Set {
			setAt(t, body, strings.Split(path, "."), strings.TrimPrefix(string(value), "null"))
		}
		raw, _ := json.Marshal(body)
		body, _ = decoded(fiscal.SendablePayload(raw)).(object)
		state := fiscal.StateOfCity(of.City, "")
		as := of.Regime + of.City
		if clients[as] == nil {
			clients[as] = newIssuerAs(t, of.Regime)
			city := object{"code": of.City, "state": strings.ToLower(state)}
			company(object{"address": object{"city": city}})(clients[as])
		}
		var found []string
		issuer := fiscal.Issuer{Regime: of.Regime, State: state}
		for _, f := range issuer.CheckPayload(of.Model, body, corpusNow.Format(time.RFC3339)) {
			found = append(found, strings.TrimSpace(f.Code+" "+f.Path))
		}
		code, message, _ := answeredCode(clients[as], pathsOf[of.Model], body)
		if got := strings.Join(found, "; "); got != d.Finds || code != d.Code {
			t.Errorf("%s: payload_check finds %q, want %q; the authority answers %q (%s), want %q", d.Name, got, d.Finds, code,
				message, d.Code)
		}
		if d.From != "" && (d.Finds == "") != (d.Missed != "") {
			t.Errorf("%s: either payload_check finds a slip, or it is said why not", d.Name)
		}
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

// newIssuerAs is the issuer of the samples of one company.
func newIssuerAs(t *testing.T, as string) *client {
	t.Helper()
	c := newIssuer(t, Options{Clock: NewManualClock(corpusNow)})
	m, isCity := municipalityByCode(as)
	switch {
	case issuers[as] != nil:
		issuers[as](c)
	case isCity:
		company(object{"address": object{"city": object{"code": as, "name": m.name, "state": m.state}}})(c)
	default:
		company(object{"taxRegime": as})(c)
	}
	return c
}

// judge compares what payload_check and the authority say of a sample with what it expects, and returns the rules of
// the authority that it breaks.
func (s sample) judge(c *client, all map[string]sample) []rule {
	t := c.t
	t.Helper()
	path, body := s.pathOf(all), s.document(t, all)
	var found []string
	for _, f := range c.inItsState().CheckPayload(modelAt(path), body, corpusNow.Format(time.RFC3339)) {
		found = append(found, strings.TrimSpace(f.Code+" "+f.Path))
		said := f.Message.In(t.Context())
		if !regexp.MustCompile(`^[^a-z].*\.$`).MatchString(said) {
			t.Errorf("the message %q is no sentence", said)
		}
	}
	code, message, broken := answeredCode(c, path, body)
	if len(broken) > 0 {
		wantTexts(t, message, broken[0].words, s.Says)
		for _, r := range broken[1:] {
			code += " " + r.code
		}
	}
	if got := strings.Join(found, ", "); got != s.Finding || code != s.Code {
		text, _ := json.Marshal(body)
		t.Errorf("payload_check finds %q, want %q; the authority answers %q, want %q\n%s", got, s.Finding, code, s.Code, text)
	}
	return broken
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

// inItsState is an issuer in the state of the company, whose regime payload_check does not know.
func (c *client) inItsState() (issuer fiscal.Issuer) {
	id := c.s.OwnerCompanyID()
	c.s.locked(func() {
		company, _ := c.s.get(KindCompanies, id)
		issuer.State = state(company)
	})
	return issuer
}

// modelAt is the model that a path issues.
func modelAt(path string) string {
	for model, at := range pathsOf {
		if at == path {
			return model
		}
	}
	return ""
}

// judgedTwice reports whether a rule of payload_check foresees a code.
func judgedTwice(code string) bool {
	return slices.ContainsFunc(fiscal.PayloadRules(), func(r fiscal.PayloadRule) bool { return slices.Contains(r.Laws, code) })
}

// What payload_check says of a document that nobody thought of, the authority says too: whatever it finds is refused,
// and of a code that it foresees it is not silent.
func TestCorpus_generatedDocumentsAreJudgedAlikeTwice(t *testing.T) {
	t.Parallel()
	// What the documents vary in: values of one member, as sample.Set has them.
	variations := rows.Read[map[string][]string](t, "corpus_variations.json")
	random := rand.New(rand.NewPCG(7, 11)) // The same documents each time.
	names := make([]string, 0, len(variations))
	for name := range variations {
		names = append(names, name)
	}
	slices.Sort(names)
	c := newIssuer(t, Options{Clock: NewManualClock(corpusNow)})
	judged := map[string]int{}
	for range 250 {
		from, path := "sale", product
		if random.IntN(3) == 0 {
			from, path = "counter", consumer
		}
		set := []string{`items=["@item"]`}
		for range 1 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			if path == consumer && strings.HasPrefix(name, "receiver") {
				continue
			}
			set = append(set, name+"="+variations[name][random.IntN(len(variations[name]))])
		}
		slices.SortStableFunc(set, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
		s := sample{Name: "generated", From: from, Set: strings.Join(set, "; ")}
		body := s.document(t, nil)
		var found []string
		for _, f := range c.inItsState().CheckPayload(modelAt(path), body, corpusNow.Format(time.RFC3339)) {
			found = append(found, f.Code)
		}
		code, _, _ := answeredCode(c, path, body)
		judged[code]++
		if (len(found) > 0) != (code != "") && (len(found) > 0 || judgedTwice(code)) {
			text, _ := json.Marshal(body)
			t.Errorf("%v: payload_check finds %v, and the authority answers %q\n%s", set[1:], found, code, text)
		}
	}
	if len(judged) < 40 || judged[""] < 50 {
		t.Errorf("%d codes are answered and %d documents authorized, want 40 and 50", len(judged), judged[""])
	}
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
