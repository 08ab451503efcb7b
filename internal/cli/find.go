package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// What a caller of Find can want. Anything else is the path of an executable.
const (
	// WantAny is terraform or tofu on PATH, whichever comes first in this order, else the OpenTofu built here.
	WantAny = "any"

	// WantTerraform is terraform on PATH.
	WantTerraform = "terraform"

	// WantTofu is tofu on PATH, else the OpenTofu built here.
	WantTofu = "tofu"
)

// ErrNoTerraform says that Terraform was wanted by name and PATH has none that can be used. Terraform, unlike OpenTofu,
// cannot be built here.
var ErrNoTerraform = errors.New("no usable terraform on PATH")

// Find returns a CLI of at least version 1.8. It passes over an executable on PATH that is too old or does not answer,
// and says so in progress. Building OpenTofu takes minutes the first time. The context ends a build.
func Find(ctx context.Context, want string, progress io.Writer) (*CLI, error) {
	return finder{exec.LookPath, buildTofu, progress}.find(ctx, want)
}

type finder struct {
	lookPath func(name string) (string, error)
	build    func(ctx context.Context, progress io.Writer) (*CLI, error)
	progress io.Writer
}

func (f finder) find(ctx context.Context, want string) (*CLI, error) {
	switch want {
	case WantAny:
		if found := f.onPath(ctx, Terraform); found != nil {
			return found, nil
		}
		fallthrough
	case WantTofu:
		if found := f.onPath(ctx, OpenTofu); found != nil {
			return found, nil
		}
		return f.build(ctx, f.progress)
	case WantTerraform:
		if found := f.onPath(ctx, Terraform); found != nil {
			return found, nil
		}
		return nil, fmt.Errorf("%w: install Terraform %d.%d or later, or use OpenTofu, which is built here",
			ErrNoTerraform, oldestMajor, oldestMinor)
	default:
		if !strings.ContainsAny(want, `/\`) {
			return nil, fmt.Errorf("%q is no CLI: say %s, %s, %s or a path", want, WantAny, WantTerraform, WantTofu)
		}
		found, err := Inspect(ctx, want)
		if err != nil {
			return nil, err
		}
		if !found.supported() {
			return nil, fmt.Errorf("%s is too old: this provider needs %d.%d or later", found, oldestMajor, oldestMinor)
		}
		return found, nil
	}
}

// onPath returns the CLI of that product on PATH, nil when there is none to use.
func (f finder) onPath(ctx context.Context, product Product) *CLI {
	name := "terraform"
	if product == OpenTofu {
		name = "tofu"
	}
	path, err := f.lookPath(name)
	if err != nil {
		return nil
	}
	found, err := Inspect(ctx, path)
	switch {
	case err != nil:
		fmt.Fprintf(f.progress, "Passing over %s: %v.\n", name, err)
		return nil
	case found.Product != product:
		fmt.Fprintf(f.progress, "Passing over %s: %s is %s.\n", name, path, found.Product)
		return nil
	case !found.supported():
		fmt.Fprintf(f.progress, "Passing over %s: it is older than %d.%d.\n", found, oldestMajor, oldestMinor)
		return nil
	}
	return found
}
