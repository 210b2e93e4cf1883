package importer

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// normalize converts a server to the form that the registry accepts, adds
// warnings, and sets o.problem when the server cannot be imported.
func (o *occurrence) normalize(m table.Machine) {
	if o.problem != "" {
		return
	}
	o.server.Args, o.server.Env, o.server.Headers = slices.Clone(o.server.Args), maps.Clone(o.server.Env), maps.Clone(o.server.Headers)
	o.findScope()
	o.edit(func(where, text string) string { return o.translate(m, where, text) })
	o.fillOwn()
	o.tellEnvironment(m)
	// Servers inherit the user's environment, so a variable that only refers to the variable of the same name is not needed.
	maps.DeleteFunc(o.server.Env, func(name, value string) bool { return value == "${env:"+name+"}" })
	o.checkFolder(m)
	o.edit(func(where, text string) string { o.explain(where, text); return text })
	o.checkCommand(m)
	if o.server.Transport == "stdio" && o.server.Command == "" || o.server.Transport != "stdio" && o.server.URL == "" {
		o.problem = "it has neither a command nor a URL"
	}
	if o.problem == "" && o.server.URL != "" {
		if err := intake.CheckAddress(o.server.URL); err != nil {
			o.problem = fault.MessageOf(err)
		}
	}
}

// edit calls replace with every text of the configuration that affects how the server starts, and
// sets the text to the result. The argument where names the place of the text: command, args[3],
// env.NAME, cwd, headers.NAME or url.
func (o *occurrence) edit(replace func(where, text string) string) {
	o.server.Command = replace("command", o.server.Command)
	for n, arg := range o.server.Args {
		o.server.Args[n] = replace(argument(n), arg)
	}
	for _, name := range slices.Sorted(maps.Keys(o.server.Env)) {
		o.server.Env[name] = replace("env."+name, o.server.Env[name])
	}
	o.server.Dir = replace("cwd", o.server.Dir)
	for _, name := range slices.Sorted(maps.Keys(o.server.Headers)) {
		o.server.Headers[name] = replace("headers."+name, o.server.Headers[name])
	}
	o.server.URL = replace("url", o.server.URL)
}

// argument returns the name of an argument's place, as launch.Literals spells it.
func argument(n int) string { return fmt.Sprintf("args[%d]", n) }

// checkFolder leaves out a working folder that depends on a project, and one that is the user's home folder, in which
// the hub starts servers anyway.
func (o *occurrence) checkFolder(m table.Machine) {
	dir, command := o.server.Dir, o.server.Command
	relative := strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) && !strings.HasPrefix(command, "~") &&
		!strings.Contains(command, "${")
	// The path of the home folder may be spelled differently or contain links.
	isHome := dir != "" && m.Home != "" &&
		(pathname.Rules(m.OS).Equal(dir, m.Home) || filepath.IsAbs(dir) && pathname.Same(dir, m.Home))
	unknown := registry.CheckDir(dir) != nil || slices.ContainsFunc(unfilled.FindAllString(dir, -1), func(found string) bool {
		return !ofEnvironment.MatchString(found)
	})
	if dir == "~" || isHome || unknown {
		o.server.Dir = ""
	}
	switch {
	case unknown:
		o.block("its working folder %s is left out, because it depends on a project: Agent Discover starts the server in your home folder "+
			"unless you set a folder on its page", shown(dir))
	case dir == "" && relative:
		o.block("its command is a path relative to a project: set its working folder on its page, or write the whole path")
	case dir != "" && relative:
		o.server.Command = filepath.Join(registry.DirIn(dir, m.Home), command)
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
		_, exists = m.Command(command)
		exists = exists || err == nil
	} else {
		_, exists = m.Command(command)
		if !exists {
			_, exists = m.Command(programOf(command))
		}
	}
	if !exists {
		o.block("the command %s is not on this machine", shown(command))
	}
}

func (o *occurrence) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(o.warnings, text) {
		o.warnings = append(o.warnings, text)
	}
}

// shown makes a text from another program safe to display: on one line, at most 300 characters.
func shown(text string) string { return safetext.Clip(safetext.Visible(text), 300) }
