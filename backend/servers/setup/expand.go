package setup

import (
	"context"
	"regexp"
	"strings"
)

// reference is a variable in a value, or the two dollars that stand for one.
// Without braces a name is in capitals, so that a password that happens to hold
// a dollar stays what it is; ${secret:NAME} is no variable and stays too.
var reference = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[A-Z_][A-Z0-9_]*\b`)

// expand puts variables in their place; one that is not set is empty.
func (s *Syncer) expand(ctx context.Context, value string) string {
	return reference.ReplaceAllStringFunc(value, func(found string) string {
		if found == "$$" {
			return "$"
		}
		return s.Variable(ctx, strings.Trim(found, "${}"))
	})
}

// takesVariables reports whether a value holds a variable.
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

func (s *Syncer) expandAll(ctx context.Context, values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = s.expand(ctx, value)
	}
	return out
}
