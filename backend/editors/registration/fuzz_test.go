package registration

import (
	"bytes"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// FuzzAnyFile registers with an editor whose file has any content. Undo must
// restore every byte, and a refused file must not be changed.
func FuzzAnyFile(f *testing.F) {
	ids := []string{"cursor", "zed", "codex", "goose", "continue", "opencode", "amp", "mistral-vibe"}
	for i, id := range ids {
		e, _ := table.ByID(id)
		for _, text := range contents(e.Place) {
			f.Add(i, []byte(text), false)
			f.Add(i, []byte("\ufeff"+text), true)
		}
	}
	f.Add(0, []byte(`{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"], "env": null}}}`), true)
	f.Fuzz(func(t *testing.T, i int, text []byte, replace bool) {
		if i < 0 || i >= len(ids) || len(text) > 1<<16 {
			return
		}
		rg := newRig(t, "linux")
		id := ids[i]
		path := rg.file(id, string(text))
		place := rg.found(id).Files[0].Place
		q := Request{Action: Register, Editors: []string{id}, Replace: replace}
		plans, err := rg.Plan(t.Context(), q)
		out, bad := rg.Apply(t.Context(), q)
		if err != nil || bad != nil || plans[0].Problem != out[0].Problem || plans[0].Nothing != (out[0].Status == nothing) {
			t.Fatalf("the plan was %+v, %v, but the outcome is %+v, %v", plans, err, out, bad)
		}
		if out[0].Status != done {
			rg.holds(path, string(text))
			return
		}
		rg.is(id, Registered)
		if before, after := otherEntries(text, place), otherEntries([]byte(rg.read(path)), place); before != after {
			t.Fatalf("the other entries were %s and are %s", before, after)
		}
		rg.undo(done, out[0].Change)
		if got := []byte(rg.read(path)); !bytes.Equal(got, text) {
			t.Fatalf("Undo restored %q, want %q", got, text)
		}
	})
}

// otherEntries returns the names of all entries except the Agent Discover entry.
func otherEntries(text []byte, place configedit.Place) string {
	list, _ := configedit.Read(text, place)
	names := ""
	for _, e := range list {
		if e.Name != Name {
			names += e.Name + "\n"
		}
	}
	return names
}
