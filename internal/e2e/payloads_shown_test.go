package e2e_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// shownElsewhere stands for a value that an expression takes from somewhere else. No
// rule judges it.
type shownElsewhere struct{}

// shownLocals are the local values of a configuration, by name.
type shownLocals map[string]hclsyntax.Expression

// shownValue is an expression as a decoded JSON value, as far as it can be read from
// the configuration it stands in.
func (locals shownLocals) shownValue(t *testing.T, expression hclsyntax.Expression) any {
	t.Helper()
	switch e := expression.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if len(e.Traversal) == 2 && e.Traversal.RootName() == "local" {
			if name, ok := e.Traversal[1].(hcl.TraverseAttr); ok && locals[name.Name] != nil {
				return locals.shownValue(t, locals[name.Name])
			}
		}
	case *hclsyntax.ObjectConsExpr:
		object := map[string]any{}
		for _, item := range e.Items {
			name, diags := item.KeyExpr.Value(nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			object[name.AsString()] = locals.shownValue(t, item.ValueExpr)
		}
		return object
	case *hclsyntax.TupleConsExpr:
		list := []any{}
		for _, element := range e.Exprs {
			list = append(list, locals.shownValue(t, element))
		}
		return list
	case *hclsyntax.ForExpr:
		if e.KeyExpr == nil {
			return []any{locals.shownValue(t, e.ValExpr)}
		}
	case *hclsyntax.FunctionCallExpr:
		if e.Name != "merge" {
			return shownElsewhere{}
		}
		merged := map[string]any{}
		for _, argument := range e.Args {
			object, ok := locals.shownValue(t, argument).(map[string]any)
			if !ok {
				return shownElsewhere{} // What is missing here may be there.
			}
			for name, value := range object {
				merged[name] = value
			}
		}
		return merged
	}
	value, diags := expression.Value(nil)
	if diags.HasErrors() {
		return shownElsewhere{}
	}
	raw, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsontree.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// shownPayloads visits the payloads in a configuration: those of the invoices that it
// issues, and what it gives to the function payload.
func shownPayloads(t *testing.T, name string, text []byte, visit func(model string, payload any)) {
	t.Helper()
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatalf("%s has no body", name)
	}
	locals := shownLocals{}
	for _, block := range body.Blocks {
		if block.Type == "locals" {
			for name, attribute := range block.Body.Attributes {
				locals[name] = attribute.Expr
			}
		}
	}
	for _, block := range body.Blocks {
		attributes := block.Body.Attributes
		if block.Type != "resource" || block.Labels[0] != "einvoice_invoice_issuance" || attributes["payload_json"] == nil {
			continue
		}
		model, _ := locals.shownValue(t, attributes["model"].Expr).(string)
		if call, ok := attributes["payload_json"].Expr.(*hclsyntax.FunctionCallExpr); ok && call.Name == "jsonencode" {
			visit(model, locals.shownValue(t, call.Args[0]))
		}
	}
	_ = hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if call, ok := node.(*hclsyntax.FunctionCallExpr); ok && call.Name == "provider::einvoice::payload" {
			model, _ := locals.shownValue(t, call.Args[0]).(string)
			visit(model, locals.shownValue(t, call.Args[1]))
		}
		return nil
	})
}

// rejectedOnPurpose are the mistakes that guides make, to show how they are corrected.
var rejectedOnPurpose = map[string]string{"getting-started.md": "service_code_missing", "primeiros-passos.md": "service_code_missing"}

// TestShownPayloads_haveNoFindings holds the documentation to what the provider says
// of payloads.
func TestShownPayloads_haveNoFindings(t *testing.T) {
	t.Parallel()
	seen := 0
	check := func(name string) func(string, any) {
		return func(model string, payload any) {
			if _, elsewhere := payload.(shownElsewhere); elsewhere {
				return
			}
			seen++
			for _, finding := range fiscal.CheckPayload(model, payload, "", "") {
				if finding.Code == rejectedOnPurpose[filepath.Base(name)] {
					continue
				}
				t.Errorf("%s, %s: %s %s: %s", name, model, finding.Code, finding.Path, finding.Message)
			}
		}
	}
	for _, dir := range []string{"../../examples", "../../templates", "../cmd/demo"} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".tf") && !strings.Contains(filepath.Base(name), ".md") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return fmt.Errorf("read a configuration: %w", err)
			}
			if strings.HasSuffix(name, ".tf") {
				shownPayloads(t, name, text, check(name))
				return nil
			}
			var whole []byte // A guide's configurations are one: a payload takes parts from above it.
			for _, match := range codeBlock.FindAllSubmatch(text, -1) {
				whole = append(whole, match[1]...)
			}
			shownPayloads(t, name, whole, check(name))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 26 {
		t.Errorf("%d payloads were found in the examples and guides, want at least 26", seen)
	}
}

// TestPayloadExamples_haveNoFindings checks what the service shows of each city.
func TestPayloadExamples_haveNoFindings(t *testing.T) {
	t.Parallel()
	client := fixture.OwnerClient(t, sandbox.Start(t, sandbox.Options{}))
	seen := 0
	for city, err := range client.ServiceCities(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		examples, err := client.PayloadExamples(t.Context(), string(city.Code))
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range examples {
			seen++
			payload, err := jsontree.Decode(example.Body)
			if err != nil {
				t.Fatal(err)
			}
			for _, finding := range fiscal.CheckPayload("serviceInvoice", payload, "2026-11-22", "") {
				t.Errorf("%s: %s %s: %s", city.Code, finding.Code, finding.Path, finding.Message)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d examples, want one for each capital", seen)
	}
}
