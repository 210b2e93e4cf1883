package process

import (
	"os"
	"slices"
	"strings"
)

// kept lists the variables of the user's login and desktop session. All other
// variables come from the program that started this one.
var kept = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
	"SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP",
	// Windows
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "APPDATA",
	"LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
	"PUBLIC", "ALLUSERSPROFILE", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// Clean returns the variables of this process's environment that belong to the
// user's session, with the system's default PATH. A service manager would start a
// program with a similar environment.
func Clean() Env {
	env := Env(os.Environ()).Without(func(name string) bool {
		upper := strings.ToUpper(name)
		return !slices.Contains(kept, upper) &&
			!strings.HasPrefix(upper, "XDG_SESSION_") && !strings.HasPrefix(upper, "LC_")
	})
	return env.With("PATH", defaultPath())
}

// Own returns the variables of this process that configure this program.
func Own() Env {
	return Env(os.Environ()).Without(func(name string) bool { return !OwnVariable(name) })
}
