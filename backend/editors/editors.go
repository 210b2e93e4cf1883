// Package editors answers which AI editors and agents there are, where each
// keeps its MCP servers on this machine, and how it spells one. The answers are
// a table, data in table.yaml; it reads folders and never changes a file.
package editors

import (
	"errors"
	"io/fs"

	"github.com/agent-discover/agent-discover/backend/splice"
)

// Machine is where editors are looked for: this one, or in tests any.
type Machine struct {
	OS       string                                   // linux, darwin or windows
	Home     string                                   // of the user
	Variable func(name string) string                 // of the user's environment
	Stat     func(path string) (fs.FileInfo, error)   // os.Stat
	Glob     func(pattern string) ([]string, error)   // filepath.Glob
	Command  func(name string) (path string, ok bool) // a program on the user's PATH
}

// Editor is a row of the table.
type Editor struct {
	ID      string   // lower-case words with hyphens
	Name    string   // as a person knows it
	Also    []string // other ids that people type
	Clients []string // names that it gives itself in initialize, lower-case, or beginnings of them that end in *

	Place    splice.Place
	Shape    string     // how an entry is spelled: the name of a shape
	Register Permission // whether our entry may come in
	Import   bool       // whether its servers can be read
	Each     bool       // every file whose folder is there counts, not only the first
	Writer   string     // the program that makes the change itself, where there is one: claude
	Running  []string   // processes that must not run while the file is changed
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
	Place  splice.Place
	Shape  string
}

// Found is an editor as it is on a machine.
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

// Table returns all rows, in the order in which they are shown. The rows are
// shared: nobody changes them.
func Table() []*Editor { return nil }

// ByID returns the editor of an id, or of another id that people type.
func ByID(id string) (*Editor, bool) { return nil, false }

// Overrides returns the names of the variables that move files of editors.
func Overrides() []string { return nil }

// Here is this machine, with the variables of a user's environment. A program
// is looked for on that environment's PATH.
func Here(variable func(name string) string) Machine { return Machine{} }

// With is the machine with other variables first.
func (m Machine) With(variables map[string]string) Machine { return m }

// Find looks for an editor. It reads no file.
func (m Machine) Find(e *Editor) Found { return Found{Editor: e} }

// InProject returns the file of a project into which an editor's entry goes;
// false when it has none.
func (m Machine) InProject(e *Editor, folder string) (File, bool) { return File{}, false }

// Beside returns further files with an editor's servers that are read and never
// written: of plugins, profiles, projects.
func (m Machine) Beside(e *Editor) []File { return nil }

// Spell returns how a shape writes a server.
func Spell(shape, name string, s Server) (splice.Object, error) { return nil, errors.ErrUnsupported }

// Understand reads a server as a shape writes it, as far as it can be
// understood; the error is a fault.Invalid.
func Understand(shape string, entry any) (Server, error) { return Server{}, errors.ErrUnsupported }

// Ours reports whether a server is our own entry, by what it starts.
func Ours(s Server) bool { return false }

// SameClient reports whether a client's name for itself is meant by a name in
// Editor.Clients.
func SameClient(known, name string) bool { return false }
