package importer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// nameSet is the set of server names that are taken.
type nameSet map[string]bool

func (i *Importer) takenNames() nameSet {
	taken := nameSet{}
	for _, s := range i.options.Registry.List() {
		taken[s.Name] = true
	}
	return taken
}

// propose sets the name of a candidate to the name in most of its sources. If
// that is invalid or taken, it uses the name that free returns.
func (t nameSet) propose(c *Candidate) {
	if c.Existing != "" {
		c.Name = c.Existing
		return
	}
	counts, best := make(map[string]int), ""
	for _, s := range c.Sources {
		if counts[s.found.entry]++; counts[s.found.entry] > counts[best] {
			best = s.found.entry
		}
	}
	c.Name = t.free(best, c.Server)
	t[c.Name] = true
}

// free returns a valid name that is not taken: the given name if possible,
// otherwise a name made from the server's command or URL, with a number if
// necessary.
func (t nameSet) free(given string, s table.Server) string {
	name := cmp.Or(registry.NameFrom(given), registry.NameFrom(suggestName(s)))
	if registry.CheckName(name) != nil || strings.EqualFold(name, registration.Name) {
		name = strings.Trim("server-"+name, "-")
	}
	free := name
	for n := 2; t[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}
