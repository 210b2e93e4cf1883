package sandbox

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// limits are the options that addedTo adds to the arguments of confined containers, some of
// them only if the arguments do not contain the option already.
var limits = []struct{ name, value string }{
	{"--cap-drop", "ALL"}, {"--security-opt", "no-new-privileges"}, {"--pids-limit", "512"}, {"--memory", "2g"}, {"--cpus", "2"},
}

// AddedTo returns the options that confine the container of a server. It returns
// none for other servers.
func AddedTo(server registry.Server) []string {
	run := program.ContainerRun(server.Command, server.Args)
	if !server.Confined() || run < 0 {
		return nil
	}
	return addedTo(program.RunOptions(server.Args[run+1:]), server.Sandbox, server.Grants)
}

func addedTo(present []program.Option, level string, grants registry.Grants) (added []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(present, func(o program.Option) bool { return o.Name == name })
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
	if networkOf(level, grants).None() {
		added = append(added, "--network=none")
	}
	return added
}

// confineContainer returns the launch of a container engine's client with the options that confine the container. It
// returns an error if the sandbox is strict and an option of the server would weaken it, or if the server has a
// variable that steersClient matches.
func confineContainer(l upstream.Launch, level string, grants registry.Grants, at place) (upstream.Launch, error) {
	before := program.ContainerRun(l.Command, l.Args) + 1
	present := program.RunOptions(l.Args[before:])
	if level == registry.Strict {
		for _, o := range present {
			if why := undoes(o, grants, at); why != "" {
				return l, fault.New(fault.Denied, "its sandbox is strict, and the option %s %s; remove the option, or choose guard",
					o.Name, why)
			}
		}
	}
	own, err := passedOn(present, l.Own)
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
func passedOn(present []program.Option, own map[string]string) (map[string]string, error) {
	passed := make(map[string]string)
	for _, o := range present {
		if value, has := own[o.Value]; has && o.Name == "--env" {
			passed[o.Value] = value
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
func undoes(o program.Option, grants registry.Grants, at place) string {
	switch o.Name {
	case "--privileged", "--cap-add", "--device", "--volumes-from", "--userns", "--cgroupns", "--uts":
		return "gives the container rights over this computer"
	case "--pid", "--ipc":
		if o.Value != "private" && o.Value != "none" {
			return "shows the container other programs of this computer"
		}
	case "--security-opt":
		if !strings.HasPrefix(o.Value, "no-new-privileges") {
			return "changes how the container is confined"
		}
	case "--network":
		if o.Value != "none" && networkOf(registry.Strict, grants).None() {
			return "connects the container, but the network is not granted"
		}
	case "--volume", "--mount":
		source := sourceOf(o)
		if strings.HasPrefix(source, ".") { // relative to the folder in which the client of the engine starts
			source = filepath.Join(at.dir, source)
		}
		if !strings.HasPrefix(source, "/") && !strings.HasPrefix(source, "~") {
			return "" // a volume of the engine
		}
		path := real(at.expand(source))
		switch {
		case strings.HasSuffix(path, ".sock"):
			return "gives the container a socket of this computer"
		case confinement.Within(path, at.home) || confinement.AnyWithin(reals(at.hidden(nil)), path):
			return "gives the container your home folder or a secret in it"
		}
	}
	return ""
}

// sourceOf returns the path or the volume that an option mounts.
func sourceOf(o program.Option) string {
	if o.Name == "--volume" {
		source, _, _ := strings.Cut(o.Value, ":")
		return source
	}
	for part := range strings.SplitSeq(o.Value, ",") {
		if key, value, _ := strings.Cut(part, "="); key == "source" || key == "src" {
			return value
		}
	}
	return ""
}
