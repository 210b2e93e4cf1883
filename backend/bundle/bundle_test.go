package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/fault"
)

// member is a file of an archive in the making.
type member struct {
	name, text string
	mode       fs.FileMode
}

func packed(t *testing.T, members ...member) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		header.SetMode(max(m.mode, 0o644))
		if m.mode&fs.ModeType != 0 {
			header.SetMode(m.mode)
		}
		f, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return written(t, out.Bytes())
}

func written(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.mcpb")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func opened(t *testing.T, members ...member) *Bundle {
	t.Helper()
	b, err := Open(packed(t, members...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

const plain = `{"manifest_version":"0.3","name":"notes","version":"1.2.0","description":"Notes","author":{"name":"A"},
	"server":{"type":"node","entry_point":"server/index.js","mcp_config":{"command":"node","args":["${__dirname}/server/index.js"]}}}`

var linux = System{OS: "linux", Home: "/home/me", Runs: func(p string) bool { return p != "python" }}

func TestABundleIsUnpackedWholeAndClosedToOthers(t *testing.T) {
	b := opened(t, member{"manifest.json", plain, 0}, member{"server/", "", fs.ModeDir | 0o777}, member{"server/index.js", "code", 0o644}, member{"bin/tool", "elf", 0o755})
	if b.Name != "notes" || b.Version != "1.2.0" || len(b.Hash) != 64 || b.Folder() != "notes-1.2.0-"+b.Hash[:8] {
		t.Errorf("it says %+v, %s", b.Manifest, b.Folder())
	}
	root := filepath.Join(t.TempDir(), "bundles")
	launch := b.Launch(linux, filepath.Join(root, b.Folder()), nil)
	placed, err := b.Unpack(t.Context(), root, launch)
	if err != nil {
		t.Fatal(err)
	}
	if err := placed.Keep(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"manifest.json": 0o600, "server": 0o700 | fs.ModeDir, "server/index.js": 0o600, "bin/tool": 0o700} {
		info, err := os.Stat(filepath.Join(placed.Folder, name))
		if err != nil || info.Mode() != mode && runtime.GOOS != "windows" {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
	if text, _ := os.ReadFile(launch.Args[0]); string(text) != "code" {
		t.Errorf("what is started holds %q", text)
	}
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("beside it is %v", left)
	}
}

func TestTheSameBundleAgainTakesThePlaceOfTheFirst(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}, member{"a", "right", 0}), t.TempDir()
	first, err := b.Unpack(t.Context(), root, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(first.Folder, "a")
	damage := func() {
		if err := os.WriteFile(file, []byte("wrong"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	again, err := b.Unpack(t.Context(), root, Launch{})
	if err != nil || again.Folder != first.Folder {
		t.Fatalf("it went to %v, %v", again, err)
	}
	if text, _ := os.ReadFile(file); string(text) != "right" {
		t.Errorf("it holds %q", text)
	}
	if err := again.Undo(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "wrong" {
		t.Errorf("undone it holds %q", text)
	}
	again, _ = b.Unpack(t.Context(), root, Launch{})
	if err := again.Keep(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
}

func TestWhatWasCutShortLeavesNothing(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, unfinished+"of-a-crash"), 0o700); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Unpack(ended, root, Launch{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("there is %v", left)
	}
}

func TestAHostileArchiveIsRefused(t *testing.T) {
	manifest := member{"manifest.json", plain, 0}
	for what, bad := range map[string]member{
		"up":                 {"../evil", "x", 0},
		"up from within":     {"a/../../evil", "x", 0},
		"up and down":        {"a/../b", "x", 0},
		"from the root":      {"/etc/evil", "x", 0},
		"from a drive":       {"C:/evil", "x", 0},
		"with backslashes":   {`..\evil`, "x", 0},
		"a stream":           {"a:b", "x", 0},
		"a device":           {"a/CON.txt", "x", 0},
		"a control sign":     {"a\x1b[2J", "x", 0},
		"a dot at the end":   {"a./b", "x", 0},
		"a dot before it":    {"./a", "x", 0},
		"a link":             {"link", "/etc/passwd", fs.ModeSymlink | 0o777},
		"a pipe":             {"pipe", "", fs.ModeNamedPipe | 0o644},
		"the manifest twice": {"MANIFEST.json", "{}", 0},
		"a bomb":             {"zeros", strings.Repeat("\x00", large+1), 0},
		"a long name":        {strings.Repeat("a/", 300) + "b", "x", 0},
	} {
		if _, err := Open(packed(t, manifest, bad)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func TestWhatIsNoBundleIsRefused(t *testing.T) {
	whole, err := os.ReadFile(packed(t, member{"manifest.json", plain, 0}))
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Clone(whole)
	binary.LittleEndian.PutUint16(many[len(many)-12:], 0xffff)
	long := slices.Clone(whole)
	binary.LittleEndian.PutUint32(long[len(long)-10:], maxDirectory+1)
	for what, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "half": whole[:len(whole)/2], "an end alone": whole[len(whole)-22:],
	} {
		if _, err := Open(written(t, data)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
	for what, data := range map[string][]byte{"too many files": many, "a long list": long} {
		if _, err := Open(written(t, data)); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "more than 50000 files") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open(packed(t, member{"server.js", "x", 0})); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("without a manifest: %v", err)
	}
	for what, name := range map[string]string{"a folder": t.TempDir(), "a relative path": "a.mcpb"} {
		if _, err := Open(name); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no file: %v", err)
	}
}

func TestSizesThatLieStopAtTheLimit(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}, member{"big", strings.Repeat("ab", 5000), 0}), t.TempDir()
	b.bytes = 5000
	if _, err := b.Unpack(t.Context(), root, Launch{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("there is %v", left)
	}
}

func TestASignatureBehindTheArchiveIsNoHarm(t *testing.T) {
	whole, err := os.ReadFile(packed(t, member{"manifest.json", plain, 0}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(written(t, append(whole, []byte("MCPB_SIG_V1\x04\x00\x00\x00abcdMCPB_SIG_END")...)))
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
}

func TestAManifestOfEveryVersionIsRead(t *testing.T) {
	for _, version := range []string{`"dxt_version":"0.1"`, `"manifest_version":"0.2"`, `"manifest_version":"0.4"`, `"later":[1]`} {
		m, err := ReadManifest([]byte("\ufeff" + strings.Replace(plain, `"manifest_version":"0.3"`, version, 1)))
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
		if _, err := ReadManifest([]byte(text)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// manifestOf is a manifest with a start and questions.
func manifestOf(kind, start, questions string) member {
	return member{"manifest.json", fmt.Sprintf(`{"manifest_version":"0.4","name":"n","version":"1","server":{"type":%q,"entry_point":"server/main","mcp_config":%s},"user_config":%s}`, kind, start, questions), 0}
}

func TestAStartIsFilledIn(t *testing.T) {
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
			"KEY": "${__dirname} ${user_config.limit}", "EMPTY": "", "LIB": filepath.Join("/b", "server", "cfg.json"), "ALL": "/home/me/Desktop,/home/me/Downloads",
			"IN": "<${__dirname} ${user_config.limit}>",
		},
	}
	if got.Command != want.Command || !slices.Equal(got.Args, want.Args) || !maps.Equal(got.Env, want.Env) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	mac := b.Launch(System{OS: "darwin", Home: "/Users/me"}, "/b", nil)
	if !slices.Equal(mac.Args, []string{"/"}) || mac.Env["KEY"] != "mac" || mac.Env["LIB"] == "" {
		t.Errorf("on macOS it is %+v", mac)
	}
	if windows := b.Launch(System{OS: "windows", Home: `C:\Users\me`}, `C:\b`, nil); windows.Command != "server/main.exe" {
		t.Errorf("on Windows it is %+v", windows)
	}
}

func TestATypeOfServerHasItsUsualStart(t *testing.T) {
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
		t.Errorf("it asks %+v", b.Options)
	}
	for answer, want := range map[[2]string]string{
		{"", ""}: `"key" (API key)`, {"key", "v"}: "", {"n", "x"}: `"n" has to be a number from 1 up to 10`, {"n", "11"}: `"n"`, {"on", "yes"}: `"on" has to be true`,
	} {
		answers := map[string]string{answer[0]: answer[1]}
		if want != `"key" (API key)` {
			answers["key"] = "hidden-value"
		}
		err := b.Check(linux, answers)
		if (want == "") != (err == nil) || err != nil && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden-value")) {
			t.Errorf("%v: got %v", answer, err)
		}
	}
}

func TestABundleForOtherSystemsSaysSo(t *testing.T) {
	m, err := ReadManifest([]byte(strings.Replace(plain, `"server":`, `"compatibility":{"platforms":["win32","darwin"]},"server":`, 1)))
	if err != nil || m.Fits(linux) || !m.Fits(System{OS: "windows"}) || !m.Fits(System{OS: "darwin"}) {
		t.Errorf("%v, %v", m.Platforms, err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte(manifestOf("uv", `{"command":"x","args":["${user_config.a}"]}`, `{"a":{"type":"file","multiple":true,"default":["${HOME}"]}}`).text))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadManifest(text)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("the error is no fault.Invalid: %v", err)
			}
			return
		}
		b := &Bundle{Manifest: m, Hash: strings.Repeat("0", 64)}
		if name := b.Folder(); !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			t.Errorf("its folder is %q", name)
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
		if placed, err := b.Unpack(t.Context(), root, Launch{}); err == nil && filepath.Dir(placed.Folder) != root {
			t.Errorf("it went to %s", placed.Folder)
		}
	})
}
