package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// user is the person whose CLIs shall find the provider, by the environment.
type user struct {
	system string // as in runtime.GOOS
	env    func(name string) string
}

// home is where the CLIs look for what a person has configured.
func (u user) home() (string, error) {
	name := "HOME"
	if u.system == "windows" {
		name = "APPDATA"
	}
	if dir := u.env(name); dir != "" {
		return dir, nil
	}
	return "", errors.New(name + " is not set, so it is not known where terraform and tofu look for providers")
}

// pluginDir is a directory where both CLIs look for providers before they ask a registry. On Unix it is not
// ~/.terraform.d/plugins: an OpenTofu that keeps its settings in XDG_CONFIG_HOME no longer finds them there once
// ~/.terraform.d exists.
func (u user) pluginDir() (string, error) {
	home, err := u.home()
	if err != nil {
		return "", err
	}
	switch data := u.env("XDG_DATA_HOME"); {
	case u.system == "windows":
		return filepath.Join(home, "terraform.d", "plugins"), nil
	case u.system == "darwin":
		return filepath.Join(home, "Library", "Application Support", "io.terraform", "plugins"), nil
	case filepath.IsAbs(data): // Another one is against the rules of XDG, and is passed over.
		return filepath.Join(data, "terraform", "plugins"), nil
	default:
		return filepath.Join(home, ".local", "share", "terraform", "plugins"), nil
	}
}

var restriction = regexp.MustCompile(`(?m)^\s*"?provider_installation"?\s*[{:=]`)

// restrictions are the files of the user's CLI configuration that say where providers come from. A CLI that reads one
// does not look into pluginDir.
func (u user) restrictions() []string {
	var found []string
	for _, file := range u.configFiles() {
		if content, err := os.ReadFile(file); err == nil && restriction.Match(content) {
			found = append(found, file)
		}
	}
	return found
}

// configFiles are the files that one of the CLIs may read.
func (u user) configFiles() []string {
	for _, name := range []string{"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"} {
		if file := u.env(name); file != "" {
			return []string{file}
		}
	}
	home, err := u.home()
	if err != nil {
		return nil
	}
	files, dirs := []string{
		filepath.Join(home, ".terraformrc"),
		filepath.Join(home, ".tofurc"),
	}, []string{
		filepath.Join(home, ".terraform.d"),
	}
	if u.system == "windows" {
		files, dirs = []string{
			filepath.Join(home, "terraform.rc"),
			filepath.Join(home, "tofu.rc"),
		}, []string{
			filepath.Join(home, "terraform.d"),
		}
	}
	if xdg := u.env("XDG_CONFIG_HOME"); xdg != "" && u.system != "windows" {
		files, dirs = append(
			files,
			filepath.Join(xdg, "opentofu", "tofurc"),
		), append(
			dirs,
			filepath.Join(xdg, "opentofu"),
		)
	}
	for _, dir := range dirs {
		for _, pattern := range []string{"*.tfrc", "*.tfrc.json"} {
			more, _ := filepath.Glob(filepath.Join(dir, pattern)) // The patterns are right.
			files = append(files, more...)
		}
	}
	return files
}
