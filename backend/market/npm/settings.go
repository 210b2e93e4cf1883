package npm

import (
	"cmp"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

// settings are npm's settings in the order of their precedence: environment, project, user, global and built-in file.
// Values may be credentials: use them for requests only, and never log or return them.
type settings struct {
	env    process.Env
	layers []map[string]string // the first layer that has a key decides
}

// readSettings reads npm's settings in the user's environment. project is a folder with an .npmrc, or "".
func readSettings(env process.Env, project string) (*settings, error) {
	s := &settings{env: env, layers: []map[string]string{fromEnvironment(env)}}
	user := s.get("userconfig")
	if project != "" {
		if file := filepath.Join(project, ".npmrc"); file != cmp.Or(user, filepath.Join(env.Home(), ".npmrc")) {
			if err := s.read(file); err != nil {
				return nil, err
			}
		}
	}
	if user = s.get("userconfig"); user == "" {
		user = filepath.Join(env.Home(), ".npmrc")
	}
	if err := s.read(user); err != nil {
		return nil, err
	}
	builtin := builtinFile(env)
	if err := s.read(cmp.Or(s.get("globalconfig"), globalFile(s, builtin))); err != nil {
		return nil, err
	}
	return s, s.read(builtin)
}

// fromEnvironment returns the settings in npm_config_ variables.
func fromEnvironment(env process.Env) map[string]string {
	const prefix = "npm_config_"
	out := make(map[string]string)
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) || value == "" {
			continue
		}
		key := name[len(prefix):]
		if !strings.HasPrefix(key, "//") {
			key = strings.ToLower(key[:1] + strings.ReplaceAll(key[1:], "_", "-")) // a leading underscore belongs to the name, as in _auth
		}
		out[key] = value
	}
	return out
}

// read adds the settings of a file, which need not exist.
func (s *settings) read(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "npm's settings file %s cannot be read", filepath.Base(file))
	}
	s.layers = append(s.layers, parse(strings.TrimPrefix(string(text), "\ufeff"), func(name string) (string, bool) {
		value := s.env.Get(name)
		return value, value != ""
	}))
	return nil
}

// get returns a setting, "" if there is none.
func (s *settings) get(key string) string {
	for _, layer := range s.layers {
		if value, ok := layer[key]; ok {
			if value == "null" || value == "undefined" {
				return ""
			}
			return value
		}
	}
	return ""
}

// builtinFile returns the settings file in the folder of npm itself, and "" if npm is not installed.
func builtinFile(env process.Env) string {
	path := env.LookPath("npm")
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(filepath.Dir(path), "node_modules", "npm", "npmrc")
	}
	return filepath.Join(filepath.Dir(filepath.Dir(path)), "npmrc") // npm is a link to npm/bin/npm-cli.js
}

// globalFile returns the global settings file: etc/npmrc below the prefix, which is by default the folder of Node.js.
func globalFile(s *settings, builtin string) string {
	prefix := cmp.Or(s.get("prefix"), s.env.Get("PREFIX"))
	if prefix == "" && builtin != "" {
		if text, err := os.ReadFile(builtin); err == nil { // npm's installer for Windows sets the prefix in the built-in file
			prefix = parse(string(text), func(name string) (string, bool) { return s.env.Get(name), true })["prefix"]
		}
	}
	if prefix == "" {
		node := s.env.LookPath("node")
		if node == "" {
			return ""
		}
		if real, err := filepath.EvalSymlinks(node); err == nil {
			node = real
		}
		if prefix = filepath.Dir(node); runtime.GOOS != "windows" {
			prefix = filepath.Dir(prefix)
		}
	}
	return filepath.Join(prefix, "etc", "npmrc")
}

// registry returns the address of the registry for a package or a scope, without a slash at its end, and "" if the
// settings name none.
func (s *settings) registry(name string) (string, error) {
	address := s.get("registry")
	if scope, _, ok := strings.Cut(name, "/"); ok || strings.HasPrefix(name, "@") {
		address = cmp.Or(s.get(scope+":registry"), address)
	}
	if address == "" {
		return "", nil
	}
	return checkAddress(address)
}

func checkAddress(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fault.New(fault.Invalid, "the registry in npm's settings is not an http or https URL; see: npm config list")
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimRight(u.String(), "/"), nil
}

// options returns the network settings for a client.
func (s *settings) options() (fetch.Options, error) {
	o := fetch.Options{Source: "npm", Proxy: s.proxy(), Authorize: s.authorize}
	if s.get("strict-ssl") == "false" {
		o.Insecure = func(string) bool { return true }
	}
	var err error
	o.CAs, err = s.authorities()
	return o, err
}

// proxy returns a function that returns the proxy for an address. The proxy in npm's settings has precedence over
// that of the environment.
func (s *settings) proxy() func(*url.URL) (*url.URL, error) {
	setting := func(key string) string {
		if value := s.get(key); value != "false" && value != "true" {
			return value
		}
		return ""
	}
	own := cmp.Or(setting("https-proxy"), setting("proxy"))
	return mcphttp.ProxyOf(func(name string) string {
		switch name {
		case "HTTPS_PROXY", "HTTP_PROXY":
			if own != "" {
				return own
			}
		case "NO_PROXY":
			if none := cmp.Or(setting("noproxy"), setting("no-proxy")); none != "" {
				return none
			}
		}
		return s.env.Get(name)
	})
}

// authorities returns the trusted certificate authorities. If npm's settings name any, these replace those of the
// system.
func (s *settings) authorities() (*x509.CertPool, error) {
	text := strings.ReplaceAll(s.get("ca"), `\n`, "\n")
	if file := s.get("cafile"); file != "" {
		data, err := os.ReadFile(file)
		switch {
		case err == nil:
			text = string(data)
		case !errors.Is(err, fs.ErrNotExist): // npm ignores a missing file
			return nil, fault.Wrap(err, fault.Invalid, "the file in npm's setting cafile cannot be read")
		}
	}
	if strings.TrimSpace(text) == "" {
		return mcphttp.CAsOf(s.env.Get)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, fault.New(fault.Invalid, "npm's settings ca and cafile contain no certificate")
	}
	return pool, nil
}

// lastPart matches the last part of a key. npm removes it repeatedly until it finds credentials for the rest.
var lastPart = regexp.MustCompile(`(?:[^/]+|/)$`)

// authorize returns the Authorization header for an address: the credentials whose key is the longest prefix of host
// and path.
func (s *settings) authorize(u *url.URL) string {
	for key := "//" + u.Host + u.EscapedPath(); len(key) > len("//"); key = lastPart.ReplaceAllString(key, "") {
		if token := s.get(key + ":_authToken"); token != "" {
			return "Bearer " + token
		}
		if auth := s.get(key + ":_auth"); auth != "" {
			return "Basic " + auth
		}
		user, password := s.get(key+":username"), s.get(key+":_password")
		if user == "" || password == "" {
			continue
		}
		if decoded, err := base64.StdEncoding.DecodeString(password); err == nil {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(decoded)))
		}
	}
	return ""
}
