package importer

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// scope determines which variables the references of an entry refer to. A reference refers to a
// variable in the entry's own env first, and then to a variable of the user's environment.
type scope struct {
	own     map[string]bool // variables that the entry sets to a value other than the variable of the same name in the user's environment
	scripts map[string]bool // places of the arguments in which a shell expands references
	expands bool            // the program expands ${NAME} in its arguments from its environment
	bare    bool            // the editor expands ${NAME}, or it is not known which editor wrote the entry
	kept    map[string]bool // references that are passed to the program unchanged, by place and text; see keep
}

// inherited matches a value that consists only of a reference to a variable.
var inherited = lazyregexp.New(`^(?:\$\{(?:env[:.])?([A-Za-z_]\w*)\}|\{env:([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)|%([A-Za-z_]\w*)%)$`)

func (o *occurrence) findScope() {
	s := scope{own: make(map[string]bool), scripts: make(map[string]bool), kept: make(map[string]bool)}
	s.bare = o.editor == nil || o.editor.ExpandsBare()
	for name, value := range o.server.Env {
		at := inherited.FindStringSubmatch(value)
		s.own[name] = at == nil || !slices.Contains(at[1:], name)
	}
	if o.server.Transport == "stdio" {
		words := append([]string{o.server.Command}, o.server.Args...)
		s.expands = slices.ContainsFunc(words, func(word string) bool { return expander.MatchString(word) })
		for _, n := range scriptsIn(words) {
			s.scripts[argument(n-1)] = true
		}
	}
	o.scope = s
}

// expander matches the programs that expand ${NAME} in their arguments.
var expander = lazyregexp.New(`(^|[/\\])mcp-remote(@[\w.^~-]+)?([/\\]|$)`)

var (
	shells     = lazyregexp.New(`^(sh|bash|dash|ash|zsh|ksh|mksh|fish)$`)
	scriptFlag = lazyregexp.New(`^-[a-z]*c$`)
)

// scriptsIn returns the positions of those words of a command line in which a shell expands
// references.
func scriptsIn(words []string) []int {
	for n, word := range words {
		name, rest := program.Name(word), words[n+1:]
		switch {
		case shells.MatchString(name):
			if at := slices.IndexFunc(rest, scriptFlag.MatchString); at >= 0 && at+1 < len(rest) {
				return []int{n + 1 + at + 1}
			}
			return nil
		case name == "cmd" && len(rest) > 0 && strings.EqualFold(rest[0], "/c"), name == "powershell", name == "pwsh":
			var all []int
			for at := range rest {
				all = append(all, n+1+at)
			}
			return all
		case name != "env" && name != "sudo" && !strings.Contains(word, "=") && !strings.HasPrefix(word, "-"):
			return nil
		}
	}
	return nil
}

// means reports whether a reference to name at a place refers to a variable of the entry's own env.
// The value of a variable that refers to its own name comes from the user's environment.
func (s scope) means(where, name string) bool { return s.own[name] && where != "env."+name }

// passes reports whether the hub passes a reference such as ${NAME} unchanged to the server's
// program, which may expand it. The hub itself fills in references in the command, the URL and the
// headers, because no program receives these.
func (s scope) passes(where, name string, hasDefault bool) bool {
	switch {
	case s.scripts[where]:
		return true
	case strings.HasPrefix(where, "args["):
		return s.expands && !hasDefault || !s.bare || s.own[name] && !hasDefault
	case strings.HasPrefix(where, "env."):
		return !s.bare && !s.own[name] && where != "env."+name
	}
	return false
}

// keep records that the hub passes a reference unchanged to the server's program, and returns the reference.
func (s scope) keep(where, found string) string {
	s.kept[where+"\x00"+found] = true
	return found
}

func (s scope) keeps(where, found string) bool { return s.scripts[where] || s.kept[where+"\x00"+found] }

// inScript matches a reference to a variable in a shell script.
var inScript = lazyregexp.New(`\$(?:\{|env:|\{env:)?([A-Za-z_]\w*)|%([A-Za-z_]\w*)%`)

