package sandbox

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// variations are what the generated documents vary in: values of one member, as sample.set has them.
var variations = map[string][]string{
	"items.0.cfop":           {"5102", "5101", "5405", "5202", "5949", "6102", "6411", "1102", "1202", "3102", "7102", "5656", "5152", "5929", "5933"},
	"items.0.taxes.icms.cst": {`"00"`, `"20"`, `"40"`, `"41"`, `"50"`, `"51"`, `"60"`, `"61"`, `"90"`, `"10"`, `"102"`, `"01"`},
	"items.0.gtinCode":       {"SEM GTIN", "7891000315507", "7891000315508", `""`},
	"items.0.taxes.pis":      {`{"cst":"01"}`, ""},
	"items.0.taxes.ibsCbs": {
		"@reform", `{"cst":"200","classification":"000001"}`, `{"cst":"0"}`, "", `{"baseTax":1000,"cbsRate":8.8,"cbsAmount":88}`,
		`{"baseTax":1000,"cbsRate":0.9,"cbsAmount":9.02}`, `{"baseTax":1000,"cbsRate":0.9,"cbsAmount":9.02,"cbsDeferral":1}`,
	},
	"purposeType":                 {"normal", "devolution", "adjustment", "complement", "credit", "debit"},
	"destination":                 {"internal", "interstate", "international"},
	"presenceType":                {"none", "presence", "internet", "delivery", "5"},
	"isFinalCustomer":             {"true", "false"},
	"operationType":               {"outgoing", "incoming"},
	"receiver":                    {"@shop", "@rio", "@person", "@personRio", "@abroad"},
	"payments.0.method":           {"pix", `"90"`, `"91"`, `"99"`},
	"!total.invoiceAmount":        {"1000", "1000.4", "1001", "1010", ""},
	"!items.0.unitAmount":         {"100", "99"},
	"items.0.ncm":                 {"94016900", "00", "87032310", "99980101"},
	"items.0.taxes.icms.rate":     {"18", "12", "7", "25"},
	"receiver.stateTaxNumber":     {"110042490114", "110042490115", "99999993", "ISENTO"},
	"creditType":                  {"appropriation"},
	"debitType":                   {"inventoryLoss"},
	"!total.icmsBaseTax":          {"1000", "900"},
	"!total.icmsAmount":           {"180", "0"},
	"!total.discountAmount":       {"10", "0"},
	"!total.pisAmount":            {"13.53", "13.6"},
	"effectiveDate":               {"2026-11-20T11:58:00-03:00", "2026-11-01T12:00:00-03:00", "2026-10-01T12:00:00-03:00"},
	"receiver.suframaTaxNumber":   {`"200123459"`},
	"authorizedPersons":           {`["11222333000181"]`, `["11222333000182"]`, `["45997418000153"]`, `["52998224725","52998224724"]`},
	"referencedDocuments":         {"@reference"},
	"items.0.insuranceAmount":     {"10"},
	"items.0.othersAmount":        {"0.4", "10"},
	"items.0.freightAmount":       {"10"},
	"items.0.makeupTotal":         {"false"},
	"items.0.taxes.icms.stAmount": {"20"},
	"items.0.taxes.ipi":           {`{"cst":"50","baseTax":1000,"rate":5,"amount":50}`, `{"cst":"53"}`},
	"!items.0.unitTaxAmount":      {"99"},
	"!items.0.quantityTax":        {"1000"},
	"!total.insuranceAmount":      {"10"},
	"!total.ipiAmount":            {"10"},
	"!total.fcpStAmount":          {"10"},
	"!total.freightAmount":        {""},
	"receiver.address.country":    {"BRA"},
	"receiver.address.city":       {`{"code":3550308}`, `{"code":9999999,"name":"Lisboa","state":"EX"}`},
}

// judgedTwice reports whether a rule of payload_check foresees a code.
func judgedTwice(code string) bool {
	return slices.ContainsFunc(fiscal.PayloadRules(), func(r fiscal.PayloadRule) bool { return slices.Contains(r.Laws, code) })
}

// What payload_check says of a document that nobody thought of, the authority says too: whatever it finds is refused,
// and of a code that it foresees it is not silent.
func TestCorpus_generatedDocumentsAreJudgedAlikeTwice(t *testing.T) {
	t.Parallel()
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
		s := sample{name: "generated", from: from, set: strings.Join(set, "; ")}
		body := s.document(t, nil)
		var found []string
		for _, f := range fiscal.CheckPayload(modelAt(path), body, corpusNow.Format(time.RFC3339), "") {
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
