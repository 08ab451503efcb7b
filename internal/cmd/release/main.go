// Command release does what goreleaser leaves to others, and checks what it has made.
//
//	go run ./internal/cmd/release sbom ARCHIVE DOCUMENT
//
// writes the software bill of materials of the program in an archive, as CycloneDX.
//
//	go run ./internal/cmd/release check [-partial] [-manifest FILE] DIST
//
// fails unless a directory of goreleaser holds what the registries take: archives of every platform with one program
// each, and a SHA256SUMS that names these archives and the manifest alone. With -partial platforms may be missing.
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
	if len(args) == 0 {
		return errors.New("say what to do: sbom or check")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "sbom":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if flags.NArg() != 2 {
			return errors.New("sbom takes an archive and the document to write")
		}
		return writeSBOM(flags.Arg(0), flags.Arg(1))
	case "check":
		partial := flags.Bool("partial", false, "take a release of some platforms")
		manifest := flags.String("manifest", "terraform-registry-manifest.json", "the manifest as it is published")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if flags.NArg() != 1 {
			return errors.New("check takes the directory that goreleaser has made")
		}
		found, err := check(flags.Arg(0), *manifest, *partial)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d archives of the provider and %d of the sandbox, each with its SBOM; SHA256SUMS holds the provider's and the manifest.\n",
			flags.Arg(0), found.provider, found.sandbox)
		return nil
	}
	return fmt.Errorf("there is nothing like %q to do: sbom or check", args[0])
}
