// Command mutate breaks one line of the provider after another, at random, and asks the tests whether they see it. What
// survives is a line that no test proves:
//
//	go run -C internal/tools/mutate . -n 100 -seed 1
//
// The checkout is not touched: go test reads the broken file in place of the true one. The tests of the package come
// first, then those of the packages of -also that are made of it. The same seed breaks the same lines of the same code.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const module = "github.com/einvoice-br/terraform-provider-einvoice/"

// crossing is the package whose tests go through the whole provider.
const crossing = "internal/e2e"

var (
	n        = flag.Int("n", 100, "how many lines are broken")
	seed     = flag.Uint64("seed", 1, "which ones")
	in       = flag.String("in", ".", "break only files whose path matches this expression")
	root     = flag.String("root", "../../..", "the checkout")
	timeout  = flag.Duration("timeout", 4*time.Minute, "of the tests of a package")
	parallel = flag.Int("parallel", 16, "how many tests of a package run at once; most of them wait")
	skip     = flag.String("skip", "^(TestCoordination|TestArrows)", "tests that are not asked")
	also     = flag.String("also", "certificate company customer inbound invoice letter month order product reference "+
		"rotation settings webhook e2e", "packages below internal/ that are asked after the package itself")
)

// site is a place of a file and what stands there once it is broken.
type site struct {
	file       string
	source     []byte
	line       int
	begin, end int // Bytes of the source.
	with       string
}

func (s site) String() string {
	was := strings.Join(strings.Fields(string(s.source[s.begin:s.end])), " ")
	return fmt.Sprintf("%s:%d: %.60q -> %.60q", s.file, s.line, was, s.with)
}

const (
	killed     = "killed"
	survived   = "survived"
	uncompiled = "did not compile"
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	files, made, err := list(ctx)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(*in)
	if err != nil {
		return err
	}
	var all []site
	for _, file := range files {
		sites, err := sitesOf(file)
		if err != nil {
			return err
		}
		if only.MatchString(file) {
			all = append(all, sites...)
		}
	}
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	random := rand.New(rand.NewPCG(*seed, 0)) //nolint:gosec // The same lines each time.
	random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	counts := map[string]int{}
	for i, s := range all[:min(*n, len(all))] {
		begun := time.Now()
		overlay, err := broken(folder, s)
		if err != nil {
			return err
		}
		own := filepath.Dir(s.file)
		outcome, by := test(ctx, overlay, own)
		var further []string
		for _, name := range strings.Fields(*also) {
			if name = "internal/" + name; name != own && (name == crossing || slices.Contains(made[name], own)) {
				further = append(further, name)
			}
		}
		if outcome == survived && len(further) > 0 {
			outcome, by = test(ctx, overlay, further...)
		}
		if ctx.Err() != nil {
			break // What was broken last was not tried.
		}
		counts[outcome]++
		fmt.Fprintf(os.Stdout, "%3d %-15s %4.0fs %s %s\n", i+1, outcome, time.Since(begun).Seconds(), s, by)
	}
	share := 100 * float64(counts[killed]) / float64(max(1, counts[killed]+counts[survived]))
	fmt.Fprintf(os.Stdout, "\nseed %d, %d places: %d killed, %d survived, %d did not compile: %.0f %% killed\n",
		*seed, len(all), counts[killed], counts[survived], counts[uncompiled], share)
	return nil
}

// list returns the files of what is shipped, and what each package is made of.
func list(ctx context.Context) (files []string, made map[string][]string, err error) {
	const format = `{{.ImportPath}}|{{join .GoFiles " "}}|{{join .Deps " "}}`
	command := exec.CommandContext(ctx, "go", "list", "-deps", "-f", format, ".")
	command.Dir, command.Stderr = *root, os.Stderr
	said, err := command.Output()
	made = map[string][]string{}
	for line := range strings.Lines(string(said)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if name, own := strings.CutPrefix(fields[0], module); own {
			made[name] = strings.Fields(strings.ReplaceAll(fields[2], module, ""))
			for _, file := range strings.Fields(fields[1]) {
				files = append(files, name+"/"+file)
			}
		}
	}
	slices.Sort(files)
	return files, made, err
}

var swapped = map[string]string{
	"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
	"true": "false", "false": "true",
}

// sitesOf returns all that can be broken in a file, in the order of its lines.
func sitesOf(file string) (sites []site, err error) {
	source, err := os.ReadFile(filepath.Join(*root, file))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	text := func(node ast.Node) string {
		return string(source[set.Position(node.Pos()).Offset:set.Position(node.End()).Offset])
	}
	add := func(from, to token.Pos, with string) {
		begin := set.Position(from)
		sites = append(sites, site{file, source, begin.Line, begin.Offset, set.Position(to).Offset, with})
	}
	drop := func(statements []ast.Stmt) {
		for _, statement := range statements {
			switch s := statement.(type) {
			case *ast.ExprStmt:
				if !strings.HasPrefix(text(s), "tflog.") { // Which only the reader of a log misses.
					add(s.Pos(), s.End(), "")
				}
			case *ast.AssignStmt:
				if s.Tok == token.ASSIGN {
					add(s.Pos(), s.End(), "")
				}
			}
		}
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BlockStmt:
			drop(n.List)
		case *ast.CaseClause:
			drop(n.Body)
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
		case *ast.BinaryExpr:
			if with := swapped[n.Op.String()]; with != "" {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
			}
		case *ast.Ident:
			if with := swapped[n.Name]; with != "" {
				add(n.Pos(), n.End(), with)
			}
		case *ast.BasicLit:
			if value, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
				add(n.Pos(), n.End(), strconv.Itoa(value+1))
			}
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				last := n.Results[len(n.Results)-1]
				if e := text(last); e == "err" || strings.HasPrefix(e, "fmt.Errorf(") || strings.HasPrefix(e, "errors.New(") {
					add(last.Pos(), last.End(), "nil")
				}
			}
		}
		return true
	})
	return sites, nil
}

// broken writes the broken file, and what has go test read it in place of the true one.
func broken(folder string, s site) (overlay string, err error) {
	original, err := filepath.Abs(filepath.Join(*root, s.file))
	if err != nil {
		return "", err
	}
	file, overlay := filepath.Join(folder, "broken.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, slices.Concat(s.source[:s.begin], []byte(s.with), s.source[s.end:]), 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace":{%q:%q}}`, original, file), 0o600)
}

// test runs the tests of packages until one fails, and says which.
func test(ctx context.Context, overlay string, packages ...string) (outcome, by string) {
	args := []string{
		"test", "-vet=off", "-failfast", "-overlay", overlay, "-skip", *skip,
		"-timeout", timeout.String(), "-parallel", strconv.Itoa(*parallel),
	}
	for _, name := range packages {
		args = append(args, "./"+name)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = *root
	command.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TF_") || strings.HasPrefix(entry, "EINVOICE_")
	})
	// The tests are processes of their own, which end with go test.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	output, err := command.StdoutPipe()
	if err != nil {
		return survived, err.Error()
	}
	if err := command.Start(); err != nil {
		return survived, err.Error()
	}
	outcome = survived
	for lines := bufio.NewScanner(output); outcome == survived && lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.Contains(line, "[build failed]"), strings.Contains(line, "[setup failed]"):
			outcome = uncompiled
		case strings.HasPrefix(line, "--- FAIL: "), strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "FAIL"):
			outcome, by = killed, "by "+strings.TrimPrefix(line, "--- FAIL: ")
		}
	}
	stop()
	_ = command.Wait() // It was killed, or its last line has said how it went.
	return outcome, by
}
