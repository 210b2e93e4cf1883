package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/build/icons"
)

// render renders a menu as text: without hidden items, with indented submenus, and with disabled items in
// parentheses.
func render(items []item, indent string) string {
	var b strings.Builder
	for _, it := range items {
		label := it.Label
		switch {
		case it.Hidden:
			continue
		case it.Separator:
			label = "--"
		case it.Disabled:
			label = "(" + label + ")"
		}
		if it.Checked {
			label = "[x] " + label
		}
		b.WriteString(indent + label + "\n" + render(it.Items, indent+"  "))
	}
	return b.String()
}

// named returns n approved servers, sorted by name in reverse.
func named(n int) (servers []server) {
	for i := range n {
		servers = append(servers, server{ID: int64(i + 1), Name: fmt.Sprintf("s%02d", n-i), Approved: true})
	}
	return servers
}

func TestTheFirstLineAndTheIconShowTheSameState(t *testing.T) {
	running := func(s server) server { s.Running, s.Approved = true, true; return s }
	for name, row := range map[string]struct {
		state state
		line  string
		icon  icons.State
	}{
		"before the first hub": {state{}, "Starting…", icons.Stopped},
		"after a crash":        {state{Phase: restarting}, "Restarting…", icons.Stopped},
		"stopped by the user":  {state{Phase: stopped}, "Stopped", icons.Stopped},
		"after Quit":           {state{Phase: quitting}, "Stopping…", icons.Stopped},
		"no hub can start": {
			state{Phase: failing, Problem: "the disk\nis full"}, "Hub unavailable: the disk is full", icons.Attention,
		},
		"no servers":         {state{Phase: connected}, "No servers yet", icons.Running},
		"one stopped server": {state{Phase: connected, Servers: named(1)}, "0 of 1 server running", icons.Running},
		"some servers run": {
			state{
				Phase: connected, Servers: append(named(4), running(server{Name: "a"}), running(server{Name: "b"}),
					running(server{Name: "c"})),
			}, "3 of 7 servers running", icons.Running,
		},
		"one call":       {state{Phase: connected, Calls: 1, Servers: named(1)}, "1 call running", icons.Working},
		"two calls":      {state{Phase: connected, Calls: 2, Servers: named(1)}, "2 calls running", icons.Working},
		"paused":         {state{Phase: connected, Paused: true, Servers: named(3)}, "Paused", icons.Paused},
		"a tool is held": {state{Phase: connected, Held: 1, Servers: named(1)}, "1 tool or text is held", icons.Attention},
		"one server waits": {
			state{Phase: connected, Calls: 1, Servers: []server{{Name: "new"}}}, "1 server waits for approval", icons.Attention,
		},
		"two servers wait while paused": {
			state{
				Phase: connected, Paused: true, Servers: []server{{Name: "new"}, {Name: "newer"}},
			}, "Paused, 2 servers wait for approval", icons.Attention,
		},
		"failing servers while paused": {
			state{
				Phase: connected, Paused: true, Servers: []server{
					{Name: "a", Approved: true, State: "failing"}, {Name: "b", Approved: true, State: "calls_fail"},
				},
			}, "Paused", icons.Paused,
		},
		"one server fails": {
			state{Phase: connected, Servers: []server{{Name: "a", Approved: true, State: "failing"}}}, "1 server fails", icons.Attention,
		},
		"one waits and one fails": {
			state{Phase: connected, Servers: []server{{Name: "a", Approved: true, State: "failing"}, {Name: "b", State: "waiting"}}},
			"1 server waits for approval, 1 server fails", icons.Attention,
		},
		"one server requires a sign-in": {
			state{
				Phase: connected, Servers: []server{
					{Name: "a", Approved: true, State: "sign_in"}, {Name: "b", Approved: true, State: "failing"},
				},
			}, "1 server requires a sign-in, 1 server fails", icons.Attention,
		},
		"the calls of a server fail": {
			state{
				Phase: connected, Servers: []server{{Name: "a", Approved: true, Running: true, State: "calls_fail"}},
			}, "1 server fails", icons.Attention,
		},
		"a waiting server with an error": {
			state{Phase: connected, Servers: []server{{Name: "b", State: "waiting"}}}, "1 server waits for approval", icons.Attention,
		},
		"one question": {
			state{
				Phase: connected, Calls: 1, Servers: named(1), Questions: []question{{ID: "1", Server: "a"}},
			}, "1 question waits", icons.Attention,
		},
		"a question while paused": {
			state{
				Phase: connected, Paused: true, Questions: []question{{ID: "1", Server: "a"}, {ID: "2", Server: "a"}},
				Servers: []server{{Name: "new"}},
			}, "Paused, 2 questions wait, 1 server waits for approval", icons.Attention,
		},
		"another program has the port": {
			state{Phase: connected, Calls: 1, Servers: named(1), Port: &takenPort{3424, "port 3424 is used by another program"}},
			"The hub does not have port 3424", icons.Attention,
		},
		"a server fails and another program has the port": {
			state{
				Phase: connected, Servers: []server{{Name: "a", Approved: true, State: "failing"}},
				Port: &takenPort{3424, "port 3424 is used by another program"},
			}, "1 server fails", icons.Attention,
		},
		"the hub has its port": {state{Phase: connected, Servers: named(1), Port: &takenPort{}}, "0 of 1 server running", icons.Running},
		"a healthy server": {
			state{
				Phase: connected, Servers: []server{{Name: "b", Approved: true, State: "stopped"}},
			}, "0 of 1 server running", icons.Running,
		},
		"a server of unknown state": {
			state{Phase: connected, Servers: []server{{Name: "b", Approved: true, State: "new"}}}, "0 of 1 server running", icons.Running,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := menuOf(row.state)
			if got.Items[0].Label != row.line || got.Icon != row.icon {
				t.Errorf("got %q with %s, want %q with %s", got.Items[0].Label, got.Icon, row.line, row.icon)
			}
			if got.Tooltip != "Agent Discover: "+row.line {
				t.Errorf("tooltip: got %q", got.Tooltip)
			}
		})
	}
}

