package pypi

import (
	"cmp"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

// index is a package index.
type index struct {
	name string // name in uv's settings, or ""
	url  *url.URL
}

// settings are the settings of uv, which starts Python servers, and those of pip where uv has none. Addresses may
// contain credentials: use them for requests only, and never log or return them.
type settings struct {
	env     process.Env
	indexes []index
	proxy   string
	trusted []string // hosts whose certificates are not checked
	files   []string // files with certificate authorities
}

// readSettings reads the settings in the user's environment. indexes is empty if they name no index.
func readSettings(env process.Env) (*settings, error) {
	s := &settings{env: env}
	uv, err := s.readUV()
	if err != nil {
		return nil, err
	}
	pip := s.readPip()
	fallback := cmp.Or(env.Get("UV_DEFAULT_INDEX"), env.Get("UV_INDEX_URL"), uv.fallback)
	more := append(strings.Fields(env.Get("UV_INDEX")+" "+env.Get("UV_EXTRA_INDEX_URL")), uv.more...)
	if fallback == "" && len(more) == 0 {
		more = strings.Fields(cmp.Or(env.Get("PIP_EXTRA_INDEX_URL"), pip["extra-index-url"]))
	}
	for _, address := range append(more, cmp.Or(fallback, env.Get("PIP_INDEX_URL"), pip["index-url"])) {
		if address == "" {
			continue
		}
		i, err := parseIndex(address)
		if err != nil {
			return nil, err
		}
		s.indexes = append(s.indexes, i)
	}
	s.proxy = cmp.Or(env.Get("PIP_PROXY"), pip["proxy"])
	s.trusted = append(uv.trusted,
		strings.Fields(strings.Join([]string{env.Get("UV_INSECURE_HOST"), env.Get("PIP_TRUSTED_HOST"), pip["trusted-host"]}, " "))...)
	for _, file := range []string{env.Get("PIP_CERT"), pip["cert"], env.Get("REQUESTS_CA_BUNDLE"), env.Get("CURL_CA_BUNDLE")} {
		if file != "" {
			s.files = append(s.files, file)
		}
	}
	return s, nil
}

// named matches the address of an index with a name, as in corp=https://pypi.example/simple.
var named = lazyregexp.New(`^([A-Za-z0-9._-]+)=(https?://.*)$`)

func parseIndex(address string) (index, error) {
	i := index{}
	if m := named.FindStringSubmatch(address); m != nil {
		i.name, address = m[1], m[2]
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return i, fault.New(fault.Invalid,
			"the package index in the settings of uv or pip is not an http or https URL; see UV_DEFAULT_INDEX, uv.toml and pip config list")
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	i.url = u
	return i, nil
}

// uvFile holds the settings in the files of uv.
type uvFile struct {
	fallback string
	more     []string
	trusted  []string
}

// readUV reads the settings files of uv. The user's file has precedence over that of the system.
func (s *settings) readUV() (uvFile, error) {
	var out uvFile
	if no := s.env.Get("UV_NO_CONFIG"); no == "1" || strings.EqualFold(no, "true") {
		return out, nil
	}
	files := []string{s.env.Get("UV_CONFIG_FILE")}
	if files[0] == "" {
		files = append(s.configFolders("uv"), "/etc/uv")
		if runtime.GOOS == "windows" {
			files = []string{filepath.Join(s.env.Get("APPDATA"), "uv"), filepath.Join(s.env.Get("PROGRAMDATA"), "uv")}
		}
		for i := range files {
			files[i] = filepath.Join(files[i], "uv.toml")
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, fault.Wrap(err, fault.Invalid, "uv's settings file cannot be read")
		}
		var document map[string]any
		if err := toml.Unmarshal(text, &document); err != nil {
			return out, fault.New(fault.Invalid, "uv's settings file is not valid TOML") // the cause may quote a credential
		}
		out.add(document)
	}
	return out, nil
}

// add adds the settings of a file. Files that were added before have precedence.
func (f *uvFile) add(document map[string]any) {
	list, _ := document["index"].([]any)
	for _, one := range list {
		member, _ := one.(map[string]any)
		address, _ := member["url"].(string)
		if name, _ := member["name"].(string); name != "" && address != "" {
			address = name + "=" + address
		}
		switch {
		case address == "" || member["explicit"] == true:
		case member["default"] == true:
			f.fallback = cmp.Or(f.fallback, address)
		default:
			f.more = append(f.more, address)
		}
	}
	address, _ := document["index-url"].(string)
	f.fallback = cmp.Or(f.fallback, address)
	f.more = append(f.more, texts(document["extra-index-url"])...)
	f.trusted = append(f.trusted, texts(document["allow-insecure-host"])...)
}

func texts(value any) []string {
	var out []string
	list, _ := value.([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// configFolders returns the folders for settings of a program, the user's folder first.
func (s *settings) configFolders(program string) []string {
	out := []string{filepath.Join(cmp.Or(s.env.Get("XDG_CONFIG_HOME"), filepath.Join(s.env.Home(), ".config")), program)}
	for _, folder := range filepath.SplitList(cmp.Or(s.env.Get("XDG_CONFIG_DIRS"), "/etc/xdg")) {
		out = append(out, filepath.Join(folder, program))
	}
	return out
}

// readPip reads the settings files of pip. Like pip, it ignores files that cannot be read.
func (s *settings) readPip() map[string]string {
	out := make(map[string]string)
	for _, file := range s.pipFiles() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		all := parse(strings.TrimPrefix(string(text), "\ufeff"))
		for _, section := range []string{"global", "install"} {
			maps.Copy(out, all[section])
		}
	}
	return out
}

// pipFiles returns the settings files of pip; later files have precedence.
func (s *settings) pipFiles() []string {
	own := s.env.Get("PIP_CONFIG_FILE")
	if own == os.DevNull {
		return nil
	}
	var files []string
	home := s.env.Home()
	switch runtime.GOOS {
	case "windows":
		files = []string{filepath.Join(s.env.Get("PROGRAMDATA"), "pip", "pip.ini")}
		if own == "" {
			files = append(files, filepath.Join(home, "pip", "pip.ini"), filepath.Join(s.env.Get("APPDATA"), "pip", "pip.ini"))
		}
	default:
		folders := s.configFolders("pip")
		user := folders[0]
		for _, folder := range slices.Backward(folders[1:]) {
			files = append(files, filepath.Join(folder, "pip.conf"))
		}
		files = append(files, "/etc/pip.conf")
		if runtime.GOOS == "darwin" {
			files = append(files, "/Library/Application Support/pip/pip.conf")
			mac := filepath.Join(home, "Library", "Application Support", "pip")
			if info, err := os.Stat(mac); err == nil && info.IsDir() {
				user = mac
			}
		}
		if own == "" {
			files = append(files, filepath.Join(home, ".pip", "pip.conf"), filepath.Join(user, "pip.conf"))
		}
	}
	if own != "" {
		files = append(files, own)
	}
	return files
}

// parse reads an INI file as Python's configparser does: values may continue on indented lines. The result has the
// values by section and key.
func parse(text string) map[string]map[string]string {
	out := make(map[string]map[string]string)
	section, key := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case key != "" && (line[0] == ' ' || line[0] == '\t'):
			out[section][key] += " " + trimmed
		case trimmed[0] == '[' && trimmed[len(trimmed)-1] == ']':
			section, key = trimmed[1:len(trimmed)-1], ""
		default:
			end := strings.IndexAny(line, "=:")
			if end < 0 {
				key = ""
				continue
			}
			key = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(line[:end])), "_", "-")
			if out[section] == nil {
				out[section] = make(map[string]string)
			}
			out[section][key] = strings.TrimSpace(line[end+1:])
		}
	}
	return out
}

