// Command release checks what goreleaser has made.
//
//	go run ./internal/cmd/release [-partial] [-manifest FILE] DIST
//
// fails unless the directory holds what the registries take: archives of every platform with one program each, and a
// SHA256SUMS that names these archives and the manifest alone. With -partial platforms may be missing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	partial := flags.Bool("partial", false, "take a release of some platforms")
	manifest := flags.String("manifest", "terraform-registry-manifest.json", "the manifest as it is published")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("say which directory goreleaser has made")
	}
	found, err := check(flags.Arg(0), *manifest, *partial)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d archives of the provider, %d of the sandbox and %d of the check, each with its SBOM; "+
		"SHA256SUMS holds the provider's and the manifest.\n",
		flags.Arg(0), found[providerName], found[sandboxName], found[checkName])
	return nil
}
