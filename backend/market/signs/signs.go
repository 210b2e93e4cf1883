// Package signs decides whether a package is an MCP server, from the facts that the package declares about itself.
// Package registries do not record this: they also contain clients, libraries and templates for making servers, with
// similar names and keywords.
package signs

import (
	"regexp"
	"slices"
	"strings"
)

// Facts are the known facts about a package. The result of a search contains fewer of them than the document of the
// package.
type Facts struct {
	Name         string
	Description  string
	Keywords     []string
	Dependencies []string
	Programs     []string // names of the programs that the package installs
	Complete     bool     // Dependencies and Programs are known
	Declared     string   // the name in the official registry that the package claims
}

// Words in keywords, names and dependencies, in lower case, that indicate MCP.
var (
	strong       = []string{"mcp-server", "mcp-servers", "mcpserver", "model-context-protocol-server", "modelcontextprotocol-server"}
	weak         = []string{"mcp", "modelcontextprotocol", "model-context-protocol", "model context protocol", "fastmcp"}
	dependencies = []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp", "mcp-framework", "mcp"}

	// others are words in the names of packages for making servers or clients, which are not servers.
	others = []string{
		"sdk", "client", "clients", "inspector", "types", "template", "boilerplate", "framework", "generator", "create", "lib",
		"library", "core", "utils", "testing", "eslint", "plugin", "adapter", "adapters",
	}

	separator = regexp.MustCompile(`[^a-z0-9]+`)
	server    = regexp.MustCompile(`(?i)\b(?:mcp|model[ -]context[ -]protocol(?: \(mcp\))?) servers?\b`)
	kit       = regexp.MustCompile(`(?i)\bsdk$|^(?:a |the )?(?:sdk|framework|toolkit|library)\b|\bclient library\b`)
)

// Server reports whether a package is an MCP server, and returns the signs of this. One strong sign or two weak ones
// are enough. A package without a program is not a server. If its name or description says that it is something else,
// such as a library, a declared registry name or several more signs are needed.
func Server(f Facts) (yes bool, signs []string) {
	if f.Complete && len(f.Programs) == 0 {
		return false, nil
	}
	weight := 0
	add := func(n int, sign string) {
		weight += n
		signs = append(signs, sign)
	}
	if f.Declared != "" {
		add(5, "declares the registry name "+f.Declared)
	}
	name := separator.Split(strings.ToLower(f.Name), -1)
	joined := strings.Join(name, "-")
	switch {
	case slices.ContainsFunc(strong, func(s string) bool { return strings.Contains(joined, s) }),
		strings.Contains(joined, "modelcontextprotocol-server-"):
		add(2, "is named as an MCP server")
	case slices.Contains(name, "mcp"), slices.Contains(name, "modelcontextprotocol"):
		add(1, "has MCP in its name")
	}
	if k, n := keyword(f.Keywords); n > 0 {
		add(n, "has the keyword "+k)
	}
	for _, d := range f.Dependencies {
		if slices.Contains(dependencies, strings.ToLower(d)) {
			add(1, "depends on "+d)
			break
		}
	}
	if server.MatchString(f.Description) {
		add(1, "describes itself as an MCP server")
	}
	for _, p := range f.Programs {
		if slices.Contains(separator.Split(strings.ToLower(p), -1), "mcp") {
			add(1, "installs the program "+p)
			break
		}
	}
	if kit.MatchString(strings.TrimRight(f.Description, ". ")) ||
		slices.ContainsFunc(others, func(o string) bool { return slices.Contains(name, o) }) {
		weight -= 3
	}
	return weight >= 2, signs
}

// keyword returns the keyword that indicates MCP most strongly, and its weight.
func keyword(all []string) (word string, weight int) {
	for _, k := range all {
		lower := strings.ToLower(strings.TrimSpace(k))
		switch {
		case slices.Contains(strong, lower), lower == "mcp server":
			return lower, 2
		case slices.Contains(weak, lower):
			word, weight = lower, 1
		}
	}
	return word, weight
}

// Program returns the program to start if a package has no program with its own name: the only one, or the only one
// with mcp in its name. It returns "" if there is no such program.
func Program(programs []string) string {
	if len(programs) != 1 {
		programs = slices.DeleteFunc(slices.Clone(programs), func(p string) bool { return !strings.Contains(strings.ToLower(p), "mcp") })
	}
	if len(programs) != 1 {
		return ""
	}
	return programs[0]
}
