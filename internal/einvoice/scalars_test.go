package einvoice

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

type everyScalar struct {
	T  Text    `json:"t,omitempty"`
	E  Enum    `json:"e,omitempty"`
	I  Int     `json:"i,omitempty"`
	N  Number  `json:"n,omitempty"`
	F  Flag    `json:"f,omitempty"`
	PI *Int    `json:"pi,omitempty"`
	PN *Number `json:"pn,omitempty"`
	PF *Flag   `json:"pf,omitempty"`
}

func (*everyScalar) keep(*answer) {}

func ptr[T any](v T) *T { return &v }

func TestScalars_acceptEverySpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Name, In, Want string }](t, "scalars_accept_every_spelling.json") {
		var got everyScalar
		must(t, json.Unmarshal(blankToNull([]byte(tt.In)), &got))
		shown, err := json.Marshal(got)
		must(t, err)
		expect.Is(t, string(shown), tt.Want, "%s:", tt.Name)
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

// A service that writes its words otherwise means the same; a number has no leading zeros on the wire.
func TestScalars_meanWhatIsWritten(t *testing.T) {
	t.Parallel()
	become := func(v json.Unmarshaler) func(string) (string, error) {
		return func(in string) (string, error) {
			anew := reflect.New(reflect.TypeOf(v).Elem())
			err := anew.Interface().(json.Unmarshaler).UnmarshalJSON([]byte(in))
			return anew.Elem().String(), err
		}
	}
	for kind, read := range map[string]func(string) (string, error){
		"enum": become(new(Enum)), "tax number": become(new(TaxNumber)), "postal code": become(new(PostalCode)),
		"blank to null": func(in string) (string, error) { return string(blankToNull([]byte(in))), nil },
	} {
		for in, want := range rows.Read[map[string]map[string]string](t, "scalars_mean_what_is_written.json")[kind] {
			if got, err := read(in); err != nil || got != want {
				t.Errorf("%s: %s becomes %q and %v, want %q", kind, in, got, err, want)
			}
		}
		if _, err := read("{}"); err == nil && kind != "blank to null" {
			t.Errorf("an object is a %s", kind)
		}
	}
	var v Invoice
	text := `{"receiver":{"federalTaxNumber" : 1234567890 , "name":"\"federalTaxNumber\":4252011000110,"}}`
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Receiver.FederalTaxNumber != "01234567890" ||
		v.Receiver.Name != `"federalTaxNumber":4252011000110,` {
		t.Errorf("%s becomes %+v and %v", text, v.Receiver, err)
	}
}

// What is shown to a person comes from strangers: a terminal obeys some of it.
func TestText_steersNoTerminal(t *testing.T) {
	t.Parallel()
	for sent, want := range rows.Read[map[string]string](t, "text_steers_no_terminal.json") {
		body := `{"id":"1","processingDetail":{"status":` + sent + `,"message":` + sent + `},"cancellation":{"justification":` + sent + `}}`
		c := scripted(t, []exchange{{method: "GET", path: "/v1/service-invoices/1", answer: body}})
		v, err := c.Invoice(t.Context(), ModelService, "1")
		must(t, err)
		for _, got := range []string{string(v.ProcessingDetail.Message), string(v.ProcessingDetail.Status), string(v.Cancellation.Justification)} {
			expect.Is(t, got, want, "%s is shown as", sent)
		}
	}
}
