package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// operations are the methods and paths of the argument; known reports whether all of
// them are known.
func operations(configured types.Map) (by map[string]string, known bool) {
	if configured.IsUnknown() {
		return nil, false
	}
	by = map[string]string{}
	for name, value := range configured.Elements() {
		override, _ := value.(types.String)
		if override.IsUnknown() {
			return nil, false
		}
		by[name] = override.ValueString()
	}
	return by, true
}

// environments are those of the argument, else those of the environment variable; known
// reports whether all of them are known.
func environments(diags *diag.Diagnostics, configured types.Set) (allowed []string, known bool) {
	if configured.IsUnknown() {
		return nil, false
	}
	for _, value := range configured.Elements() {
		word, _ := value.(types.String)
		if word.IsUnknown() {
			return nil, false
		}
		allowed = append(allowed, word.ValueString())
	}
	if text := os.Getenv(message.EnvEnvironments); configured.IsNull() && text != "" {
		for word := range strings.SplitSeq(text, ",") {
			allowed = append(allowed, strings.TrimSpace(word))
			if !slices.Contains(einvoice.EnvironmentTypes, strings.TrimSpace(word)) {
				diags.AddAttributeError(path.Root("environments"), "Invalid environment variable",
					fmt.Sprintf("%s is %q. It must name environments, separated by commas: %s.", message.EnvEnvironments, text, strings.Join(einvoice.EnvironmentTypes, ", ")))
				return nil, true
			}
		}
	}
	return allowed, true
}

// operationsValidator checks the overrides of operations against their table.
type operationsValidator struct{}

func (operationsValidator) Description(context.Context) string {
	return "methods and paths of operations that the interface does not show"
}

func (v operationsValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (operationsValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, value := range req.ConfigValue.Elements() {
		override, _ := value.(types.String)
		if override.IsUnknown() {
			continue
		}
		err := einvoice.CheckOperation(name, override.ValueString())
		if err == nil {
			continue
		}
		text := message.SentenceCase(message.Reason(err))
		if errors.Is(err, einvoice.ErrUnknownOperation) {
			nearest := slices.MinFunc(einvoice.OperationNames(), func(a, b string) int {
				return cmp.Compare(fiscal.Edits(name, a), fiscal.Edits(name, b))
			})
			text += " Did you mean `" + nearest + "`? All names are in the guide \"Interface coverage\"."
		} else {
			text += " Unless it is configured, the operation is `" + einvoice.StandardOperation(name) + "`."
		}
		resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(name), "Invalid operation "+name, text)
	}
}
