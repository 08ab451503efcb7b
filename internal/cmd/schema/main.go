// Command schema writes the schemas of this provider to standard output, in the form of `terraform providers schema
// -json`, for tfplugindocs.
//
// It asks the provider in process, because what a CLI can tell depends on its version: Terraform 1.11 knows no
// identities, no actions and no list resources, and OpenTofu has neither of the last two.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

func main() {
	server := providerserver.NewProtocol6(provider.New("dev")())()
	if err := write(context.Background(), os.Stdout, server); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, w io.Writer, server tfprotov6.ProviderServer) error {
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err == nil {
		err = firstError(schemas.Diagnostics)
	}
	if err != nil {
		return fmt.Errorf("reading the schemas: %w", err)
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err == nil {
		err = firstError(identities.Diagnostics)
	}
	if err != nil {
		return fmt.Errorf("reading the identity schemas: %w", err)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(newDocument(schemas, identities))
}

func firstError(diagnostics []*tfprotov6.Diagnostic) error {
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return errors.New(d.Summary + ": " + d.Detail)
		}
	}
	return nil
}
