package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// origins are the sources of the known sets, in the order of the tables. Other
// sets come after them.
var origins = []struct{ name, text string }{
	{"azure-mcp", "[microsoft/mcp](https://github.com/microsoft/mcp), ToolDescriptionEvaluator, MIT: one real server, prompts near its words"},
	{"metatool-single", "[HowieHwong/MetaTool](https://github.com/HowieHwong/MetaTool), MIT: requests of users, some of them noise"},
	{"toollinkos", "[EliasLumer/Graph-RAG-Tool-Fusion](https://github.com/EliasLumer/Graph-RAG-Tool-Fusion), MIT: needs over invented apps"},
	{"agent-discover", "[keshrath/agent-discover](https://github.com/keshrath/agent-discover), its benchmark, MIT: tiny"},
	{"catalog-dev", "needs of our own over the tools that published servers list; multi asks for several tools at once, foreign is in other languages"},
}

// set is a set of tools and labelled queries with its name and source.
type set struct {
	name, origin string
	folder       string
	*eval.Set
}

// sets reads all available sets. Each is a folder with the files tools.jsonl
// and queries.jsonl.
func sets() ([]set, error) {
	bench, ok := reference.Find("bench")
	if !ok {
		return nil, errors.New("found no labelled sets; set AGENT_DISCOVER_SHARED to the folder that contains bench/NAME/tools.jsonl and queries.jsonl")
	}
	files, _ := filepath.Glob(filepath.Join(bench, "*", "queries.jsonl")) // the pattern is well-formed
	var out []set
	for _, queries := range files {
		folder := filepath.Dir(queries)
		read, err := eval.Read(filepath.Join(folder, "tools.jsonl"), queries)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(folder)
		s := set{name: name, folder: folder, Set: read}
		if at := place(name); at < len(origins) {
			s.origin = origins[at].text
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b set) int { return place(a.name) - place(b.name) })
	return out, nil
}

// place returns the position of a set in the tables.
func place(name string) int {
	for i, o := range origins {
		if o.name == name {
			return i
		}
	}
	return len(origins)
}
