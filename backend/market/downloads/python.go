package downloads

import (
	"cmp"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// findPython returns the launch of the program that uvx would start.
func (j job) findPython() (upstream.Launch, error) {
	l := j.launch
	name := cmp.Or(j.Program, packagemanager.NameOf(j.Packages[0]))
	link := filepath.Join(j.folder, "bin", name)
	if filepath.Base(name) != name || !exists(link) {
		return l, j.missing(name)
	}
	program, err := j.inside(link)
	if err != nil {
		return l, err
	}
	l.Command, l.Args = program, j.Args
	return l, nil
}
