package configedit

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// setFields are the fields that the operation "set" sets.
var setFields = Object{
	{"command", "/opt/agent-discover"},
	{"args", []string{"mcp"}},
	{"env", Object{{"AGENT_DISCOVER_HOME", home}}},
	{"timeout", 30},
}

// edited applies an operation that edits.txtar names.
func edited(op string, text []byte, p Place) (Change, error) {
	switch op {
	case "put":
		return Put(text, p, "discover", discoverEntry(p))
	case "set":
		return Set(text, p, "discover", setFields)
	}
	return Remove(text, p, "discover")
}

func TestChangesOfEntriesKeepEveryOtherByte(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/edits.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		parts := strings.Split(archive.Files[i].Name, "; ")
		p := placeOf(Format(parts[1]), parts[2])
		before, after := string(archive.Files[i].Data), string(archive.Files[i+1].Data)
		t.Run(strings.Join(parts[:4], " "), func(t *testing.T) { checkEdit(t, parts[3], p, before, after) })
		before, after = strings.ReplaceAll(before, "\n", "\r\n"), strings.ReplaceAll(after, "\n", "\r\n")
		t.Run(strings.Join(parts[:4], " ")+" (CRLF)", func(t *testing.T) { checkEdit(t, parts[3], p, before, after) })
		before, after = bom+strings.TrimSuffix(before, "\r\n"), bom+strings.TrimSuffix(after, "\r\n")
		t.Run(strings.Join(parts[:4], " ")+" (BOM, no last line end)", func(t *testing.T) {
			checkEdit(t, parts[3], p, before, after)
		})
	}
}

func checkEdit(t *testing.T, op string, p Place, before, after string) {
	t.Helper()
	c, err := edited(op, []byte(before), p)
	if err != nil {
		t.Fatal(err)
	}
	if trimmed := strings.TrimSuffix(string(c.Text), "\r\n"); string(c.Text) != after && trimmed != after {
		t.Fatalf("the change returned\n%s\nwant\n%s", c.Text, after)
	}
	for _, text := range [][]byte{nil, c.Text} {
		back, err := Revert(c.Text, p, "discover", Change{Text: text, Edits: c.Edits, Made: c.Made})
		if err != nil || string(back.Text) != before {
			t.Errorf("Revert returned\n%s\nwant\n%s\n%v", back.Text, before, err)
		}
	}
	if again, err := edited(op, c.Text, p); err != nil || len(again.Edits) > 0 {
		t.Errorf("the same change has edits again: %v, %v", again.Edits, err)
	}
}
