package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// sample is a document, made here after the shape of really authorized ones: the one it is from, with changes.
type sample struct {
	name, from string
	// set are changes such as "items.0.cfop=6102": JSON, or else a text; nothing takes the member away, and @name is one
	// of parts. With ! before it, a change comes after the sums.
	set string
	// as changes the company: one of issuers, its regime or the code of its city.
	as string
	// finding is the rule of payload_check and the path of the member, and code the authority's rule, that a broken
	// document meets; where it breaks several, they have all, and code the answered one first.
	finding, code string
	// says is the member that the authority's message names.
	says string
}

// corpusNow is when the documents are issued.
var corpusNow = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)

const originKey = "35261112ABC34501DE35550010000000421123456788"

// parts are what many documents have.
var parts = map[string]string{
	"sale": `{"operationNature":"Venda","operationType":"outgoing","purposeType":"normal","destination":"internal","presenceType":"none",
		"isFinalCustomer":false,"receiver":"@shop","items":["@item"],"payments":[{"method":"billetBanking","amount":0}],"total":{}}`,
	"counter": `{"operationNature":"Venda","operationType":"outgoing","purposeType":"normal","destination":"internal","presenceType":"presence",
		"isFinalCustomer":true,"items":["@simpleItem"],"payments":[{"method":"money","amount":0}],"total":{}}`,
	"service": `{"description":"Consultoria","federalServiceCode":"17.01","cityServiceCode":"03115","taxationType":"taxationInMunicipality",
		"receiver":"@person","total":{"invoiceAmount":1500,"issBaseTax":1500,"issRate":5,"issAmount":75}}`,
	"item": `{"code":"C-1","description":"Cadeira","ncm":"94016900","gtinCode":"SEM GTIN","cfop":5102,"unit":"UN","quantity":10,
		"unitAmount":100,"unitTax":"UN","makeupTotal":true,"taxes":{"icms":{"origin":"0","cst":"00","baseTaxModality":"3","rate":18},
		"pis":{"cst":"01","baseTax":820,"rate":1.65,"amount":13.53},"cofins":{"cst":"01","baseTax":820,"rate":7.6,"amount":62.32},
		"ibsCbs":"@reform"}}`,
	"simpleItem": `{"code":"P-1","description":"Pão","ncm":"19059090","gtinCode":"SEM GTIN","cfop":5102,"unit":"KG","quantity":1.5,
		"unitAmount":18,"unitTax":"KG","makeupTotal":true,"taxes":{"icms":{"origin":"0","csosn":"102"},"pis":{"cst":"49"},"cofins":{"cst":"49"}}}`,
	"fuelItem": `{"code":"D-1","description":"Diesel","ncm":"27101921","gtinCode":"SEM GTIN","cfop":5656,"unit":"L","quantity":40,
		"unitAmount":6,"unitTax":"L","makeupTotal":true,"taxes":{"icms":{"origin":"0","cst":"61","singleStageRetQuantityTax":40,
		"singleStageRetAdRemRate":1.12,"singleStageRetAmount":44.8},"pis":{"cst":"04"},"cofins":{"cst":"04"}}}`,
	"serviceItem": `{"code":"S-1","description":"Montagem","ncm":"00","gtinCode":"SEM GTIN","cfop":5933,"unit":"UN","quantity":1,
		"unitAmount":300,"unitTax":"UN","makeupTotal":true,"taxes":{"issqn":{"baseTax":300,"rate":5,"amount":15},"pis":{"cst":"01"},
		"cofins":{"cst":"01"},"ibsCbs":"@reform"}}`,
	"reform": `{"cst":"000","classification":"000001","baseTax":744.15,"ibsStateRate":0.1,"ibsStateAmount":0.74,"ibsCityRate":0,
		"ibsCityAmount":0,"cbsRate":0.9,"cbsAmount":6.7}`,
	"simple":    `{"icms":{"origin":"0","csosn":"102"},"pis":{"cst":"49"},"cofins":{"cst":"49"}}`,
	"exempt":    `{"icms":{"origin":"0","cst":"50"},"pis":{"cst":"08"},"cofins":{"cst":"08"},"ibsCbs":{"cst":"410","classification":"410999"}}`,
	"onlyNew":   `{"ibsCbs":"@reform"}`,
	"zero":      `0`,
	"unpaid":    `[{"method":"90","amount":0}]`,
	"origin":    `{"accessKey":"` + originKey + `","itemNumber":1}`,
	"reference": `[{"accessKey":"` + originKey + `"}]`,
	"shop":      `{"name":"Café da Esquina Ltda","federalTaxNumber":"45997418000153","stateTaxNumber":"110042490114","address":"@saoPaulo"}`,
	"rio":       `{"name":"Livraria Ltda","federalTaxNumber":"11222333000181","stateTaxNumber":"99999993","address":"@rioDeJaneiro"}`,
	"person":    `{"name":"Maria da Silva","federalTaxNumber":"52998224725","address":"@saoPaulo"}`,
	"personRio": `{"name":"João Souza","federalTaxNumber":"11144477735","address":"@rioDeJaneiro"}`,
	"abroad":    `{"name":"Acme Corp","address":"@lisbon"}`,
	"saoPaulo":  `{"street":"Rua Augusta","number":"200","district":"Consolação","postalCode":"01304000","city":{"code":3550308}}`,
	"rioDeJaneiro": `{"street":"Rua do Ouvidor","number":"50","district":"Centro","postalCode":"20040030",
		"city":{"code":3304557}}`,
	"lisbon": `{"street":"Rua Áurea","number":"1","district":"Baixa","city":{"code":9999999,"name":"Lisboa","state":"EX"},"country":"PRT"}`,
}

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
		if name, ok := strings.CutPrefix(v, "@"); ok && parts[name] != "" {
			return decodedPart(t, parts[name])
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
	body, _ := decodedPart(t, parts[s.from]).(object)
	if parts[s.from] == "" {
		from, ok := all[s.from]
		if !ok {
			t.Fatalf("%s: there is no sample %q", s.name, s.from)
		}
		body = from.document(t, all)
	}
	s.apply(t, body, false)
	if body["items"] != nil && !strings.Contains(s.set, "!items=") {
		addUp(body)
	}
	s.apply(t, body, true)
	return body
}

