package functions_test

import (
	"regexp"
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
	var texts []tftypes.Value
	for _, argument := range arguments {
		texts = append(texts, textOf(argument))
	}
	return called(t, name, texts...)
}

func TestFunctions_return(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		Function  string
		Arguments []string
		Want      any
	}](t, "functions_return.json")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := call(t, tt.Function, tt.Argument)
			if failed == nil {
				t.Fatalf("returned %v", got)
			}
			if failed.Text != tt.Want {
				t.Errorf("error %q, want %q", failed.Text, tt.Want)
			}
			if failed.FunctionArgument == nil || *failed.FunctionArgument != 0 {
				t.Errorf("the error is about argument %v, want the first", failed.FunctionArgument)
			}
		})
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
