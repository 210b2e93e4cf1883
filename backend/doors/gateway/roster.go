package gateway

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// roster is what the texts of the hub's tools say about the user's servers: clients that
// defer tools search in these texts. It depends on the configuration only, so that the
// lists of modern clients do, and that prompt caches stay valid.
type roster struct {
	servers  []string // approved ones; those that were used most when the last one was added come first
	subjects []string // what their tools are about, as issue or file
}

const (
	maxNameTokens    = 12 // of server names in a definition
	maxSubjectTokens = 9  // of subjects in a definition
	maxInstructed    = 66 // bytes of server names in instructions, so that they end within the first 100 characters
	maxSubjects      = 8
	maxSubject       = 20 // bytes of one
)

// rosters keeps the present roster. It is safe for concurrent use.
type rosters struct {
	mu          sync.Mutex
	configured  []string // names of the approved servers, as the registry lists them
	of          *rules.View
	now         roster
	definitions []json.RawMessage // of metaTools
}

// roster returns the present roster.
func (g *Gateway) roster() roster {
	now, _ := g.texts()
	return now
}

// texts returns the present roster, and the definitions of metaTools.
func (g *Gateway) texts() (roster, []json.RawMessage) {
	var approved []string
	for _, server := range g.registry.List() {
		if server.Approved {
			approved = append(approved, server.Name)
		}
	}
	present := g.rules()
	r := &g.rosters
	r.mu.Lock()
	defer r.mu.Unlock()
	others := !slices.Equal(approved, r.configured)
	if !others && present.View == r.of && r.definitions != nil {
		return r.now, r.definitions
	}
	if others {
		usage := g.usage.Usage()
		r.now.servers = slices.Clone(approved)
		slices.SortStableFunc(r.now.servers, func(a, b string) int { return cmp.Compare(usage[b], usage[a]) })
		r.configured = approved
	}
	r.of, r.now.subjects = present.View, subjectsOf(r.now.servers, present.Snapshot, g.findable(present))
	r.definitions = metaDefinitions(r.now)
	return r.now, r.definitions
}

// subjectsOf returns the most frequent nouns in the names of tools: one of each server,
// then a second one of each, and so on.
func subjectsOf(servers []string, snapshot *catalog.Snapshot, allow func(*catalog.Tool) bool) (out []string) {
	ranked := make([][]string, len(servers))
	deepest := 0
	for i, server := range servers {
		count := make(map[string]int)
		for _, t := range snapshot.Of(server) {
			if allow(t) {
				for _, noun := range nounsOf(t.Name, server) {
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

// changingVerbs are verbs of tools that are neither in readingVerbs nor in destroyingVerbs.
var changingVerbs = strings.Fields("add append apply assign call change click close configure connect convert copy create do edit enable disable generate import " +
	"insert install invoke join load make manage move navigate open post press process publish put register reload rename render reply " +
	"request respond retry save schedule select send set sort start submit subscribe sync take toggle translate trigger type update upload upsert use wait write")

// fillers are words in names of tools that say nothing about their subject.
var fillers = strings.Fields("all and any batch bulk by contents current data detail details for from id ids in info into item items latest many mcp multiple my new of on one " +
	"or out result results service single the to tool tools up via with")

// nounsOf returns the words of a tool's name that may say what it is about.
func nounsOf(tool, server string) (out []string) {
	of := nameWords(server)
	for _, word := range nameWords(tool) {
		one := singular(word)
		if len(one) < 3 || len(one) > maxSubject || slices.Contains(out, one) || slices.Contains(of, word) {
			continue
		}
		if !slices.ContainsFunc([][]string{readingVerbs, destroyingVerbs, changingVerbs, fillers}, func(words []string) bool {
			return slices.Contains(words, word) || slices.Contains(words, one)
		}) {
			out = append(out, one)
		}
	}
	return out
}

// singular returns a word without the ending of the plural.
func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && !strings.HasSuffix(stem, "s") && !strings.HasSuffix(stem, "u") && !strings.HasSuffix(stem, "i") {
		return stem
	}
	return word
}

// atMost returns a function that accepts texts of at most a number of tokens.
func atMost(limit int) func(string) bool {
	return func(text string) bool { return tokens.Estimate(text) <= limit }
}

// nameSome returns the names of servers that fit, and how many others there are; only a
// number if no name fits.
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

// fitting returns as many of the first words as fit when they are joined.
func fitting(words []string, fits func(string) bool) []string {
	n := 0
	for n < len(words) && fits(strings.Join(words[:n+1], ", ")) {
		n++
	}
	return words[:n]
}

// parenthesis returns the names of servers in parentheses, for a definition.
func (r roster) parenthesis() string {
	if len(r.servers) == 0 {
		return ""
	}
	return " (" + nameSome(r.servers, atMost(maxNameTokens)) + ")"
}

// about returns the subjects after a colon, for a definition.
func (r roster) about() string {
	subjects := fitting(r.subjects, atMost(maxSubjectTokens))
	if len(subjects) == 0 {
		return ""
	}
	return ": " + strings.Join(subjects, ", ") + " and more"
}

// instructed returns the names of servers for instructions, of which clients may show
// only the first characters.
func instructed(servers []string) string {
	return nameSome(servers, func(text string) bool { return len(text) <= maxInstructed })
}

// registryInstructions returns instructions of one line. The first sentence makes sense
// alone.
func (r roster) registryInstructions() string {
	if len(r.servers) == 0 {
		return "No MCP server is configured in Agent Discover yet; once there is one, registry finds its tools and calls them."
	}
	return "Tools of " + instructed(r.servers) + ": call registry with action find_tool and a query." +
		" Do so before you say that a tool is missing."
}

// metaInstructions returns instructions of one line. The first sentence makes sense alone.
func (r roster) metaInstructions() string {
	if len(r.servers) == 0 {
		return "No MCP server is configured in Agent Discover yet; once there is one, find_tool finds its tools and call_tool calls them."
	}
	return "Tools of " + instructed(r.servers) + ": search with find_tool, then invoke with call_tool." +
		" Do so before you say that a tool is missing; in plan mode, invoke with call_read_tool."
}

// nativeInstructions returns instructions for a client that lists the tools of active
// servers.
func (r roster) nativeInstructions(active []string) string {
	if len(active) == 0 {
		return "No MCP server is active in Agent Discover. Its tools appear here once the user activates one."
	}
	servers := slices.DeleteFunc(slices.Clone(r.servers), func(name string) bool { return !slices.Contains(active, name) })
	return "Tools of " + instructed(servers) + ", each named server__tool."
}

// activeNames returns the names of the servers whose tools clients list.
func (g *Gateway) activeNames() (names []string) {
	for _, server := range g.activeServers() {
		names = append(names, server.Name)
	}
	return names
}
