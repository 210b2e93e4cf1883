// Package table knows the AI editors and agents: where each keeps its MCP
// servers on a machine, and how it spells an entry. The data is in table.yaml.
// The package searches for files and never changes one; editing texts is left to
// package configedit, and changing files to package registration.
package table

import (
	"io/fs"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// Machine is the computer on which editors are searched. Tests describe machines
// of other systems.
type Machine struct {
	OS       string                                   // linux, darwin or windows; decides how paths are written
	Home     string                                   // the user's home folder
	Variable func(name string) string                 // returns a variable of the user's environment; "" when unset
	Stat     func(path string) (fs.FileInfo, error)   // os.Stat
	Glob     func(pattern string) ([]string, error)   // filepath.Glob
	Command  func(name string) (path string, ok bool) // finds a program on the user's PATH
	Read     func(path string) ([]byte, error)        // os.ReadFile; only Beside reads files
	// Root is a folder that contains the machine's files, for tests: in it,
	// /home/me/a is home/me/a, and C:\Users\me\a is C/Users/me/a. "" means the
	// real file system.
	Root string
}

// Editor is a row of the table.
type Editor struct {
	ID      string   // lower-case words with hyphens
	Name    string   // name of the product
	Also    []string // other ids that people type
	Clients []string // names that it sends in initialize, in lower case; one that ends in * is a prefix

	Place    configedit.Place
	Shape    string     // name of the shape in which entries are spelled
	Register Permission // whether the entry of Agent Discover may be added
	Import   bool       // whether its servers can be read
	Each     bool       // every file whose folder exists counts, not only the first
	Writer   string     // the editor's own program that changes the file: claude; "" for none
	Running  []string   // names of processes that must have ended before the file is changed
	Project  []string   // files of a project, relative to its folder

	Reload      Reload
	ReloadHint  string   // what the user has to do after a change, as sentences
	ListChanged string   // yes, no or unknown: whether notifications/tools/list_changed is honoured
	MaxTools    int      // limit on the number of tools; 0: none known
	MaxName     int      // limit on a tool's whole name, in characters; 0: none known
	NamePrefix  string   // what the editor puts before a tool's name, with {server}
	NoSpaces    bool     // it cannot start a command that contains a space
	Schemas     string   // whose rules tool schemas must meet: anthropic, gemini, openai or ""
	Managed     []string // policy files of an administrator
	Verified    bool     // confirmed by several sources, or by the editor's own source or documentation
	Note        string   // what a person should know, as sentences

	row *row // the data of all systems
}

// Permission tells when the entry of Agent Discover may be added to a file.
type Permission string

// The permissions.
const (
	Always     Permission = "yes"
	IfExisting Permission = "existing" // only to a file that exists
	Never      Permission = "no"
)

// Reload tells when an editor reads its file again.
type Reload string

// The ways to reload.
const (
	Hot     Reload = "hot"     // after each change
	Session Reload = "session" // in a new session
	Refresh Reload = "refresh" // by a button or command
	Restart Reload = "restart" // at its next start
)

// File is a configuration file of an editor on a machine.
type File struct {
	Path   string
	Exists bool
	Scope  string // user, or the project's folder
	Place  configedit.Place
	Shape  string
	Or     []configedit.Place // other places of the servers, read when Place has none
	Plugin string             // value of ${CLAUDE_PLUGIN_ROOT} in the file; "" outside of plugins
}

// Found is the result of searching an editor on a machine. Editor is a copy in
// which Register and Running are those of this machine.
type Found struct {
	*Editor
	Detected bool
	Evidence []string // paths and commands that show that it is installed
	Files    []File   // files that take the entry of Agent Discover; none when unknown on this system
	Managed  []string // policy files that exist
}

// Server is an MCP server in an editor's configuration.
type Server struct {
	Transport string // stdio, streamable-http or sse
	Command   string
	Args      []string
	Env       map[string]string
	Dir       string // working folder; "" for the editor's default
	URL       string
	Headers   map[string]string
	Disabled  bool
}