func TestTheWholeMenu(t *testing.T) {
	for name, row := range map[string]struct {
		state state
		want  string
	}{
		"with everything": {
			state{
				Phase: connected, Version: "v1.2.3", AtLogin: true, Note: "Health check: 2 servers healthy", Servers: []server{
					{ID: 1, Name: "memory", Approved: true, Running: true, State: "running"},
					{ID: 2, Name: "Files", Approved: true, Active: true, State: "stopped"},
					{ID: 3, Name: "new"},
					{ID: 4, Name: "apple", Approved: true, State: "failing"},
					{ID: 5, Name: "github", Approved: true, Running: true, State: "calls_fail"},
					{ID: 6, Name: "notes", Approved: true, State: "sign_in"},
				},
			},
			"1 server waits for approval, 1 server requires a sign-in, 2 servers fail\n(Health check: 2 servers healthy)\n--\n" +
				"Open dashboard\n" +
				"Servers\n  apple (failing)\n  Files\n  [x] github (calls fail)\n  [x] memory\n  notes (sign-in)\n" +
				"Waiting for approval (1)\n  new…\n  Show the approval code of new\nSign in (1)\n  notes…\n--\n" +
				"Pause all servers\nHealth check\nCopy MCP configuration\n--\n[x] Start at login\n(Agent Discover v1.2.3)\nQuit\n",
		},
		"with a question": {
			state{Phase: connected, Servers: named(1), Version: "dev", Questions: []question{{ID: "1", Server: "s01"}}},
			"1 question waits\n--\nOpen dashboard\nAnswer 1 question…\nServers\n  s01\n--\nPause all servers\nHealth check\n" +
				"Copy MCP configuration\n--\nStart at login\n(Agent Discover dev)\nQuit\n",
		},
		"paused": {
			state{Phase: connected, Paused: true, Servers: named(1), Version: "dev"},
			"Paused\n--\nOpen dashboard\nServers\n  s01\n--\nResume all servers\n(Health check)\nCopy MCP configuration\n--\n" +
				"Start at login\n(Agent Discover dev)\nQuit\n",
		},
		"without its port": {
			state{
				Phase: connected, Servers: named(1), Version: "dev",
				Port: &takenPort{3424, "port 3424 is used by another program (process 4711, evil\u202e\n, of user alice)"},
			},
			"The hub does not have port 3424\n--\nOpen dashboard\nServers\n  s01\n" +
				"Port 3424 is used by another program (process 4711, evil , of user alice)…\n--\n" +
				"Pause all servers\nHealth check\nCopy MCP configuration\n--\nStart at login\n(Agent Discover dev)\nQuit\n",
		},
		"checking": {
			state{Phase: connected, Checking: true, Servers: named(1)},
			"0 of 1 server running\n--\nOpen dashboard\nServers\n  s01\n--\nPause all servers\n(Checking health…)\n" +
				"Copy MCP configuration\n--\nStart at login\n(Agent Discover)\nQuit\n",
		},
		"stopped": {
			state{Phase: stopped},
			"Stopped\n--\nOpen dashboard\n--\nStart hub\n(Pause all servers)\n(Health check)\nCopy MCP configuration\n--\n" +
				"Start at login\n(Agent Discover)\nQuit\n",
		},
		"quitting": {
			state{Phase: quitting},
			"(Stopping…)\n--\nOpen dashboard\n--\n(Pause all servers)\n(Health check)\nCopy MCP configuration\n--\nStart at login\n" +
				"(Agent Discover)\n(Quit)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := render(menuOf(row.state).Items, ""); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

func TestSubmenusAreLimitedAndLeadToTheWindow(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "s01", 20: "s20", 21: "1 more…", 3000: "2980 more…"} {
		for _, approved := range []bool{true, false} {
			servers := named(n)
			for i := range servers {
				servers[i].Approved = approved
			}
			items := menuOf(state{Phase: connected, Servers: servers}).Items[6].Items
			more, each := commandApprovals, 2 // each server has an item for its name and one for its approval code
			if approved {
				items = menuOf(state{Phase: connected, Servers: servers}).Items[5].Items
				more, each = commandServers, 1
			}
			wanted := each * min(n, maxListed)
			if n > maxListed {
				wanted++
			}
			if len(items) != wanted {
				t.Fatalf("%d servers: got %d items, want %d", n, len(items), wanted)
			}
			if n == 0 {
				continue
			}
			last := items[len(items)-1]
			last.Label = strings.TrimPrefix(last.Label, "Show the approval code of ")
			if strings.TrimSuffix(last.Label, "…") != strings.TrimSuffix(want, "…") ||
				n > maxListed && (last.Command != more || last.Checkable) {
				t.Errorf("%d servers: last item %+v, want label %q", n, last, want)
			}
		}
	}
}

func TestItemsHaveTheCommandsOfTheirLabels(t *testing.T) {
	commands := func(s state) map[string]string {
		found := make(map[string]string)
		var walk func([]item)
		walk = func(items []item) {
			for _, it := range items {
				if !it.Hidden {
					found[it.Label] = it.Command
				}
				walk(it.Items)
			}
		}
		walk(menuOf(s).Items)
		return found
	}
	connectedMenu := commands(state{
		Phase: connected, AtLogin: true,
		Servers: []server{{ID: 7, Name: "a", Approved: true, Running: true}, {ID: 8, Name: "b", Approved: true}, {ID: 9, Name: "c"}},
	})
	stoppedMenu := commands(state{Phase: stopped})
	pausedMenu := commands(state{Phase: connected, Paused: true})
	for _, row := range []struct {
		menu        map[string]string
		label, want string
	}{
		{connectedMenu, "a", "halt 7"},
		{connectedMenu, "b", "run 8"},
		{connectedMenu, "c…", "open /approvals"},
		{connectedMenu, "Open dashboard", "open"},
		{connectedMenu, "Pause all servers", "pause"},
		{connectedMenu, "Health check", "check"},
		{connectedMenu, "Copy MCP configuration", "copy"},
		{connectedMenu, "Start at login", "no login"},
		{connectedMenu, "Quit", "quit"},
		{connectedMenu, "1 server waits for approval", "open /approvals"},
		{stoppedMenu, "Stopped", "open"},
		{pausedMenu, "Paused", "open /servers"},
		{
			commands(state{Phase: connected, Servers: []server{{Name: "a", Approved: true, State: "failing"}}}),
			"1 server fails", "open /servers",
		},
		{
			commands(state{Phase: connected, Servers: []server{{ID: 6, Name: "notes", Approved: true, State: "sign_in"}}}),
			"notes…", "signin 6",
		},
		{
			commands(state{Phase: connected, Calls: 2, Servers: []server{{Name: "a", Approved: true, Running: true}}}),
			"2 calls running", "open /activity",
		},
		{
			commands(state{Phase: connected, Calls: 2, Servers: named(1), Port: &takenPort{3424, "port 3424 is free"}}),
			"The hub does not have port 3424", "open",
		},
		{
			commands(state{Phase: connected, Servers: named(1), Port: &takenPort{3424, "port 3424 is free"}}), "Port 3424 is free…", "open",
		},
		{commands(state{}), "Starting…", ""},
		{stoppedMenu, "Start at login", "login"},
		{stoppedMenu, "Start hub", "start"},
		{pausedMenu, "Resume all servers", "resume"},
	} {
		if got, ok := row.menu[row.label]; !ok || got != row.want {
			t.Errorf("%s: command %q (found: %v), want %q", row.label, got, ok, row.want)
		}
	}
}

func TestItemsKeepTheirPositionAndKind(t *testing.T) {
	first := menuOf(state{}).Items
	for _, s := range []state{
		{Phase: connected, Servers: named(30), Note: "x"},
		{Phase: connected, Paused: true, Servers: []server{{Name: "new"}}},
		{Phase: connected, Port: &takenPort{3424, "port 3424 is free"}},
		{Phase: stopped, AtLogin: true},
		{Phase: failing},
		{Phase: quitting},
	} {
		items := menuOf(s).Items
		if len(items) != len(first) {
			t.Fatalf("%+v: got %d items, want %d", s, len(items), len(first))
		}
		for i, it := range items {
			if it.Separator != first[i].Separator || it.Checkable != first[i].Checkable {
				t.Errorf("%+v: item %d is a separator or has a check box, unlike in other states, or the reverse", s, i)
			}
		}
	}
}

func TestLabelsAreOneLineWithoutControlCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                     "plain",
		" a\n\tb\r\n":               "a b",
		"\u202Etxt.exe\u200B\u2066": "txt.exe",
		"a\x00\x1b[31mb\u0085":      "a[31mb",
		"\xff\xfe":                  "\uFFFD",
		"日本語 ☕":                     "日本語 ☕",
		strings.Repeat("x", 48):     strings.Repeat("x", 48),
		strings.Repeat("é", 49):     strings.Repeat("é", 47) + "…",
		strings.Repeat("ab ", 30):   strings.Repeat("ab ", 15) + "ab…",
	} {
		if got := safetext.Clip(safetext.Label(text), maxLabel); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzLabels(f *testing.F) {
	f.Add("a_b&c\n\u202E")
	f.Fuzz(func(t *testing.T, text string) {
		got := safetext.Clip(safetext.Label(text), maxLabel)
		if utf8.RuneCountInString(got) > maxLabel || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("label of %q: got %q", text, got)
		}
		for _, s := range []state{
			{Phase: failing, Problem: text}, {Phase: connected, Note: text, Servers: []server{{Name: text}, {Name: text, Approved: true}}},
		} {
			menuOf(s)
		}
	})
}

func TestMnemonicCharactersAreEscaped(t *testing.T) {
	for system, want := range map[string]string{"linux": "a__b & c", "windows": "a_b && c", "darwin": "a_b & c"} {
		if got := escapeMnemonics(system, "a_b & c"); got != want {
			t.Errorf("%s: got %q, want %q", system, got, want)
		}
	}
}
