package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func load(t *testing.T, text string) (Settings, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(file)
}

func TestWithoutAFileDefaultsApply(t *testing.T) {
	s, err := Load(filepath.Join(t.TempDir(), "config.yaml"))
	if err != nil || s.Port != 3424 || s.Agents.Install != "ask" || s.Limits.CallTimeout != time.Minute ||
		s.Log.Retention() != 30*24*time.Hour || s.SetupFile != "" || !s.WarmPackages {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestTheFileOverridesDefaultsAndTheEnvironmentOverridesTheFile(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PORT", "4000")
	t.Setenv("AGENT_DISCOVER_ROOTS", "file:///a, file:///b,")
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s, err := load(t, "# a comment\nport: 5000\nlimits:\n  idle_stop: 200ms\nagents: {install: deny}\nlog: {retention_days: 7}\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Port != 4000 || s.Limits.IdleStop != 200*time.Millisecond || s.Limits.StartTimeout != time.Minute || s.Agents.Install != "deny" ||
		s.Log.Retention() != 0 {
		t.Errorf("got %+v", s)
	}
	if strings.Join(s.Roots, " ") != "file:///a file:///b" {
		t.Errorf("roots %q", s.Roots)
	}
}

func TestSetupFilePathsAreCompleted(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(here)
	file := filepath.Join(t.TempDir(), "config.yaml")
	for given, want := range map[string]string{
		"": "", "setup.json": filepath.Join(filepath.Dir(file), "setup.json"), "~/setup.json": filepath.Join(home, "setup.json"),
		filepath.Join(here, "x.json"): filepath.Join(here, "x.json"),
	} {
		if err := os.WriteFile(file, []byte("setup_file: '"+given+"'\nwarm_packages: false\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Load(file); err != nil || s.SetupFile != want || s.WarmPackages {
			t.Errorf("%q: got %+v, %v", given, s, err)
		}
	}
	t.Setenv("AGENT_DISCOVER_SETUP_FILE", "from-here.json")
	if s, err := Load(file); err != nil || s.SetupFile != filepath.Join(here, "from-here.json") {
		t.Errorf("got %q, %v", s.SetupFile, err)
	}
}

func TestTheFolderForResultsIsCompleted(t *testing.T) {
	for given, want := range map[string]string{"": "", "results": "results", "/somewhere": ""} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		switch {
		case given == "/somewhere":
			given = t.TempDir()
			want = given
		case want != "":
			want = filepath.Join(filepath.Dir(file), want)
		}
		if err := os.WriteFile(file, []byte("results: {folder: '"+given+"'}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Load(file); err != nil || s.Results.Folder != want {
			t.Errorf("%q: got %q, %v", given, s.Results.Folder, err)
		}
	}
}

func TestAClientIDDocumentIsAURLThatServersAccept(t *testing.T) {
	for text, valid := range map[string]bool{
		"": true, "https://example.com/client.json": true, "https://example.com:8443/a/b": true,
		"http://example.com/client.json": false, "https://example.com": false, "https://example.com/": false, "https:///client.json": false,
		"https://me@example.com/client.json": false, "https://example.com/client.json#x": false, "https://example.com/client.json?x": false,
		"https://example.com/a/../client.json": false, "client.json": false,
	} {
		s, err := load(t, "oauth: {client_id_document: '"+text+"'}")
		if valid && (err != nil || s.OAuth.ClientIDDocument != text) {
			t.Errorf("%q: got %q, %v", text, s.OAuth.ClientIDDocument, err)
		}
		if !valid && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "oauth.client_id_document")) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestAllFormsOfYAMLAreRead(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"":                          5 * time.Minute,
		"# only a comment":          5 * time.Minute,
		"limits:":                   5 * time.Minute,
		"limits: {idle_stop: }":     5 * time.Minute,
		"limits: {idle_stop: '1h'}": time.Hour,
		"limits.idle_stop: 1h":      time.Hour,
		"limits: {call_timeout: &t 2h, idle_stop: *t}":         2 * time.Hour,
		"limits: {<<: {idle_stop: 3h}, call_timeout: 1m}":      3 * time.Hour,
		"log: &l {retention_days: 3}\nlimits: {idle_stop: 4h}": 4 * time.Hour,
	} {
		if s, err := load(t, text); err != nil || s.Limits.IdleStop != want {
			t.Errorf("%q: idle_stop is %v, %v, want %v", text, s.Limits.IdleStop, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{"port: 1", "&r {port: *r}", "limits: &l {limits: *l}", "roots: &a [*a]", "? [a]\n: b", "1: 2", "<<: 7"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Default()
		_ = decode(text, s.keys()) // must not panic
	})
}

func TestAnInvalidFileIsExplained(t *testing.T) {
	for text, want := range map[string]string{
		"port: [":                      "line 1",
		"prot: 1":                      "line 1, column 1: unknown setting prot; did you mean port?",
		"agents: {install: maybe}":     "ask, allow or deny",
		"port: 70000":                  "65535",
		"limits: {call_timeout: 0s}":   "more than 0",
		"limits: {idle_stop: soon}":    "idle_stop",
		"limits: {call_timeout: 5}":    "needs a unit",
		"roots: [foo]":                 "file:// URI",
		"log: {retention_days: -1}":    "keep log entries forever",
		"log: {retention_days: 9e9}":   "log.retention_days must be a whole number",
		"log:\n  retention_days: 1.5":  "line 2, column 19: log.retention_days must be a whole number",
		"roots: {a: b}":                "roots must be a list",
		"limits: 5m":                   "line 1, column 9: limits must be a group",
		"hidden":                       "line 1, column 1: the file must be a group",
		"port: 1\nport: 2":             "the keys of the file must be distinct names",
		"a: 1\nlog: {b: 2}":            "line 1, column 1: unknown setting a (and 1 more",
		"warm_packages: [hidden]":      "warm_packages must be true or false",
		"search: {model: {hidden: 1}}": "search.model must be a text",
		"log: {retention_days: 99999}": "36500",
	} {
		_, err := load(t, text)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v, want an error that contains %q and no value", text, err, want)
		}
	}
	for _, name := range []string{"AGENT_DISCOVER_PORT", "AGENT_DISCOVER_LOG_RETENTION_DAYS"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "many")
			if _, err := load(t, ""); !strings.Contains(fault.MessageOf(err), name) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheRegistryIsAnAddress(t *testing.T) {
	for text, valid := range map[string]bool{
		"": true, "https://registry.example.com": true, "http://127.0.0.1:8080/mcp": true,
		"registry.example.com": false, "file:///etc/passwd": false, "https://user:secret@registry.example.com": false,
		"https://registry.example.com?key=secret": false,
	} {
		s, err := load(t, "market: {registry_url: '"+text+"'}")
		if valid && (err != nil || s.Market.RegistryURL != text) {
			t.Errorf("%q: got %q, %v", text, s.Market.RegistryURL, err)
		}
		if !valid && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "market.registry_url") ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if s, err := load(t, ""); err != nil || s.Market.RegistryURL != OfficialRegistry {
		t.Errorf("by default: got %q, %v", s.Market.RegistryURL, err)
	}
	t.Setenv("AGENT_DISCOVER_REGISTRY_URL", "off")
	if s, err := load(t, ""); err != nil || s.Market.RegistryURL != "" {
		t.Errorf("switched off: got %q, %v", s.Market.RegistryURL, err)
	}
	t.Setenv("AGENT_DISCOVER_REGISTRY_URL", "https://other.example.com")
	if s, err := load(t, "market: {registry_url: 'https://registry.example.com'}"); err != nil ||
		s.Market.RegistryURL != "https://other.example.com" {
		t.Errorf("got %q, %v", s.Market.RegistryURL, err)
	}
}

func TestFormerKeysAreReadAndKept(t *testing.T) {
	s, err := load(t, "discovery: {startNew: false, toolRules: [{pattern: x, enabled: false}]}")
	if err != nil || s.Discovery.StartNew || len(s.Discovery.ToolRules) != 1 || s.OriginOf("discovery.start_new") != FromFile {
		t.Errorf("got %+v, %v", s.Discovery, err)
	}
	for text, want := range map[string]string{
		"discovery: {startNew: false, start_new: true}": "discovery.startNew is the former name of discovery.start_new; keep one of them",
		"discovery: {startNew: 1}":                      "discovery.startNew must be true or false",
		"discovery: {strat_new: true}":                  "did you mean start_new?",
	} {
		if _, err := load(t, text); !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"discovery: {startNew: true}": "discovery startNew", "discovery: {enabled: true}": "discovery start_new", "": "discovery start_new",
		"port: 1": "discovery start_new",
	} {
		for _, key := range []string{"start_new", "startNew"} {
			if got := strings.Join(spelled([]byte(text), []string{"discovery", key}), " "); got != want {
				t.Errorf("%s in %q is written to %s, want %s", key, text, got, want)
			}
		}
	}
}

func TestEveryVariableOfTheTableSetsItsSetting(t *testing.T) {
	for _, row := range Table {
		if row.Env == "" {
			continue
		}
		t.Run(row.Env, func(t *testing.T) {
			value := map[string]string{
				"PORT": "7", "EMBEDDING_PROVIDER": "none", "REGISTRY_URL": "https://a.example", "ROOTS": "file:///a",
				"SETUP_FILE": "/a.json",
			}[row.Env]
			if value == "" {
				value = map[string]string{
					"bool": "off", "int": "9", "string": "text", "time.Duration": "11", "settings.Seconds": "12",
				}[fmt.Sprintf("%T", row.fallback)]
			}
			t.Setenv(prefix+row.Env, value)
			s, err := load(t, "")
			if err != nil || s.OriginOf(row.Key) != FromEnvironment {
				t.Errorf("%s=%s: the value comes from %s, %v", row.Env, value, s.OriginOf(row.Key), err)
			}
		})
	}
}

func TestEveryGroupOfTheTableHasItsPlaceOnThePage(t *testing.T) {
	for _, row := range Table {
		if row.Group != "" && (!slices.Contains(Groups, row.Group) || row.Label == "") || row.Help == "" {
			t.Errorf("%s has the group %q, the label %q and the help %q", row.Key, row.Group, row.Label, row.Help)
		}
	}
}
