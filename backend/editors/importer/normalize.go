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

// These patterns match references to environment variables, which clients
// write in different ways.
var (
	braced  = regexp.MustCompile(`^\$\{(?:env:)?([A-Za-z_]\w*)\}$`)
	inPlace = regexp.MustCompile(`\{env:([A-Za-z_]\w*)\}`)
	bare    = regexp.MustCompile(`^([A-Za-z]+ )?(?:\$([A-Z_][A-Z0-9_]*)|%([A-Z_][A-Z0-9_]*)%)$`)
	// unfilled matches placeholders that only an editor can replace by values.
	unfilled = regexp.MustCompile(`\$\{[^}]*\}|\$\([^)]*\)|\{file:[^}]*\}`)
	// nameIn matches the variable's name in a placeholder. The rest of the
	// placeholder may be a credential, such as a default value.
	nameIn = regexp.MustCompile(`^(?:\$?\{|\$\()\{?\s*([A-Za-z_][\w.]*(?::[A-Za-z_][\w./-]*)?)?`)
)

// normalize converts a server to the form that the registry accepts, adds
// warnings, and sets o.problem when the server cannot be imported.
func (o *occurrence) normalize(m table.Machine) {
	if o.problem != "" {
		return
	}
	o.server.Args, o.server.Env, o.server.Headers = slices.Clone(o.server.Args), maps.Clone(o.server.Env), maps.Clone(o.server.Headers)
	o.edit(func(_, text string) string {
		if o.file.Plugin != "" {
			text = strings.ReplaceAll(text, "${CLAUDE_PLUGIN_ROOT}", o.file.Plugin)
		}
		return spellVariables(text)
	})
	o.dropInherited(m)
	o.checkFolder(m)
	o.edit(func(where, text string) string { o.explain(where, text); return text })
	o.checkCommand(m)
	switch transport := o.server.Transport; {
	case !slices.Contains([]string{"stdio", "streamable-http", "sse"}, transport):
		o.problem = "its transport is not stdio, streamable-http or sse"
	case transport == "stdio" && o.server.Command == "", transport != "stdio" && o.server.URL == "":
		o.problem = "it has neither a command nor a URL"
	}
}

// spellVariables rewrites references to variables as ${NAME}, which is never
// mistaken for a credential. $NAME and %NAME% count as references only if they
// are the whole value, because a password may contain these characters.
func spellVariables(text string) string {
	if strings.Contains(text, "${") { // no client writes both {env:NAME} and ${NAME}
		return text
	}
	text = inPlace.ReplaceAllString(text, "$${$1}")
	return bare.ReplaceAllString(text, "$1$${$2$3}")
}

// edit replaces every text of the configuration that decides how the server
// starts by the result of replace. where is command, args[3], env.NAME,
// headers.NAME or url.
func (o *occurrence) edit(replace func(where, text string) string) {
	o.server.Command = replace("command", o.server.Command)
	for n, arg := range o.server.Args {
		o.server.Args[n] = replace(argument(n), arg)
	}
	for _, name := range slices.Sorted(maps.Keys(o.server.Env)) {
		o.server.Env[name] = replace("env."+name, o.server.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.server.Headers)) {
		o.server.Headers[name] = replace("headers."+name, o.server.Headers[name])
	}
	o.server.URL = replace("url", o.server.URL)
}

// argument returns the name of an argument's place, as secrets.Literals spells it.
func argument(n int) string { return fmt.Sprintf("args[%d]", n) }

// dropInherited removes variables whose value is a reference to the user's
// variable of the same name. The hub passes all of the user's variables to
// servers.
func (o *occurrence) dropInherited(m table.Machine) {
	for _, name := range slices.Sorted(maps.Keys(o.server.Env)) {
		if at := braced.FindStringSubmatch(o.server.Env[name]); at == nil || at[1] != name {
			continue
		}
		delete(o.server.Env, name)
		if m.Variable != nil && m.Variable(name) == "" {
			o.warn("it uses the variable %s of your environment, which is not set", shown(name))
		}
	}
}

// checkFolder warns that the hub starts servers in the user's home folder. It
// keeps another working folder in Dir, so that entries that differ only in
// their folder are not merged.
func (o *occurrence) checkFolder(m table.Machine) {
	dir, command := o.server.Dir, o.server.Command
	relative := strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) && !strings.HasPrefix(command, "~") && !strings.Contains(command, "${")
	switch {
	case dir == m.Home:
		o.server.Dir = ""
	case dir != "" && relative:
		o.server.Command = filepath.Join(dir, command)
		fallthrough
	case dir != "":
		o.warn("its working folder is left out: Agent Discover starts servers in your home folder")
	case relative:
		o.warn("its command is a path relative to a project: Agent Discover starts servers in your home folder")
	}
}

// explain adds a warning, or sets the problem, for an example or placeholder
// that a person has to replace before the server can work. It skips
// placeholders if a form shows the server, because the form asks for their
// values.
func (o *occurrence) explain(where, text string) {
	if example.MatchString(text) && !secrets.LooksSecret(text) {
		o.warn("%s looks like an example; put the real value there", shown(where))
	}
	if o.editable {
		return
	}
	for _, found := range unfilled.FindAllString(text, -1) {
		name := ""
		if at := nameIn.FindStringSubmatch(found); at != nil {
			name = at[1]
		}
		switch {
		case strings.HasPrefix(found, "${secret:"):
		case strings.HasPrefix(name, "input:"), strings.HasPrefix(name, "promptString:"):
			o.problem = fmt.Sprintf("its editor asks for %s (%s) at each start; write the value into the configuration, or add the server by hand and set a secret", shown(where), shown(name))
		default:
			o.warn("%s has ${%s}, which Agent Discover does not fill in; put its value there after the import", shown(where), shown(name))
		}
	}
}

// checkCommand warns when the command is not on this machine.
func (o *occurrence) checkCommand(m table.Machine) {
	command := o.server.Command
	if o.server.Transport != "stdio" || command == "" || strings.Contains(command, "${") {
		return
	}
	exists := false
	if strings.ContainsAny(command, `/\`) {
		_, err := m.Stat(command)
		exists = err == nil
	} else {
		_, exists = m.Command(command)
		if !exists {
			_, exists = m.Command(programOf(command))
		}
	}
	if !exists {
		o.warn("the command %s is not on this machine", shown(command))
	}
}

func (o *occurrence) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(o.warnings, text) {
		o.warnings = append(o.warnings, text)
	}
}

// shown returns a text of another program in a form that is safe to display:
// on one line, at most 300 characters.
func shown(text string) string { return safetext.Clip(safetext.Visible(text), 300) }
