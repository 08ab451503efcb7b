package functions_test

import (
	"context"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/functions"
)

// functionsAlone is a provider of nothing but the functions, so that they are
// called here as a CLI calls them.
type functionsAlone struct{}

func (functionsAlone) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {
}
func (functionsAlone) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (functionsAlone) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (functionsAlone) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (functionsAlone) Resources(context.Context) []func() resource.Resource       { return nil }
func (functionsAlone) Functions(context.Context) []func() function.Function {
	return functions.All()
}

func server() tfprotov6.ProviderServer { return providerserver.NewProtocol6(functionsAlone{})() }

// call returns the result as Go values, or the error that the CLI is told.
func call(t *testing.T, name string, arguments ...string) (any, *tfprotov6.FunctionError) {
	t.Helper()
	served, err := server().GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	definition, ok := served.Functions[name]
	if !ok {
		t.Fatalf("no function %s is served", name)
	}
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for _, argument := range arguments {
		value, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, argument))
		if err != nil {
			t.Fatal(err)
		}
		req.Arguments = append(req.Arguments, &value)
	}
	resp, err := server().CallFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Error != nil {
		return nil, resp.Error
	}
	result, err := resp.Result.Unmarshal(definition.Return.Type)
	if err != nil {
		t.Fatal(err)
	}
	return plain(t, result), nil
}

func plain(t *testing.T, value tftypes.Value) any {
	t.Helper()
	as := func(target any) {
		if err := value.As(target); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case value.Type().Is(tftypes.String):
		var text string
		as(&text)
		return text
	case value.Type().Is(tftypes.Number):
		var number big.Float
		as(&number)
		whole, _ := number.Int64()
		return whole
	default:
		var members map[string]tftypes.Value
		as(&members)
		object := map[string]any{}
		for name, member := range members {
			object[name] = plain(t, member)
		}
		return object
	}
}

