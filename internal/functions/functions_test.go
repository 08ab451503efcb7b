package functions_test

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// called returns the result of a provider that is not configured, or the error that the CLI is told.
func called(t *testing.T, name string, arguments ...tftypes.Value) (any, *tfprotov6.FunctionError) {
	t.Helper()
	server := testkit.ServedProvider()
	definition := testkit.Answered(t, server.GetFunctions, &tfprotov6.GetFunctionsRequest{}).Functions[name]
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		as := argument.Type()
		if i < len(definition.Parameters) {
			as = definition.Parameters[i].Type
		}
		packed, err := tfprotov6.NewDynamicValue(as, argument)
		expect.NoError(t, err)
		req.Arguments = append(req.Arguments, &packed)
	}
	resp := testkit.Answered(t, server.CallFunction, req)
	if resp.Error != nil {
		return nil, resp.Error
	}
	result, err := resp.Result.Unmarshal(definition.Return.Type)
	expect.NoError(t, err)
	return testkit.JSON(t, result), nil
}

// call is called with texts.
func call(t *testing.T, name string, arguments ...string) (any, *tfprotov6.FunctionError) {
	t.Helper()
	return called(t, name, textsOf(arguments)...)
}

func textsOf(arguments []string) (texts []tftypes.Value) {
	for _, argument := range arguments {
		texts = append(texts, textOf(argument))
	}
	return texts
}

func TestFunctions_return(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		Function  string
		Arguments []string
		Want      any
	}](t, "functions_return.json")
	for name, tt := range tests {
		rows.Case(t, name, func(t *testing.T) {
			got, failed := call(t, tt.Function, tt.Arguments...)
			if failed != nil {
				t.Fatal(failed.Text)
			}
			expect.Same(t, tt.Want, got)
		})
	}
}

func TestFunctions_sayWhatIsWrongWithTheirArgument(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct{ Function, Argument, Want string }](t, "functions_say_what_is_wrong_with_their_argument.json")
	for name, tt := range tests {
		rows.Case(t, name, func(t *testing.T) {
			got, failed := call(t, tt.Function, tt.Argument)
			if failed == nil {
				t.Fatalf("returned %v", got)
			}
			expect.Is(t, failed.Text, tt.Want, "error")
			if failed.FunctionArgument == nil || *failed.FunctionArgument != 0 {
				t.Errorf("the error is about argument %v, want the first", failed.FunctionArgument)
			}
		})
	}
}

func TestFunctions_speakTheLanguageOfTheEnvironment(t *testing.T) {
	infinite := objectOf(map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.Number, new(big.Float).SetInf(false))})
	for _, tt := range rows.Read[[]struct {
		Function          string
		Arguments         []string
		Infinite, Refused bool              // an infinite number is an argument more
		Says              map[string]string // by language
	}](t, "functions_speak_the_language_of_the_environment.json") {
		for language, want := range tt.Says {
			t.Run(tt.Function+" "+language, func(t *testing.T) {
				t.Setenv("EINVOICE_LANGUAGE", language)
				arguments := textsOf(tt.Arguments)
				if tt.Infinite {
					arguments = append(arguments, infinite)
				}
				got, failed := called(t, tt.Function, arguments...)
				said := fmt.Sprint(got)
				if failed != nil {
					said = failed.Text
				}
				if (failed != nil) != tt.Refused || !strings.Contains(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			})
		}
	}
}

func TestIntegrationID_differsWithEveryBorder(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,36}$`)
	seen := map[any][]string{}
	for _, parts := range [][]string{{"abc"}, {"a", "bc"}, {"a:bc"}, {"9400f5b6-2e20-5ba7-b6fa-97de9975cb15"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "b", "c"}, {"1:a", "bc"}, {"ABC"}, {"3:abc"}, {`a"`, "b"}, {"é"}} {
		id, failed := call(t, "integration_id", parts...)
		if failed != nil {
			t.Errorf("%q: %s", parts, failed.Text)
			continue
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q give the same %v", parts, other, id)
		}
		seen[id] = parts
		if again, _ := call(t, "integration_id", parts...); again != id {
			t.Errorf("%q gives %v and then %v", parts, id, again)
		}
		if text, ok := id.(string); !ok || !allowed.MatchString(text) {
			t.Errorf("%q gives %v, which an integration_id cannot be", parts, id)
		}
	}
}

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
		expect.NoError(t, err)
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
	expect.Same(t, want, got)
}

// Terraform computes with 512 bits, and jsonencode writes the rounding error in 150 digits.
func TestPayload_writesWhatWasComputedWithoutItsRoundingError(t *testing.T) {
	t.Parallel()
	number := func(text string) *big.Float {
		parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		expect.NoError(t, err)
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
		expect.Same(t, want, found, "%q", arguments)
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
