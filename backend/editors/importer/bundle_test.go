package importer_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
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
func (f *fixture) bundle(files map[string]string) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), "notes.mcpb")
	out, err := os.Create(path)
	f.must(err)
	w := zip.NewWriter(out)
	for name, text := range files {
		member, err := w.Create(name)
		f.must(err)
		_, err = member.Write([]byte(text))
		f.must(err)
	}
	f.must(w.Close())
	f.must(out.Close())
	return path
}

// unpacked returns the names of the folders into which bundles were unpacked.
func (f *fixture) unpacked() []string {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(string(f.folder), "bundles"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

var answers = map[string]string{"api_key": "battery-staple", "other_key": "correct-horse", "folders": "/a b\n/c"}

func TestScanningABundleReturnsItsServerAndItsQuestions(t *testing.T) {
	f := newFixture(t, false)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	scan, questions, err := f.ScanBundle(t.Context(), file)
	f.must(err)
	c := candidate(t, scan, "my-notes")
	if len(scan.Candidates) != 1 || c.Sources[0].Path != file || c.Sources[0].Name != "My Notes" || c.Sources[0].Removable ||
		c.Problem != "" || len(c.Warnings) > 0 {
		t.Errorf("the candidate is %+v", c)
	}
	text, err := json.Marshal(questions)
	f.must(err)
	want := `[{"key":"api_key","title":"API key","description":"Of notes","kind":"string","default":"","required":true,"secret":true,"multiple":false},` +
		`{"key":"folders","title":"Folders","description":"","kind":"directory","default":"` + strings.ReplaceAll(f.home, `\`, `\\`) +
		`/notes","required":false,"secret":false,"multiple":true},` +
		`{"key":"level","title":"Level","description":"","kind":"number","default":"3","required":false,"secret":false,"multiple":false},` +
		`{"key":"other_key","title":"Other","description":"","kind":"string","default":"","required":false,"secret":true,"multiple":false}]`
	if string(text) != want {
		t.Errorf("the questions are\n%s, want\n%s", text, want)
	}
	if len(f.unpacked()) > 0 || len(f.servers()) > 0 {
		t.Errorf("a scan left %v, %v", f.unpacked(), f.servers())
	}
}

func TestSecretsOfAnImportedBundleAreInTheKeychain(t *testing.T) {
	f := newFixture(t, false)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	dry, err := f.Import(t.Context(), importer.Request{Bundle: file, Values: answers}, true)
	f.must(err)
	equal(t, "dry run", results(dry), "my-notes imported env.NOTES_KEY,user_config.other_key")
	if len(f.unpacked()) > 0 || len(f.servers()) > 0 {
		t.Errorf("a dry run left %v, %v", f.unpacked(), f.servers())
	}

	report := f.run(importer.Request{Bundle: file, Values: answers})
	equal(t, "results", results(report), "my-notes imported env.NOTES_KEY,user_config.other_key")
	s := f.server("my-notes")
	folder := filepath.Join(string(f.folder), "bundles", f.unpacked()[0])
	equal(t, "arguments", s.Args, filepath.Join(folder, "server", "index.js"), "--key=${secret:other_key}", "/a b", "/c")
	if s.Source != "bundle" || s.AlwaysListed || !s.Approved || s.Env["NOTES_KEY"] != "${secret:NOTES_KEY}" || s.Env["LEVEL"] != "3" ||
		f.read(s.Args[0]) != "code" {
		t.Errorf("the server is %+v", s)
	}
	filled, err := f.vault.Fill(t.Context(), s.Name, launch.Of(s))
	if err != nil || filled.Args[1] != "--key=correct-horse" || filled.Env["NOTES_KEY"] != "battery-staple" {
		t.Errorf("a start gets %v %v, %v", filled.Args, filled.Env, err)
	}
}

func TestABundleIsRecognizedByAnotherSpellingOfItsPath(t *testing.T) {
	f := newFixture(t, false)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	f.run(importer.Request{Bundle: file, Values: answers})
	s := f.server("my-notes")
	spelled := filepath.ToSlash(s.Args[0])
	if runtime.GOOS == "windows" {
		spelled = strings.ToUpper(spelled)
	}
	_, err := f.options.Registry.Update(t.Context(), s.Name, func(r *registry.Server) { r.Args[0] = spelled })
	f.must(err)
	scan, _, err := f.ScanBundle(t.Context(), file)
	f.must(err)
	if c := candidate(t, scan, "my-notes"); c.Existing != "my-notes" {
		t.Errorf("the candidate is %+v", c)
	}
	equal(t, "again", results(f.run(importer.Request{Bundle: file})), "my-notes here")
	equal(t, "servers", f.servers(), "my-notes")
}

func TestAnswersThatAreCredentialsAreMovedToTheKeychain(t *testing.T) {
	f := newFixture(t, false)
	manifest := strings.Replace(notes, `"${user_config.level}"`, `"3", "SERVICE_TOKEN": "${user_config.level}"`, 1)
	manifest = strings.Replace(manifest, `"type": "number"`, `"type": "string"`, 1)
	file := f.bundle(map[string]string{"manifest.json": manifest, "server/index.js": "code"})
	report := f.run(importer.Request{Bundle: file, Values: map[string]string{"api_key": "battery-staple", "level": "correct-horse"}})
	equal(t, "results", results(report), "my-notes imported env.NOTES_KEY,user_config.other_key,env.SERVICE_TOKEN")
	if s := f.server("my-notes"); s.Env["SERVICE_TOKEN"] != "${secret:SERVICE_TOKEN}" {
		t.Errorf("the server is %+v", s)
	}
}

func TestImportingABundleAgainRestoresItsFiles(t *testing.T) {
	f := newFixture(t, false)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	f.run(importer.Request{Bundle: file, Values: answers})
	s := f.server("my-notes")
	f.must(os.WriteFile(s.Args[0], []byte("damaged"), 0o600))
	scan, _, err := f.ScanBundle(t.Context(), file)
	f.must(err)
	if c := candidate(t, scan, "my-notes"); c.Existing != "my-notes" {
		t.Errorf("the candidate is %+v", c)
	}
	equal(t, "again", results(f.run(importer.Request{Bundle: file})), "my-notes here")
	if f.read(s.Args[0]) != "code" || len(f.unpacked()) != 1 {
		t.Errorf("its file is %s, the folders are %v", f.read(s.Args[0]), f.unpacked())
	}
	equal(t, "with answers", results(f.run(importer.Request{
		Bundle: file, Values: map[string]string{"api_key": "other-staple", "level": "7"},
	})), "my-notes imported env.NOTES_KEY,user_config.other_key")
	s = f.server("my-notes")
	if s.Env["LEVEL"] != "7" || !f.vault.Holds(t.Context(), "my-notes", "NOTES_KEY", "other-staple") {
		t.Errorf("the server is %+v", s)
	}
	f.add(registry.Server{Name: "by-hand", Command: "npx", Args: s.Args})
	f.must(f.lifecycle.Remove(t.Context(), "my-notes"))
	scan, _, err = f.ScanBundle(t.Context(), file)
	f.must(err)
	if c := candidate(t, scan, "my-notes"); c.Existing != "" {
		t.Errorf("a server added by hand counts as the bundle's: %+v", c)
	}
	f.run(importer.Request{Bundle: file, Values: answers})
	other := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "another's code"})
	equal(t, "another bundle of the same name", results(f.run(importer.Request{Bundle: other, Values: answers})),
		"my-notes-2 imported env.NOTES_KEY,user_config.other_key")
	if f.read(s.Args[0]) != "code" {
		t.Error("another bundle has changed the files of the first")
	}
}

// useFormerFolder moves the installed bundle to the folder that earlier
// versions used, whose name has only the first 8 digits of the hash.
func (f *fixture) useFormerFolder(server, folder string) {
	f.t.Helper()
	bundles := filepath.Join(string(f.folder), "bundles")
	now := f.unpacked()[0]
	f.must(os.Rename(filepath.Join(bundles, now), filepath.Join(bundles, folder)))
	_, err := f.options.Registry.Update(f.t.Context(), server, func(s *registry.Server) {
		for n, arg := range s.Args {
			s.Args[n] = strings.ReplaceAll(arg, now, folder)
		}
	})
	f.must(err)
}

func TestBundlesOfEarlierVersionsMoveToAFolderWithTheWholeHash(t *testing.T) {
	f := newFixture(t, false)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	f.run(importer.Request{Bundle: file, Values: answers})
	hash := strings.TrimPrefix(f.unpacked()[0], "my-notes-")
	if len(hash) != 64 {
		t.Fatalf("the folder is %v", f.unpacked())
	}
	f.useFormerFolder("my-notes", "my-notes-1.0.0-"+hash[:8])

	scan, _, err := f.ScanBundle(t.Context(), file)
	f.must(err)
	if c := scan.Candidates[0]; c.Existing != "my-notes" || c.ID != hash {
		t.Errorf("the candidate is %+v", c)
	}
	equal(t, "again", results(f.run(importer.Request{Bundle: file})), "my-notes here")
	s := f.server("my-notes")
	if !strings.Contains(s.Args[0], "my-notes-"+hash) || f.read(s.Args[0]) != "code" || s.Args[1] != "--key=${secret:other_key}" ||
		!s.Approved {
		t.Errorf("the server is %+v", s)
	}
}

func TestABundleWithTheSameShortHashIsAnotherServer(t *testing.T) {
	f := newFixture(t, false)
	good := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	evil := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "evil"})
	scan, _, err := f.ScanBundle(t.Context(), evil)
	f.must(err)
	f.run(importer.Request{Bundle: good, Values: answers})
	f.useFormerFolder("my-notes", "my-notes-1.0.0-"+scan.Candidates[0].ID[:8]) // simulate two hashes that begin with the same digits

	report := f.run(importer.Request{Bundle: evil, Values: map[string]string{"api_key": "another-staple"}})
	equal(t, "results", results(report), "my-notes-2 imported env.NOTES_KEY,user_config.other_key")
	if s := f.server("my-notes"); f.read(s.Args[0]) != "code" || !f.vault.Holds(t.Context(), "my-notes", "NOTES_KEY", "battery-staple") {
		t.Errorf("the first server is %+v and runs %q", s, f.read(s.Args[0]))
	}
}

