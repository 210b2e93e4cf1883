package importer_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const notes = `{"manifest_version": "0.3", "name": "my notes", "display_name": "My Notes", "version": "1.0.0", "description": "Notes", "author": {"name": "A"},
	"server": {"type": "node", "entry_point": "server/index.js", "mcp_config": {"command": "npx",
		"args": ["${__dirname}/server/index.js", "--key=${user_config.other_key}", "${user_config.folders}"], "env": {"NOTES_KEY": "${user_config.api_key}", "LEVEL": "${user_config.level}"}}},
	"user_config": {
		"api_key": {"type": "string", "title": "API key", "description": "Of notes", "sensitive": true, "required": true},
		"other_key": {"type": "string", "title": "Other", "description": "", "sensitive": true, "default": "preset-horse"},
		"folders": {"type": "directory", "title": "Folders", "description": "", "multiple": true, "default": ["${HOME}/notes"]},
		"level": {"type": "number", "title": "Level", "description": "", "default": 3}}}`

// bundle packs files into an .mcpb file.
func (d *desk) bundle(files map[string]string) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "notes.mcpb")
	out, err := os.Create(path)
	d.must(err)
	w := zip.NewWriter(out)
	for name, text := range files {
		f, err := w.Create(name)
		d.must(err)
		_, err = f.Write([]byte(text))
		d.must(err)
	}
	d.must(w.Close())
	d.must(out.Close())
	return path
}

