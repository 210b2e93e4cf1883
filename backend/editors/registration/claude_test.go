package registration

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// program simulates the command of Claude Code: it changes and reformats the file, and counts its
// starts in the same file.
type program struct {
	path  string
	calls [][]string
	fails func(args []string) (output string, err error)
	idle  bool // the program reports success without changing the file
}

func (p *program) run(_ context.Context, name string, args ...string) ([]byte, error) {
	p.calls = append(p.calls, append([]string{name}, args...))
	if p.fails != nil {
		if out, err := p.fails(args); err != nil {
			return []byte(out), err
		}
	}
	if p.idle {
		return nil, nil
	}
	text, err := os.ReadFile(p.path)
	if err != nil {
		text = []byte("{}")
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return []byte("not valid JSON"), err
	}
	servers, _ := all["mcpServers"].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
	}
	switch args[1] {
	case "add-json":
		var server any
		if err := json.Unmarshal([]byte(args[5]), &server); err != nil {
			return nil, err
		}
		if servers[args[4]] != nil {
			return []byte("the server exists already"), errors.New("exit status 1")
		}
		servers[args[4]] = server
	case "remove":
		delete(servers, args[4])
	}
	starts, _ := all["starts"].(float64)
	all["starts"], all["mcpServers"] = starts+1, servers
	text, err = json.MarshalIndent(all, "", "  ")
	return nil, errors.Join(err, os.WriteFile(p.path, text, 0o600))
}

func claudeRig(t *testing.T) (*rig, *program) {
	t.Helper()
	rg := newRig(t, "linux")
	p := &program{path: rg.path("claude-code")}
	rg.again(func(o *Options) {
		o.Machine.Command = func(name string) (string, bool) { return "/usr/bin/" + name, name == "claude" }
		o.Execute = p.run
	})
	return rg, p
}

func TestCommandOfTheEditorMakesTheChange(t *testing.T) {
	rg, p := claudeRig(t)
	path := rg.file("claude-code", `{"history": [1], "mcpServers": {"a": {"command": "x"}}}`)
	plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"claude"}})
	if want := `claude mcp add-json --scope user discover '{"alwaysLoad":true,"args":["mcp","--client","claude-code","--surface","meta"],"command":"`; err != nil ||
		!strings.HasPrefix(plans[0].Writer, want) ||
		len(p.calls) != 0 {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	before := rg.read(path)
	first := rg.register("claude-code", done)
	rg.is("claude-code", Registered)
	if len(p.calls) != 1 || p.calls[0][0] != "/usr/bin/claude" {
		t.Errorf("commands are %v", p.calls)
	}
	rg.register("claude-code", nothing)
	if c := rg.record(first); c.Exact || !c.Possible { // the command reformats the whole file
		t.Errorf("record is %+v", c)
	}
	rg.undo(done, first)
	rg.sameServers(path, before)

	rg.register("claude-code", done)
	rg.again(func(o *Options) { o.Entry.Command = rg.program("moved") })
	p.calls = nil
	second := rg.register("claude-code", done)
	if len(p.calls) != 2 || p.calls[0][2] != "remove" || p.calls[1][2] != "add-json" {
		t.Errorf("commands are %v", p.calls)
	}
	rg.is("claude-code", Registered)
	p.calls = nil
	rg.write(path, strings.Replace(rg.read(path), `"history"`, `"more": 1, "history"`, 1))
	rg.undo(done, second)
	rg.is("claude-code", Stale)
	if len(p.calls) != 0 {
		t.Errorf("commands are %v", p.calls)
	}
	third := rg.unregister("claude-code", done)
	if len(p.calls) != 1 || p.calls[0][2] != "remove" || !strings.Contains(rg.read(path), `"more"`) {
		t.Errorf("commands are %v", p.calls)
	}
	rg.undo(done, third)
	rg.is("claude-code", Stale)
}

