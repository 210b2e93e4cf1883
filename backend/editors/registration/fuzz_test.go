package registration

import (
	"bytes"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// FuzzAnyFile puts our entry into a file that may hold anything, and out again:
// by undo it is the same to the byte, and whatever is refused is not touched.
func FuzzAnyFile(f *testing.F) {
	ids := []string{"cursor", "zed", "codex", "goose", "continue", "opencode", "amp", "mistral-vibe"}
	for i, id := range ids {
		e, _ := table.ByID(id)
		for _, text := range others(e.Place) {
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
		w := Request{Action: Register, Editors: []string{id}, Replace: replace}
		plans, err := rg.Plan(t.Context(), w)
		out, bad := rg.Apply(t.Context(), w)
		if err != nil || bad != nil || plans[0].Problem != out[0].Problem || plans[0].Nothing != (out[0].Status == nothing) {
			t.Fatalf("planned %+v, %v; done %+v, %v", plans, err, out, bad)
		}
		if out[0].Status != done {
			rg.holds(path, string(text))
			return
		}
		rg.is(id, Registered)
		if before, after := theirs(text, place), theirs([]byte(rg.read(path)), place); before != after {
			t.Fatalf("others' servers were %s and are %s", before, after)
		}
		rg.undo(done, out[0].Change)
		if got := []byte(rg.read(path)); !bytes.Equal(got, text) {
			t.Fatalf("got %q, not %q", got, text)
		}
	})
}

// theirs are the names of the servers of others.
func theirs(text []byte, place configedit.Place) string {
	list, _ := configedit.Read(text, place)
	names := ""
	for _, e := range list {
		if e.Name != Name {
			names += e.Name + "\n"
		}
	}
	return names
}
