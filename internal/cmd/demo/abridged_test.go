package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbridged_passesOnWhatTellsSomething(t *testing.T) {
	t.Parallel()
	const overrides = `
Warning: Provider development overrides are in effect

The following provider development overrides are set in the CLI
configuration:
 - einvoice-br/einvoice in /tmp/provider

The behavior may therefore not match any released version of the provider and
applying changes may cause the state to become incompatible with published
releases.
`
	for name, test := range map[string]struct{ printed, want string }{
		"the warning about overrides is left out": {
			printed: overrides + "\nNo changes. Your infrastructure matches the configuration.\n",
			want:    "    No changes. Your infrastructure matches the configuration.\n",
		},
		"of a plan only what it does": {
			printed: overrides + `data.einvoice_customer.a: Reading...
data.einvoice_customer.a: Read complete after 0s

Terraform used the selected providers to generate the following execution
plan. Resource actions are indicated with the following symbols:
  + create

Terraform will perform the following actions:

  # data.einvoice_customer.b will be read during apply
  # (depends on a resource or a module with changes pending)
 <= data "einvoice_customer" "b" {
      + id = (known after apply)
    }

  # einvoice_customer.a will be created
  + resource "einvoice_customer" "a" {
      + name = "Plan: nothing"
    }

Plan: 1 to add, 0 to change, 0 to destroy.

Changes to Outputs:
  + id = (known after apply)
einvoice_customer.a: Creating...
einvoice_customer.a: Creation complete after 0s [id=1]

Apply complete! Resources: 1 added, 0 changed, 0 destroyed.

Outputs:

id = "1"
`,
			want: `    Terraform will perform the following actions:
      # einvoice_customer.a will be created

    Plan: 1 to add, 0 to change, 0 to destroy.

    einvoice_customer.a: Creating...
    einvoice_customer.a: Creation complete after 0s [id=1]

    Apply complete! Resources: 1 added, 0 changed, 0 destroyed.

    Outputs:

    id = "1"
`,
		},
		"an error stays whole": {
			printed: "\nError: Invoice was rejected: 778\n\n  with einvoice_invoice_issuance.a,\n  on main.tf line 1:\n   1: resource \"a\" \"b\" {\n\nCode 778.",
			want:    "    Error: Invoice was rejected: 778\n\n      with einvoice_invoice_issuance.a,\n      on main.tf line 1:\n       1: resource \"a\" \"b\" {\n\n    Code 778.\n",
		},
		"of short warnings all but the overrides": {
			printed: "Warnings:\n\n- Provider development overrides are in effect\n- Settings stay\n  on main.tf line 1\n\nTo see the full warning notes, run OpenTofu without -compact-warnings.\n\nDone.\n",
			want:    "    Warnings:\n\n    - Settings stay\n      on main.tf line 1\n\n    Done.\n",
		},
		"no short warnings when the overrides were all": {
			printed: "Warnings:\n\n- Provider development overrides are in effect\n\nTo see the full warning notes, run OpenTofu without -compact-warnings.\n\nDone.\n",
			want:    "    Done.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// In one piece, and as badly cut as a pipe may.
			for _, size := range []int{len(test.printed), 1, 7} {
				var got strings.Builder
				a := newAbridged(&got)
				for rest := test.printed; rest != ""; {
					piece := rest[:min(size, len(rest))]
					rest = rest[len(piece):]
					if n, err := a.Write([]byte(piece)); n != len(piece) || err != nil {
						t.Fatalf("Write gives %d, %v", n, err)
					}
				}
				a.flush()
				if diff := cmp.Diff(test.want, got.String()); diff != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}