func TestCommandOfTheEditorUndoesItsChange(t *testing.T) {
	rg, p := claudeRig(t)
	path := rg.file("claude-code", `{"mcpServers": {"a": {"command": "x"}}}`)
	change := rg.register("claude-code", done)
	rg.write(path, strings.Replace(rg.read(path), `"starts": 1`, `"starts": 7`, 1))
	p.calls = nil
	plans, err := rg.PlanUndo(t.Context(), []string{change})
	if err != nil || plans[0].Writer != "claude mcp remove --scope user discover" {
		t.Errorf("plans are %+v, %v", plans, err)
	}
	back := rg.undo(done, change)[0].Change
	if len(p.calls) != 1 || !strings.Contains(rg.read(path), `"starts": 8`) || strings.Contains(rg.read(path), Name) {
		t.Errorf("commands are %v, the file is %s", p.calls, rg.read(path))
	}
	if c := rg.record(change); !c.Undone {
		t.Errorf("record is %+v", c)
	}
	rg.undo(done, back)
	rg.is("claude-code", Registered)
}

func TestCommandOfTheEditorRemovesServers(t *testing.T) {
	rg, p := claudeRig(t)
	path := rg.file("claude-code", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "c": {"command": "z"}}}`)
	out, err := rg.TakeOut(t.Context(), "claude-code", rg.found("claude-code").Files[0], []string{"a", "c"})
	if err != nil || out.Status != done || len(p.calls) != 2 || rg.entries(path, rg.found("claude-code").Place) != "b " {
		t.Errorf("outcomes are %+v, %v; commands are %v", out, err, p.calls)
	}
	rg.write(path, strings.Replace(rg.read(path), `"starts"`, `"starts2"`, 1))
	rg.undo(done, out.Change)
	if got := strings.Fields(rg.entries(path, rg.found("claude-code").Place)); len(got) != 3 || !slices.Contains(got, "a") ||
		!slices.Contains(got, "c") {
		t.Errorf("the entries are %v", got)
	}
}

func TestFailuresOfTheCommandAreReported(t *testing.T) {
	no := errors.New("exit status 1")
	for name, row := range map[string]struct {
		text  string
		fails func(args []string) (string, error)
		idle  bool
		want  string
	}{
		"an error": {
			`{"mcpServers": {}}`, func([]string) (string, error) {
				return "\n  Error: API_KEY=hunter2hunter2 is wrong\nmore", no
			}, false, "claude mcp add-json failed: Error: API_KEY=[redacted] is wrong",
		},
		"no output": {
			`{"mcpServers": {}}`, func([]string) (string, error) { return "", no }, false, "claude mcp add-json failed: exit status 1",
		},
		"no change": {`{"mcpServers": {}}`, nil, true, "reported success"},
		"an error after the first command": {
			`{"mcpServers": {"discover": {"type": "stdio", "command": "/old/agent-discover", "args": ["mcp"]}}, "x": 1}`,
			func(args []string) (string, error) { return "no", map[bool]error{true: no}[args[1] == "add-json"] }, false, "failed: no",
		},
	} {
		t.Run(name, func(t *testing.T) {
			rg, p := claudeRig(t)
			path := rg.file("claude-code", row.text)
			p.fails, p.idle = row.fails, row.idle
			out := rg.do(Request{Action: Register, Editors: []string{"claude-code"}}, failed)
			if !strings.Contains(out[0].Problem, row.want) || strings.Contains(out[0].Problem, "more") {
				t.Errorf("problem is %q", out[0].Problem)
			}
			rg.sameServers(path, row.text)
		})
	}
}

// sameServers checks that a file of Claude Code has the same servers as a text.
func (rg *rig) sameServers(path, text string) {
	rg.Helper()
	var got, want struct{ McpServers map[string]any }
	if err := errors.Join(json.Unmarshal([]byte(rg.read(path)), &got), json.Unmarshal([]byte(text), &want)); err != nil {
		rg.Fatal(err)
	}
	if !maps.EqualFunc(got.McpServers, want.McpServers, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
		rg.Errorf("%s has the servers %v, want %v", path, got.McpServers, want.McpServers)
	}
}

func TestCommandsOfTheEditorHaveATimeout(t *testing.T) {
	rg, _ := claudeRig(t)
	rg.file("claude-code", `{}`)
	synctest.Test(t, func(t *testing.T) {
		rg.performer.run = func(ctx context.Context, _ string, _ ...string) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		begin := time.Now()
		out, err := rg.Apply(t.Context(), Request{Action: Register, Editors: []string{"claude-code"}})
		if err != nil || out[0].Status != failed || !strings.Contains(out[0].Problem, "did not finish within 30 seconds") ||
			time.Since(begin) < commandTimeout || time.Since(begin) > commandTimeout+time.Second {
			t.Errorf("outcomes are %+v, %v after %v", out, err, time.Since(begin))
		}
	})
}

func TestFileIsWrittenDirectlyWhereTheCommandCannot(t *testing.T) {
	for name, change := range map[string]func(rg *rig) Request{
		"no program is installed": func(rg *rig) Request {
			rg.again(func(o *Options) { o.Machine.Command = func(string) (string, bool) { return "", false } })
			return Request{}
		},
		"the program is a Windows script": func(rg *rig) Request {
			rg.again(func(o *Options) { o.Machine.Command = func(string) (string, bool) { return `C:\x\claude.CMD`, true } })
			return Request{}
		},
		"a variable names another file": func(*rig) Request {
			return Request{Environment: map[string]string{"CLAUDE_CONFIG_DIR": "/elsewhere"}}
		},
		"the entry has more fields": func(rg *rig) Request {
			rg.file("claude-code", `{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"], "timeout": 5}}}`)
			return Request{}
		},
		"the entry has a secret": func(rg *rig) Request {
			rg.file("claude-code", `{"mcpServers": {"discover": {"command": "/old/agent-discover", "args": ["mcp"], "env": {"API_KEY": "`+
				secret+`"}}}}`)
			return Request{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			rg, p := claudeRig(t)
			rg.file("claude-code", "{}")
			q := change(rg)
			q.Action, q.Editors = Register, []string{"claude-code"}
			path := rg.do(q, done)[0].Path
			if len(p.calls) > 0 || !strings.Contains(rg.read(path), escaped(rg.options.Entry.Command)) {
				t.Errorf("commands are %v, the file is %s", p.calls, rg.read(path))
			}
		})
	}
}