func (s sample) apply(t *testing.T, body object, afterwards bool) {
	t.Helper()
	for _, change := range strings.Split(s.set, "; ") {
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

// corpus are all samples, by name.
func corpus() map[string]sample {
	all := map[string]sample{}
	for _, s := range slices.Concat(soundDocuments, brokenDocuments, missingMembers()) {
		all[s.name] = s
	}
	return all
}

// pathOf is where a sample is issued, by the part that it began with.
func (s sample) pathOf(all map[string]sample) string {
	switch s.from {
	case "sale":
		return product
	case "counter":
		return consumer
	case "service":
		return service
	}
	return all[s.from].pathOf(all)
}

// company is the company of a sample, or of the one that it is from.
func (s sample) company(all map[string]sample) string {
	if s.as == "" && all[s.from].name != "" {
		return all[s.from].company(all)
	}
	return s.as
}

func TestCorpus_payloadCheckAndTheAuthorityAgree(t *testing.T) {
	t.Parallel()
	all := corpus()
	if sound, broken := len(soundDocuments), len(all)-len(soundDocuments); sound < 60 || broken < 120 {
		t.Errorf("%d sound documents and %d broken ones, want 60 and 120", sound, broken)
	}
	wantSame(t, len(soundDocuments)+len(brokenDocuments)+len(missingMembers()), len(all), "number of samples by name")
	for _, rule := range fiscal.PayloadRules() {
		if !slices.ContainsFunc(slices.Collect(maps.Values(all)), func(s sample) bool {
			code, more, _ := strings.Cut(s.finding, " ")
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range s.judge(clients[as].in(t), all) {
				met.Store(r.words, true)
			}
		})
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
	for _, f := range fiscal.CheckPayload(modelAt(path), body, corpusNow.Format(time.RFC3339), "") {
		found = append(found, strings.TrimSpace(f.Code+" "+f.Path))
		said := f.Message.In(t.Context())
		if !regexp.MustCompile(`^[^a-z].*\.$`).MatchString(said) {
			t.Errorf("the message %q is no sentence", said)
		}
	}
	code, message, broken := answeredCode(c, path, body)
	if len(broken) > 0 {
		wantTexts(t, message, broken[0].words, s.says)
		for _, r := range broken[1:] {
			code += " " + r.code
		}
	}
	if got := strings.Join(found, ", "); got != s.finding || code != s.code {
		text, _ := json.Marshal(body)
		t.Errorf("payload_check finds %q, want %q; the authority answers %q, want %q\n%s", got, s.finding, code, s.code, text)
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

func modelAt(path string) string {
	return map[string]string{product: "productInvoice", consumer: "consumerInvoice", service: "serviceInvoice"}[path]
}
