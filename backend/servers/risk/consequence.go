package risk

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// permissions returns the end of a sentence about the rights of a program in a sandbox. It begins with "with your
// permissions". permissions does not know whether the system enforces the sandbox.
func permissions(sandbox string) string {
	const enforced = " in the sandbox “%s”, as far as this system enforces it: it can "
	switch sandbox {
	case registry.Guard:
		return "with your permissions" + fmt.Sprintf(enforced,
			sandbox) + "read the system, its own files and what you grant it, use the network and start other programs"
	case registry.Strict:
		return "with your permissions" + fmt.Sprintf(enforced,
			sandbox) + "read the system, its own files and what you grant it, and start other programs, without a network that you do not grant it"
	}
	return "with your permissions: " + might
}

const might = "it can read, change and delete your files, use the network and start other programs"

// fetchers maps programs that download packages and run them to the registry of
// the packages.
var fetchers = map[string]string{"npx": "npm", "bunx": "npm", "pnpx": "npm", "uvx": "PyPI", "pipx": "PyPI"}

var (
	pinned    = lazyregexp.New(`.(?:@|==)v?\d`)
	elsewhere = lazyregexp.New(`^(?:https?|git|file|github|gitlab|bitbucket|gist):|^git\+|@git\+|^[./\\~]`)
	mounts    = lazyregexp.New(`(?:^|\s)(?:-v|--volume|--mount)`)
)

// consequence returns a sentence about what a server can do once it is started.
func consequence(s registry.Server) string {
	if remote(s) {
		return fmt.Sprintf(
			"Everything that agents send to its tools goes to %s, and agents act on the answers. Nothing is started on this computer.",
			hostOf(s.URL),
		)
	}
	name := program.Name(s.Command)
	if !program.Installed(s.Command) { // it may only have the name of a known program
		name = ""
	}
	switch {
	case s.Command == "":
		return "It has no command and cannot be started."
	case fetchers[name] != "":
		return downloads(s, fetchers[name])
	case boxes.MatchString(name):
		return contained(s)
	case shells.MatchString(name), wrappers.MatchString(name),
		scripted.MatchString(name) && slices.ContainsFunc(s.Args, evaluates.MatchString):
		return "It runs the commands in its arguments " + permissions(s.Sandbox) + "."
	}
	return "It runs a program on this computer " + permissions(s.Sandbox) + "."
}

// packageOf returns the package that a program such as npx runs: the first
// argument that is no option or subcommand.
func packageOf(args []string) string {
	for _, arg := range args {
		if arg != "" && !strings.HasPrefix(arg, "-") && !slices.Contains([]string{"run", "exec", "dlx"}, arg) {
			return arg
		}
	}
	return ""
}

func downloads(s registry.Server, from string) string {
	name := packageOf(s.Args)
	shown := safetext.Clip(safetext.Runs(safetext.Visible(name)), 200)
	if elsewhere.MatchString(strings.ToLower(name)) {
		return fmt.Sprintf("It downloads “%s” and runs it %s.", shown, permissions(s.Sandbox))
	}
	newest := ", in the newest version at that time,"
	if pinned.MatchString(name) {
		newest = ""
	}
	return fmt.Sprintf("It downloads “%s” from %s%s and runs it %s.", shown, from, newest, permissions(s.Sandbox))
}

func contained(s registry.Server) string {
	args := strings.Join(s.Args, " ")
	if boxed.MatchString(args) {
		return "It runs in a container with control over this computer: " + might + "."
	}
	files := "none of your files"
	if mounts.MatchString(args) {
		files = "the folders that its arguments name"
	}
	return fmt.Sprintf("It runs in a container that can access %s and the network.", files)
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return safetext.Visible(u.Host)
	}
	return safetext.Visible(cmp.Or(address, "a missing address"))
}
