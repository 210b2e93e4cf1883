package process

import (
	"os"
	"path/filepath"
	"runtime"
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

// Clean returns the environment that the system gives to programs of the user's
// session. If the system does not provide it, Clean returns the variables of this
// process that belong to the session, with the system's default PATH. The result
// contains no variable that configures this program.
func Clean() Env {
	if env := sessionEnvironment(); env != nil {
		return env.Without(OwnVariable)
	}
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

// joinPath returns the folders of several PATHs in their order, each once.
func joinPath(lists ...string) string {
	seen := make(map[string]bool)
	var dirs []string
	for _, list := range lists {
		for _, dir := range filepath.SplitList(list) {
			key := dir
			if runtime.GOOS == "windows" {
				key = strings.ToLower(dir)
			}
			if dir != "" && !seen[key] {
				seen[key] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}
