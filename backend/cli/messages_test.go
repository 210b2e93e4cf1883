package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	namedCommand = regexp.MustCompile(`(?:: |with |run |use |see |then )agent-discover ([a-z][^\n;:,.)"']*)`)
	namedFlag    = regexp.MustCompile(`--[a-z][a-z-]+`)
)

// literals calls do with the strings in the Go files below a folder, except those of tests. A text that is joined
// from several literals is one string.
func literals(t *testing.T, folder string, do func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			text, whole := joined(node)
			if whole {
				do(file, text)
			}
			return !whole
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// joined returns the text of a string literal or of a concatenation of literals.
func joined(node ast.Node) (text string, whole bool) {
	switch n := node.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		left, one := joined(n.X)
		right, other := joined(n.Y)
		return left + right, one && other
	}
	return "", false
}

func TestCommandsThatMessagesNameExist(t *testing.T) {
	checked := 0
	literals(t, "..", func(file, text string) {
		for _, match := range namedCommand.FindAllStringSubmatch(text, -1) {
			checked++
			if wrong := undocumented(strings.Fields(match[1])); wrong != "" {
				t.Errorf("%s: agent-discover %s: there is no %s", file, match[1], wrong)
			}
		}
	})
	if checked < 100 {
		t.Errorf("only %d commands were found", checked)
	}
}

func TestFlagsThatMessagesOfImportsNameExistWhereverServersAreImported(t *testing.T) {
	root, named := new(program).root(), 0
	for _, file := range []string{"editors_import.go", "../editors/importer/import.go"} {
		literals(t, file, func(_, text string) {
			if strings.ContainsAny(text, "\n|") || strings.Contains(text, "name one source") {
				return // the help, and the check of the arguments
			}
			for _, command := range []string{"editors import", "servers add"} {
				cmd, _, _ := root.Find(strings.Fields(command))
				for _, flag := range namedFlag.FindAllString(text, -1) {
					if named++; cmd.Flags().Lookup(flag[2:]) == nil {
						t.Errorf("%s has no flag %s: %s", command, flag, text)
					}
				}
			}
		})
	}
	if named < 4 {
		t.Errorf("only %d flags were found", named)
	}
}
