package setup

import (
	"context"
	"regexp"
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
