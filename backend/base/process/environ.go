package process

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// kept lists the variables of the user's login and desktop session. With those that describe the network, they are
// all that Clean keeps; other variables come from the program that started this one.
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
	env := Env(os.Environ())
	packages := env.packageSettings()
	env = env.Without(func(name string) bool {
		upper := strings.ToUpper(name)
		return !slices.Contains(kept, upper) && !NetworkVariable(name) && !slices.Contains(packages, name) &&
			!strings.HasPrefix(upper, "XDG_SESSION_") && !strings.HasPrefix(upper, "LC_")
	})
	return env.With("PATH", defaultPath())
}

// Own returns the variables of this process that configure this program.
func Own() Env {
	return Env(os.Environ()).Without(func(name string) bool { return !OwnVariable(name) })
}

// Network returns the variables of this process that say how programs reach the network.
func Network() Env {
	env := Env(os.Environ())
	packages := env.packageSettings()
	return env.Without(func(name string) bool { return !NetworkVariable(name) && !slices.Contains(packages, name) })
}

// proxies and certificates are the variables by which most programs find their proxy, and the certificate authorities
// that they trust. Many programs read proxies in lower case only.
var (
	proxies      = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
	certificates = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
)

// NetworkVariable reports whether a variable, in upper or lower case, names a proxy or certificate authorities.
func NetworkVariable(name string) bool {
	upper := strings.ToUpper(name)
	return slices.Contains(proxies, upper) || slices.Contains(certificates, upper)
}

// CertificateVariables returns the variables that name files and folders with certificate authorities.
func CertificateVariables() []string { return slices.Clone(certificates) }

var (
	// packageSetting matches the settings of uv and pip, and those settings of npm that concern the network. npm sets
	// all of its settings for the programs that it runs, also those of a single project.
	packageSetting = lazyregexp.New(`(?i)^(?:(?:UV|PIP)_\w+|npm_config_(?:(?:https?[-_])?proxy|no[-_]?proxy|cafile))$`)
	// secretSetting matches those settings that are credentials.
	secretSetting = lazyregexp.New(`(?i)_(?:PASSWORD|USERNAME|TOKEN|API_KEY)$`)
	// withUser matches values that contain an address with a user name, and perhaps a password.
	withUser = lazyregexp.New(`://[^/\s"']*@`)
)

// packageSettings returns the names of the variables that configure package managers, without those that contain
// credentials. The address of a proxy may contain some, because the proxy cannot be used without them.
func (e Env) packageSettings() (names []string) {
	for _, variable := range e {
		name, value, _ := strings.Cut(variable, "=")
		if packageSetting.MatchString(name) && !secretSetting.MatchString(name) &&
			(strings.HasSuffix(strings.ToUpper(name), "PROXY") || !withUser.MatchString(value)) {
			names = append(names, name)
		}
	}
	return names
}

// preferring returns e without proxies of base that e contains unchanged, if e also has another value for the same
// proxy in the other case: programs that read both must not prefer the value that was meant to be replaced.
func (e Env) preferring(base Env) Env {
	return e.Without(func(name string) bool {
		other := strings.ToLower(name)
		if other == name {
			other = strings.ToUpper(name)
		}
		return runtime.GOOS != "windows" && slices.Contains(proxies, strings.ToUpper(name)) && e.Get(name) == base.Get(name) &&
			base.Get(other) == "" && e.Get(other) != "" && e.Get(other) != e.Get(name)
	})
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
