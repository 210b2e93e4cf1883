package packagemanager

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// passed are the user's variables that package managers get, in addition to their own settings and to the variables that
// process.NetworkVariable accepts.
var passed = strings.Fields(`
	PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME NETRC
	SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
	PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) ALLUSERSPROFILE NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE`)

// registries matches the variables in which a server may set the address of a package registry.
var registries = regexp.MustCompile(`(?i)^(?:npm_config_(?:@[^:=/]+:)?registry|UV_INDEX_URL|UV_EXTRA_INDEX_URL|UV_DEFAULT_INDEX|UV_INDEX)$`)

// nameOfIndex matches the name before the address of a package registry in a setting of uv. The name is removed: uv
// must not send the user's credentials for a named registry to another address to which a server gives the same name.
var nameOfIndex = regexp.MustCompile(`(^|\s)[A-Za-z0-9_-]+=`)

// tokensOfNPM are the variables in which users usually keep their tokens for npm.
var tokensOfNPM = []string{"NPM_TOKEN", "NODE_AUTH_TOKEN"}

// addresses matches the allowed values of the variables that registries matches: web addresses, each optionally with
// a name.
var addresses = regexp.MustCompile(`^(?:[A-Za-z0-9_-]+=)?https?://\S+(?:\s+(?:[A-Za-z0-9_-]+=)?https?://\S+)*$`)

// referenceOfNPM matches a reference to a variable in a configuration file of npm.
var referenceOfNPM = regexp.MustCompile(`\$\{(\w+)\??\}`)

// environment returns the environment of the package manager: the user's environment without variables that change
// which code is loaded, and with the server's package registries.
func (o Order) environment() process.Env {
	named, settings := make(map[string]bool), "UV_"
	if o.Runner == "npx" {
		settings = "NPM_CONFIG_"
		for _, name := range tokensOfNPM {
			named[name] = true
		}
		for _, text := range read(o.configOfNPM()) {
			for _, found := range referenceOfNPM.FindAllStringSubmatch(text, -1) {
				named[found[1]] = true
			}
		}
	}
	env := o.Env.Without(func(name string) bool {
		upper := strings.ToUpper(name)
		kept := strings.HasPrefix(upper, settings) || strings.HasPrefix(upper, "LC_")
		return !kept && !named[name] && !slices.Contains(passed, upper) && !process.NetworkVariable(name)
	})
	for name, value := range o.Own {
		if registries.MatchString(name) && addresses.MatchString(value) && !strings.Contains(value, "${") {
			env = env.With(name, nameOfIndex.ReplaceAllString(value, "$1"))
		}
	}
	if runtime.GOOS != "windows" {
		env = env.With("TMPDIR", filepath.Join(o.Folder, own, "tmp"))
	}
	return env.With("PATH", o.path())
}

// path returns a PATH that begins with the folder of refusedGit and the folder of the runner.
func (o Order) path() string {
	folders := []string{o.refusing()}
	if folder := o.CommandLine.Folder(); folder != "" {
		folders = append(folders, folder)
	}
	return strings.Join(append(folders, o.Env.Get("PATH")), string(filepath.ListSeparator))
}