func TestInterruptedChangesByTheCommandAreCompletedOrDeleted(t *testing.T) {
	for name, kept := range map[string]bool{"made": true, "not made": false} {
		t.Run(name, func(t *testing.T) {
			rg, command := claudeRig(t)
			path := rg.file("claude-code", `{"mcpServers": {"a": {"command": "x"}}}`)
			p := rg.Registrar.planner.newPlan(t.Context(), target{found: rg.found("claude-code"), file: rg.found("claude-code").Files[0]},
				Request{Action: Register}, rg.files.readAtRest)
			c := p.change()
			c.Writer, c.Loose, c.After, c.steps = true, true, "", nil
			if err := rg.history.begin(t.Context(), c, p.was.Data); err != nil {
				t.Fatal(err)
			}
			if kept {
				if _, err := command.run(t.Context(), p.commands[0][0], p.commands[0][1:]...); err != nil {
					t.Fatal(err)
				}
			} else { // the program changed only other parts of the file
				rg.write(path, strings.Replace(rg.read(path), "{", `{"starts": 3, `, 1))
			}
			rg.again(nil) // restart, as if the process had ended before it saw the result
			history, err := rg.History(t.Context(), "")
			if err != nil || (len(history) == 1) != kept {
				t.Fatalf("history is %+v, %v", history, err)
			}
			if kept {
				rg.undo(done, c.ID)
				rg.sameServers(path, `{"mcpServers": {"a": {"command": "x"}}}`)
			}
		})
	}
}

func TestUndoKeepsWhatOtherProgramsWroteWhileTheCommandRan(t *testing.T) {
	rg, p := claudeRig(t)
	path := rg.file("claude-code", `{"mcpServers": {"a": {"command": "x"}}}`)
	p.fails = func([]string) (string, error) { // another program adds a server before the command reads the file
		return "", os.WriteFile(path, []byte(`{"mcpServers": {"a": {"command": "x"}, "q4": {"command": "echo"}}}`), 0o600)
	}
	change := rg.register("claude-code", done)
	p.fails = nil
	if c := rg.record(change); c.Exact || !c.Possible {
		t.Errorf("record is %+v", c)
	}
	rg.undo(done, change)
	rg.sameServers(path, `{"mcpServers": {"a": {"command": "x"}, "q4": {"command": "echo"}}}`)
}
