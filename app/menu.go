package app

import (
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
)

// entry is a menu item. Its shortcut is key pressed together with Control, or with Command on macOS; if key is "", the
// item has no shortcut. An entry without a label is a separator.
type entry struct {
	label string
	key   string
	do    func()
}

type submenu struct {
	label   string
	entries []entry
}

// destinations are the dashboard's pages, in the order of their shortcuts from Ctrl+1.
var destinations = []struct{ label, page string }{
	{"Overview", "/"},
	{"Servers", "/servers"},
	{"Editors", "/editors"},
	{"Tools", "/tools"},
	{"Inspector", "/test"},
	{"Activity", "/activity"},
	{"Approvals", "/approvals"},
	{"Browse", "/browse"},
	{"Toolsets", "/toolsets"},
}

// actions are the commands of the menus.
type actions interface {
	navigate(to string) // shows a page, or runs a command of the page such as "reload"
	zoom(step int)      // 1 larger, -1 smaller, 0 actual size
	edit(command string)
	folder(kind string)
	describe() // shows the documentation of the hub's API
	about()
	quit()
}

// menus returns the menus for an operating system. On macOS, Wails adds the Edit menu and the application menu with
// Quit.
func menus(system string, a actions) []submenu {
	quit := entry{"Quit", "q", a.quit}
	file := submenu{"File", []entry{
		{"Open Data Folder", "", func() { a.folder("data") }},
		{"Open Logs", "", func() { a.folder("logs") }},
		{},
		{"Close Window", "w", a.quit},
	}}
	edit := submenu{label: "Edit"}
	for _, command := range []struct{ label, name string }{
		{"Undo", "Undo"}, {"Redo", "Redo"}, {}, {"Cut", "Cut"}, {"Copy", "Copy"}, {"Paste", "Paste"}, {}, {"Select All", "SelectAll"},
	} {
		// These entries have no shortcuts: the web view handles the usual keys, and the page may use them too.
		edit.entries = append(edit.entries, entry{command.label, "", func() { a.edit(command.name) }})
	}
	view := submenu{"View", []entry{
		{"Reload", "r", func() { a.navigate("reload") }},
		{},
		{"Zoom In", "+", func() { a.zoom(1) }},
		{"Zoom Out", "-", func() { a.zoom(-1) }},
		{"Actual Size", "0", func() { a.zoom(0) }},
	}}
	goTo := submenu{label: "Go"}
	for i, to := range destinations {
		goTo.entries = append(goTo.entries, entry{to.label, string(rune('1' + i)), func() { a.navigate(to.page) }})
	}
	goTo.entries = append(goTo.entries, entry{"Settings", ",", func() { a.navigate("/settings") }},
		entry{}, entry{"Find …", "k", func() { a.navigate("palette") }})
	help := submenu{
		"Help", []entry{
			{"Guide", "", func() { a.navigate("/help") }}, {"API Documentation", "", a.describe}, {"About " + Title, "", a.about},
		},
	}
	if system != "darwin" {
		file.entries = append(file.entries, quit)
		return []submenu{file, edit, view, goTo, help}
	}
	help.entries = help.entries[:2] // About is in the application menu
	return []submenu{file, view, goTo, help}
}

// wailsMenu converts the result of menus to a menu of Wails.
func wailsMenu(system string, a actions) *menu.Menu {
	all := menu.NewMenu()
	if system == "darwin" {
		all.Append(menu.AppMenu())
	}
	for i, m := range menus(system, a) {
		if system == "darwin" && i == 1 {
			all.Append(menu.EditMenu())
		}
		sub := all.AddSubmenu(m.label)
		for _, e := range m.entries {
			if e.label == "" {
				sub.AddSeparator()
				continue
			}
			var shortcut *keys.Accelerator
			if e.key != "" {
				shortcut = keys.CmdOrCtrl(e.key)
			}
			sub.AddText(e.label, shortcut, func(*menu.CallbackData) { e.do() })
		}
	}
	return all
}
