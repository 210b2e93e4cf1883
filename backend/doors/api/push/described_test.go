package push

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
)

func TestEveryTypeOfMessageIsDescribed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var written, documented []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if method, ok := d.(*ast.FuncDecl); ok && method.Name.Name == "about" {
				written = append(written, method.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	_, all := Messages()
	names := make(map[string]bool)
	for _, m := range all {
		documented = append(documented, m.Type.Name())
		if m.Name == "" || names[m.Name] || m.Description == "" {
			t.Errorf("%s has the name %q and the description %q", m.Type, m.Name, m.Description)
		}
		names[m.Name] = true
	}
	slices.Sort(written)
	slices.Sort(documented)
	if !reflect.DeepEqual(written, documented) {
		t.Errorf("written are %v, described %v", written, documented)
	}
}

func TestARefreshIsAnsweredAfterTheMessagesBeforeIt(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	conn := f.dial()
	for _, text := range []string{"not json", "[1]", `{"type":"zz<b>"}`, `{"type":"refresh"}`, "again"} {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"Invalid JSON", "Message must be a JSON object", "Unknown message type: zzb", `{"type":"state","version":`,
	} {
		if got := f.read(conn); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
