package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
)

// license is what an archive holds beside its program.
const license = "LICENSE"

// archive is a zip file with one program.
type archive struct {
	// name is the file's, digest its SHA-256 in hexadecimal digits.
	name, digest string
	// program is the name of the program in it, programDigest its SHA-256, and mode its permissions.
	program, programDigest string
	mode                   fs.FileMode
	// build is what Go has written into the program.
	build *debug.BuildInfo
}

func openArchive(path string) (*archive, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &archive{name: filepath.Base(path), digest: hexDigest(content)}
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	for _, file := range files.File {
		if file.Name == license {
			continue
		}
		if a.program != "" {
			return nil, fmt.Errorf("%s holds %s and %s, and should hold one program", a.name, a.program, file.Name)
		}
		a.program, a.mode = file.Name, file.Mode()
		content, err := fs.ReadFile(files, file.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		a.programDigest = hexDigest(content)
		if a.build, err = buildinfo.Read(bytes.NewReader(content)); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", a.name, file.Name, err)
		}
	}
	if a.program == "" {
		return nil, fmt.Errorf("%s holds no program", a.name)
	}
	return a, nil
}

// hexDigest is the SHA-256 of a file in hexadecimal digits.
func hexDigest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// setting is how the program was built: "GOOS", "-trimpath" and so on, "" where that is not said.
func (a *archive) setting(key string) string {
	for _, s := range a.build.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