func TestFunctions_return(t *testing.T) {
	t.Parallel()
	alphanumericKey := map[string]any{
		"state_code": "35", "state": "SP", "year": int64(2026), "month": int64(11), "federal_tax_number": "12ABC34501DE35", "model": "55",
		"series": int64(1), "number": int64(42), "emission_type": int64(1), "code": "12345678", "check_digit": int64(8),
	}
	tests := map[string]struct {
		function  string
		arguments []string
		want      any
	}{
		"the parts of an NFC-e's key, leading zeros kept in texts": {
			"access_key_parse",
			[]string{"13181017921427000125650010000000309887251170"},
			map[string]any{
				"state_code": "13", "state": "AM", "year": int64(2018), "month": int64(10), "federal_tax_number": "17921427000125", "model": "65",
				"series": int64(1), "number": int64(30), "emission_type": int64(9), "code": "88725117", "check_digit": int64(0),
			},
		},
		"the parts of an NF-e's key": {
			"access_key_parse",
			[]string{"33150308370779000149550010001100931002410775"},
			map[string]any{
				"state_code": "33", "state": "RJ", "year": int64(2015), "month": int64(3), "federal_tax_number": "08370779000149", "model": "55",
				"series": int64(1), "number": int64(110093), "emission_type": int64(1), "code": "00241077", "check_digit": int64(5),
			},
		},
		"the parts of a key with an alphanumeric CNPJ": {
			"access_key_parse", []string{"35261112ABC34501DE35550010000000421123456788"}, alphanumericKey,
		},
		"the parts of a key as it is printed": {
			"access_key_parse", []string{"3526 1112 abc3 4501 de35 5500 1000 0000 4211 2345 6788"}, alphanumericKey,
		},

		"a CPF without punctuation":                        {"tax_number_normalize", []string{"529.982.247-25"}, "52998224725"},
		"a CNPJ without punctuation":                       {"tax_number_normalize", []string{" 11.222.333/0001-81 "}, "11222333000181"},
		"the published alphanumeric CNPJ in capitals":      {"tax_number_normalize", []string{"12.abc.345/01de-35"}, "12ABC34501DE35"},
		"a CNPJ whose check digit is 0 by the rule":        {"tax_number_normalize", []string{"45997418000153"}, "45997418000153"},
		"cpf for 11 digits":                                {"tax_number_kind", []string{"529.982.247-25"}, "cpf"},
		"cnpj for 14 digits":                               {"tax_number_kind", []string{"11222333000181"}, "cnpj"},
		"cnpj for the alphanumeric form":                   {"tax_number_kind", []string{"12.abc.345/01de-35"}, "cnpj"},
		"cnpj whatever its check digits":                   {"tax_number_kind", []string{"12ABC34501DE36"}, "cnpj"},
		"foreign for anything else":                        {"tax_number_kind", []string{"US-12.345/678a"}, "foreign"},
		"foreign for nothing":                              {"tax_number_kind", []string{""}, "foreign"},
		"the authority as the origin of a number":          {"rejection_explain", []string{"539"}, explained("authority", "definitive", "Read the authority's message, correct what it names, and run apply again: the invoice is sent again under the same integration_id.")},
		"the authority as the origin of E9999 in any case": {"rejection_explain", []string{"e9999"}, explained("authority", "definitive", "Read the authority's message, correct what it names, and run apply again: the invoice is sent again under the same integration_id.")},
		"the way out of SPD004":                            {"rejection_explain", []string{"SPD004"}, explained("service", "definitive", "Do not reissue. Run apply again: the authorized invoice is looked up and adopted.")},
		"a safe action for a code that is not known":       {"rejection_explain", []string{"X1"}, explained("unknown", "unknown", "Do not reissue. Read the message, look the invoice up at the service, and run apply again only once its cause is known and removed.")},

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

func explained(origin, kind, action string) map[string]any {
	return map[string]any{"origin": origin, "kind": kind, "action": action}
}

func TestFunctions_sayWhatIsWrongWithWhichCharacter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ function, argument, want string }{
		"a letter among the digits of a key": {
			"access_key_parse", "3526X112ABC34501DE35550010000000421123456788", `access key: character 5 is 'X'; a digit belongs there`,
		},
		"punctuation in the issuer of a key": {
			"access_key_parse", "352611.12ABC34501DE35550010000000421123456788",
			`access key: character 7 is '.'; positions 7 to 18 hold digits and letters without accents`,
		},
		"a wrong check digit of a key": {
			"access_key_parse", "35261112ABC34501DE35550010000000421123456787",
			"access key: the check digit at position 44 is 7, but the 43 characters before it call for 8",
		},
		"a character of a key is missing": {"access_key_parse", "3526111", "access key: it has 7 characters instead of 44"},
		"the key of a national NFS-e": {
			"access_key_parse", strings.Repeat("3", 50),
			"access key: it has 50 characters, as the key of a national NFS-e has; only the 44 of an NF-e or NFC-e can be taken apart",
		},
		"a character that is in no tax number": {
			"tax_number_normalize", "529*982*247-25",
			`tax number: character 4 is '*'; digits, the letters of a CNPJ (without accents) and the punctuation . - / belong in a CPF or CNPJ`,
		},
		"an accent in a CNPJ": {
			"tax_number_normalize", "12.ÁBC.345/01DE-35",
			`tax number: character 4 is 'Á'; digits, the letters of a CNPJ (without accents) and the punctuation . - / belong in a CPF or CNPJ`,
		},
		"a letter in a CPF, counted as it is written": {
			"tax_number_normalize", "529.98b.247-25", `tax number: character 7 is 'B'; a CPF has digits only`,
		},
		"a letter in the check digits of a CNPJ": {
			"tax_number_normalize", "12.ABC.345/01DE-3X", `tax number: character 18 is 'X'; a CNPJ ends in two digits`,
		},
		"another length": {
			"tax_number_normalize", "US-12.345/678", "tax number: it has 10 digits and letters; a CPF has 11 and a CNPJ 14",
		},
		"nothing": {"tax_number_normalize", "", "tax number: it has 0 digits and letters; a CPF has 11 and a CNPJ 14"},
		"wrong check digits of a CPF": {
			"tax_number_normalize", "529.982.247-24", "tax number: CPF 52998224724 ends in the check digits 24, but 529982247 calls for 25",
		},
		"wrong check digits of an alphanumeric CNPJ": {
			"tax_number_normalize", "12.ABC.345/01DE-36", "tax number: CNPJ 12ABC34501DE36 ends in the check digits 36, but 12ABC34501DE calls for 35",
		},
		"an identifier of nothing": {
			"integration_id", " ", "every part is empty, and all documents without a key would share one identifier; give at least one part that names the document",
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

func TestTaxNumberNormalize_takesThePublishedExamples(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"12ABC34501DE35", "45997418000153", "11222333000181", "11444777000161", "42318949000184", "44038188000132"} {
		got, failed := call(t, "tax_number_normalize", number)
		if failed != nil || got != number {
			t.Errorf("%s gives %v, %v", number, got, failed)
		}
		wrong := number[:13] + string('0'+(number[13]-'0'+1)%10)
		if got, failed := call(t, "tax_number_normalize", wrong); failed == nil {
			t.Errorf("%s gives %v, and its check digits are wrong", wrong, got)
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

func TestDefinitions_areCompleteAndSayWhichCLIsHaveThem(t *testing.T) {
	t.Parallel()
	served, err := server().GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range served.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	var names []string
	for name, f := range served.Functions {
		names = append(names, name)
		if f.Summary == "" || strings.HasSuffix(f.Summary, ".") {
			t.Errorf("%s: the summary %q is no title", name, f.Summary)
		}
		if !strings.HasSuffix(f.Description, "Needs Terraform 1.8 or later, or OpenTofu 1.8 or later.") {
			t.Errorf("%s: the description does not end with the CLIs that have it: %q", name, f.Description)
		}
		parameters := slices.Clone(f.Parameters)
		if f.VariadicParameter != nil {
			parameters = append(parameters, f.VariadicParameter)
		}
		for _, p := range parameters {
			if !strings.HasSuffix(p.Description, ".") {
				t.Errorf("%s(%s): the description %q does not end with a period", name, p.Name, p.Description)
			}
		}
	}
	slices.Sort(names)
	want := []string{"access_key_parse", "integration_id", "rejection_explain", "tax_number_kind", "tax_number_normalize"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("functions (-want +got)\n%s", diff)
	}
}
