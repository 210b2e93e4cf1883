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

// passed are the variables of the user that package managers get, beside their own settings.
var passed = strings.Fields(`
	PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME NETRC
	HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
	SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
	PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) ALLUSERSPROFILE NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE`)

// registries matches the variables with which a server may choose its package registry.
var registries = regexp.MustCompile(`(?i)^(?:npm_config_(?:@[^:=/]+:)?registry|UV_INDEX_URL|UV_EXTRA_INDEX_URL|UV_DEFAULT_INDEX|UV_INDEX)$`)

// nameOfIndex matches the name that uv lets a package registry have. The credentials of the user
// for a registry of a name must not go to another address that a server gives that name.
var nameOfIndex = regexp.MustCompile(`(^|\s)[A-Za-z0-9_-]+=`)

// tokensOfNPM are the variables in which users usually keep their tokens for npm.
var tokensOfNPM = []string{"NPM_TOKEN", "NODE_AUTH_TOKEN"}

// addresses matches the values of these variables: web addresses, perhaps with names.
var addresses = regexp.MustCompile(`^(?:[A-Za-z0-9_-]+=)?https?://\S+(?:\s+(?:[A-Za-z0-9_-]+=)?https?://\S+)*$`)

// referenceOfNPM matches a variable in a configuration of npm.
var referenceOfNPM = regexp.MustCompile(`\$\{(\w+)\??\}`)

// environment returns the environment of the package manager. It is that of the user without
// what changes which code is loaded, and with the package registries of the server.
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
		return !kept && !named[name] && !slices.Contains(passed, upper)
	})
	for name, value := range o.Own {
		if registries.MatchString(name) && addresses.MatchString(value) && !strings.Contains(value, "${") {
			env = env.With(name, nameOfIndex.ReplaceAllString(value, "$1"))
		}
	}
	if runtime.GOOS != "windows" {
		env = env.With("TMPDIR", o.temporary())
	}
	return env.With("PATH", o.path())
}

// path returns a PATH in which the refused git and the folder of the runner are first.
func (o Order) path() string {
	folders := []string{o.refusing()}
	if folder := o.CommandLine.Folder(); folder != "" {
		folders = append(folders, folder)
	}
	return strings.Join(append(folders, o.Env.Get("PATH")), string(filepath.ListSeparator))
}

// variable returns the value of a variable of the user. Package managers ignore the case of
// the names of their settings.
func (o Order) variable(name string) string {
	for _, variable := range o.Env {
		if key, value, _ := strings.Cut(variable, "="); strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// below returns a path in the home folder, or in the folder of a variable if that is set.
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
var pathOptions = strings.Fields("--userconfig --with-requirements -c --constraints --config-file -f --find-links")

// options returns the options of the command line that decide where packages come from, but
// not from which cache. Paths are absolute, because the package manager runs elsewhere.
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

// configOfNPM returns the files of the user that npm reads.
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

// configOfUV returns the files and folders of the user that uv reads.
func (o Order) configOfUV() []string {
	files := append(o.certificates(), filepath.Join(o.below("XDG_CONFIG_HOME", ".config"), "uv"))
	if path := o.variable("UV_CONFIG_FILE"); path != "" {
		files = append(files, path)
	}
	return files
}

// access returns what a package manager with this configuration needs.
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

// certificates returns the certificates of authorities that the user trusts in addition.
func (o Order) certificates() (files []string) {
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		if path := o.variable(name); filepath.IsAbs(path) {
			files = append(files, path)
		}
	}
	return files
}

// credentials returns where the configuration of uv has a user name or a password of a
// package registry, and "" if it has none.
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

// secretOfUV matches the variables in which uv has credentials; a token may be the user name.
var secretOfUV = regexp.MustCompile(`_(?:PASSWORD|USERNAME|TOKEN|API_KEY)$`)

var userInfo = regexp.MustCompile(`://[^/\s"']+@`)

// maxConfig is the size in bytes up to which a file of a package manager's configuration is
// read. Larger ones are collections of certificates.
const maxConfig = 64 << 10

// read returns the texts of those files that exist, also of the configuration of uv in a folder.
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

// portsIn returns the ports of the web addresses in texts, and those that name servers and
// package registries have otherwise.
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
