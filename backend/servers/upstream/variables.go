package upstream

import (
	"maps"
	"regexp"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// variable matches a reference to a variable of the user's environment, with a
// value to use when the variable is not set: ${env:NAME} or ${env:NAME:-value}.
var variable = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)(:-([^{}]*))?\}`)

// fillVariables returns the configuration of a server with references to
// variables of the environment replaced by their values. The error is a
// fault.Invalid that names the variable which is not set, but no value.
func fillVariables(s registry.Server, env process.Env) (registry.Server, error) {
	missing := ""
	fill := func(where, text string) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			at := variable.FindStringSubmatch(found)
			if value := env.Get(at[1]); value != "" && !process.OwnVariable(at[1]) {
				return value
			}
			if at[2] == "" && missing == "" {
				missing = fault.MessageOf(fault.New(fault.Invalid, "server %q cannot be started: %s refers to the variable %s of your environment, which is not set; set it in your login shell and restart Agent Discover, or write a value or ${secret:%s} in its place", s.Name, where, at[1], at[1]))
			}
			return at[3]
		})
	}
	each := func(kind string, texts map[string]string) map[string]string {
		texts = maps.Clone(texts)
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			texts[name] = fill(kind+"."+name, texts[name])
		}
		return texts
	}
	s.Command, s.Args = fill("command", s.Command), slices.Clone(s.Args)
	for n, arg := range s.Args {
		s.Args[n] = fill("an argument", arg)
	}
	s.Env, s.Headers = each("env", s.Env), each("headers", s.Headers)
	if s.Transport != "stdio" {
		s.URL = fill("the URL", s.URL)
	}
	if missing != "" {
		return s, fault.New(fault.Invalid, "%s", missing)
	}
	return s, nil
}
