package sandbox

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// isContainer reports whether a command runs a container. The process of such a command is only the client of the
// container engine.
func isContainer(command string, args []string) bool {
	return program.RunsContainers(command) && slices.Contains(args, "run")
}

// limits are the options that addedTo adds to the arguments of confined containers, some of
// them only if the arguments do not contain the option already.
var limits = []struct{ name, value string }{
	{"--cap-drop", "ALL"}, {"--security-opt", "no-new-privileges"}, {"--pids-limit", "512"}, {"--memory", "2g"}, {"--cpus", "2"},
}

// flags are the long options of the command run, as in docker run, that have no value.
var flags = strings.Fields("--detach --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet " +
	"--read-only --rm --sig-proxy --tty --disable-content-trust --replace --tls-verify")

// option is an option of the command run with its value.
type option struct{ name, value string }

// long maps the short names of options to their long names.
var long = map[string]string{
	"-v": "--volume", "-m": "--memory", "-p": "--publish", "-e": "--env", "-u": "--user", "-w": "--workdir", "-l": "--label",
	"-h": "--hostname", "-c": "--cpu-shares", "-a": "--attach",
}

// optionsOf returns the options at the beginning of args, which are the arguments after run.
// The first argument that is no option is the image.
func optionsOf(args []string) (found []option) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		switch {
		case arg == "--" || !strings.HasPrefix(arg, "-"):
			return found
		case !strings.HasPrefix(arg, "--") && strings.Trim(arg[1:], "itdqP") == "":
			found = append(found, option{name: arg})
			continue
		case !strings.HasPrefix(arg, "--"):
			o := option{name: arg[:2], value: strings.TrimPrefix(arg[2:], "=")}
			if len(arg) == 2 && n+1 < len(args) {
				n++
				o.value = args[n]
			}
			if name := long[o.name]; name != "" {
				o.name = name
			}
			found = append(found, o)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		if name == "--net" {
			name = "--network"
		}
		if !inline && !slices.Contains(flags, name) && n+1 < len(args) {
			n++
			value = args[n]
		}
		found = append(found, option{name, value})
	}
	return found
}

// AddedTo returns the options that confine the container of a server. It returns
// none for other servers.
func AddedTo(server registry.Server) []string {
	if !server.Confined() || !isContainer(server.Command, server.Args) {
		return nil
	}
	return addedTo(optionsOf(afterRun(server.Args)), server.Sandbox, server.Grants)
}

func afterRun(args []string) []string { return args[slices.Index(args, "run")+1:] }

func addedTo(present []option, level string, grants registry.Grants) (added []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(present, func(o option) bool { return o.name == name })
	}
	for _, l := range limits {
		if level == registry.Strict && l.name == "--cap-drop" || l.name == "--security-opt" || !has(l.name) {
			added = append(added, l.name+"="+l.value)
		}
	}
	if level != registry.Strict {
		return added
	}
	if !has("--read-only") {
		added = append(added, "--read-only")
	}
	if !has("--tmpfs") {
		added = append(added, "--tmpfs=/tmp")
	}
	if networkOf(level, grants).none() {
		added = append(added, "--network=none")
	}
	return added
}

// confineContainer returns the launch of a container engine's client with the options that confine the container. It
// returns an error if the sandbox is strict and an option of the server would weaken it, or if the server has a
// variable that steersClient matches.
func confineContainer(l upstream.Launch, level string, grants registry.Grants, at place) (upstream.Launch, error) {
	present := optionsOf(afterRun(l.Args))
	if level == registry.Strict {
		for _, o := range present {
			if why := undoes(o, grants, at); why != "" {
				return l, fault.New(fault.Denied, "its sandbox is strict, and the option %s %s; remove the option, or choose guard",
					o.name, why)
			}
		}
	}
	own, err := passedOn(present, l.Own)
	before := slices.Index(l.Args, "run") + 1
	l.Args, l.Own = slices.Concat(l.Args[:before], addedTo(present, level, grants), l.Args[before:]), own
	return l, err
}

// steersClient matches variables that change which code the client of an engine loads, which
// programs it starts, or which engine it asks.
var steersClient = regexp.MustCompile(`(?i)^(?:PATH|HOME|SHELL|IFS|ENV|BASH_.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|MALLOC_.*|GODEBUG|GOTRACEBACK|TMPDIR|XDG_.*|` +
	`DOCKER_.*|BUILDKIT_.*|BUILDX_.*|CONTAINERS?_.*|CONTAINERD_.*|PODMAN_.*|BUILDAH_.*|NERDCTL_.*|STORAGE_.*|REGISTRY_AUTH_FILE|NOTIFY_SOCKET|LISTEN_.*|_CONTAINERS_.*)$`)

// passedOn returns those variables of a server that the options pass on to the container. The
// client of the engine, which runs outside of any sandbox, gets no other variables of the
// server. The error names a variable that steersClient matches.
func passedOn(present []option, own map[string]string) (map[string]string, error) {
	passed := make(map[string]string)
	for _, o := range present {
		if value, has := own[o.value]; has && o.name == "--env" {
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

// undoes returns why an option is forbidden in a strict sandbox, or "" if it is allowed.
func undoes(o option, grants registry.Grants, at place) string {
	switch o.name {
	case "--privileged", "--cap-add", "--device", "--volumes-from", "--userns", "--cgroupns", "--uts":
		return "gives the container rights over this computer"
	case "--pid", "--ipc":
		if o.value != "private" && o.value != "none" {
			return "shows the container other programs of this computer"
		}
	case "--security-opt":
		if !strings.HasPrefix(o.value, "no-new-privileges") {
			return "changes how the container is confined"
		}
	case "--network":
		if o.value != "none" && networkOf(registry.Strict, grants).none() {
			return "connects the container, but the network is not granted"
		}
	case "--volume", "--mount":
		source := sourceOf(o)
		if !strings.HasPrefix(source, "/") && !strings.HasPrefix(source, "~") {
			return "" // a volume of the engine
		}
		path := real(at.expand(source))
		switch {
		case strings.HasSuffix(path, ".sock"):
			return "gives the container a socket of this computer"
		case within(path, at.home) || anyWithin(reals(at.hidden()), path):
			return "gives the container your home folder or a secret in it"
		}
	}
	return ""
}

// sourceOf returns the path or the volume that an option mounts.
func sourceOf(o option) string {
	if o.name == "--volume" {
		source, _, _ := strings.Cut(o.value, ":")
		return source
	}
	for part := range strings.SplitSeq(o.value, ",") {
		if key, value, _ := strings.Cut(part, "="); key == "source" || key == "src" {
			return value
		}
	}
	return ""
}
