package functions

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/function"
)

// integrationSpace is the namespace of the identifiers: the UUIDv5, in the URL
// namespace, of https://registry.terraform.io/providers/einvoice-br/einvoice. It
// must never change: with another identifier an invoice would be issued again.
var integrationSpace = uuid.MustParse("9f1377e0-64fc-5bc8-b132-f892a7587307")

var errNoParts = errors.New("every part is empty, and all documents without a key would share one identifier; " +
	"give at least one part that names the document")

var integrationID = pure{
	name: "integration_id",
	definition: function.Definition{
		Summary: "Derive an integration_id from the parts of a key",
		MarkdownDescription: "Returns an identifier of 36 characters (a UUIDv5). The same parts always give the same " +
			"identifier, in every version of this provider. Different parts give different identifiers: `(\"a\", " +
			"\"bc\")` and `(\"ab\", \"c\")` differ. Use it for an `integration_id` if your own key, such as a branch " +
			"and the number of a sale, is longer than 36 characters or has characters that are not allowed.\n\nPass " +
			"what identifies the document in your books. Leave out what may change afterwards, such as an amount or " +
			"the date of the run. If all parts are empty, the function fails.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "part", MarkdownDescription: "The first part of the key."},
		},
		VariadicParameter: function.StringParameter{Name: "parts", MarkdownDescription: "More parts of the key."},
		Return:            function.StringReturn{},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var first string
		var more []string
		if err := req.Arguments.Get(ctx, &first, &more); err != nil {
			return nil, err
		}
		// Each part begins with its length in bytes, so that ("a", "bc") and ("ab", "c")
		// are not the same key.
		var key strings.Builder
		isEmpty := true
		for _, part := range append([]string{first}, more...) {
			key.WriteString(strconv.Itoa(len(part)) + ":" + part)
			isEmpty = isEmpty && strings.TrimSpace(part) == ""
		}
		if isEmpty {
			return nil, wrongArgument(0, errNoParts)
		}
		return uuid.NewSHA1(integrationSpace, []byte(key.String())).String(), nil
	},
}
