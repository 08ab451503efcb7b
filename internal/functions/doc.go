// Package functions holds the provider's functions: what configurations ask
// about tax numbers, access keys, rejection codes and identifiers. They are
// pure, work without a provider configuration, and know nothing of the service:
// the rules are those of [fiscal].
package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/function"
)

// since ends the description of each function.
const since = "\n\nRuns without an account, in `terraform console` and in tests too. Needs Terraform 1.8 or later, or OpenTofu 1.8 or later."

// All returns the constructors of all functions.
func All() []func() function.Function {
	return []func() function.Function{
		newAccessKeyParse,
		newIntegrationID,
		newRejectionExplain,
		newTaxNumberKind,
		newTaxNumberNormalize,
	}
}
