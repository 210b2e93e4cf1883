package sandbox

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// limits are the options that addedTo adds to the arguments of confined containers, unless the arguments contain them
// already. A server can only choose lower limits.
var limits = []givenOption{
	{"cap-drop", "ALL"},
	{"security-opt", "no-new-privileges"},
	{"pids-limit", fmt.Sprint(maxProcesses)},
	{"memory", fmt.Sprintf("%dg", maxMemory>>30)},
	{"cpus", fmt.Sprint(maxProcessors)},
}

// runsEngine reports whether a command is the client of a container engine, which options confine instead of the system. A
// program that only has the name of one is confined as any other.
func runsEngine(command string) bool {
	return program.Installed(command) && program.RunsContainers(command)
}

// AddedTo returns the options that confine the container of a server. It returns
// none for other servers.
func AddedTo(server registry.Server) []string {
	if !server.Confined() || !runsEngine(server.Command) || program.ContainerRun(server.Command, server.Args) < 0 {
		return nil
	}
	r, _ := readRun(server.Args) // if they are forbidden, the server does not start
	return addedTo(r.options, boxOf(server.Sandbox, server.Grants))
}

func addedTo(present []givenOption, b box) (added []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(present, func(o givenOption) bool { return o.name == name })
	}
	for _, l := range limits {
		if l.name == "cap-drop" || l.name == "security-opt" || !has(l.name) {
			added = append(added, l.String())
		}
	}
	if !b.strict {
		return added
	}
	if !has("read-only") {
		added = append(added, "--read-only=true")
	}
	if !slices.ContainsFunc(present, func(o givenOption) bool {
		m, _ := mountOf(o, "")
		return path.Clean(m.target) == "/tmp"
	}) {
		added = append(added, "--tmpfs=/tmp")
	}
	if b.offline && !has("network") {
		added = append(added, "--network=none")
	}
	return added
}

// confineContainer returns the launch of a container engine's client with the options that confine the container. It
// returns an error if the arguments of the server contain an option that runOptions does not allow or mount a path that
// is not granted, or if the server has a variable that steersClient matches. The paths can then be granted.
func (s *Sandbox) confineContainer(name string, server registry.Server, l upstream.Launch) (upstream.Launch, error) {
	at := s.placeOf(l)
	p := s.mountable(at, server)
	r, claims, why := confinedRun(l.Args, boxOf(server.Sandbox, server.Grants), p, at)
	s.denials.forget(name)
	if why != "" {
		return l, fault.New(fault.Denied,
			"its sandbox is %s, and %s; change its arguments, or a person can turn its sandbox off with: agent-discover servers sandbox %s off",
			server.Sandbox, safetext.Clip(safetext.Label(why), maxRefusal), server.Name)
	}
	if len(claims) > 0 {
		s.denials.began(name, p, at.home)
		if s.denials.add(name, claims, upstream.Line{At: s.options.Now()}) {
			events.Publish(s.options.Bus, Changed{name})
		}
		return l, fault.New(fault.Denied,
			"its sandbox is %s, and its arguments mount files that are not granted; a person can allow it with: "+
				"agent-discover servers grant %s%s", server.Sandbox, server.Name, grantsFor(p, claims, at.home))
	}
	own, err := passedOn(r.options, l.Own)
	l.Args, l.Own = r.arguments(addedTo(r.options, boxOf(server.Sandbox, server.Grants))), own
	return l, err
}

// grantsFor returns the options of servers grant that allow what claims name.
func grantsFor(p confinement.Policy, claims []claim, home string) (options string) {
	for _, c := range claims {
		if d, denied := deniedBy(p, c, home); denied && d.Grant != "" {
			options += fmt.Sprintf(" --%s %s", d.Access, safetext.ShellWord(d.Grant))
		}
	}
	return options
}

// refusal returns why a server with the client of an engine does not start because of its command or an option, whatever is
// granted. It returns "" if only its mounts decide, or if its arguments have references, whose values are not known.
func refusal(server registry.Server) string {
	if slices.ContainsFunc(server.Args, func(arg string) bool { return strings.Contains(arg, "${") }) {
		return ""
	}
	_, why := allowedRun(server.Args, boxOf(server.Sandbox, server.Grants))
	return safetext.Clip(safetext.Label(why), maxRefusal)
}

// maxRefusal is the length to which the reason of a refusal is cut.
const maxRefusal = 400

// allowedRun is readRun with a check of the values of options.
func allowedRun(args []string, b box) (r containerRun, why string) {
	r, why = readRun(args)
	for _, o := range r.options {
		if check := optionNamed(o.name).problem; why == "" && check != nil {
			if why = check(o.value, b); why != "" {
				why = "the option --" + o.name + " " + why
			}
		}
	}
	return r, why
}

// confinedRun reads the arguments of the client of an engine. It returns why they are forbidden, or else which paths they
// mount that are not granted.
func confinedRun(args []string, b box, p confinement.Policy, at place) (r containerRun, claims []claim, why string) {
	if r, why = allowedRun(args, b); why != "" {
		return r, nil, why
	}
	for n, o := range r.options {
		m, why := mountOf(o, at.os)
		if why == "" && m.kind == "bind" {
			var c claim
			if c, why = m.resolveBind(p, at); c.target != "" {
				claims = append(claims, c)
			}
		}
		if why != "" {
			return r, nil, "the option --" + o.name + " " + why
		}
		if o.name == "volume" || o.name == "mount" {
			r.options[n] = m.option(o.name)
		}
	}
	return r, claims, ""
}

// steersClient matches variables that change which code the client of an engine loads, which programs it starts, which
// engine it asks, or how it reaches registries.
var steersClient = lazyregexp.New(`(?i)^(?:PATH|HOME|SHELL|IFS|ENV|BASH_.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|MALLOC_.*|` +
	`GODEBUG|GOTRACEBACK|TMPDIR|TEMP|TMP|XDG_.*|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|SYSTEMROOT|COMSPEC|PATHEXT|` +
	`DOCKER_.*|BUILDKIT_.*|BUILDX_.*|CONTAINERS?_.*|CONTAINERD_.*|PODMAN_.*|BUILDAH_.*|NERDCTL_.*|STORAGE_.*|REGISTRY_AUTH_FILE|` +
	`CNI_.*|NETCONFPATH|HELPER_BINARIES_DIR|GNUPGHOME|SSH_ASKPASS.*|SSH_AUTH_SOCK|(?:HTTP|HTTPS|ALL|NO|FTP)_PROXY|SSL_CERT_FILE|` +
	`SSL_CERT_DIR|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|NOTIFY_SOCKET|LISTEN_.*|_CONTAINERS_.*)$`)

// passedOn returns those variables of a server that the options pass on to the container. The
// client of the engine, which runs outside of any sandbox, gets no other variables of the
// server. The error names a variable that steersClient matches.
func passedOn(present []givenOption, own map[string]string) (map[string]string, error) {
	passed := make(map[string]string)
	for _, o := range present {
		if value, has := own[o.value]; has && o.name == "env" {
			passed[o.value] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if steersClient.MatchString(name) {
			return nil, fault.New(fault.Denied,
				"its variable %s would change the client of the container engine, which runs outside of the sandbox; "+
					"to set it in the container, write -e %s=VALUE into the arguments; to set it for the client, set it in your login "+
					"shell", name, name)
		}
	}
	return passed, nil
}
