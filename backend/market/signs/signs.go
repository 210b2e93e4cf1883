// Package signs decides from what a package says about itself whether it is an MCP server. Package registries do not know:
// they also contain the clients, libraries and templates with which servers are made, under similar names and keywords.
package signs

import (
	"regexp"
	"slices"
	"strings"
)

// Facts are what is known of a package. Those of a search are fewer than those of the package itself.
type Facts struct {
	Name         string
	Description  string
	Keywords     []string
	Dependencies []string
	Programs     []string // that it installs
	Complete     bool     // Dependencies and Programs are known
	Declared     string   // the name in the official registry that the package claims
}

// The words of keywords and names, in lower case, that mean MCP.
var (
	strong       = []string{"mcp-server", "mcp-servers", "mcpserver", "model-context-protocol-server", "modelcontextprotocol-server"}
	weak         = []string{"mcp", "modelcontextprotocol", "model-context-protocol", "model context protocol", "fastmcp"}
	dependencies = []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp", "mcp-framework", "mcp"}

	// others are words in the names of packages that servers and clients are made with.
	others = []string{
		"sdk", "client", "clients", "inspector", "types", "template", "boilerplate", "framework", "generator", "create", "lib",
		"library", "core", "utils", "testing", "eslint", "plugin", "adapter", "adapters",
	}

	separator = regexp.MustCompile(`[^a-z0-9]+`)
	server    = regexp.MustCompile(`(?i)\b(?:mcp|model[ -]context[ -]protocol(?: \(mcp\))?) servers?\b`)
	kit       = regexp.MustCompile(`(?i)\bsdk$|^(?:a |the )?(?:sdk|framework|toolkit|library)\b|\bclient library\b`)
)

// Server reports whether a package is an MCP server, and the signs of it. It takes one strong sign or two weak ones. A
// package without a program is none, and one whose name or description says that it is something else needs a declaration.
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

// keyword returns the keyword that says most, and its weight.
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

// Program returns the program to start of a package that has none with its own name: the only one, or the only one with MCP
// in its name. It returns "" if that does not decide.
func Program(programs []string) string {
	if len(programs) != 1 {
		programs = slices.DeleteFunc(slices.Clone(programs), func(p string) bool { return !strings.Contains(strings.ToLower(p), "mcp") })
	}
	if len(programs) != 1 {
		return ""
	}
	return programs[0]
}