func TestAFailedImportOfABundleLeavesNothing(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "taken", Command: "x"})
	good := map[string]string{"manifest.json": notes, "server/index.js": "code"}
	file := f.bundle(good)
	scan, _, err := f.ScanBundle(t.Context(), file)
	f.must(err)
	id := scan.Candidates[0].ID
	for what, row := range map[string]struct {
		q    importer.Request
		want string
	}{
		"no answer": {importer.Request{Bundle: file}, `--set-file api_key=FILE (API key)`},
		"no number": {
			importer.Request{
				Bundle: file, Values: map[string]string{"api_key": "battery-staple", "level": "x"},
			}, `"level" must be a number`,
		},
		"no bundle": {importer.Request{Bundle: f.bundle(map[string]string{"a": "b"})}, "no manifest.json"},
		"path upwards": {
			importer.Request{
				Bundle: f.bundle(map[string]string{"manifest.json": notes, "../up": "x"}), Values: answers,
			}, "outside of its folder",
		},
		"from editors": {importer.Request{Bundle: file, Values: answers, RemoveEntries: true}, "without removing entries"},
		"a poor name":  {importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "a__b"}}}, "__"},
		"our own name": {
			importer.Request{
				Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "discover"}},
			}, "entry of Agent Discover",
		},
		"a path for it": {importer.Request{Bundle: "notes.mcpb"}, "must be absolute"},
	} {
		if _, err := f.Import(t.Context(), row.q, false); fault.KindOf(err) != fault.Invalid ||
			!strings.Contains(fault.MessageOf(err), row.want) || strings.Contains(fault.MessageOf(err), "staple") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	equal(t, "a taken name", results(f.run(importer.Request{
		Bundle: file, Values: answers, Choices: []importer.Choice{{ID: id, Name: "taken"}},
	})), "taken failed")
	equal(t, "another bundle", results(f.run(importer.Request{Bundle: file, Values: answers, Choices: []importer.Choice{{ID: "other"}}})),
		"failed")
	elsewhere := f.bundle(map[string]string{
		"manifest.json": strings.Replace(notes, `"server":`, `"compatibility": {"platforms": ["win32"]}, "server":`, 1),
	})
	if r := f.run(importer.Request{Bundle: elsewhere, Values: answers}); r.Servers[0].Status != importer.Failed ||
		!strings.Contains(r.Servers[0].Problem, "win32") {
		t.Errorf("a bundle for another operating system: %+v", r)
	}
	equal(t, "servers", f.servers(), "taken")
	equal(t, "folders", f.unpacked())
}

func TestABundleWithSecretsIsRefusedWithoutAKeychain(t *testing.T) {
	f := newFixture(t, true)
	file := f.bundle(map[string]string{"manifest.json": notes, "server/index.js": "code"})
	dry, err := f.Import(t.Context(), importer.Request{Bundle: file, Values: answers}, true)
	f.must(err)
	equal(t, "dry run", results(dry), "my-notes failed")
	report := f.run(importer.Request{Bundle: file, Values: answers})
	equal(t, "results", results(report), "my-notes failed")
	if problem := report.Servers[0].Problem; !strings.Contains(problem, "secrets unlock") || strings.Contains(problem, "staple") {
		t.Errorf("the problem is %s", problem)
	}
	equal(t, "servers", f.servers())
	equal(t, "folders", f.unpacked())
}