// options returns the network settings for a client.
func (s *settings) options() (fetch.Options, error) {
	o := fetch.Options{Source: "PyPI", Authorize: s.authorize}
	o.Proxy = mcphttp.ProxyOf(func(name string) string {
		if s.proxy != "" && (name == "HTTP_PROXY" || name == "HTTPS_PROXY") {
			return s.proxy
		}
		return s.env.Get(name)
	})
	if len(s.trusted) > 0 {
		o.Insecure = func(host string) bool {
			return slices.ContainsFunc(s.trusted, func(trusted string) bool {
				u, err := url.Parse("//" + strings.TrimPrefix(strings.TrimPrefix(trusted, "https://"), "http://"))
				return err == nil && strings.EqualFold(u.Hostname(), host)
			})
		}
	}
	pool, err := mcphttp.CAsOf(s.env.Get)
	if err != nil {
		return o, err
	}
	for _, file := range s.files {
		data, err := os.ReadFile(file)
		if err != nil {
			return o, fault.Wrap(err, fault.Invalid, "the certificate file in the settings of pip cannot be read")
		}
		if pool == nil {
			if pool, _ = x509.SystemCertPool(); pool == nil {
				pool = x509.NewCertPool()
			}
		}
		pool.AppendCertsFromPEM(data)
	}
	o.CAs = pool
	return o, nil
}

// authorize returns the Authorization header for an address: the credentials in the URL of its index, in uv's
// variables for the index, or in the user's .netrc.
func (s *settings) authorize(u *url.URL) string {
	for _, i := range s.indexes {
		if u.Scheme != i.url.Scheme || u.Host != i.url.Host {
			continue
		}
		user := i.url.User.Username()
		password, _ := i.url.User.Password()
		if i.name != "" && user == "" {
			name := "UV_INDEX_" + strings.Map(variableRune, strings.ToUpper(i.name))
			user, password = s.env.Get(name+"_USERNAME"), s.env.Get(name+"_PASSWORD")
		}
		if user != "" || password != "" {
			return basic(user, password)
		}
		if user, password, ok := s.netrc(u.Hostname()); ok {
			return basic(user, password)
		}
	}
	return ""
}

func variableRune(r rune) rune {
	if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// netrc returns the credentials for a host in the user's .netrc.
func (s *settings) netrc(host string) (user, password string, ok bool) {
	file := cmp.Or(s.env.Get("NETRC"), filepath.Join(s.env.Home(), ".netrc"))
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", false
	}
	words := strings.Fields(string(text))
	for at := 0; at+1 < len(words); at++ {
		switch words[at] {
		case "machine":
			if ok {
				return user, password, true
			}
			ok = words[at+1] == host
		case "login":
			if ok {
				user = words[at+1]
			}
		case "password":
			if ok {
				password = words[at+1]
			}
		default:
			continue
		}
		at++
	}
	return user, password, ok
}
