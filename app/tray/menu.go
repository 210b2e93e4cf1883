package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/build/icons"
)

const (
	maxListed = 20 // servers in a submenu; the window shows all
	maxLabel  = 48 // characters of a label
	maxNote   = 96 // characters of the note and of an error in the first line
)

// Commands of menu items. Those about one server end with the id of the server.
const (
	commandOpen      = "open"
	commandServers   = "open /servers"
	commandApprovals = "open /approvals"
	commandActivity  = "open /activity"
	commandCode      = "code "
	commandRun       = "run "
	commandHalt      = "halt "
	commandSignIn    = "signin "
	commandStart     = "start"
	commandPause     = "pause"
	commandResume    = "resume"
	commandCheck     = "check"
	commandCopy      = "copy"
	commandLogin     = "login"
	commandNoLogin   = "no login"
	commandQuit      = "quit"
)

// menu is the content of the tray. It always has the same items in the same order, because system trays cannot move
// or remove items. Unneeded items are hidden.
type menu struct {
	Icon    icons.State
	Tooltip string
	Items   []item
}

// item is one line of a menu. A submenu gains new items only at its end, and hides surplus items at its end.
type item struct {
	Label     string
	Command   string // executed by a click; "" for none
	Separator bool
	Checkable bool // must not change for an item that is already shown
	Checked   bool
	Disabled  bool
	Hidden    bool
	Items     []item
}

// menuOf returns the menu for a state.
func menuOf(s state) menu {
	line, icon := statusLine(s)
	waiting, approved := split(s.Servers)
	signIns, online := slices.DeleteFunc(slices.Clone(approved), func(v server) bool { return !v.wantsSignIn() }), s.Phase == connected
	return menu{Icon: icon, Tooltip: "Agent Discover: " + line, Items: []item{
		{Label: line, Command: openedBy(s), Disabled: openedBy(s) == ""},
		{Label: safetext.Clip(safetext.Label(s.Note), maxNote), Disabled: true, Hidden: s.Note == ""},
		{Separator: true},
		{Label: "Open dashboard", Command: commandOpen},
		{Label: "Answer " + plural(len(s.Questions), "question", "questions") + "…", Command: commandOpen, Hidden: len(s.Questions) == 0},
		{Label: "Servers", Hidden: len(approved) == 0, Items: serverItems(approved, s.Paused)},
		{Label: fmt.Sprintf("Waiting for approval (%d)", len(waiting)), Hidden: len(waiting) == 0, Items: waitingItems(waiting)},
		{Label: "Review " + plural(s.Held, "held item", "held items") + "…", Command: commandApprovals, Hidden: s.Held == 0},
		{Label: fmt.Sprintf("Sign in (%d)", len(signIns)), Hidden: len(signIns) == 0, Items: signInItems(signIns)},
		{Label: portLabel(s), Command: commandOpen, Hidden: !s.lacksPort()},
		{Separator: true},
		{Label: "Start hub", Command: commandStart, Hidden: s.Phase != stopped && s.Phase != failing},
		{
			Label: either(s.Paused, "Resume all servers", "Pause all servers"), Command: either(s.Paused, commandResume, commandPause),
			Disabled: !online,
		},
		{
			Label: either(s.Checking, "Checking health…", "Health check"), Command: commandCheck,
			Disabled: !online || s.Paused || s.Checking || len(approved) == 0,
		},
		{Label: "Copy MCP configuration", Command: commandCopy},
		{Separator: true},
		{Label: "Start at login", Command: either(s.AtLogin, commandNoLogin, commandLogin), Checkable: true, Checked: s.AtLogin},
		{Label: safetext.Clip(safetext.Label("Agent Discover "+s.Version), maxLabel), Disabled: true},
		{Label: "Quit", Command: commandQuit, Disabled: s.Phase == quitting},
	}}
}

// statusLine returns the first line of the menu and the icon for a state.
func statusLine(s state) (string, icons.State) {
	waiting, approved := split(s.Servers)
	running, failed, signIns := 0, 0, 0
	for _, v := range approved {
		if v.Running {
			running++
		}
		if v.failed() {
			failed++
		}
		if v.wantsSignIn() {
			signIns++
		}
	}
	switch {
	case s.Phase == starting:
		return "Starting…", icons.Stopped
	case s.Phase == restarting:
		return "Restarting…", icons.Stopped
	case s.Phase == stopped:
		return "Stopped", icons.Stopped
	case s.Phase == quitting:
		return "Stopping…", icons.Stopped
	case s.Phase == failing:
		return safetext.Clip(safetext.Label("Hub unavailable: "+s.Problem), maxNote), icons.Attention
	case s.Paused && len(waiting)+len(s.Questions)+s.Held > 0: // before the other cases, because paused servers do not count as failed
		return "Paused, " + attentionLine(len(s.Questions), len(waiting), s.Held, 0, 0), icons.Attention
	case s.Paused:
		return "Paused", icons.Paused
	case len(s.Questions)+len(waiting)+s.Held+signIns+failed > 0:
		return attentionLine(len(s.Questions), len(waiting), s.Held, signIns, failed), icons.Attention
	case s.lacksPort():
		return fmt.Sprintf("The hub does not have port %d", s.Port.Port), icons.Attention
	case s.Calls > 0:
		return plural(s.Calls, "call", "calls") + " running", icons.Working
	case len(approved) == 0:
		return "No servers yet", icons.Running
	}
	return fmt.Sprintf("%d of %s running", running, plural(len(approved), "server", "servers")), icons.Running
}

