package program

import (
	"slices"
	"strings"
)

// RunsContainers reports whether a command is the client of a container engine. The processes of a container are not
// children of such a program.
func RunsContainers(command string) bool {
	return slices.Contains([]string{"docker", "podman", "nerdctl"}, Name(command))
}

// ContainerRun returns the index in args of the word run with which a client of a container engine is told to run a
// container, and -1 if the command does something else. The arguments before it choose the engine. The command run of
// an extension, as in docker compose run, is something else.
func ContainerRun(command string, args []string) int {
	if !RunsContainers(command) {
		return -1
	}
	for n := 0; n < len(args); n++ {
		switch arg := args[n]; {
		case arg == "run":
			return n
		case arg == "container":
		case !strings.HasPrefix(arg, "-"):
			return -1
		case !strings.Contains(arg, "=") && !slices.Contains(clientFlags, arg):
			n++ // the value of the option
		}
	}
	return -1
}

// clientFlags are the options before the command that have no value.
var clientFlags = strings.Fields("-D --debug --tls --tlsverify -r --remote --syslog --noout --transient-store --experimental --insecure-registry")

// runFlags are the long options of the command run, as in docker run, that have no value.
var runFlags = strings.Fields("--detach --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet " +
	"--read-only --rm --sig-proxy --tty --disable-content-trust --replace --tls-verify")

// Option is an option of the command run with its value.
type Option struct{ Name, Value string }

// longNames maps the short names of options to their long names.
var longNames = map[string]string{
	"-v": "--volume", "-m": "--memory", "-p": "--publish", "-e": "--env", "-u": "--user", "-w": "--workdir", "-l": "--label",
	"-h": "--hostname", "-c": "--cpu-shares", "-a": "--attach",
}

// RunOptions returns the options at the beginning of args, which are the arguments after run.
// The first argument that is no option is the image.
func RunOptions(args []string) (found []Option) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		switch {
		case arg == "--" || !strings.HasPrefix(arg, "-"):
			return found
		case !strings.HasPrefix(arg, "--") && strings.Trim(arg[1:], "itdqP") == "":
			found = append(found, Option{Name: arg})
			continue
		case !strings.HasPrefix(arg, "--"):
			o := Option{Name: arg[:2], Value: strings.TrimPrefix(arg[2:], "=")}
			if len(arg) == 2 && n+1 < len(args) {
				n++
				o.Value = args[n]
			}
			if name := longNames[o.Name]; name != "" {
				o.Name = name
			}
			found = append(found, o)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		if name == "--net" {
			name = "--network"
		}
		if !inline && !slices.Contains(runFlags, name) && n+1 < len(args) {
			n++
			value = args[n]
		}
		found = append(found, Option{name, value})
	}
	return found
}
