package functions_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func objectOf(members map[string]tftypes.Value) tftypes.Value {
	types := map[string]tftypes.Type{}
	for name, member := range members {
		types[name] = member.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, members)
}

func textOf(text string) tftypes.Value { return tftypes.NewValue(tftypes.String, text) }

func TestPayload_writesEveryKindOfValue(t *testing.T) {
	t.Parallel()
	number := func(text string) tftypes.Value {
		parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return tftypes.NewValue(tftypes.Number, parsed)
	}
	texts := tftypes.List{ElementType: tftypes.String}
	item := objectOf(map[string]tftypes.Value{"totalAmount": number("17.90"), "makeupTotal": tftypes.NewValue(tftypes.Bool, true), "cest": tftypes.NewValue(tftypes.String, nil)})
	got, failed := called(t, "payload", textOf("consumerInvoice"), objectOf(map[string]tftypes.Value{
		"receiver":          objectOf(map[string]tftypes.Value{"legal_name": textOf("Café"), "federal_tax_number": textOf("11.222.333/0001-81")}),
		"items":             tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{item.Type()}}, []tftypes.Value{item}),
		"authorizedPersons": tftypes.NewValue(texts, []tftypes.Value{textOf("529.982.247-25")}),
		"set":               tftypes.NewValue(tftypes.Set{ElementType: tftypes.Number}, []tftypes.Value{number("0.1")}),
		"map":               tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, map[string]tftypes.Value{"a": number("12345678901234567890.123456789"), "b": number("3550308")}),
		"nothing":           tftypes.NewValue(tftypes.DynamicPseudoType, nil),
		"huge":              number("1e5000"),
	}))
	if failed != nil {
		t.Fatal(failed.Text)
	}
	want := `{"authorizedPersons":["52998224725"],"huge":1e+5000,"items":[{"makeupTotal":true,"totalAmount":17.9}],"map":{"a":12345678901234567890.123456789,"b":3550308},` +
		`"receiver":{"federalTaxNumber":"11222333000181","name":"Café"},"set":[0.1]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Terraform computes with 512 bits, and jsonencode writes the rounding error in 150 digits.
func TestPayload_writesWhatWasComputedWithoutItsRoundingError(t *testing.T) {
	t.Parallel()
	number := func(text string) *big.Float {
		parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	float := func() *big.Float { return new(big.Float).SetPrec(512) }
	for want, computed := range map[string]*big.Float{
		"59.7":  float().Mul(number("19.9"), number("3")),
		"-0.3":  float().Sub(number("-0.1"), number("0.2")),
		"100":   float().Mul(float().Quo(number("100"), number("3")), number("3")),
		"1.005": float().Quo(number("2.01"), number("2")),
		"0":     number("0"),
		"0.0000000000000000000000000000000000000001": number("1e-40"),
		"12345678901234567890.1234567890123456789":   number("12345678901234567890.1234567890123456789"),
	} {
		got, failed := called(t, "payload", textOf("serviceInvoice"), objectOf(map[string]tftypes.Value{"x": tftypes.NewValue(tftypes.Number, computed)}))
		if failed != nil || got != `{"x":`+want+`}` {
			t.Errorf("%v (%v), want %s", got, failed, want)
		}
	}
	third, _ := called(t, "payload", textOf("serviceInvoice"), objectOf(map[string]tftypes.Value{"x": tftypes.NewValue(tftypes.Number, float().Quo(number("1"), number("3")))}))
	if text, _ := third.(string); len(text) < 150 {
		t.Errorf("a third is rounded: %s", text)
	}
}

func TestPayload_saysWhatIsWrongWithItsArguments(t *testing.T) {
	t.Parallel()
	for want, call := range map[string]struct {
		model  string
		object tftypes.Value
		at     int64
	}{
		`"nfe" is not a model of an invoice`: {"nfe", objectOf(nil), 0},
		"an object is needed":                {"serviceInvoice", textOf("{}"), 1},
	} {
		_, failed := called(t, "payload", textOf(call.model), call.object)
		if failed == nil || !strings.Contains(failed.Text, want) || failed.FunctionArgument == nil || *failed.FunctionArgument != call.at {
			t.Errorf("%+v, want %q about argument %d", failed, want, call.at)
		}
	}
}

func TestPayloadCheck_returnsTheFindings(t *testing.T) {
	t.Parallel()
	const clean = `{"description":"Consulting","federalServiceCode":"17.01","effectiveDate":"2026-11-22","total":{"invoiceAmount":1}}`
	for arguments, want := range map[[2]string][]any{
		{clean}: {}, {clean, "2026-11-22T10:00:00Z"}: {}, {clean, "2026-10-01T10:00:00-03:00"}: {"warning effectiveDate future_date"},
		{strings.Replace(clean, "{", `{"receivar":{},`, 1)}: {"warning receivar unknown_member"},
	} {
		got, failed := call(t, "payload_check", append([]string{"serviceInvoice"}, strings.Fields(strings.Join(arguments[:], " "))...)...)
		if failed != nil {
			t.Fatal(failed.Text)
		}
		found := []any{}
		for _, element := range got.([]any) {
			finding := element.(map[string]any)
			found = append(found, fmt.Sprint(finding["severity"], " ", finding["path"], " ", finding["code"]))
			if text, _ := finding["message"].(string); !strings.HasSuffix(text, ".") {
				t.Errorf("the message is %q", text)
			}
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("%q (-want +got)\n%s", arguments, diff)
		}
	}
}

func TestPayloadCheck_saysWhatIsWrongWithItsArguments(t *testing.T) {
	t.Parallel()
	for want, arguments := range map[string][]string{
		`"" is not a model of an invoice`: {"", "{}"},
		"it is not JSON":                  {"serviceInvoice", "{"},
		`"today" is not a date`:           {"serviceInvoice", "{}", "today"},
		"give at most one date":           {"serviceInvoice", "{}", "2026-10-01", "2026-10-02"},
	} {
		if _, failed := call(t, "payload_check", arguments...); failed == nil || !strings.Contains(failed.Text, want) {
			t.Errorf("%q: %+v, want %q", arguments, failed, want)
		}
	}
}
