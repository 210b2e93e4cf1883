package registration

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// surface checks the surface that an editor's status reports for its entry.
func (rg *rig) surface(id, want string) {
	rg.Helper()
	if s := rg.is(id, Registered); s.Files[0].Surface != want {
		rg.Errorf("%s shows %q, want %q, in %s", id, s.Files[0].Surface, want, rg.read(s.Files[0].Path))
	}
}

func TestTheSurfaceOfAnEntryIsChangedAndUndone(t *testing.T) {
	everyKind(t, func(rg *rig, e *table.Editor) {
		file := rg.found(e.ID).Files[0]
		rg.file(e.ID, contents(file.Place)["servers"])
		rg.register(e.ID, done)
		rg.surface(e.ID, "meta")
		before := rg.read(file.Path)
		q := Request{Action: Register, Editors: []string{e.ID}, Surface: "server:my notes"}
		plans, err := rg.Plan(rg.Context(), q)
		if err != nil || !strings.Contains(formatDiff(plans[0].Diff), "server:my notes") {
			rg.Errorf("plans are %+v, %v", plans, err)
		}
		change := rg.do(q, done)[0].Change
		rg.args(file, "mcp", "--client", e.ID, "--surface", "server:my notes")
		rg.surface(e.ID, "server:my notes")
		rg.do(q, nothing)
		rg.register(e.ID, nothing) // without a surface, the current one stays
		rg.undo(done, change)
		rg.holds(file.Path, before)
	})
}

func TestAnEntryWithoutASurfaceShowsTheRegistry(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", `{"mcpServers": {"discover": {"command": "`+escaped(rg.options.Entry.Command)+
		`", "args": ["mcp", "--client=cursor"]}}}`)
	rg.surface("cursor", "registry")
	rg.do(Request{Action: Register, Editors: []string{"cursor"}, Surface: "native"}, done)
	rg.surface("cursor", "native")
	rg.write(path, strings.Replace(rg.read(path), `"--surface", "native"`, `"--surface=meta"`, 1))
	rg.surface("cursor", "meta")
	rg.do(Request{Action: Register, Editors: []string{"cursor"}, Surface: "meta"}, nothing)
}

func TestASurfaceIsChangedWhenTheEditorHasExited(t *testing.T) {
	rg, running := desktopRig(t)
	running.Store(false)
	rg.register("claude-desktop", done)
	running.Store(true)
	rg.do(Request{Action: Register, Editors: []string{"claude-desktop"}, Surface: "registry"}, waiting)
	rg.is("claude-desktop", Waiting)
	running.Store(false)
	rg.scan(t.Context(), nil)
	rg.surface("claude-desktop", "registry")
}

func TestTheEditorsCommandChangesTheSurface(t *testing.T) {
	rg, p := claudeRig(t)
	rg.file("claude-code", `{"mcpServers": {}}`)
	rg.register("claude-code", done)
	rg.do(Request{Action: Register, Editors: []string{"claude-code"}, Surface: "native"}, done)
	rg.surface("claude-code", "native")
	if len(p.calls) != 3 {
		t.Errorf("the commands are %v", p.calls)
	}
}
