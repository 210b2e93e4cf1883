package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// starters lists the files and folders that may start programs with the functions of the system, and why. All other
// code starts programs with base/program. Without it, a batch file on Windows could run commands that are hidden in its
// arguments.
var starters = map[string]string{
	"backend/base/program/program_unix.go":      "it is the place",
	"backend/base/program/program_windows.go":   "it is the place",
	"backend/base/process/askshell_unix.go":     "base/program needs its result, and Windows does not compile it",
	"backend/base/process/memory_darwin.go":     "base/program needs its package, and Windows does not compile it",
	"backend/base/process/running_darwin.go":    "base/program needs its package, and Windows does not compile it",
	"backend/base/process/listener_darwin.go":   "base/program needs its package, and Windows does not compile it",
	"backend/base/process/listener_windows.go":  "base/program needs its package; its program and arguments are constants",
	"backend/trust/confinement/exec_linux.go":   "the process becomes the program of a server, and Windows does not compile it",
	"backend/trust/confinement/exec_windows.go": "base/program has made its command line; os/exec cannot start programs in app containers",
	"backend/base/autostart/login_darwin.go":    "Windows does not compile it",
	"app/tray/host_linux.go":                    "Windows does not compile it",
	"app/tray/host_darwin.go":                   "Windows does not compile it",
	"backend/testing/":                          "only tests import it; its programs and arguments are constants",
	"app/desktoptest/":                          "only tests import it; its programs and arguments are constants",
}

// starts lists the functions and types that start a program.
var starts = map[string][]string{
	"os/exec":                  {"Command", "CommandContext", "Cmd", "LookPath"},
	"os":                       {"StartProcess"},
	"syscall":                  {"StartProcess", "Exec", "ForkExec", "CreateProcess", "CreateProcessAsUser"},
	"golang.org/x/sys/windows": {"CreateProcess", "CreateProcessAsUser", "ShellExecute"},
	"golang.org/x/sys/unix":    {"Exec"},
	"golang.org/x/sys/execabs": {"Command", "CommandContext", "Cmd"},
}

func TestProgramsAreStartedInOnePlace(t *testing.T) {
	for _, root := range []string{"../backend", "../app", "../frontend"} {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			name := strings.TrimPrefix(filepath.ToSlash(file), "../")
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || starters[name] != "" ||
				starters[path.Dir(name)+"/"] != "" ||
				strings.HasPrefix(name, "backend/testing/") {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, found := range started(parsed) {
				t.Errorf("%s uses %s: start programs with base/program, or add the file to the list with a reason", name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// started returns the names in starts that a file uses to start a program.
func started(file *ast.File) (found []string) {
	names := make(map[string][]string)
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = starts[imported]
		if name == "." && starts[imported] != nil {
			found = append(found, imported+" without a name")
		}
	}
	// A signature may name the type Cmd; only a literal or new creates a command.
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Cmd" {
				found = append(found, uses(names, s)...)
			}
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "new" && len(n.Args) == 1 {
				if s, ok := n.Args[0].(*ast.SelectorExpr); ok {
					found = append(found, uses(names, s)...)
				}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name != "Cmd" {
				found = append(found, uses(names, n)...)
			}
		}
		return true
	})
	return found
}

func uses(names map[string][]string, s *ast.SelectorExpr) []string {
	if of, ok := s.X.(*ast.Ident); ok && slices.Contains(names[of.Name], s.Sel.Name) {
		return []string{of.Name + "." + s.Sel.Name}
	}
	return nil
}

func TestEveryWayToStartAProgramIsFound(t *testing.T) {
	for code, want := range map[string]int{
		`import "os/exec"; var c = exec.Command("x")`:                                                        1,
		`import "os/exec"; var f = exec.CommandContext`:                                                      1,
		`import e "os/exec"; var c = e.Command("x")`:                                                         1,
		`import "os/exec"; var c = &exec.Cmd{Path: "x"}`:                                                     1,
		`import . "os/exec"; var c = Command("x")`:                                                           1,
		`import "os/exec"; var c = new(exec.Cmd)`:                                                            1,
		`import "os"; var _, err = os.StartProcess("x", nil, nil)`:                                           1,
		`import "golang.org/x/sys/windows"; var e = windows.ShellExecute(0, nil)`:                            1,
		`import "os/exec"; func f(c *exec.Cmd) error { return exec.ErrNotFound }`:                            0,
		`import exec "example.com/other"; var c = exec.Command("x")`:                                         0,
		`import "context"; type program struct{}; func (program) Command() {}; var x = context.Background()`: 0,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := started(parsed); len(got) != want {
			t.Errorf("%s: found %v", code, got)
		}
	}
}
