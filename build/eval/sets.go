package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// origins are the sources of the known sets, in the order of the tables. Other sets follow them.
var origins = []struct{ name, text string }{
	{
		"azure-mcp",
		"[microsoft/mcp](https://github.com/microsoft/mcp), ToolDescriptionEvaluator, MIT: one real server, prompts near its words",
	},
	{"metatool-single", "[HowieHwong/MetaTool](https://github.com/HowieHwong/MetaTool), MIT: requests of users, some of them noise"},
	{
		"toollinkos",
		"[EliasLumer/Graph-RAG-Tool-Fusion](https://github.com/EliasLumer/Graph-RAG-Tool-Fusion), MIT: needs over invented apps",
	},
	{"agent-discover", "[keshrath/agent-discover](https://github.com/keshrath/agent-discover), its benchmark, MIT: tiny"},
	{
		"catalog-dev",
		"needs of our own over the tools that published servers list; multi asks for several tools at once, foreign is in other languages",
	},
	{
		everyday,
		"needs of our own over the tools that eleven common servers list, in plain words; kept aside are those for four of the servers, " +
			"by which nothing is ever chosen",
	},
}

// everyday is the set in this repository. It is measured, but no constant is fitted to it.
const everyday = "everyday"

// set is a set of tools and labelled queries with its name and source.
type set struct {
	name, origin string
	folder       string
	*eval.Set
}

// sets reads the sets in the reference data and everyday. Each is a folder with
// the files tools.jsonl and queries.jsonl.
func sets() ([]set, error) {
	bench, ok := reference.Find("bench")
	if !ok {
		return nil, errors.New(
			"found no labelled sets; set AGENT_DISCOVER_SHARED to the folder that contains bench/NAME/tools.jsonl and queries.jsonl",
		)
	}
	files, _ := filepath.Glob(filepath.Join(bench, "*", "queries.jsonl")) // the pattern is well-formed
	if root, ok := reference.Repository(); ok {
		files = append(files, filepath.Join(root, "build", "eval", everyday, "queries.jsonl"))
	}
	var out []set
	for _, queries := range files {
		s, err := read(filepath.Dir(queries))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b set) int { return place(a.name) - place(b.name) })
	return out, nil
}

// read reads the set in a folder. The name of the folder is the name of the set.
func read(folder string) (set, error) {
	labelled, err := eval.Read(filepath.Join(folder, "tools.jsonl"), filepath.Join(folder, "queries.jsonl"))
	s := set{name: filepath.Base(folder), folder: folder, Set: labelled}
	if at := place(s.name); at < len(origins) {
		s.origin = origins[at].text
	}
	return s, err
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
