package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestEveryCodeHasAMeaning(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	for node := range ast.Preorder(file) {
		declared, ok := node.(*ast.GenDecl)
		if !ok || declared.Tok != token.CONST {
			continue
		}
		for _, spec := range declared.Specs {
			constants++
			if code, _ := strconv.Unquote(spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value); fault.Codes[code] == "" {
				t.Errorf("the code %q has no meaning in Codes", code)
			}
		}
	}
	if constants == 0 || constants != len(fault.Codes) {
		t.Errorf("%d constants, %d meanings", constants, len(fault.Codes))
	}
}
