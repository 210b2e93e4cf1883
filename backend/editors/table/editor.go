// Package table describes the known AI editors and agents: where each keeps
// its MCP servers on a machine, and the format of its entries. The data is in
// table.yaml. The package searches for files and never changes one; editing
// texts is left to package configedit, and changing files to package
// registration.
package table

import (
	"io/fs"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Machine is the computer that is searched for editors. Tests use simulated
// machines with other operating systems.
type Machine struct {
	OS       string                                   // linux, darwin or windows; decides how paths are written
	Home     string                                   // the user's home folder
	Variable func(name string) string                 // returns a variable of the user's environment; "" when unset
	Stat     func(path string) (fs.FileInfo, error)   // os.Stat
	Glob     func(pattern string) ([]string, error)   // filepath.Glob
	Command  func(name string) (path string, ok bool) // finds a program on the user's PATH
	Read     func(path string) ([]byte, error)        // os.ReadFile; if nil, Find does not look into files
	// Root is a folder that contains the machine's files, for tests: in it,
	// /home/me/a is home/me/a, and C:\Users\me\a is C/Users/me/a. "" means the
	// real file system.
	Root string
}

// Editor is a known editor or agent: a row of the table.
type Editor struct {
	ID      string   // lower-case words with hyphens
	Name    string   // name of the product
	Also    []string // alternative ids, which ByID accepts
	Clients []string // names that the editor sends in initialize, in lower case; a name that ends in * is a prefix

	Place    configedit.Place
	Shape    string     // name of the shape of its entries
	Register Permission // whether the entry of Agent Discover may be added
	Import   bool       // whether the importer can read its servers
	Each     bool       // every file whose folder exists takes the entry, not only the first
	Writer   string     // program of the editor that changes the file: claude; empty if there is none
	Running  []string   // names of processes that must have ended before the file is changed
	// Eager are fields of an entry that make the editor show a model the definitions of the tools
	// from the start, and not only their names.
	Eager configedit.Object
	// DefersFrom is the number of tools from which the editor shows a model only their names, and
	// loads definitions on demand. It is 0 if the editor never does this, or if that is unknown.
	DefersFrom int
	// Setting is an object in the user's file outside the servers that has the same purpose as
	// Eager. It is nil if the editor needs none.
	Setting *Setting
	Project []string // files of a project, relative to its folder

	Reload      Reload
	ReloadHint  string // steps that the user must take after a change, as sentences
	RemovedHint string // the same after a change that only removes an entry
	ProjectHint string // steps that the user must take for an entry in a project's file, as sentences
	ListChanged string // yes, no or unknown: whether notifications/tools/list_changed is honoured
	MaxTools    int    // limit on the number of tools; 0 if none is known
	MaxName     int    // limit on the length of NamePrefix and a tool's name, in characters; 0 if none is known
	MaxResult   int    // length of a tool's result from which the editor cuts it for the model, in bytes; 0 if unknown
	// ReadsResources reports whether the editor gives its model a tool that reads resources by URI.
	ReadsResources bool
	NamePrefix     string   // text that the editor puts before a tool's name; {server} stands for the server's name
	NoSpaces       bool     // the editor cannot start a command that contains a space
	Schemas        string   // vendor whose rules tool schemas must meet: anthropic, gemini, openai or ""
	Managed        []string // policy files of an administrator
	Verified       bool     // the row is confirmed by several sources, or by the editor's own source code or documentation
	Note           string   // remarks for a person, as sentences

	row *row // the row with the data of all systems
}

// Permission is whether the entry of Agent Discover may be added to a file.
type Permission string

// The permissions.
const (
	Always     Permission = "yes"
	IfExisting Permission = "existing" // only to a file that exists
	Never      Permission = "no"
)

// Reload is when an editor reads its file again after a change.
type Reload string

// The ways to reload.
const (
	Hot     Reload = "hot"     // after each change
	Session Reload = "session" // in a new session
	Refresh Reload = "refresh" // when the user presses a button or runs a command
	Restart Reload = "restart" // at its next start
)

// File is a configuration file of an editor on a machine.
type File struct {
	Path   string
	Exists bool
	Scope  string // user, or the project's folder
	Place  configedit.Place
	Shape  string
	Or     []configedit.Place // alternative places, read when Place has no servers
	// Rejects are the extensions of the format that the editor does not accept.
	Rejects []configedit.Extension
	Plugin  string // value of ${CLAUDE_PLUGIN_ROOT} in the file; "" outside of plugins
}

// Setting is an object in an editor's file, outside of the collection of servers.
type Setting struct {
	Keys   []string          // the path to the object
	Fields configedit.Object // the fields to set in the object
}

// Place returns the path to the collection that contains the object, and the name of the object in
// this collection.
func (s *Setting) Place() (keys []string, name string) {
	last := len(s.Keys) - 1
	return s.Keys[:last], s.Keys[last]
}

// Found is the result of searching a machine for an editor. Editor is a copy
// in which Register and Running have the values for this machine.
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
	Timeouts  registry.Timeouts // Understand leaves them to Limits
	More      configedit.Object // fields that only this editor has; Understand ignores them
}