// tellEnvironment adds a warning for each reference to a variable of the user's environment. For a
// shell script, it warns only about variables that are set, and not about HOME and PATH.
func (o *occurrence) tellEnvironment(m table.Machine) {
	set := func(name string) bool { return m.Variable == nil || m.Variable(name) != "" }
	takes := func(where, name string) {
		o.warn("%s takes the variable %s of your environment", shown(where), shown(name))
	}
	o.edit(func(where, text string) string {
		if o.scope.scripts[where] {
			for _, at := range inScript.FindAllStringSubmatch(text, -1) {
				if name := at[1] + at[2]; set(name) && !o.scope.own[name] && name != "HOME" && name != "PATH" {
					takes(where, name)
				}
			}
			return text
		}
		for _, at := range ofEnvironment.FindAllStringSubmatch(text, -1) {
			switch name := at[1]; {
			case o.scope.means(where, name):
			case set(name) || at[2] != "":
				takes(where, name)
			default:
				o.block("it uses the variable %s of your environment, which is not set", shown(name))
			}
		}
		for _, found := range append(dollar.FindAllString(text, -1), bare.FindAllString(text, -1)...) {
			if name := variableIn(found); o.scope.keeps(where, found) && !o.scope.means(where, name) {
				o.tellKept(where, name, set(name))
			}
		}
		return text
	})
}

// tellKept adds a warning for a reference that the hub passes unchanged to the server's program, if
// the entry does not set the variable.
func (o *occurrence) tellKept(where, name string, set bool) {
	switch {
	case o.scope.expands && set:
		o.warn("%s takes the variable %s of your environment", shown(where), shown(name))
	case o.scope.expands:
		o.block("it uses the variable %s of your environment, which is not set", shown(name))
	case set:
		o.warn("%s has a reference to %s, which its editor does not fill in: the program gets it as it is, "+
			"and can take the variable %s of your environment", shown(where), shown(name), shown(name))
	default:
		o.warn("%s has a reference to %s, which its editor does not fill in: the program gets it as it is", shown(where), shown(name))
	}
}

// variableIn returns the name of the variable in a reference in the syntax of any editor, or "" if
// found is not such a reference.
func variableIn(found string) string {
	if at := bare.FindStringSubmatch(found); at != nil {
		return at[2] + at[3]
	}
	if at := dollar.FindStringSubmatch(found); at != nil {
		if name := named.FindStringSubmatch(at[2] + at[3]); name != nil {
			return name[1]
		}
	}
	return ""
}

// fillOwn replaces references to the entry's own variables in the URL and the headers of a remote
// server with the values of these variables, because no process receives the variables. A
// credential that launch.Literals would not recognize in its new place would stay readable in the
// configuration. Instead of such a value, fillOwn inserts a reference to a secret that the user is
// asked for.
func (o *occurrence) fillOwn() {
	if o.server.Transport == "stdio" {
		return
	}
	env := o.server.Env
	o.server.Env = nil
	o.edit(func(where, text string) string {
		filled := o.withOwn(env, text)
		uncovered := slices.DeleteFunc(launch.Literals(launch.Launch{Env: env}), func(l launch.Literal) bool {
			return !strings.Contains(filled, l.Value) || o.covered(where, filled, l.Value)
		})
		return ofEnvironment.ReplaceAllStringFunc(text, func(found string) string {
			value := o.withOwn(env, found)
			if slices.ContainsFunc(uncovered, func(l launch.Literal) bool { return strings.Contains(value, l.Value) }) {
				name := ofEnvironment.FindStringSubmatch(found)[1]
				return o.ask(where, "${input:"+name+"}", name)
			}
			return value
		})
	})
}

// withOwn replaces the references in text to the entry's own variables with their values. within
// lists the variables that are being expanded already, which prevents endless recursion.
func (o *occurrence) withOwn(env map[string]string, text string, within ...string) string {
	return ofEnvironment.ReplaceAllStringFunc(text, func(found string) string {
		name := ofEnvironment.FindStringSubmatch(found)[1]
		if !o.scope.own[name] || slices.Contains(within, name) {
			return found
		}
		return o.withOwn(env, env[name], append(slices.Clone(within), name)...)
	})
}

// covered reports whether launch.Literals recognizes value as a credential if text is the URL or
// the value of a header. The argument where says which: it is url or headers.NAME.
func (o *occurrence) covered(where, text, value string) bool {
	at := launch.Launch{Transport: o.server.Transport, URL: o.server.URL, Headers: map[string]string{}}
	if name, header := strings.CutPrefix(where, "headers."); header {
		at.Headers[name] = text
	} else {
		at.URL = text
	}
	return slices.ContainsFunc(launch.Literals(at), func(l launch.Literal) bool {
		return l.Where == where && strings.Contains(l.Value, value)
	})
}