// variable returns the value of one of the user's variables. It ignores the case of name, as package managers do for
// their settings.
func (o Order) variable(name string) string {
	for _, variable := range o.Env {
		if key, value, _ := strings.Cut(variable, "="); strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// below returns the value of a variable if that is an absolute path, and otherwise the path home below the home
// folder.
func (o Order) below(variable string, home ...string) string {
	if folder := o.variable(variable); filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(append([]string{o.Env.Home()}, home...)...)
}

func (o Order) sharedUV() string {
	if folder := o.variable("UV_CACHE_DIR"); filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(o.below("XDG_CACHE_HOME", ".cache"), "uv")
}

func (o Order) sharedPythons() string {
	if folder := o.variable("UV_PYTHON_INSTALL_DIR"); filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(o.below("XDG_DATA_HOME", ".local", "share"), "uv", "python")
}

var cacheOfNPM = regexp.MustCompile(`(?m)^\s*cache\s*=\s*"?(/[^"\r\n]*?)"?\s*$`)

func (o Order) sharedNPM() string {
	for _, text := range read(o.configOfNPM()) {
		if found := cacheOfNPM.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return o.below("npm_config_cache", ".npm")
}

// pathOptions are the options of npx and uvx whose value is the path of a file or folder.
var pathOptions = strings.Fields("--userconfig --globalconfig --with-editable --with-requirements -c --constraints -b --build-constraints " +
	"--overrides --config-file -f --find-links")

// options returns the options of the command line that decide where packages come from, except for the cache. It
// makes paths absolute, because the package manager runs in another folder.
func (o Order) options() (out []string) {
	for at := 0; at+1 < len(o.Options); at += 2 {
		name, value := o.Options[at], o.Options[at+1]
		if name == "--cache" || name == "--cache-dir" {
			continue
		}
		if name == "--index" || name == "--default-index" {
			value = nameOfIndex.ReplaceAllString(value, "$1")
		}
		if slices.Contains(pathOptions, name) && !filepath.IsAbs(value) && !strings.Contains(value, "://") {
			value = filepath.Join(o.Env.Home(), value)
		}
		out = append(out, name, value)
	}
	return out
}

var certificatesOfNPM = regexp.MustCompile(`(?m)^\s*cafile\s*=\s*"?(/[^"\r\n]*?)"?\s*$`)

// configOfNPM returns the user's files that npm reads.
func (o Order) configOfNPM() []string {
	files := append(o.certificates(), cmp.Or(o.variable("npm_config_userconfig"), filepath.Join(o.Env.Home(), ".npmrc")))
	for _, name := range []string{"npm_config_globalconfig", "npm_config_cafile"} {
		if path := o.variable(name); path != "" {
			files = append(files, path)
		}
	}
	for _, text := range read(files) {
		if found := certificatesOfNPM.FindStringSubmatch(text); found != nil {
			files = append(files, found[1])
		}
	}
	return files
}

// configOfUV returns the user's files and folders that uv reads.
func (o Order) configOfUV() []string {
	files := append(o.certificates(), filepath.Join(o.below("XDG_CONFIG_HOME", ".config"), "uv"))
	if path := o.variable("UV_CONFIG_FILE"); path != "" {
		files = append(files, path)
	}
	return files
}

// access returns the access that a package manager with these configuration files needs.
func (o Order) access(config []string) sandbox.ManagerAccess {
	a := sandbox.ManagerAccess{Write: []string{o.Folder}, Config: config, Read: []string{o.sharedPythons()}}
	options := o.options()
	for at := 0; at+1 < len(options); at += 2 {
		if filepath.IsAbs(options[at+1]) {
			a.Read = append(a.Read, options[at+1])
		}
	}
	texts := slices.Concat(options, read(config), read(a.Read))
	for _, variable := range o.environment() {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") && !strings.Contains(value, "://") {
			value = "http://" + value
		}
		texts = append(texts, value)
	}
	a.Ports = portsIn(texts)
	return a
}

// certificates returns the files and folders with the user's additional certificate authorities.
func (o Order) certificates() (files []string) {
	for _, name := range process.CertificateVariables() {
		if path := o.variable(name); filepath.IsAbs(path) {
			files = append(files, path)
		}
	}
	return files
}

// credentials returns the variable or file in the configuration of uv that contains a user name or password for a
// package registry, and "" if there is none.
func (o Order) credentials(a sandbox.ManagerAccess) string {
	for _, variable := range o.environment() {
		name, value, _ := strings.Cut(variable, "=")
		secret := strings.HasPrefix(name, "UV_") && secretOfUV.MatchString(name)
		if secret || userInfo.MatchString(value) {
			return "the variable " + name
		}
	}
	for _, path := range a.Config {
		if slices.ContainsFunc(read([]string{path}), userInfo.MatchString) {
			return path
		}
	}
	return ""
}

// secretOfUV matches the names of the variables that contain credentials for uv. A user name counts, because it may
// be a token.
var secretOfUV = regexp.MustCompile(`_(?:PASSWORD|USERNAME|TOKEN|API_KEY)$`)

var userInfo = regexp.MustCompile(`://[^/\s"']+@`)

// maxConfig is the maximum size in bytes of a configuration file that is read. Larger files are collections of
// certificates.
const maxConfig = 64 << 10

// read returns the contents of the files that exist and have at most maxConfig bytes. In place of a folder named uv,
// it reads the file uv.toml in that folder.
func read(files []string) (texts []string) {
	for _, file := range files {
		if filepath.Base(file) == "uv" {
			file = filepath.Join(file, "uv.toml")
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfig {
			continue
		}
		if text, err := os.ReadFile(file); err == nil {
			texts = append(texts, string(text))
		}
	}
	return texts
}

var portOfAddress = regexp.MustCompile(`(?i)(https?|socks\w*)://(?:[^/\s"'@]*@)?(?:\[[^\]\s]*\]|[^/:\s"']+)(?::(\d+))?`)

// portsIn returns the ports of the web addresses in texts, and those of DNS and HTTPS.
func portsIn(texts []string) []uint16 {
	ports := []uint16{53, 443}
	for _, text := range texts {
		for _, found := range portOfAddress.FindAllStringSubmatch(text, -1) {
			usual := map[string]string{"http": "80", "https": "443"}[strings.ToLower(found[1])]
			if port, err := strconv.ParseUint(cmp.Or(found[2], usual), 10, 16); err == nil {
				ports = append(ports, uint16(port))
			}
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}
