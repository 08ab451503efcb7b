package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/google/uuid"
)

// bom is a document of CycloneDX 1.6, as far as it is used here. It has no time, so that one archive gives one document.
type bom struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     bomMetadata `json:"metadata"`
	Components   []component `json:"components"`
}

type bomMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string    `json:"type"`
	Ref     string    `json:"bom-ref"`
	Name    string    `json:"name"`
	Version string    `json:"version"`
	PURL    string    `json:"purl"`
	Hashes  []bomHash `json:"hashes,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// writeSBOM describes the program in an archive: the modules it is built from, as Go has written them into it, and the
// standard library.
func writeSBOM(path, document string) error {
	a, err := openArchive(path)
	if err != nil {
		return err
	}
	described, err := describe(a)
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(described, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(document, append(content, '\n'), 0o644) //nolint:gosec // It is published.
}

func describe(a *archive) (bom, error) {
	parts := archiveName.FindStringSubmatch(a.name)
	if parts == nil {
		return bom{}, fmt.Errorf("%s is no name of an archive of a release", a.name)
	}
	b := bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		SerialNumber: uuid.NewSHA1(uuid.NameSpaceOID, []byte(a.digest)).URN(),
		Metadata: bomMetadata{Component: component{
			Type: "application", Ref: a.name, Name: parts[1], Version: parts[2],
			PURL: purl(a.build.Main.Path, "v"+parts[2]), Hashes: []bomHash{{Algorithm: "SHA-256", Content: a.digest}},
		}},
		Components: []component{library("stdlib", strings.TrimPrefix(a.build.GoVersion, "go"))},
	}
	for _, module := range a.build.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		b.Components = append(b.Components, library(module.Path, module.Version))
	}
	return b, nil
}

func library(path, version string) component {
	return component{Type: "library", Ref: purl(path, version), Name: path, Version: version, PURL: purl(path, version)}
}

// purl names a Go module as the package-url specification does.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
}
