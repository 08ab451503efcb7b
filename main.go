// Command terraform-provider-einvoice is a Terraform and OpenTofu provider for
// a Brazilian electronic invoicing service (NF-e, NFC-e, NFS-e).
package main

import (
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger and print how to attach a CLI")
	flag.Parse()

	// A CLI tells its providers to stop by StopProvider and ignores the rest, but
	// containers and `timeout` send SIGTERM to the whole process group. Taking it
	// here keeps this process alive until the CLI, which got the same signal, has
	// had the answer of the exchange in flight and ends the connection.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)

	err := provider.Serve(version, *debug)
	if err != nil {
		log.Fatal(err)
	}
}
