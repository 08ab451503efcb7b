// Command terraform-provider-einvoice is a Terraform and OpenTofu provider for
// a Brazilian electronic invoicing service (NF-e, NFC-e, NFS-e).
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger and print how to attach a CLI")
	flag.Parse()

	err := provider.Serve(version, *debug)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
