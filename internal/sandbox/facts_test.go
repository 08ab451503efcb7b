package sandbox

import (
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// fact is what public sources say of the field.
type fact struct {
	name string
	// sound have no finding and are authorized; broken have a finding, a code, or both.
	sound, broken []sample
	// told are words that rejection_explain says, by the code and the document: "302 NF-e".
	told map[string]string
}

// Each row is a fact that a comparison with public sources found, and shows it in payload_check, in the authority and in
// the explanations, as far as each is concerned.
var facts = []fact{
	{
		name: "a denial is history: an irregular party is a rejection",
		told: map[string]string{
			"302 NF-e": "now it is a rejection, and the same number is sent again", "301 NF-e": "781 has taken its place",
			"205 NF-e": "before 2024-09-02", "110 NF-e": "If its status is `denied`", "781 NFC-e": "Its number is not used up",
		},
	},
	{
		name: "credit and debit notes have no other taxes than IBS, CBS and IS",
		sound: []sample{
			{from: "credit note of interest"}, {from: "debit note of interest"}, {from: "receipt of a public body"},
		},
		broken: []sample{
			{from: "credit note of interest", set: `items.0.taxes.icms={"origin":"0","cst":"41"}`, finding: "reform_alone", code: "1001"},
			{from: "debit note of interest", set: `items.0.taxes.issqn={"baseTax":1}`, finding: "reform_alone", code: "1001"},
			{from: "debit note of interest", set: `items.0.taxes.ii={"amount":1}`, finding: "reform_alone", code: "1001"},
		},
		told: map[string]string{"1001 NF-e": "but for a credit note of a return of the goods"},
	},
	{
		name: "the methods 90 and 91 are not compared with the total, and have the amount 0",
		sound: []sample{
			{from: "within the state", set: "payments=@unpaid"},
			{from: "complement of the quantity", set: "payments=@unpaid"},
			{from: "within the state", set: `payments=[{"method":"91","amount":0}]`},
		},
		broken: []sample{
			{from: "given away", set: "!payments.0.amount=1000", finding: "payment_none", code: "904"},
			{from: "paid later", set: "!payments.0.amount=1000", finding: "payment_none", code: "904"},
		},
	},
	{
		name: "a date of emission of 30 days ago is authorized, an older one is 228",
		sound: []sample{
			{from: "within the state", set: "effectiveDate=2026-11-14T10:00:00-03:00"},
			{from: "within the state", set: "effectiveDate=2026-10-22T10:00:00-03:00"},
		},
		broken: []sample{
			{from: "within the state", set: "effectiveDate=2026-10-19T10:00:00-03:00", finding: "past_date", code: "228"},
		},
		told: map[string]string{"228 NF-e": "authorizes late (150)"},
	},
	{
		name:   "single-phase fuel has no CSOSN: a station of the Simples Nacional mixes both",
		sound:  []sample{{from: "Simples Nacional, a station"}, {from: "at the pump"}},
		broken: []sample{{from: "Simples Nacional", set: `items=["@simpleItem","@item"]`, finding: "icms_code", code: "590"}},
		told:   map[string]string{"960 NF-e": "they have no CSOSN", "590 NFC-e": "a CST in every regime"},
	},
	{
		name:   "the sum of the goods leaves out the services under ISSQN",
		sound:  []sample{{from: "goods and services"}},
		broken: []sample{{from: "goods and services", set: "!total.productAmount=1300", finding: "products_total", code: "564"}},
		told:   map[string]string{"564 NF-e": "Services under ISSQN count in another total"},
	},
	{
		name: "quantity times price is compared in a sale alone",
		sound: []sample{
			{from: "return of a purchase", set: "!items.0.unitAmount=99; !items.0.unitTaxAmount=99"},
			{from: "complement of the price"},
		},
		broken: []sample{{from: "within the state", set: "!items.0.unitAmount=99", finding: "item_total", code: "629"}},
	},
	{
		name:  "presence 5 is for an NFC-e, and for an NF-e with a reference",
		sound: []sample{{from: "in the street"}, {from: "sold outside the establishment"}},
		broken: []sample{
			{from: "sold outside the establishment", set: "referencedDocuments=", finding: "outside_reference", code: "864"},
		},
		told: map[string]string{"717 NFC-e": "outside the establishment (5)"},
	},
	{
		name:  "a tourist in the shop: internal, state EX, final consumer",
		sound: []sample{{from: "to a tourist"}},
	},
	{
		name: "the place of delivery or pickup decides in which state an operation is",
		sound: []sample{
			{from: "delivered in the issuer's state"},
			{from: "delivered in another state"},
			{from: "within the state", set: `receiver=@rio; pickup={"name":"Depósito","address":"@rioDeJaneiro"}`},
		},
		broken: []sample{
			{from: "to another state", set: "receiver=@shop", code: "772"},
			{from: "within the state", set: "receiver=@rio; presenceType=presence", code: "773"},
		},
		told: map[string]string{"772 NF-e": "delivery or pickup", "773 NF-e": "delivery or pickup"},
	},
	{
		name:   "the total of the invoice tolerates R$ 0.50",
		sound:  []sample{{from: "within the state", set: "!total.invoiceAmount=1000.50; !payments.0.amount=1000.50"}},
		broken: []sample{{from: "within the state", set: "!total.invoiceAmount=1000.51; !payments.0.amount=1000.51", finding: "invoice_total", code: "610"}},
		told:   map[string]string{"610 NFC-e": "Correct `total`"},
	},
	{
		name:   "a natural person issues NFC-e as a rural producer, in the series 920 to 969",
		sound:  []sample{{from: "of a rural producer"}, {from: "of a rural producer", set: `series="969"`}},
		broken: []sample{{from: "of a rural producer", set: `series="970"`, code: "337"}},
	},
	{
		name:   "the number of an address has 60 characters",
		sound:  []sample{{from: "within the state", set: "receiver.address.number=" + strings.Repeat("1", 60)}},
		broken: []sample{{from: "within the state", set: "receiver.address.number=" + strings.Repeat("1", 61), finding: "too_long_for_the_authority", code: "400"}},
	},
	{
		name:   "the total of the ICMS leaves out CST 40, 41 and 50",
		sound:  []sample{{from: "exempt with the amount that is not owed"}},
		broken: []sample{{from: "exempt with the amount that is not owed", set: "!total.icmsAmount=180", finding: "item_sums", code: "532"}},
		told:   map[string]string{"203 NF-e": "(An NFC-e gets 781.)"},
	},
	{
		name: "the check digit of nine cities does not fit",
		sound: []sample{
			{from: "within the state", set: "receiver=@rio; destination=interstate; items.0.cfop=6102; items.0.taxes.icms.rate=12; " +
				"receiver.stateTaxNumber=ISENTO; receiver.address.city.code=4305871"},
		},
		broken: []sample{{from: "within the state", set: "receiver.address.city.code=3550309", finding: "city_code"}},
	},
	{
		name: "frequent, and decided by the payload",
		sound: []sample{
			{from: "return of a sale by somebody without a registration"},
			{from: "paid in another way"},
			{from: "at the counter of an MEI"},
			{from: "national service"},
		},
		broken: []sample{
			{from: "within the state", set: "receiver.stateTaxNumber=", finding: "not_a_contributor", code: "696"},
			{from: "within the state", set: `payments.0.method="99"`, finding: "payment_other", code: "441"},
			{from: "return of a purchase", set: "items.0.cfop=5102", finding: "cfop_return", code: "327"},
			{from: "within the state", set: "items.0.cfop=5202", finding: "cfop_return", code: "328"},
			{from: "at the counter, normal regime", set: `items.0.taxes.icms.cst="51"`, finding: "icms_consumer", code: "766"},
			{from: "at the counter, normal regime", set: "items.0.cfop=5405", finding: "icms_consumer", code: "382"},
			{from: "at the counter", set: `items.0.taxes.icms.csosn="101"`, finding: "icms_consumer", code: "383"},
			{from: "within the state", set: `items.0.gtinCode=""`, finding: "gtin", code: "883"},
			{from: "within the state", set: `items.0.taxes.ibsCbs.cst="200"`, finding: "ibs_cbs_code", code: "1024"},
			{from: "within the state", set: `items.0.taxes.ibsCbs.classification="1"`, finding: "ibs_cbs_code", code: "SPD003"},
			{from: "within the state", set: `items.0.taxes.ibsCbs.cst="0"`, finding: "ibs_cbs_code", code: "SPD003"},
		},
	},
	{
		name: "frequent, and known to the authority alone",
		told: map[string]string{
			"781 NF-e": "not accredited, or irregular", "231 NF-e": "does not belong to its CNPJ", "805 NF-e": "ISENTO",
			"434 NF-e": "marketplace", "435 NF-e": "marketplace", "786 NFC-e": "ended on 2024-06-30", "694 NF-e": "DIFAL", "695 NF-e": "DIFAL",
			"508 NF-e": "no contributor of ICMS", "600 NF-e": "no contributor of ICMS",
			"E10 NFS-e": "the response was lost", "E0014 NFS-e": "the response was lost",
		},
	},
}

func TestFacts(t *testing.T) {
	t.Parallel()
	all := corpus()
	models := map[string]string{"NF-e": "productInvoice", "NFC-e": "consumerInvoice", "NFS-e": "serviceInvoice"}
	for _, f := range facts {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range f.sound {
				s.judge(t, all)
			}
			for _, s := range f.broken {
				if s.finding == "" && s.code == "" {
					t.Errorf("a broken document expects nothing: %+v", s)
				}
				s.judge(t, all)
			}
			for code, words := range f.told {
				number, document, _ := strings.Cut(code, " ")
				told := fiscal.ExplainRejection(number, models[document])
				if !strings.Contains(told.Cause+" "+told.Action, words) {
					t.Errorf("%s: %q lacks %q", code, told.Cause+" "+told.Action, words)
				}
			}
		})
	}
}

// A law that has ended does not hold on the day after its last one.
func TestFacts_ofDays(t *testing.T) {
	t.Parallel()
	for code, ended := range map[string]string{"110": "2024-09-02", "205": "2024-09-02", "301": "2024-09-02", "786": "2024-07-01"} {
		law, _ := fiscal.LawOf(code)
		if day, err := time.Parse(time.DateOnly, ended); err != nil || law.HoldsOn(ended) || !law.HoldsOn(day.AddDate(0, 0, -1).Format(time.DateOnly)) {
			t.Errorf("%s does not end before %s: %+v", code, ended, law)
		}
	}
}
