package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/build/icons"
)

const (
	maxListed = 20 // servers in a submenu; the window shows all
	maxLabel  = 48 // characters of a label
	maxNote   = 96 // characters of a line that tells what happened
)

// What a click on an item means. Those of servers have the id behind.
const (
	clickOpen       = "open"
	clickServers    = "open /servers"
	clickApprovals  = "open /approvals"
	clickActivate   = "activate "
	clickDeactivate = "deactivate "
	clickStart      = "start"
	clickPause      = "pause"
	clickResume     = "resume"
	clickCheck      = "check"
	clickCopy       = "copy"
	clickLogin      = "login"
	clickNoLogin    = "no login"
	clickQuit       = "quit"
)

// menu is what the tray shows. The items and their places are always the same;
// what does not apply is hidden, for no tray can move or remove an item.
type menu struct {
	Icon    icons.State
	Tooltip string
	Items   []item
}

// item is one line of a menu. Items of a submenu come and go at its end.
type item struct {
	Label     string
	Click     string // what a click means; "" for nothing
	Separator bool
	Checkable bool // always or never for an item in its place
	Checked   bool
	Disabled  bool
	Hidden    bool
	Items     []item
}

// model returns the menu of a state.
func model(s state) menu {
	line, shown := stateLine(s)
	waiting, listed := split(s.Servers)
	on := s.Phase == connected
	return menu{Icon: shown, Tooltip: "Agent Discover: " + line, Items: []item{
		{Label: line, Disabled: true},
		{Label: safetext.Clip(safetext.Label(s.Note), maxNote), Disabled: true, Hidden: s.Note == ""},
		{Separator: true},
		{Label: "Open dashboard", Click: clickOpen},
		{Label: "Servers", Hidden: len(listed) == 0, Items: serverItems(listed)},
		{Label: fmt.Sprintf("Waiting for approval (%d)", len(waiting)), Hidden: len(waiting) == 0, Items: waitingItems(waiting)},
		{Separator: true},
		{Label: "Start", Click: clickStart, Hidden: s.Phase != stopped && s.Phase != failing},
		pauseItem(s),
		{Label: checkLabel(s), Click: clickCheck, Disabled: !on || s.Paused || s.Checking || len(listed) == 0},
		{Label: "Copy MCP configuration", Click: clickCopy},
		{Separator: true},
		{Label: "Start at login", Click: either(s.AtLogin, clickNoLogin, clickLogin), Checkable: true, Checked: s.AtLogin},
		{Label: safetext.Clip(safetext.Label("Agent Discover "+s.Version), maxLabel), Disabled: true},
		{Label: "Quit", Click: clickQuit, Disabled: s.Phase == quitting},
	}}
}

// stateLine says in one line how things are, and which icon says the same.
func stateLine(s state) (string, icons.State) {
	waiting, listed := split(s.Servers)
	running, failed := 0, 0
	for _, v := range listed {
		if v.Running {
			running++
		}
		if v.failed() {
			failed++
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
		return safetext.Clip(safetext.Label("No hub: "+s.Problem), maxNote), icons.Attention
	case len(waiting) > 0 || failed > 0:
		return attention(len(waiting), failed), icons.Attention
	case s.Paused:
		return "Paused", icons.Paused
	case s.Calls > 0:
		return plural(s.Calls, "call", "calls") + " running", icons.Working
	case len(listed) == 0:
		return "No servers yet", icons.Running
	}
	return fmt.Sprintf("%d of %s running", running, plural(len(listed), "server", "servers")), icons.Running
}

func attention(waiting, failed int) string {
	var parts []string
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d %s for approval", waiting, either(waiting == 1, "waits", "wait")))
	}
	if failed > 0 {
		parts = append(parts, plural(failed, "server", "servers")+" failed")
	}
	return strings.Join(parts, ", ")
}

// split returns the servers that wait for a person's yes and those that have it,
// both sorted by name.
func split(servers []server) (waiting, listed []server) {
	sorted := slices.SortedFunc(slices.Values(servers), func(a, b server) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	for _, v := range sorted {
		if v.Approved {
			listed = append(listed, v)
		} else {
			waiting = append(waiting, v)
		}
	}
	return waiting, listed
}

func serverItems(servers []server) []item {
	var items []item
	for _, v := range servers[:min(len(servers), maxListed)] {
		label := v.Name
		if v.failed() {
			label += " (failed)"
		}
		click := either(v.Active, clickDeactivate, clickActivate) + strconv.FormatInt(v.ID, 10)
		items = append(items, item{Label: safetext.Clip(safetext.Label(label), maxLabel), Click: click, Checkable: true, Checked: v.Active})
	}
	return withMore(items, len(servers), clickServers)
}

func waitingItems(servers []server) []item {
	var items []item
	for _, v := range servers[:min(len(servers), maxListed)] {
		// To approve is to have read the command: that takes a window.
		items = append(items, item{Label: safetext.Clip(safetext.Label(v.Name+"…"), maxLabel), Click: clickApprovals})
	}
	return withMore(items, len(servers), clickApprovals)
}

func withMore(items []item, all int, click string) []item {
	if more := all - len(items); more > 0 {
		items = append(items, item{Label: fmt.Sprintf("%d more…", more), Click: click})
	}
	return items
}

func pauseItem(s state) item {
	if s.Paused {
		return item{Label: "Resume all", Click: clickResume, Disabled: s.Phase != connected}
	}
	return item{Label: "Pause all", Click: clickPause, Disabled: s.Phase != connected}
}

func checkLabel(s state) string { return either(s.Checking, "Checking health…", "Health check") }

// literal doubles what a menu of the system takes for the mark of a shortcut.
func literal(system, label string) string {
	switch system {
	case "windows":
		return strings.ReplaceAll(label, "&", "&&")
	case "darwin":
		return label
	}
	return strings.ReplaceAll(label, "_", "__") // as menus over D-Bus have it
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