// openedBy returns the command that opens the page with details about the first line of the menu, or "" if there is no
// such page.
func openedBy(s state) string {
	waiting, approved := split(s.Servers)
	switch {
	case s.Phase == failing || s.Phase == stopped:
		return commandOpen // the window shows the reason, and can start the hub
	case s.Phase != connected:
		return ""
	case len(s.Questions) > 0:
		return commandOpen // every page shows the questions
	case len(waiting)+s.Held > 0:
		return commandApprovals
	case s.Paused || slices.ContainsFunc(approved, server.failed) || slices.ContainsFunc(approved, server.wantsSignIn):
		return commandServers
	case s.lacksPort():
		return commandOpen // the first page says what to do
	case s.Calls > 0:
		return commandActivity
	}
	return commandServers
}

// portLabel returns the label of the item about a port that the hub does not have; "" if it has its port.
func portLabel(s state) string {
	if !s.lacksPort() {
		return ""
	}
	return safetext.Clip(safetext.Label(strings.ToUpper(s.Port.Summary[:1])+s.Port.Summary[1:]), maxNote) + "…"
}

// attentionLine returns a text that counts the questions, the servers that wait for approval, the held tools and texts
// of servers, the servers that need a sign-in, and the servers that have failed.
func attentionLine(questions, waiting, held, signIns, failed int) string {
	var parts []string
	if questions > 0 {
		parts = append(parts, plural(questions, "question waits", "questions wait"))
	}
	if waiting > 0 {
		parts = append(parts, plural(waiting, "server waits", "servers wait")+" for approval")
	}
	if held > 0 {
		parts = append(parts, plural(held, "tool or text is", "tools or texts are")+" held")
	}
	if signIns > 0 {
		parts = append(parts, plural(signIns, "server requires", "servers require")+" a sign-in")
	}
	if failed > 0 {
		parts = append(parts, plural(failed, "server fails", "servers fail"))
	}
	return strings.Join(parts, ", ")
}

// split returns the servers that wait for approval and the approved ones, each sorted by name.
func split(servers []server) (waiting, approved []server) {
	sorted := slices.SortedFunc(slices.Values(servers), func(a, b server) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	for _, v := range sorted {
		if v.Approved {
			approved = append(approved, v)
		} else {
			waiting = append(waiting, v)
		}
	}
	return waiting, approved
}

func serverItems(servers []server, paused bool) []item {
	var items []item
	for _, v := range servers[:min(len(servers), maxListed)] {
		label := v.Name
		if (v.failed() || v.wantsSignIn()) && !paused {
			label += " (" + words.Lower(words.Server(v.State, false)) + ")"
		}
		command := either(v.Running, commandHalt, commandRun) + strconv.FormatInt(v.ID, 10)
		items = append(items, item{
			Label: safetext.Clip(safetext.Label(label), maxLabel), Command: command, Checkable: true, Checked: v.Running,
		})
	}
	return withMore(items, len(servers)-maxListed, commandServers)
}

func waitingItems(servers []server) []item {
	var items []item
	for _, v := range servers[:min(len(servers), maxListed)] {
		// No item approves a server: a person has to read its command first, which the menu cannot show.
		items = append(items,
			item{Label: safetext.Clip(safetext.Label(v.Name+"…"), maxLabel), Command: commandApprovals},
			item{
				Label:   safetext.Clip(safetext.Label("Show the approval code of "+v.Name), maxLabel),
				Command: commandCode + strconv.FormatInt(v.ID, 10),
			})
	}
	return withMore(items, len(servers)-maxListed, commandApprovals)
}

func signInItems(servers []server) []item {
	var items []item
	for _, v := range servers[:min(len(servers), maxListed)] {
		items = append(items, item{
			Label: safetext.Clip(safetext.Label(v.Name+"…"), maxLabel), Command: commandSignIn + strconv.FormatInt(v.ID, 10),
		})
	}
	return withMore(items, len(servers)-maxListed, commandServers)
}

// withMore adds an item that shows how many more servers exist, if more is greater than 0. A click on it executes
// command.
func withMore(items []item, more int, command string) []item {
	if more > 0 {
		items = append(items, item{Label: fmt.Sprintf("%d more…", more), Command: command})
	}
	return items
}

// escapeMnemonics doubles the character that marks a keyboard shortcut in menus of the system, so that it is shown.
func escapeMnemonics(system, label string) string {
	switch system {
	case "windows":
		return strings.ReplaceAll(label, "&", "&&")
	case "darwin":
		return label
	}
	return strings.ReplaceAll(label, "_", "__") // the rule for menus over D-Bus
}

func plural(n int, one, many string) string {
	return fmt.Sprintf("%d %s", n, either(n == 1, one, many))
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
