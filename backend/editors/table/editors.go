// Package editors answers which AI editors and agents there are, where each
// keeps its MCP servers on this machine, and how it spells one. The answers are
// a table, data in table.yaml; it looks for files and never changes one.
package table

import (
	"io/fs"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// Machine is where editors are looked for: this one, or in tests any.
type Machine struct {
	OS       string                                   // linux, darwin or windows; it decides how paths are written
	Home     string                                   // of the user
	Variable func(name string) string                 // of the user's environment
	Stat     func(path string) (fs.FileInfo, error)   // os.Stat
	Glob     func(pattern string) ([]string, error)   // filepath.Glob
	Command  func(name string) (path string, ok bool) // a program on the user's PATH
	Read     func(path string) ([]byte, error)        // os.ReadFile; only Beside reads
	// Root is a folder in which the whole machine lies, for tests with files of
	// another system: below it /home/me/a is home/me/a, and C:\Users\me\a is
	// C/Users/me/a. "" is the machine itself.
	Root string
}

// Editor is a row of the table.
type Editor struct {
	ID      string   // lower-case words with hyphens
	Name    string   // as a person knows it
	Also    []string // other ids that people type
	Clients []string // names that it gives itself in initialize, lower-case, or beginnings of them that end in *

	Place    configedit.Place
	Shape    string     // how an entry is spelled: the name of a shape
	Register Permission // whether our entry may come in
	Import   bool       // whether its servers can be read
	Each     bool       // every file whose folder is there counts, not only the first
	Writer   string     // the program that makes the change itself, where there is one: claude
	Running  []string   // names of processes that must not run while the file is changed
	Project  []string   // files of a project, below its folder

	Reload      Reload
	ReloadHint  string   // what the user has to do, a sentence
	ListChanged string   // yes, no or unknown: whether notifications/tools/list_changed is honoured
	MaxTools    int      // 0: no limit is known
	MaxName     int      // characters of a tool's whole name; 0: no limit is known
	NamePrefix  string   // what it puts before a tool's name, with {server}
	NoSpaces    bool     // a command with a space in it does not start
	Schemas     string   // whose models read the tools: anthropic, gemini, openai or ""
	Managed     []string // files by which an administrator decides; read, never circumvented
	Verified    bool     // several sources agree, or the client's own source or documentation says so
	Note        string   // what a person should know, a sentence

	row *row // what depends on the system
}

// Permission says when our entry may come into an editor's file.
type Permission string

// The permissions.
const (
	Always     Permission = "yes"
	IfExisting Permission = "existing" // only into a file that is there
	Never      Permission = "no"
)

// Reload says what it takes until an editor has read its file again.
type Reload string

// The ways to reload.
const (
	Hot     Reload = "hot"     // it sees the change
	Session Reload = "session" // a new session reads it
	Refresh Reload = "refresh" // a button or command reads it
	Restart Reload = "restart"
)

// File is a configuration file of an editor on a machine.
type File struct {
	Path   string
	Exists bool
	Scope  string // user, or the project's folder
	Place  configedit.Place
	Shape  string
	Or     []configedit.Place // where its servers may stand as well: read when Place has none
	Plugin string             // the folder that ${CLAUDE_PLUGIN_ROOT} means in it; "" for none
}

// Found is an editor as it is on a machine. Its Editor is a copy: Register and
// Running are what holds on this machine.
type Found struct {
	*Editor
	Detected bool
	Evidence []string // what shows that it is there: paths and commands
	Files    []File   // that our entry belongs into, and that are read; none where its place is not known on this system
	Managed  []string // policies that are there
}

// Server is an MCP server as editors know it.
type Server struct {
	Transport string // stdio, streamable-http or sse
	Command   string
	Args      []string
	Env       map[string]string
	Dir       string
	URL       string
	Headers   map[string]string
	Disabled  bool
}
