package einvoice

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

type everyScalar struct {
	T  Text    `json:"t"`
	E  Enum    `json:"e"`
	I  Int     `json:"i"`
	N  Number  `json:"n"`
	F  Flag    `json:"f"`
	PI *Int    `json:"pi"`
	PN *Number `json:"pn"`
	PF *Flag   `json:"pf"`
}

func (*everyScalar) keep(*answer) {}

func ptr[T any](v T) *T { return &v }

func TestScalars_acceptEverySpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     everyScalar
	}{
		{"nothing", `{}`, everyScalar{}},
		{"null", `{"t":null,"e":null,"i":null,"n":null,"f":null,"pi":null,"pn":null,"pf":null}`, everyScalar{}},
		{"empty strings are absent", `{"t":"","e":"","i":"","n":"","f":"","pi":"","pn":"","pf": "" }`, everyScalar{}},
		{
			"their own types", `{"t":"x","e":"authorized","i":5,"n":10.5,"f":true,"pi":0,"pn":0,"pf":false}`,
			everyScalar{"x", "authorized", 5, 10.5, true, ptr(Int(0)), ptr(Number(0)), ptr(Flag(false))},
		},
		{
			"strings", `{"t":"5","e":"0","i":"5","n":"10.5","f":"true","pi":" 7 ","pn":"1e2","pf":"False"}`,
			everyScalar{"5", "0", 5, 10.5, true, ptr(Int(7)), ptr(Number(100)), ptr(Flag(false))},
		},
		{
			"numbers", `{"t":5,"e":0,"i":5.0,"n":10,"f":1,"pi":-3,"pn":-0.5,"pf":0}`,
			everyScalar{"5", "", 5, 10, true, ptr(Int(-3)), ptr(Number(-0.5)), ptr(Flag(false))},
		},
		{
			"numbers with a fraction of zero", `{"t":10001.0,"e":0.0,"i":"5.0","n":10.00}`,
			everyScalar{T: "10001", I: 5, N: 10},
		},
		{"texts and other fractions stay", `{"t":"1.0","e":"2.0"}`, everyScalar{T: "1.0", E: "2.0"}},
		{
			"a number above zero is an enum's text", `{"e":3,"t":true,"i":9007199254740993}`,
			everyScalar{E: "3", T: "true", I: 9007199254740993},
		},
	} {
		var got everyScalar
		if err := json.Unmarshal(blankToNull([]byte(tt.in)), &got); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		wantSame(t, tt.want, got)
	}
}

// A service that writes its words otherwise means the same.
func TestEnum_isSpelledAsTheSpecificationDoes(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"authorized": "authorized", "Authorized": "authorized", "AUTHORIZED": "authorized", "incontingent": "inContingent", "InContingent": "inContingent",
		"PRODUCTINVOICE": "productInvoice", "Production": "production", "offline": "offLine", "SimplesNacional": "simplesNacional", "aWordOfItsOwn": "aWordOfItsOwn", "Two words": "Two words", "": "",
	} {
		var got Enum
		raw, _ := json.Marshal(written)
		if err := json.Unmarshal(raw, &got); err != nil || string(got) != want {
			t.Errorf("%q reads as %q (%v), want %q", written, got, err, want)
		}
	}
}

func TestScalars_nameTheFieldOfAWrongShape(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ In, Want string }](t, "scalars_name_the_field_of_a_wrong_shape.json") {
		_, err := decode[everyScalar](&answer{object: json.RawMessage(tt.In)}, nil)
		if err == nil || !strings.Contains(err.Error(), tt.Want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: error %v, want %q", tt.In, err, tt.Want)
		}
		if !errors.Is(err, ErrBadAnswer) {
			t.Errorf("%s: %v is no ErrBadAnswer", tt.In, err)
		}
	}
}

func TestBlankToNull(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"","b":["","x"]}`:         `{"a":null,"b":["","x"]}`,
		`{"":"x", "" : ""}`:             `{"":"x", "" :null}`,
		`{"a":":\"\"","b":": ","c":""}`: `{"a":":\"\"","b":": ","c":null}`,
		`{"a":"`:                        `{"a":"`,
	} {
		expect.Is(t, string(blankToNull([]byte(in))), want, "%s becomes", in)
	}
}

func TestTaxNumber_hasItsLeadingZerosBack(t *testing.T) {
	t.Parallel()
	for in, want := range rows.Read[map[string]TaxNumber](t, "tax_number_has_its_leading_zeros_back.json") {
		var got TaxNumber
		if err := got.UnmarshalJSON([]byte(in)); err != nil || got != want {
			t.Errorf("%s becomes %q and %v, want %q", in, got, err, want)
		}
	}
	var v Invoice
	text := `{"receiver":{"federalTaxNumber" : 1234567890 , "name":"\"federalTaxNumber\":4252011000110,"}}`
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Receiver.FederalTaxNumber != "01234567890" ||
		v.Receiver.Name != `"federalTaxNumber":4252011000110,` {
		t.Errorf("%s becomes %+v and %v", text, v.Receiver, err)
	}
	if err := new(TaxNumber).UnmarshalJSON([]byte("{}")); err == nil {
		t.Error("an object is a tax number")
	}
}

func TestPostalCode_hasItsLeadingZeroBack(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]PostalCode{
		"1310100": "01310100", " 1310100 ": "01310100", "80010000": "80010000", `"1310100"`: "1310100", `"01310-100"`: "01310-100", "90210": "90210", "null": "",
	} {
		var got PostalCode
		if err := got.UnmarshalJSON([]byte(in)); err != nil || got != want {
			t.Errorf("%s becomes %q and %v, want %q", in, got, err, want)
		}
	}
	if err := new(PostalCode).UnmarshalJSON([]byte("{}")); err == nil {
		t.Error("an object is a postal code")
	}
}

// What is shown to a person comes from strangers: a terminal obeys some of it.
func TestText_steersNoTerminal(t *testing.T) {
	t.Parallel()
	for sent, want := range rows.Read[map[string]string](t, "text_steers_no_terminal.json") {
		body := `{"id":"1","processingDetail":{"status":` + sent + `,"message":` + sent + `},"cancellation":{"justification":` + sent + `}}`
		v, err := scripted(t, []exchange{{method: "GET", path: "/v1/service-invoices/1", answer: body}}).Invoice(t.Context(), ModelService, "1")
		must(t, err)
		for _, got := range []string{string(v.ProcessingDetail.Message), string(v.ProcessingDetail.Status), string(v.Cancellation.Justification)} {
			expect.Is(t, got, want, "%s is shown as", sent)
		}
	}
}
