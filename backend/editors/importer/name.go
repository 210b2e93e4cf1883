package importer

import (
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
	name := valid(given)
	if name == "" {
		name = valid(suggestName(s))
	}
	if registry.CheckName(name) != nil || strings.EqualFold(name, registration.Name) {
		name = strings.Trim("server-"+name, "-")
	}
	free := name
	for n := 2; t[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// longest is the maximum length of a proposed name in bytes. Clients limit the
// length of a tool's name, which starts with the name of its server.
const longest = 48

// valid replaces the characters of a text that a server's name must not
// contain. It returns "" when no other characters are left.
func valid(text string) string {
	if len(text) > 4*longest {
		text = text[:4*longest]
	}
	dashed := false
	text = strings.Map(func(r rune) rune {
		plain := r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
		if plain {
			dashed = r == '-'
			return r
		}
		if dashed {
			return -1
		}
		dashed = true
		return '-'
	}, strings.TrimSpace(text))
	for strings.Contains(text, "__") {
		text = strings.ReplaceAll(text, "__", "_")
	}
	return strings.Trim(text[:min(len(text), longest)], "._-")
}
