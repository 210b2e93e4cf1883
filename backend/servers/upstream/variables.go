package upstream

import (
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// variable matches a reference to a variable, with a value to use when the variable
// is not set: ${env:NAME} or ${env:NAME:-value}.
var variable = lazyregexp.New(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)(:-([^{}]*))?\}`)

// fillVariables returns the configuration of a server with references to variables replaced by their values. The value
// comes from the server's own Env, which already contains the server's secrets, or else from the user's environment. A
// credential among the server's own variables never becomes part of the command or an argument, because other users of
// the machine can read these. The program gets ${NAME} instead, which many programs expand themselves. The error is a
// fault.Invalid that names the variable which is not set, and contains no value. configured is the server before its
// secrets were filled in.
func fillVariables(configured, s registry.Server, env process.Env) (registry.Server, error) {
	f := variables{server: s, private: privateVariables(configured, s.Env), environment: env}
	out := s
	out.Command, out.Args = f.argument("command", s.Command), slices.Clone(s.Args)
	for n, arg := range s.Args {
		out.Args[n] = f.argument("an argument", arg)
	}
	out.Dir = f.text("the working folder", s.Dir)
	out.Env, out.Headers = f.each("env", s.Env), f.each("headers", s.Headers)
	if s.Transport != "stdio" {
		out.URL = f.text("the URL", s.URL)
	}
	return out, f.missing
}

// variables is the state of one call of fillVariables.
type variables struct {
	server      registry.Server
	private     map[string]bool // variables of the server whose values must not become part of an argument
	environment process.Env     // environment of the user
	missing     error           // names the first variable that is not set
}

// privateVariables returns the names of the server's own variables whose values are credentials, or contain secrets
// or references.
func privateVariables(configured registry.Server, env map[string]string) map[string]bool {
	private := make(map[string]bool)
	for name, value := range env {
		made := configured.Env[name] != value || strings.Contains(value, "${")
		private[name] = made || secretscan.SensitiveName(name) || secretscan.HasCredential(value)
	}
	for _, credential := range launch.Literals(launch.Launch{Env: env}) {
		private[strings.TrimPrefix(credential.Where, "env.")] = true
	}
	return private
}

// argument is like the method text, but for the command and the arguments: a reference to a private variable is not
// replaced, but becomes ${NAME} or ${NAME:-value}.
func (f *variables) argument(where, text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		at := variable.FindStringSubmatch(found)
		if f.private[at[1]] {
			return "${" + at[1] + at[2] + "}"
		}
		return f.text(where, found)
	})
}

func (f *variables) each(kind string, texts map[string]string) map[string]string {
	texts = maps.Clone(texts)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		within := []string{}
		if kind == "env" {
			within = append(within, name) // within its own value, a variable's name means the user's variable
		}
		texts[name] = f.text(kind+"."+name, texts[name], within...)
	}
	return texts
}

// text returns text with its references replaced. within are the variables of the
// server whose values are being filled in.
func (f *variables) text(where, text string, within ...string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		at := variable.FindStringSubmatch(found)
		if own := f.server.Env[at[1]]; own != "" && !slices.Contains(within, at[1]) {
			if len(launch.References(own)) > 0 && f.missing == nil { // in the variables of a remote server, secrets are not filled in
				f.missing = fault.New(fault.Invalid, "server %q cannot be started: %s refers to its variable %s, "+
					"which refers to a secret; write the reference to the secret in its place", f.server.Name, where, at[1])
			}
			return f.text(where, own, append(slices.Clone(within), at[1])...)
		}
		if value := f.environment.Get(at[1]); value != "" && !process.OwnVariable(at[1]) {
			return value
		}
		if at[2] == "" && f.missing == nil {
			f.missing = fault.New(fault.Invalid, "server %q cannot be started: %s refers to the variable %s of your environment, "+
				"which is not set; set it in your login shell and restart Agent Discover, or write a value or ${secret:%s} in its place",
				f.server.Name, where, at[1], at[1])
		}
		return at[3]
	})
}
