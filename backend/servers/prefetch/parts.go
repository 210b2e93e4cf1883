package prefetch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Parts is what a command line of npx or uvx says.
type Parts struct {
	Runner   string   // npx or uvx
	Command  string   // as configured, perhaps with a folder
	Packages []string // the server's own package first
	Options  []string // those options that decide where packages come from
	Program  string   // name of the program in the package; empty if the package has the name
	Args     []string // of the program
}

// PartsOf returns the parts of a server's command line. ok is false if the command is
// neither npx nor uvx, or if it starts something else than a published package.
func PartsOf(s registry.Server) (p Parts, ok bool) {
	d, skipped := downloadOf(s)
	at := d.program
	if skipped != "" || at < 0 || at >= len(s.Args) {
		return Parts{}, false
	}
	p = Parts{Runner: d.runner, Command: s.Command, Packages: d.packages, Options: d.options, Args: slices.Clone(s.Args[at+1:])}
	if d.named {
		p.Program = s.Args[at]
	}
	return p, true
}

// Beside returns the path of a program in the folder of the runner, such as
// /opt/node/bin/npm for /opt/node/bin/npx, or its name if the runner has no folder.
func (p Parts) Beside(program string) string { return beside(p.Command, program) }

// Folder returns the folder of the runner, "" if it has none.
func (p Parts) Folder() string {
	if dir := filepath.Dir(p.Command); strings.ContainsRune(p.Command, filepath.Separator) {
		return dir
	}
	return ""
}
