package functions_test

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
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
		if err != nil {
			t.Fatal(err)
		}
		req.Arguments = append(req.Arguments, &packed)
	}
	resp := testkit.Answered(t, server.CallFunction, req)
	if resp.Error != nil {
		return nil, resp.Error
	}
	result, err := resp.Result.Unmarshal(definition.Return.Type)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.JSON(t, result), nil
}

// call is called with texts.
func call(t *testing.T, name string, arguments ...string) (any, *tfprotov6.FunctionError) {
	t.Helper()
	var texts []tftypes.Value
	for _, argument := range arguments {
		texts = append(texts, textOf(argument))
	}
	return called(t, name, texts...)
}

func TestFunctions_return(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		function  string
		arguments []string
		want      any
	}{
		"the parts of an NFC-e's key, leading zeros kept in texts": {
			"access_key_parse",
			[]string{"13181017921427000125650010000000309887251170"},
			map[string]any{
				"state_code": "13", "state": "AM", "year": 2018.0, "month": 10.0, "federal_tax_number": "17921427000125", "model": "65",
				"series": 1.0, "number": 30.0, "emission_type": 9.0, "code": "88725117", "check_digit": 0.0,
			},
		},
		"a CNPJ without punctuation": {"tax_number_normalize", []string{"12.abc.345/01de-35"}, "12ABC34501DE35"},
		"the kind of a tax number":   {"tax_number_kind", []string{"529.982.247-25"}, "cpf"},
		"what to do about a rejection": {"rejection_explain", []string{"778"}, map[string]any{
			"origin": "authority", "kind": "definitive", "cause": "This NCM does not exist, or is no longer in force.",
			"action": "Look up the product in the current NCM table, and correct `ncm` of the item. Then run apply again: the provider sends the invoice again under the same integration_id, and says so if the service does not take it.",
		}},
		"a code of SEFAZ in an NFS-e": {"rejection_explain", []string{"778", "serviceInvoice"}, map[string]any{
			"origin": "authority", "kind": "definitive", "cause": "",
			"action": "Read the authority's message, correct what it names, and run apply again: the provider sends the invoice again under the same integration_id, and says so if the service does not take it.",
		}},
		"what to do about a rejection that is not known": {"rejection_explain", []string{"999"}, map[string]any{
			"origin": "authority", "kind": "definitive", "cause": "",
			"action": "Read the authority's message, correct what it names, and run apply again: the provider sends the invoice again under the same integration_id, and says so if the service does not take it.",
		}},
		"an identifier of one part":                           {"integration_id", []string{"sale-1"}, "9400f5b6-2e20-5ba7-b6fa-97de9975cb15"},
		"an identifier of several parts":                      {"integration_id", []string{"branch 12", "2026", "sale/0001"}, "9db3a802-5d17-5013-99a1-c9fae539e83f"},
		"an identifier when some part, but not all, is empty": {"integration_id", []string{"sale-1", ""}, "0a3bd970-66ec-5bf7-ba1c-8d42ca693f43"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := call(t, tt.function, tt.arguments...)
			if failed != nil {
				t.Fatal(failed.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFunctions_sayWhatIsWrongWithTheirArgument(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ function, argument, want string }{
		"a character of a key is missing": {"access_key_parse", "3526111", "access key: it has 7 characters instead of 44"},
		"a tax number is no CPF or CNPJ":  {"tax_number_normalize", "", "tax number: it has 0 digits and letters; a CPF has 11 and a CNPJ 14"},
		"an identifier of nothing": {
			"integration_id", " ", "every part is empty, so all such documents would share one identifier; give at least one part that names the document",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := call(t, tt.function, tt.argument)
			if failed == nil {
				t.Fatalf("returned %v", got)
			}
			if failed.Text != tt.want {
				t.Errorf("error %q, want %q", failed.Text, tt.want)
			}
			if failed.FunctionArgument == nil || *failed.FunctionArgument != 0 {
				t.Errorf("the error is about argument %v, want the first", failed.FunctionArgument)
			}
		})
	}
}

func TestFunctions_speakTheLanguageOfTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name      string
		run       func(t *testing.T) (any, *tfprotov6.FunctionError)
		en, pt    string
		isRefused bool
	}{
		{
			"rejection_explain", func(t *testing.T) (any, *tfprotov6.FunctionError) { return call(t, "rejection_explain", "610") },
			"Then run apply again: the provider sends the invoice again", "Total da NF difere do somatório dos valores que compõem o valor total da NF", false,
		},
		{
			"payload_check", func(t *testing.T) (any, *tfprotov6.FunctionError) {
				return call(t, "payload_check", "serviceInvoice", `{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1,"issRate":7.5}}`)
			},
			"It is 7.5 %. The law allows 5 % at most", "A alíquota é 7,5%. A lei permite no máximo 5%", false,
		},
		{
			"tax_number_normalize", func(t *testing.T) (any, *tfprotov6.FunctionError) {
				return call(t, "tax_number_normalize", "529.982.247-26")
			},
			"tax number: CPF 52998224726 has the check digits 26, which should be 25",
			"CPF ou CNPJ: o CPF 52998224726 tem os dígitos verificadores 26, mas deveriam ser 25", true,
		},
		{
			"integration_id", func(t *testing.T) (any, *tfprotov6.FunctionError) { return call(t, "integration_id", "") },
			"every part is empty", "todas as partes estão vazias", true,
		},
		{
			"payload", func(t *testing.T) (any, *tfprotov6.FunctionError) {
				infinite := tftypes.NewValue(tftypes.Number, new(big.Float).SetInf(false))
				return called(t, "payload", textOf("serviceInvoice"), objectOf(map[string]tftypes.Value{"a": infinite}))
			},
			"a: JSON cannot represent an infinite number", "a: um número infinito não pode ser escrito em JSON", true,
		},
	} {
		for language, want := range map[string]string{"": tt.en, "pt-BR": tt.pt} {
			t.Run(tt.name+" "+language, func(t *testing.T) {
				t.Setenv("EINVOICE_LANGUAGE", language)
				got, failed := tt.run(t)
				said := fmt.Sprint(got)
				if failed != nil {
					said = failed.Text
				}
				if (failed != nil) != tt.isRefused || !strings.Contains(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			})
		}
	}
}

func TestIntegrationID_differsWithEveryBorder(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^[A-Za-z0-9_.:-]{36}$`)
	seen := map[any][]string{}
	for _, parts := range [][]string{{"abc"}, {"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "b", "c"}, {"1:a", "bc"}, {"ABC"}, {"3:abc"}, {`a"`, "b"}, {"é"}} {
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
