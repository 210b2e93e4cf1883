package importer

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Editors have many syntaxes for references to variables, to the home folder and to values that
// they ask the user for. Agent Discover has two: ${env:NAME}, or ${env:NAME:-value} with a default,
// for a variable of the user's environment, and ${secret:NAME} for a secret. The patterns below
// match the references that can be translated to these.
var (
	// dollar matches ${NAME}, ${env:NAME}, ${NAME:-value}, ${input:id} and any
	// other placeholder in braces, and {env:NAME}.
	dollar = lazyregexp.New(`\$\{\{\s*secrets\.([A-Za-z_][\w.-]*)\s*\}\}|\$\{([^{}]*)\}|\{(env:[A-Za-z_]\w*)\}`)
	named  = lazyregexp.New(`^(?:env[:.])?([A-Za-z_]\w*)(:?-(.*))?$`)
	// asked matches a value that an editor asks the user for.
	asked = lazyregexp.New(`^(?:input|promptString):([\w./-]+)`)
	// bare matches $NAME and %NAME%. They count as references only if they are
	// the whole value, or follow a scheme or an option, because a password may
	// contain these characters.
	bare = lazyregexp.New(`^((?:[A-Za-z]+ |--?[\w-]+=)?)(?:\$([A-Z_][A-Z0-9_]*)|%([A-Z_][A-Z0-9_]*)%)$`)
	// ofEnvironment matches a reference to a variable in the syntax of Agent Discover.
	ofEnvironment = lazyregexp.New(`\$\{env:([A-Za-z_]\w*)(:-[^{}]*)?\}`)
	// unfilled matches placeholders that only an editor can replace by values.
	unfilled = lazyregexp.New(`\$\{[^}]*\}|\$\([^)]*\)|\{file:[^}]*\}`)
	// nameIn matches the name of the variable in a placeholder. The rest of the placeholder, such
	// as a default value, may be a credential.
	nameIn = lazyregexp.New(`^(?:\$?\{|\$\()\{?\s*([A-Za-z_][\w.]*(?::[A-Za-z_][\w./-]*)?)?`)
)

// ofEditor are the placeholders of editors for a folder, a file or a selection
// of the open project, in lower case. Agent Discover has no open project.
var ofEditor = []string{
	"workspacefolder", "workspacefolderbasename", "workspaceroot", "workspacerootfoldername", "workspacepath", "projectroot", "projectdir",
	"project_dir", "cwd", "file", "filebasename", "filedirname", "relativefile", "relativefiledirname", "linenumber", "selectedtext",
	"execpath", "defaultbuildtask", "claude_plugin_root", "claude_project_dir", "extensionpath", "zed_worktree_root",
}

// translate rewrites the references in a text to the syntax of Agent Discover. It leaves unknown
// references unchanged.
func (o *occurrence) translate(m table.Machine, where, text string) string {
	if o.file.Plugin != "" {
		text = strings.ReplaceAll(text, "${CLAUDE_PLUGIN_ROOT}", o.file.Plugin)
	}
	if o.scope.scripts[where] {
		return text
	}
	if at := bare.FindStringSubmatch(text); at != nil {
		if o.scope.passes(where, at[2]+at[3], false) {
			return o.scope.keep(where, text)
		}
		return at[1] + "${env:" + at[2] + at[3] + "}"
	}
	return dollar.ReplaceAllStringFunc(text, func(found string) string {
		at := dollar.FindStringSubmatch(found)
		if at[1] != "" {
			return o.ask(where, found, at[1])
		}
		inner := at[2] + at[3]
		if id := asked.FindStringSubmatch(inner); id != nil {
			return o.ask(where, found, id[1])
		}
		switch lower := strings.ToLower(inner); {
		case lower == "userhome" || lower == "env:userhome":
			return m.Home
		case lower == "pathseparator" || lower == "/":
			if m.OS == "windows" {
				return `\`
			}
			return "/"
		case slices.Contains(ofEditor, lower), inner == "":
			return found
		}
		name := named.FindStringSubmatch(inner)
		switch {
		case name == nil:
			return found
		case !strings.HasPrefix(inner, "env") && o.scope.passes(where, name[1], name[2] != ""):
			return o.scope.keep(where, found)
		case name[2] != "":
			return "${env:" + name[1] + ":-" + name[3] + "}"
		}
		return "${env:" + name[1] + "}"
	})
}

// ask returns a reference to a secret in place of found, a value for which the editor asks the
// user. It returns found unchanged in a command or working folder, which cannot contain such a
// reference, and if a form asks the user for the value.
func (o *occurrence) ask(where, found, id string) string {
	if where == "command" || where == "cwd" || o.editable {
		return found
	}
	name := strings.Trim(notInSecret.ReplaceAllString(id, "_"), "_")
	if name == "" {
		return found
	}
	o.warn("its editor asks for %s (%s); after the import, set the secret %s of the server once", shown(where), shown(id), shown(name))
	o.needs = append(o.needs, name)
	return launch.Reference(name)
}

var notInSecret = lazyregexp.New(`[^\w.-]+`)

// explain adds a warning, or sets the problem, for an example or placeholder
// that a person has to replace before the server can work. It skips
// placeholders if a form shows the server, because the form asks for their
// values.
func (o *occurrence) explain(where, text string) {
	if example.MatchString(text) && !secretscan.HasCredential(text) {
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
		case launch.HasReference(found), ofEnvironment.MatchString(found), o.scope.keeps(where, found):
		case asked.MatchString(name):
			o.problem = "its editor asks for " + shown(where) + " (" + shown(name) +
				") at each start; write the value into the configuration, or add the server by hand"
		case strings.HasPrefix(found, "$("), strings.HasPrefix(name, "cmd"), strings.HasPrefix(name, "command:"):
			o.block(
				"%s has a command that its editor runs to get the value, which Agent Discover does not; put the value there after the "+
					"import", shown(where),
			)
		default:
			o.block("%s has ${%s}, which Agent Discover does not fill in; put its value there after the import", shown(where), shown(name))
		}
	}
}

// block adds a warning that the server cannot run as it runs in its editor. removeEntries keeps the
// entry of such a server in the editor.
func (o *occurrence) block(format string, args ...any) {
	o.warn(format, args...)
	if o.blocked == "" {
		o.blocked = o.warnings[len(o.warnings)-1]
	}
}
