package sandbox

import (
	"runtime"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// agents are the variables that name the sockets and files through which programs reach the user's keys.
var agents = strings.Fields("DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO " +
	"GNOME_KEYRING_CONTROL DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG CONTAINER_HOST CONTAINERD_ADDRESS BUILDKIT_HOST INCUS_SOCKET LXD_SOCKET " +
	"LIBVIRT_DEFAULT_URI KUBECONFIG")

// ordinary are the variables of the user that even a strict server gets, with those that process.NetworkVariable accepts.
var ordinary = strings.Fields("PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME")

// windowsOrdinary are further ones on Windows, in upper case. Windows does not tell upper from lower case in their names.
var windowsOrdinary = strings.Fields("USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES " +
	"PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP PUBLIC ALLUSERSPROFILE " +
	"NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS PATH")

// isOrdinary reports whether a strict server gets a variable of the user on a system.
func isOrdinary(system, name string) bool {
	return slices.Contains(ordinary, name) || process.NetworkVariable(name) || strings.HasPrefix(name, "LC_") ||
		system == "windows" && slices.Contains(windowsOrdinary, strings.ToUpper(name))
}

// chosen returns the environment of the user's programs without the variables that
// a confined server does not get. The server's own variables are not part of it.
func chosen(env process.Env, level string) process.Env {
	values := make(map[string]string)
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	credentials := make(map[string]bool)
	for _, place := range launch.Plaintext(values, nil, nil, "") {
		credentials[strings.TrimPrefix(place, "env.")] = true
	}
	return env.Without(func(name string) bool {
		if level == registry.Strict && !isOrdinary(runtime.GOOS, name) {
			return true
		}
		return credentials[name] || slices.Contains(agents, name)
	})
}