func (d *desk) unpacked() []string {
	d.t.Helper()
	entries, err := os.ReadDir(d.Bundles)
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

var answers = map[string]string{"api_key": "battery-staple", "other_key": "correct-horse", "folders": "/a b\n/c"}

func TestABundleSaysWhatItIsAndWhatItAsks(t *testing.T) {
	d := newDesk(t, false)
	file := d.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	scan, questions, err := d.ScanBundle(t.Context(), file)
	d.must(err)
	c := candidate(t, scan, "my-notes")
	if len(scan.Candidates) != 1 || c.Sources[0].Path != file || c.Sources[0].Name != "My Notes" || c.Sources[0].CanTake || c.Problem != "" || len(c.Warnings) > 0 {
		t.Errorf("it is %+v", c)
	}
	text, err := json.Marshal(questions)
	d.must(err)
	want := `[{"key":"api_key","title":"API key","description":"Of notes","kind":"string","default":"","required":true,"secret":true,"multiple":false},` +
		`{"key":"folders","title":"Folders","description":"","kind":"directory","default":"` + d.home + `/notes","required":false,"secret":false,"multiple":true},` +
		`{"key":"level","title":"Level","description":"","kind":"number","default":"3","required":false,"secret":false,"multiple":false},` +
		`{"key":"other_key","title":"Other","description":"","kind":"string","default":"","required":false,"secret":true,"multiple":false}]`
	if string(text) != want {
		t.Errorf("it asks\n%s, want\n%s", text, want)
	}
	if len(d.unpacked()) > 0 || len(d.servers()) > 0 {
		t.Errorf("a scan left %v, %v", d.unpacked(), d.servers())
	}
}

func TestABundleComesInWithItsSecretsInTheKeychain(t *testing.T) {
	d := newDesk(t, false)
	file := d.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	dry, err := d.Import(t.Context(), importer.Request{Bundle: file, Values: answers}, true)
	d.must(err)
	is(t, "dry", arrivals(dry), "my-notes imported env.NOTES_KEY,user_config.other_key")
	if len(d.unpacked()) > 0 || len(d.servers()) > 0 {
		t.Errorf("a dry run left %v, %v", d.unpacked(), d.servers())
	}

	report := d.bring(importer.Request{Bundle: file, Values: answers})
	is(t, "arrivals", arrivals(report), "my-notes imported env.NOTES_KEY,user_config.other_key")
	s := d.server("my-notes")
	folder := filepath.Join(d.Bundles, d.unpacked()[0])
	is(t, "arguments", s.Args, filepath.Join(folder, "server")+"/index.js", "--key=${secret:other_key}", "/a b", "/c")
	if s.Source != "bundle" || s.Enabled || !s.Approved || s.Env["NOTES_KEY"] != "${secret:NOTES_KEY}" || s.Env["LEVEL"] != "3" || d.read(s.Args[0]) != "code" {
		t.Errorf("it is %+v", s)
	}
	filled, err := d.vault.Fill(t.Context(), s.Name, upstream.LaunchOf(s))
	if err != nil || filled.Args[1] != "--key=correct-horse" || filled.Env["NOTES_KEY"] != "battery-staple" {
		t.Errorf("a start gets %v %v, %v", filled.Args, filled.Env, err)
	}
}

func TestAnAnswerThatIsACredentialUnaskedIsHiddenToo(t *testing.T) {
	d := newDesk(t, false)
	manifest := strings.Replace(notes, `"${user_config.level}"`, `"3", "SERVICE_TOKEN": "${user_config.level}"`, 1)
	manifest = strings.Replace(manifest, `"type": "number"`, `"type": "string"`, 1)
	file := d.bundle(map[string]string{"manifest.json": manifest, "server/index.js": "code"})
	report := d.bring(importer.Request{Bundle: file, Values: map[string]string{"api_key": "battery-staple", "level": "correct-horse"}})
	is(t, "arrivals", arrivals(report), "my-notes imported env.NOTES_KEY,user_config.other_key,env.SERVICE_TOKEN")
	if s := d.server("my-notes"); s.Env["SERVICE_TOKEN"] != "${secret:SERVICE_TOKEN}" {
		t.Errorf("it is %+v", s)
	}
}

func TestTheSameBundleAgainMendsItsFiles(t *testing.T) {
	d := newDesk(t, false)
	file := d.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	d.bring(importer.Request{Bundle: file, Values: answers})
	s := d.server("my-notes")
	d.must(os.WriteFile(s.Args[0], []byte("damaged"), 0o600))
	scan, _, err := d.ScanBundle(t.Context(), file)
	d.must(err)
	if c := candidate(t, scan, "my-notes"); c.Here != "my-notes" {
		t.Errorf("it is %+v", c)
	}
	is(t, "again", arrivals(d.bring(importer.Request{Bundle: file})), "my-notes here")
	if d.read(s.Args[0]) != "code" || len(d.unpacked()) != 1 {
		t.Errorf("its file is %s, beside %v", d.read(s.Args[0]), d.unpacked())
	}
	is(t, "with answers", arrivals(d.bring(importer.Request{Bundle: file, Values: map[string]string{"api_key": "other-staple", "level": "7"}})), "my-notes imported env.NOTES_KEY,user_config.other_key")
	s = d.server("my-notes")
	if s.Env["LEVEL"] != "7" || !d.vault.Holds(t.Context(), "my-notes", "NOTES_KEY", "other-staple") {
		t.Errorf("it is %+v", s)
	}
	d.add(registry.Server{Name: "by-hand", Command: "npx", Args: s.Args})
	d.must(d.Lifecycle.Remove(t.Context(), "my-notes"))
	scan, _, err = d.ScanBundle(t.Context(), file)
	d.must(err)
	if c := candidate(t, scan, "my-notes"); c.Here != "" {
		t.Errorf("what a person made by hand is taken for it: %+v", c)
	}
	d.bring(importer.Request{Bundle: file, Values: answers})
	other := d.bundle(map[string]string{"manifest.json": notes, "server/index.js": "another's code"})
	is(t, "another of that name", arrivals(d.bring(importer.Request{Bundle: other, Values: answers})), "my-notes-2 imported env.NOTES_KEY,user_config.other_key")
	if d.read(s.Args[0]) != "code" {
		t.Error("another bundle has changed the files of the first")
	}
}

func TestABundleThatDoesNotComeInLeavesNothing(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "taken", Command: "x"})
	good := map[string]string{"manifest.json": notes, "server/index.js": "code"}
	file := d.bundle(good)
	scan, _, err := d.ScanBundle(t.Context(), file)
	d.must(err)
	id := scan.Candidates[0].ID
	for what, row := range map[string]struct {
		q    importer.Request
		want string
	}{
		"no answer":     {importer.Request{Bundle: file}, `"api_key" (API key)`},
		"no number":     {importer.Request{Bundle: file, Values: map[string]string{"api_key": "battery-staple", "level": "x"}}, `"level" has to be a number`},
		"no bundle":     {importer.Request{Bundle: d.bundle(map[string]string{"a": "b"})}, "no manifest.json"},
		"up":            {importer.Request{Bundle: d.bundle(map[string]string{"manifest.json": notes, "../up": "x"}), Values: answers}, "outside its folder"},
		"from editors":  {importer.Request{Bundle: file, Values: answers, TakeOut: true}, "nothing to take out"},
		"a poor name":   {importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "a__b"}}}, "__"},
		"our own name":  {importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "discover"}}}, "our own"},
		"a path for it": {importer.Request{Bundle: "notes.mcpb"}, "whole path"},
	} {
		if _, err := d.Import(t.Context(), row.q, false); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), row.want) || strings.Contains(fault.MessageOf(err), "staple") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	is(t, "a taken name", arrivals(d.bring(importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "taken"}}})), "taken failed")
	is(t, "another bundle", arrivals(d.bring(importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: "other"}}})), "failed")
	elsewhere := d.bundle(map[string]string{"manifest.json": strings.Replace(notes, `"server":`, `"compatibility": {"platforms": ["win32"]}, "server":`, 1)})
	if r := d.bring(importer.Request{Bundle: elsewhere, Values: answers}); r.Servers[0].Status != importer.Failed || !strings.Contains(r.Servers[0].Problem, "win32") {
		t.Errorf("for another system: %+v", r)
	}
	is(t, "servers", d.servers(), "taken")
	is(t, "folders", d.unpacked())
}

func TestWithoutAKeychainNoSecretOfABundleIsKept(t *testing.T) {
	d := newDesk(t, true)
	file := d.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	report := d.bring(importer.Request{Bundle: file, Values: answers})
	is(t, "arrivals", arrivals(report), "my-notes failed")
	if problem := report.Servers[0].Problem; !strings.Contains(problem, "secrets unlock") || strings.Contains(problem, "staple") {
		t.Errorf("its problem is %s", problem)
	}
	is(t, "servers", d.servers())
	is(t, "folders", d.unpacked())
}
