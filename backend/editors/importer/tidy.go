package importer

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// The spellings of a variable of the user's environment: ${NAME}, ${env:NAME},
// and those that only stand for a whole value, for a password may have such a
// sign in it.
var (
	braced  = regexp.MustCompile(`^\$\{(?:env:)?([A-Za-z_]\w*)\}$`)
	inPlace = regexp.MustCompile(`\{env:([A-Za-z_]\w*)\}`)
	bare    = regexp.MustCompile(`^([A-Za-z]+ )?(?:\$([A-Z_][A-Z0-9_]*)|%([A-Z_][A-Z0-9_]*)%)$`)
	// unfilled is what only the editor would have put something else for.
	unfilled = regexp.MustCompile(`\$\{[^}]*\}|\$\([^)]*\)|\{file:[^}]*\}`)
	itsName  = regexp.MustCompile(`^(?:\$?\{|\$\()\{?\s*([A-Za-z_][\w.]*(?::[A-Za-z_][\w./-]*)?)?`)
)

// tidy makes a server of an editor's one that can stand in the registry, and
// notes what a person should know of that.
func (s *sighting) tidy(m table.Machine) {
	if s.problem != "" {
		return
	}
	s.server.Args, s.server.Env, s.server.Headers = slices.Clone(s.server.Args), maps.Clone(s.server.Env), maps.Clone(s.server.Headers)
	s.each(func(_, text string) string {
		if s.file.Plugin != "" {
			text = strings.ReplaceAll(text, "${CLAUDE_PLUGIN_ROOT}", s.file.Plugin)
		}
		return spelled(text)
	})
	s.inherit(m)
	s.folder(m)
	s.each(func(where, text string) string { s.explain(where, text); return text })
	s.missing(m)
	switch transport := s.server.Transport; {
	case !slices.Contains([]string{"stdio", "streamable-http", "sse"}, transport):
		s.problem = "it has a transport that is none of stdio, streamable-http and sse"
	case transport == "stdio" && s.server.Command == "", transport != "stdio" && s.server.URL == "":
		s.problem = "it has neither a command nor a URL"
	}
}

// spelled writes variables as ${NAME}, so that none is taken for a credential.
func spelled(text string) string {
	if strings.Contains(text, "${") { // {env:NAME} is spelled by another client than ${env:NAME}
		return text
	}
	text = inPlace.ReplaceAllString(text, "$${$1}")
	return bare.ReplaceAllString(text, "$1$${$2$3}")
}

// each replaces the texts that a start of the server uses.
func (s *sighting) each(edit func(where, text string) string) {
	s.server.Command = edit("command", s.server.Command)
	for n, arg := range s.server.Args {
		s.server.Args[n] = edit(argument(n), arg)
	}
	for _, name := range slices.Sorted(maps.Keys(s.server.Env)) {
		s.server.Env[name] = edit("env."+name, s.server.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.server.Headers)) {
		s.server.Headers[name] = edit("headers."+name, s.server.Headers[name])
	}
	s.server.URL = edit("url", s.server.URL)
}

// argument is the place of an argument, as secrets.Literals names it.
func argument(n int) string { return fmt.Sprintf("args[%d]", n) }

// inherit leaves out variables that hand on those of the user's environment
// under their own names: servers get all of them here.
func (s *sighting) inherit(m table.Machine) {
	for _, name := range slices.Sorted(maps.Keys(s.server.Env)) {
		if at := braced.FindStringSubmatch(s.server.Env[name]); at == nil || at[1] != name {
			continue
		}
		delete(s.server.Env, name)
		if m.Variable != nil && m.Variable(name) == "" {
			s.warn("it takes the variable %s from your environment, where it is not set", shown(name))
		}
	}
}

// folder tells that servers start in the user's home. Another working folder
// stays with the entry, so that what differs in it alone is not taken for one.
func (s *sighting) folder(m table.Machine) {
	dir, command := s.server.Dir, s.server.Command
	relative := strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) && !strings.HasPrefix(command, "~") && !strings.Contains(command, "${")
	switch {
	case dir == m.Home:
		s.server.Dir = ""
	case dir != "" && relative:
		s.server.Command = filepath.Join(dir, command)
		fallthrough
	case dir != "":
		s.warn("its working folder is left out: servers start in your home folder here")
	case relative:
		s.warn("its command is a path that counts from a project's folder: servers start in your home folder here")
	}
}

// explain notes what a person has to replace before the server can work. A form
// asks for the values of placeholders itself.
func (s *sighting) explain(where, text string) {
	if example.MatchString(text) && !secrets.LooksSecret(text) {
		s.warn("%s looks like an example; put the real value there", shown(where))
	}
	if s.editable {
		return
	}
	for _, found := range unfilled.FindAllString(text, -1) {
		name := ""
		if at := itsName.FindStringSubmatch(found); at != nil { // what else is in it may be a credential
			name = at[1]
		}
		switch {
		case strings.HasPrefix(found, "${secret:"):
		case strings.HasPrefix(name, "input:"), strings.HasPrefix(name, "promptString:"):
			s.problem = fmt.Sprintf("its editor asks you for %s (%s) each time; put the value there, or add the server by hand and set it as a secret", shown(where), shown(name))
		default:
			s.warn("%s has ${%s}, which Agent Discover does not fill in; put its value there after the import", shown(where), shown(name))
		}
	}
}

// missing tells when the command is not on this machine.
func (s *sighting) missing(m table.Machine) {
	command := s.server.Command
	if s.server.Transport != "stdio" || command == "" || strings.Contains(command, "${") {
		return
	}
	there := false
	if strings.ContainsAny(command, `/\`) {
		_, err := m.Stat(command)
		there = err == nil
	} else {
		_, there = m.Command(command)
		if !there {
			_, there = m.Command(programOf(command))
		}
	}
	if !there {
		s.warn("the command %s is not on this machine", shown(command))
	}
}

func (s *sighting) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

// shown returns a text of another program for people to read: on one line and
// at most 300 characters.
func shown(text string) string { return safetext.Clip(safetext.Visible(text), 300) }
