package setup

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reference matches a variable in a value, and "$$", which is an escaped dollar
// sign. Names without braces must be upper case, so that most passwords with a
// dollar sign stay unchanged. It does not match ${secret:NAME}.
var reference = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[A-Z_][A-Z0-9_]*\b`)

// expand replaces the variables in value. A variable that is not set becomes an
// empty text.
func (s *Syncer) expand(ctx context.Context, value string) string {
	return reference.ReplaceAllStringFunc(value, func(found string) string {
		if found == "$$" {
			return "$"
		}
		return s.variable(ctx, strings.Trim(found, "${}"))
	})
}

// Variables returns the names of the variables that a setup file and its local file
// use, sorted. A file that cannot be read uses none.
func Variables(file string) []string {
	names := make(map[string]bool)
	for _, name := range []string{file, local(file)} {
		if name == "" {
			continue
		}
		entries, _ := readFile(name) // the hub reports why a file cannot be read
		for _, e := range entries {
			for _, variable := range e.variables() {
				names[variable] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// variables returns the names of the variables in an entry.
func (e entry) variables() []string {
	var names []string
	for _, values := range []map[string]string{e.Env, e.Headers, e.Secrets, {"cwd": e.Dir}} {
		for _, value := range values {
			for _, found := range reference.FindAllString(value, -1) {
				if found != "$$" {
					names = append(names, strings.Trim(found, "${}"))
				}
			}
		}
	}
	return names
}

// noteUnset records in the result which variables of an entry are not set.
func (b *batch) noteUnset(ctx context.Context, e entry) {
	for _, name := range e.variables() {
		if b.variable(ctx, name) == "" && !slices.Contains(b.Unset, name) {
			b.Unset = append(b.Unset, name)
		}
	}
	slices.Sort(b.Unset)
}

// takesVariables reports whether any of the values contains a variable.
func takesVariables(values map[string]string) bool {
	for _, value := range values {
		for _, found := range reference.FindAllString(value, -1) {
			if found != "$$" {
				return true
			}
		}
	}
	return false
}

// expandAll returns a copy of values with their variables replaced.
func (s *Syncer) expandAll(ctx context.Context, values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = s.expand(ctx, value)
	}
	return out
}
