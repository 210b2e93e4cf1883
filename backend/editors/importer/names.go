package importer

import (
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// naming gives candidates names that are free.
type naming map[string]bool

func (i *Importer) names() naming {
	taken := naming{}
	for _, s := range i.Registry.List() {
		taken[s.Name] = true
	}
	return taken
}

// propose names a candidate as most of its places do, as far as that can be a
// name.
func (t naming) propose(c *Candidate) {
	if c.Here != "" {
		c.Name = c.Here
		return
	}
	counts, best := make(map[string]int), ""
	for _, s := range c.Sources {
		if counts[s.seen.entry]++; counts[s.seen.entry] > counts[best] {
			best = s.seen.entry
		}
	}
	c.Name = t.free(best, c.Server)
	t[c.Name] = true
}

func (t naming) free(given string, s table.Server) string {
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

// longest is how long a proposed name may be, so that names of tools have room.
const longest = 48

// valid makes of a text what can be in a name; "" when nothing can.
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
