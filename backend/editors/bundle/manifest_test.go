package bundle

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestManifestsOfEveryVersionAreRead(t *testing.T) {
	for _, version := range []string{`"dxt_version":"0.1"`, `"manifest_version":"0.2"`, `"manifest_version":"0.4"`, `"later":[1]`} {
		m, err := readManifest([]byte("\ufeff" + strings.Replace(plain, `"manifest_version":"0.3"`, version, 1)))
		if err != nil || m.Name != "notes" || m.Title != "notes" {
			t.Errorf("%s: %+v, %v", version, m, err)
		}
	}
	for what, text := range map[string]string{
		"no JSON":      `{"name":`,
		"no name":      strings.Replace(plain, `"name":"notes",`, "", 1),
		"another type": strings.Replace(plain, `"type":"node"`, `"type":"docker"`, 1),
		"no start":     `{"name":"x","server":{"type":"node"}}`,
		"numbers":      strings.Replace(plain, `["${__dirname}/server/index.js"]`, `[1]`, 1),
		"an odd kind":  strings.Replace(plain, `"server":`, `"user_config":{"a":{"type":"color"}},"server":`, 1),
	} {
		if _, err := readManifest([]byte(text)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// manifestOf returns the manifest of a server of the given kind. start is its mcp_config and
// questions is its user_config.
func manifestOf(kind, start, questions string) member {
	return member{
		"manifest.json",
		fmt.Sprintf(
			`{"manifest_version":"0.4","name":"n","version":"1","server":{"type":%q,"entry_point":"server/main","mcp_config":%s},"user_config":%s}`,
			kind, start,
			questions,
		), 0,
	}
}

func TestLaunchReplacesVariables(t *testing.T) {
	b := opened(t, member{"server/main", "x", 0}, member{"server/cfg.json", "{}", 0}, manifestOf("binary", `{
		"command":"server/main",
		"args":["--config","server/cfg.json","--dir","${user_config.dirs}","--limit","${user_config.limit}","--","${HOME}${/}a","${DOCUMENTS}","${user_config.gone}","x=${user_config.gone}","${secret:X}","${other}"],
		"env":{"KEY":"${user_config.key}","GONE":"${user_config.gone}","EMPTY":"","LIB":"server/cfg.json","ALL":"${user_config.dirs}","IN":"<${user_config.key}>"},
		"platform_overrides":{"win32":{"command":"server/main.exe"},"darwin":{"args":["${pathSeparator}"],"env":{"KEY":"mac"}}}}`,
		`{"dirs":{"type":"directory","multiple":true,"default":["${HOME}/Desktop","${DOWNLOADS}"]},"key":{"type":"string","sensitive":true},"limit":{"type":"number"},"gone":{"type":"string"}}`))
	got := b.Launch(linux, "/b", map[string]string{"key": "${__dirname} ${user_config.limit}"})
	want := Launch{
		Command: filepath.Join("/b", "server", "main"),
		Args: []string{
			"--config", filepath.Join("/b", "server", "cfg.json"), "--dir", "/home/me/Desktop", "/home/me/Downloads", "--",
			"/home/me/a", "/home/me/Documents", "x=", "${secret:X}", "${other}",
		},
		Env: map[string]string{
			"KEY": "${__dirname} ${user_config.limit}", "EMPTY": "", "LIB": filepath.Join("/b", "server", "cfg.json"),
			"ALL": "/home/me/Desktop,/home/me/Downloads",
			"IN":  "<${__dirname} ${user_config.limit}>",
		},
	}
	if got.Command != want.Command || !slices.Equal(got.Args, want.Args) || !maps.Equal(got.Env, want.Env) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	mac := b.Launch(System{OS: "darwin", Home: "/Users/me"}, "/b", nil)
	if !slices.Equal(mac.Args, []string{"/"}) || mac.Env["KEY"] != "mac" || mac.Env["LIB"] == "" {
		t.Errorf("on macOS: %+v", mac)
	}
	if windows := b.Launch(System{OS: "windows", Home: `C:\Users\me`}, `C:\b`, nil); windows.Command != "server/main.exe" {
		t.Errorf("on Windows: %+v", windows)
	}
}

func TestServerTypesHaveADefaultStart(t *testing.T) {
	entry := "/b/server/main"
	for kind, want := range map[string][]string{
		"node": {"node", entry}, "python": {"python3", entry}, "uv": {"uv", "run", "--directory", "/b", entry}, "binary": {entry},
	} {
		b := opened(t, manifestOf(kind, "null", "{}"))
		got := b.Launch(linux, "/b", nil)
		if words := append([]string{got.Command}, got.Args...); !slices.Equal(words, want) {
			t.Errorf("%s starts with %v", kind, words)
		}
	}
}

func TestAnswersAreChecked(t *testing.T) {
	b := opened(t, manifestOf("node", "null", `{"key":{"type":"string","title":"API key","sensitive":true,"required":true},
		"n":{"type":"number","min":1,"max":10,"default":5},"on":{"type":"boolean","default":true},"dir":{"type":"directory","required":true,"default":"${HOME}"}}`))
	if b.Default(linux, b.Options[0]) != "/home/me" || b.Options[1].Key != "key" || !b.Options[1].Secret {
		t.Errorf("the options are %+v", b.Options)
	}
	for answer, want := range map[[2]string]string{
		{"", ""}: `--set-file key=FILE (API key)`, {"key", "v"}: "", {"n", "x"}: `"n" must be a number from 1 up to 10`,
		{"n", "11"}: `"n"`, {"on", "yes"}: `"on" must be true`,
	} {
		answers := map[string]string{answer[0]: answer[1]}
		if want != `--set-file key=FILE (API key)` {
			answers["key"] = "hidden-value"
		}
		err := b.Check(linux, answers)
		if (want == "") != (err == nil) ||
			err != nil && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "hidden-value")) {
			t.Errorf("%v: got %v", answer, err)
		}
	}
}

func TestFitsComparesThePlatforms(t *testing.T) {
	m, err := readManifest([]byte(strings.Replace(plain, `"server":`, `"compatibility":{"platforms":["win32","darwin"]},"server":`, 1)))
	if err != nil || m.Fits(linux) || !m.Fits(System{OS: "windows"}) || !m.Fits(System{OS: "darwin"}) {
		t.Errorf("%v, %v", m.Platforms, err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte(manifestOf("uv", `{"command":"x","args":["${user_config.a}"]}`,
		`{"a":{"type":"file","multiple":true,"default":["${HOME}"]}}`).text))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := readManifest(text)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("not a fault.Invalid: %v", err)
			}
			return
		}
		b := &Bundle{Manifest: m, Hash: strings.Repeat("0", 64)}
		if name := b.Folder(); !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			t.Errorf("the folder is %q", name)
		}
		_ = b.Check(linux, nil)
		b.Launch(linux, "/b", nil)
	})
}

func FuzzOpen(f *testing.F) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range []member{{"manifest.json", plain, 0}, {"a/b", "x", 0}} {
		part, err := w.Create(m.name)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := part.Write([]byte(m.text)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := os.CreateTemp(dir, "*")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(file.Name()) }()
		if _, err := file.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := Open(file.Name())
		if err != nil {
			return
		}
		defer func() { _ = b.Close() }()
		root := t.TempDir()
		if unpacked, err := b.Unpack(t.Context(), root, Launch{}); err == nil && filepath.Dir(unpacked.Folder) != root {
			t.Errorf("unpacked to %s", unpacked.Folder)
		}
	})
}
