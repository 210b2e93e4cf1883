// Package roster makes the parts of the hub's tool descriptions and instructions that name the user's servers and the
// subjects of their tools.
package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Roster holds the names of servers and the subjects that the descriptions of the hub's tools contain. Clients that
// defer loading tools search these descriptions. A roster changes only when the usable servers, their tools or the
// rules change, so that the tool lists of modern clients and prompt caches stay valid. It is read-only.
type Roster struct {
	Servers  []string // usable servers; the most used came first when the list last changed
	Subjects []string // subjects of their tools, such as issue or file
}

const (
	maxNameTokens    = 8  // limit on the server names in a definition, in tokens
	maxSubjectTokens = 6  // limit on the subjects in a definition, in tokens
	maxInstructed    = 66 // limit on the server names in instructions, in bytes, so that they end before character 100
	maxSubjects      = 8
	maxSubject       = 20 // limit on one subject, in bytes
)

// Keeper keeps the current roster. It is safe for concurrent use.
type Keeper struct {
	servers   *registry.Registry
	inventory *inventory.Inventory
	calls     func() map[string]int // number of calls of each server's tools

	mu         sync.Mutex
	configured []string // names of the usable servers, as the registry lists them
	of         *rules.View
	now        *Roster
}

// NewKeeper returns a keeper for the servers in a registry. The function calls returns, by server, how often this
// installation has called tools of the server.
func NewKeeper(servers *registry.Registry, tools *inventory.Inventory, calls func() map[string]int) *Keeper {
	return &Keeper{servers: servers, inventory: tools, calls: calls}
}

// Now returns the current roster. It returns the same pointer until the roster changes.
func (k *Keeper) Now() *Roster {
	var usable []string
	for _, server := range k.servers.List() {
		if server.Usable() == nil {
			usable = append(usable, server.Name)
		}
	}
	present := k.inventory.For("")
	k.mu.Lock()
	defer k.mu.Unlock()
	others := !slices.Equal(usable, k.configured)
	if !others && k.now != nil && present.View == k.of {
		return k.now
	}
	now := &Roster{}
	if others {
		calls := k.calls()
		now.Servers = slices.Clone(usable)
		slices.SortStableFunc(now.Servers, func(a, b string) int { return cmp.Compare(calls[b], calls[a]) })
		k.configured = usable
	} else if k.now != nil {
		now.Servers = k.now.Servers
	}
	now.Subjects = subjectsOf(now.Servers, present.Snapshot, k.inventory.Findable(present))
	k.of, k.now = present.View, now
	return now
}

// subjectsOf returns the most frequent nouns in the names of tools: first the most frequent noun of each
// server, then the second of each, and so on.
func subjectsOf(servers []string, snapshot *catalog.Snapshot, allow func(*catalog.Tool) bool) (out []string) {
	ranked := make([][]string, len(servers))
	deepest := 0
	for i, server := range servers {
		count, own := make(map[string]int), danger.Words(server)
		for _, t := range snapshot.Of(server) {
			if allow(t) {
				for _, noun := range nounsOf(t.Name, own) {
					count[noun]++
				}
			}
		}
		ranked[i] = slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		deepest = max(deepest, len(ranked[i]))
	}
	for depth := range deepest {
		for _, nouns := range ranked {
			if depth < len(nouns) && !slices.Contains(out, nouns[depth]) {
				if out = append(out, nouns[depth]); len(out) == maxSubjects {
					return out
				}
			}
		}
	}
	return out
}

// otherVerbs are verbs in names of tools that danger.IsVerb does not know.
const otherVerbs = "append apply assign call change click close configure connect convert copy do enable disable generate import " +
	"install invoke join load make manage navigate open press process publish register reload rename render reply request respond " +
	"retry save schedule select sort start submit subscribe sync take toggle translate trigger type upload upsert use wait"

// fillers are words in names of tools that say nothing about the subject of a tool.
const fillers = "all and any batch bulk by contents current data detail details for from id ids in info into item items " +
	"latest many mcp multiple my new of on one or out result results service single the to tool tools up via with"

// notSubjects contains the words of otherVerbs and fillers.
var notSubjects = func() map[string]bool {
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(otherVerbs + " " + fillers) {
		out[word] = true
	}
	return out
}()

// nounsOf returns the words of a tool's name that may name the subject of the tool. It omits the words of the server's
// name.
func nounsOf(tool string, server []string) (out []string) {
	for _, word := range danger.Words(tool) {
		one := singular(word)
		if len(one) < 3 || len(one) > maxSubject || slices.Contains(out, one) || slices.Contains(server, word) {
			continue
		}
		if !isCommon(word) && !isCommon(one) {
			out = append(out, one)
		}
	}
	return out
}

// isCommon reports whether a word says nothing about the subject of a tool.
func isCommon(word string) bool {
	return notSubjects[word] || danger.IsVerb(word)
}

// singular returns a word without the ending of the plural.
func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	stem, ok := strings.CutSuffix(word, "s")
	if !ok || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i") {
		return word
	}
	return stem
}

// atMost returns a function that accepts texts of at most limit tokens.
func atMost(limit int) func(string) bool {
	return func(text string) bool { return tokens.Estimate(text) <= limit }
}

// Names returns as many names of servers as fit in limit tokens, and the number of servers left out.
func Names(servers []string, limit int) string { return nameSome(servers, atMost(limit)) }

// nameSome returns the first names of servers, as many as fits accepts, and the number of servers left out. If fits
// does not accept a single name, nameSome returns only the number of servers.
func nameSome(servers []string, fits func(string) bool) string {
	shown := fitting(servers, fits)
	switch others := len(servers) - len(shown); {
	case len(shown) == 0 && others == 1:
		return "1 server"
	case len(shown) == 0:
		return fmt.Sprintf("%d servers", others)
	case others > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), others)
	}
	return strings.Join(shown, ", ")
}

// fitting returns the first words, as many as fits accepts when they are joined by commas.
func fitting(words []string, fits func(string) bool) []string {
	n := 0
	for n < len(words) && fits(strings.Join(words[:n+1], ", ")) {
		n++
	}
	return words[:n]
}

// Parenthesis returns the names of servers in parentheses, for a definition.
func (r *Roster) Parenthesis() string {
	if len(r.Servers) == 0 {
		return ""
	}
	return " (" + Names(r.Servers, maxNameTokens) + ")"
}

// About returns a colon and the subjects, for a definition; empty if there are no subjects.
func (r *Roster) About() string {
	subjects := fitting(r.Subjects, atMost(maxSubjectTokens))
	if len(subjects) == 0 {
		return ""
	}
	return ": " + strings.Join(subjects, ", ") + " and more"
}

// Instructed returns the names of servers for instructions. The names are few, because clients may show only
// the first characters of instructions.
func Instructed(servers []string) string {
	return nameSome(servers, func(text string) bool { return len(text) <= maxInstructed })
}
