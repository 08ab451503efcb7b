package testkit

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Lifecycle is what every resource has to show on a CLI, each once: an error at its attribute, a creation with the
// required arguments while one of them is not known yet, an object that vanished and is created with all arguments, an
// import by id and by identity, drift, an update in place and a replacement. The testing library plans again after each
// step and fails where that plan is not empty.
type Lifecycle struct {
	Type string // of the resource
	Kind string // of its objects at the service
	Path string // of a creation

	Required string // the required arguments, one of them terraform_data.input.output
	Unknown  string // the name of that one
	Input    string // and its value
	All      string
	Imported string // what an imported object is configured with; All where it is empty
	ImportID string // the id where it is empty
	Changed  string

	Refused string            // the attribute that the service refuses of All
	Drift   map[string]any    // at the service
	Holds   map[string]string // fields of the object after Changed, as text
	Is      []statecheck.StateCheck
}

// Run runs the steps. At the end the service has received the writes that they need and no other one.
func (l Lifecycle) Run(t *testing.T, s *sandbox.Server) {
	t.Helper()
	address := Address(l.Type + ".test")
	var others []string // Such as the main company.
	for _, object := range s.Objects(l.Kind) {
		others = append(others, fmt.Sprint(object["id"]))
	}
	own := func() map[string]any {
		for _, object := range s.Objects(l.Kind) {
			if !slices.Contains(others, fmt.Sprint(object["id"])) {
				return object
			}
		}
		return nil
	}
	config := func(arguments string) string {
		return Config(s, fmt.Sprintf("resource %q \"test\" {\n%s\n}", l.Type, arguments))
	}
	input := fmt.Sprintf("\nresource \"terraform_data\" \"input\" {\n  input = %q\n}", l.Input)
	refused := "The field " + l.Refused + " is refused"
	steps := []resource.TestStep{
		{
			PreConfig: func() {
				s.Inject(sandbox.Fault{
					Method: http.MethodPost, Path: l.Path, Kind: sandbox.FaultStatus, Status: http.StatusBadRequest,
					Body: fmt.Sprintf(`{"errors":[{"message":%q,"path":%q}]}`, refused, l.Refused),
				})
			},
			Config: config(l.All),
			// The CLI quotes the line of the attribute, and then wraps the message.
			ExpectError: regexp.MustCompile(`(?s)\d+: +` + l.Refused + ` .*` + strings.ReplaceAll(refused, " ", `\s+`)),
		},
		{
			Config: config(l.Required) + input,
			ConfigPlanChecks: address.Plans(
				plancheck.ResourceActionCreate,
				address.Unknown("id"),
				address.Unknown(l.Unknown),
			),
		},
		{
			PreConfig: func() {
				s.Remove(l.Kind, fmt.Sprint(own()["id"]))
				// What can be read by its id proves that the other one is gone.
				others = append(others, s.Seed(l.Kind, map[string]any{"name": "Another"}))
			},
			Config: config(l.All), ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	}
	imports := []resource.ImportStateKind{resource.ImportBlockWithID}
	if MustFindCLI(t).AtLeast(1, 12) {
		imports = append(imports, resource.ImportBlockWithResourceIdentity)
	}
	for _, kind := range imports {
		step := resource.TestStep{ResourceName: string(address), ImportState: true, ImportStateKind: kind}
		if l.Imported != "" {
			step.Config = config(l.Imported)
		}
		if kind == resource.ImportBlockWithID {
			step.ImportStateId = l.ImportID
		}
		steps = append(steps, step)
	}
	Run(t, append(
		steps,
		resource.TestStep{
			PreConfig: func() { s.Patch(l.Kind, fmt.Sprint(own()["id"]), l.Drift) },
			Config:    config(l.All), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
		resource.TestStep{
			Config:            config(l.Changed),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: l.Is,
		},
		resource.TestStep{
			PreConfig: func() {
				object := own()
				for field, want := range l.Holds {
					if got := fmt.Sprint(object[field]); got != want {
						t.Errorf("%s is %s at the service after the update, want %s", field, got, want)
					}
				}
			},
			Taint:            []string{string(address)},
			Config:           config(l.Changed),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionDestroyBeforeCreate),
		},
	))
	var writes []string
	for _, r := range s.Requests() {
		if r.Method != http.MethodGet {
			writes = append(writes, r.Method)
		}
	}
	if diff := cmp.Diff("POST POST POST PUT PUT DELETE POST DELETE", strings.Join(writes, " ")); diff != "" {
		t.Errorf("the writes (-want +got):\n%s", diff)
	}
	if object := own(); object != nil {
		t.Errorf("after the destroy there is %v", object)
	}
	for _, field := range s.UnknownFields() {
		t.Errorf("the service does not know %v", field)
	}
}
