package npm

import (
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// write writes a file and returns its path.
func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func registryOf(t *testing.T, env process.Env, project, name string) string {
	t.Helper()
	s, err := readSettings(env, project)
	if err != nil {
		t.Fatal(err)
	}
	address, err := s.registry(name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestSettingsApplyInTheOrderOfNPM(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the installation of npm is laid out as on Linux")
	}
	home, project, prefix, custom := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	npm := filepath.Join(prefix, "lib", "node_modules", "npm")
	write(t, "", npm, "bin", "npm-cli.js")
	write(t, "#!/bin/sh\n", prefix, "bin", "node")
	for _, file := range []string{filepath.Join(prefix, "bin", "node"), filepath.Join(npm, "bin", "npm-cli.js")} {
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(npm, "bin", "npm-cli.js"), filepath.Join(prefix, "bin", "npm")); err != nil {
		t.Fatal(err)
	}
	env := process.Env{"HOME=" + home, "PATH=" + filepath.Join(prefix, "bin")}
	expect := func(want string) {
		t.Helper()
		if got := registryOf(t, env, project, "x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect("")
	write(t, "registry=https://builtin.example", npm, "npmrc")
	expect("https://builtin.example")
	write(t, "registry = https://global.example/", prefix, "etc", "npmrc")
	expect("https://global.example")
	write(t, "registry=https://user.example/npm/ ; mine", home, ".npmrc")
	expect("https://user.example/npm")
	write(t, `registry="https://project.example"`, project, ".npmrc")
	expect("https://project.example")
	env = append(env, "NPM_CONFIG_REGISTRY=https://environment.example")
	expect("https://environment.example")
	env = env[:2]
	if err := os.Remove(filepath.Join(project, ".npmrc")); err != nil {
		t.Fatal(err)
	}
	env = append(env, "npm_config_userconfig="+write(t, "registry=https://custom.example", custom, "rc"))
	expect("https://custom.example")
	env[2] = "npm_config_globalconfig=" + write(t, "registry=https://other-global.example", custom, "global")
	if err := os.Remove(filepath.Join(home, ".npmrc")); err != nil {
		t.Fatal(err)
	}
	expect("https://other-global.example")
	env[2] = "npm_config_prefix=" + custom
	write(t, "registry=https://prefix.example", custom, "etc", "npmrc")
	expect("https://prefix.example")
}

func TestScopesHaveTheirOwnRegistries(t *testing.T) {
	home := t.TempDir()
	write(t, "registry=https://a.example\n@corp:registry=https://corp.example/npm/\n", home, ".npmrc")
	env := process.Env{"HOME=" + home}
	for name, want := range map[string]string{
		"x": "https://a.example", "@corp/x": "https://corp.example/npm", "@corp": "https://corp.example/npm",
		"@other/x": "https://a.example", "corp/x": "https://a.example",
	} {
		if got := registryOf(t, env, "", name); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := registryOf(t, append(env, "npm_config_@corp:registry=https://env.example"), "", "@corp/x"); got != "https://env.example" {
		t.Errorf("from the environment: got %q", got)
	}
	for _, address := range []string{"file:///etc", "registry.example", "${UNSET}", "https://"} {
		write(t, "registry="+address, home, ".npmrc")
		s, err := readSettings(env, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.registry("x"); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), address) {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func TestFilesAreReadAsNPMReadsThem(t *testing.T) {
	get := func(name string) (string, bool) { return "value of " + name, name == "SET" }
	got := parse(
		"; comment\n# another\r\na = b ; c\n'q'='x;y'\nd=\"e\\tf\"\nflag\nescaped=a\\;b\\#c\nset=${SET}!\nunset=${NO}\nempty=${NO?}\n"+
			"kept=\\${SET}\nca[]=one\nca[]=two\n[section]\na=other\n", get,
	)
	for key, want := range map[string]string{
		"a": "b", "q": "x;y", "d": "e\tf", "flag": "true", "escaped": "a;b#c", "set": "value of SET!", "unset": "${NO}", "empty": "",
		"kept": "${SET}", "ca": "one\ntwo",
	} {
		if got[key] != want {
			t.Errorf("%s: got %q, want %q", key, got[key], want)
		}
	}
}

func TestCredentialsAreThoseOfTheLongestPath(t *testing.T) {
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	s := &settings{layers: []map[string]string{{
		"//a.example/:_authToken": "host", "//a.example/npm/private/:_authToken": "private", "//a.example/npm:_auth": "eDp5",
		"//b.example:8080/:username": "u", "//b.example:8080/:_password": base64.StdEncoding.EncodeToString([]byte("p")),
		"_authToken": "unscoped", "//c.example/:_password": "!!", "//c.example/:username": "u",
	}}}
	for address, want := range map[string]string{
		"https://a.example/x":               "Bearer host",
		"https://a.example/npm/private/x":   "Bearer private",
		"https://a.example/npm/private":     "Basic eDp5",
		"https://a.example/npm/x":           "Basic eDp5",
		"https://a.example.evil.example/x":  "",
		"https://b.example:8080/x":          basic("u:p"),
		"https://b.example/x":               "",
		"https://c.example/x":               "",
		"https://user:pass@other.example/x": "",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.authorize(u); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestProxyAndCertificatesComeFromTheSettings(t *testing.T) {
	target, _ := url.Parse("https://registry.example/x")
	for name, row := range map[string]struct {
		settings map[string]string
		env      process.Env
		want     string
	}{
		"none":            {nil, nil, ""},
		"the environment": {nil, process.Env{"https_proxy=http://env.example:1"}, "http://env.example:1"},
		"https-proxy": {
			map[string]string{
				"https-proxy": "http://npm.example:2", "proxy": "http://other.example",
			}, process.Env{"HTTPS_PROXY=http://env.example:1"}, "http://npm.example:2",
		},
		"proxy":              {map[string]string{"proxy": "http://npm.example:3"}, nil, "http://npm.example:3"},
		"noproxy":            {map[string]string{"proxy": "http://npm.example:3", "noproxy": "registry.example"}, nil, ""},
		"turned off":         {map[string]string{"proxy": "false"}, nil, ""},
		"NO_PROXY":           {map[string]string{"proxy": "http://npm.example:3"}, process.Env{"NO_PROXY=.example"}, ""},
		"another one exempt": {map[string]string{"proxy": "http://npm.example:3", "noproxy": "x.example"}, nil, "http://npm.example:3"},
	} {
		s := &settings{env: row.env, layers: []map[string]string{row.settings}}
		u, err := s.proxy()(target)
		if err != nil || u == nil && row.want != "" || u != nil && u.String() != row.want {
			t.Errorf("%s: got %v, %v", name, u, err)
		}
	}
}

func TestACertificateAuthorityOfTheSettingsIsTrusted(t *testing.T) {
	r := httptest.NewUnstartedServer(http.HandlerFunc((&registry{
		answers: map[string]string{"keywords:mcp-server": results(), "keywords:mcp": results()},
	}).serve))
	r.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	r.StartTLS()
	defer r.Close()
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw}))
	file := write(t, text, t.TempDir(), "ca.pem")
	for npmrc, want := range map[string]string{
		"":                  "certificate",
		"cafile=" + file:    "",
		"strict-ssl=false":  "",
		"cafile=/not/there": "certificate",
		"ca=\"" + strings.ReplaceAll(text, "\n", `\n`) + "\"":                    "",
		"cafile=/not/there\nca=\"" + strings.ReplaceAll(text, "\n", `\n`) + "\"": "",
		"ca=nonsense": "contain no certificate",
	} {
		_, err := source(t, "registry="+r.URL+"\n"+npmrc+"\n").Search(t.Context(), "", 10)
		if want == "" && err != nil || want != "" && !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: got %v", npmrc, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("registry=https://x.example\n[a]\nca[]=x\n'a'=\"b\\\"\n\\${X}=${Y?}")
	f.Fuzz(func(_ *testing.T, text string) { parse(text, func(string) (string, bool) { return "", false }) })
}
