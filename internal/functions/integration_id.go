package functions

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/function"
)

// integrationSpace is the namespace of the identifiers: the UUIDv5, in the URL
// namespace, of https://registry.terraform.io/providers/einvoice-br/einvoice. It
// must never change: with another identifier an invoice would be issued again.
var integrationSpace = uuid.MustParse("9f1377e0-64fc-5bc8-b132-f892a7587307")

type integrationID struct{}

func newIntegrationID() function.Function { return integrationID{} }

func (integrationID) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "integration_id"
}

func (integrationID) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Derive an integration_id from the parts of a key",
		MarkdownDescription: "Returns an identifier of 36 characters (a UUIDv5) that the same parts always give, " +
			"in every version of this provider, and other parts never do: `(\"a\", \"bc\")` and " +
			"`(\"ab\", \"c\")` differ. Use it for an `integration_id` whose natural key is longer than 36 " +
			"characters or has characters that are not allowed there, such as a branch and the number of a sale.\n\n" +
			"Give it what names the document in your books and nothing that may change afterwards, " +
			"such as an amount or a date of the run. It is an error when all parts are empty." + since,
		Parameters: []function.Parameter{
			function.StringParameter{Name: "part", MarkdownDescription: "The first part of the key."},
		},
		VariadicParameter: function.StringParameter{Name: "parts", MarkdownDescription: "More parts of the key."},
		Return:            function.StringReturn{},
	}
}

func (integrationID) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var first string
	var more []string
	if resp.Error = req.Arguments.Get(ctx, &first, &more); resp.Error != nil {
		return
	}
	parts := append([]string{first}, more...)
	if strings.TrimSpace(strings.Join(parts, "")) == "" {
		resp.Error = function.NewArgumentFuncError(0, "every part is empty, "+
			"and all documents without a key would share one identifier; "+
			"give at least one part that names the document")
		return
	}
	// Each part begins with its length in bytes, so that ("a", "bc") and ("ab", "c")
	// are not the same key.
	var key strings.Builder
	for _, part := range parts {
		key.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	resp.Error = resp.Result.Set(ctx, uuid.NewSHA1(integrationSpace, []byte(key.String())).String())
}
