package preview

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// previewing is a Previewer for registries on loopback, which the configuration of npm and uv names.
type previewing struct {
	*Previewer
	*markettest.Packages
	t   *testing.T
	now time.Time
}

func newPreviewing(t *testing.T, folders ...string) *previewing {
	t.Helper()
	p := &previewing{Packages: markettest.ServePackages(t), t: t, now: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry="+p.NPM+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := strings.Join(append(folders, os.Getenv("PATH")), string(filepath.ListSeparator))
	t.Setenv("PATH", path) // as programs that are installed
	env := process.Env{"HOME=" + home, "PATH=" + path, "UV_DEFAULT_INDEX=" + p.PyPI}
	environment := func(context.Context) process.Env { return env }
	p.Previewer = New(Options{
		NPM: npm.New(npm.Options{Environment: environment}), PyPI: pypi.New(pypi.Options{Environment: environment}),
		Environment: environment, Folder: filepath.Join(t.TempDir(), "previews"), Now: func() time.Time { return p.now },
		Log: slog.New(slog.DiscardHandler),
	})
	return p
}

// of returns the preview of a confined server with this command line.
func (p *previewing) of(command string, args ...string) Preview {
	p.t.Helper()
	found, err := p.Of(p.t.Context(), registry.Server{
		Name: "one", Transport: "stdio", Sandbox: registry.Guard, Command: command, Args: args,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// says checks that sentences contain texts.
func says(t *testing.T, sentences []string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !slices.ContainsFunc(sentences, func(s string) bool { return strings.Contains(s, text) }) {
			t.Errorf("no sentence contains %q:\n%s", text, strings.Join(sentences, "\n"))
		}
	}
}

func npx(t *testing.T) string {
	t.Helper()
	found, err := exec.LookPath("npx")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("npx is not installed")
	}
	return filepath.Dir(found)
}

func TestAPreviewNamesVersionsPublishersScriptsAndOtherSources(t *testing.T) {
	p := newPreviewing(t, npx(t))
	owners := []map[string]string{{"name": "alice"}, {"name": "bob\u202e"}}
	p.PublishNPM(t, "leaf", nil, nil)
	p.PublishNPM(t, "built", nil, map[string]any{"scripts": map[string]string{"install": "node build.js", "postinstall": "./done.sh"}})
	p.PublishNPM(t, "root", nil, map[string]any{
		"maintainers": owners, "deprecated": "use another one",
		"dependencies": map[string]string{"built": "1", "renamed": "npm:leaf@1.0.0"},
	})
	p.PublishedAt("root", p.now.Add(-50*time.Hour))
	got := p.of("npx", "-y", "root@latest")
	if got.Status != Found || len(got.Packages) != 3 || got.Packages[0].Name != "root" || got.Packages[1].Name != "built" {
		t.Fatalf("got %+v", got)
	}
	says(t, got.Facts, "root 1.0.0 was published on 2026-05-04 (2 days ago), by one of the accounts alice, bob", "It is the first version.", "2 more packages are needed.", "Scripts run at the installation, in the sandbox of the server: built 1.0.0 (node "+
		"build.js; ./done.sh).", "renamed (leaf)")
	says(t, got.Warnings, "root is a new package", "root 1.0.0 is deprecated: use another one")
	if strings.Contains(strings.Join(got.Facts, ""), "\u202e") {
		t.Errorf("a name controls the terminal: %q", got.Facts)
	}
	if entries, _ := os.ReadDir(p.options.Folder); len(entries) > 0 {
		t.Errorf("files are left: %v", entries)
	}

	p.PublishNPM(t, "root", nil, nil) // the preview is reused for a while, and then made again
	if again := p.of("npx", "-y", "root@latest"); len(again.Packages) != 3 {
		t.Errorf("the preview was made again at once: %+v", again)
	}
	p.now = p.now.Add(current)
	again := p.of("npx", "-y", "root@latest")
	if len(again.Packages) != 1 || !slices.Contains(again.Facts, "No other packages are needed.") {
		t.Errorf("later: %+v", again)
	}
}

func TestAPreviewSaysWhyPackagesCannotBeInstalled(t *testing.T) {
	p := newPreviewing(t, npx(t), mcptest.UV(t))
	marker := filepath.Join(t.TempDir(), "ran")
	p.PublishNPM(t, "deep", nil, map[string]any{"dependencies": map[string]string{"gitty": "git+file://" + t.TempDir()}})
	p.PublishNPM(t, "root", nil, map[string]any{"dependencies": map[string]string{"deep": "1"}})
	p.PublishNPM(t, "remote", nil, map[string]any{"dependencies": map[string]string{"far": p.NPM + "far.tgz"}})
	p.PublishPython("source", "source-1.0.tar.gz", markettest.Tarball(t, "source-1.0/", map[string]string{
		"PKG-INFO": "Metadata-Version: 2.1\nName: source\nVersion: 1.0\n", "setup.py": "open(" + `"` + marker + `"` + ", 'w')\n",
	}))
	for _, row := range []struct{ command, pkg, want string }{
		{"npx", "root", `The packages of root cannot be installed: `},
		{"npx", "root", `gitty`},
		{"npx", "absent", `404`},
		{"npx", "remote", "A dependency does not come from a package registry, but from an address."},
		{"uvx", "source", "A Python package is published as source only. Its code runs at the installation, in a sandbox"},
		{"uvx", "absent", "The packages of absent cannot be installed: "},
		{"uvx --with -e.", "source", `"-e." is not only the name and version of a package`},
		{"uvx --with absent\n-e.", "source", `"absent\n-e." is not only the name and version of a package`},
	} {
		words := strings.Split(row.command, " ")
		got := p.of(words[0], append(words[1:], row.pkg)...)
		if got.Status != Unknown || len(got.Facts) > 0 {
			t.Errorf("%s: %+v", row.pkg, got)
		}
		says(t, got.Warnings, row.want)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("code of a package has run")
	}
}

func TestAPreviewOfPythonPackages(t *testing.T) {
	p := newPreviewing(t, mcptest.UV(t))
	described := "Metadata-Version: 2.1\nName: small-one\nVersion: 1.0\nRequires-Dist: other_two\n"
	p.PublishPython("small-one", "small_one-1.0-py3-none-any.whl", markettest.Wheel(t, "small_one", map[string]string{
		"small_one-1.0.dist-info/METADATA": described,
	}))
	p.PublishPython("other-two", "other_two-1.0-py3-none-any.whl", markettest.Wheel(t, "other_two", nil))
	got := p.of("uvx", "--from", "Small.One@1.0", "--with", "other-two", "small")
	if got.Status != Found || len(got.Packages) != 2 || got.Packages[0].Name != "small-one" || got.Packages[0].Version != "1.0" {
		t.Fatalf("got %+v", got)
	}
	says(t, got.Facts, "small-one 1.0 was published at a time that the registry does not tell, by", "One more package is needed: other-two 1.0.")
}

func TestNothingIsLookedUpWhereAServerSaysItself(t *testing.T) {
	asked := false
	p := New(Options{
		Environment: func(context.Context) process.Env { asked = true; return nil }, Folder: t.TempDir(), Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	bin := t.TempDir()
	for _, name := range []string{"npx", "uvx"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	for _, row := range []struct {
		args []string
		env  map[string]string
		want string
	}{
		{args: []string{"npx", "--registry=https://x.example", "y"}, want: "--registry decides"},
		{args: []string{"uvx", "--index-url", "https://x.example", "y"}, want: "--index-url decides"},
		{args: []string{"uvx", "--with", "git+https://x.example/z", "y"}, want: "--with decides"},
		{
			args: []string{"npx", "y"}, env: map[string]string{"npm_config_registry": "https://x.example"},
			want: "npm_config_registry decides",
		},
		{args: []string{"uvx", "y"}, env: map[string]string{"UV_INDEX": "https://x.example"}, want: "UV_INDEX decides"},
		{args: []string{"uvx", "--unheard-of", "y"}, want: "The option --unheard-of is not known"},
		{args: []string{"node", "server.js"}},
	} {
		got, err := p.Of(t.Context(), registry.Server{
			Transport: "stdio", Command: row.args[0], Args: row.args[1:], Env: row.env,
		})
		switch {
		case err != nil || asked:
			t.Errorf("%q: asked is %v, the error %v", row.args, asked, err)
		case row.want == "" && got.Status != Nothing:
			t.Errorf("%q: got %+v", row.args, got)
		case row.want != "":
			says(t, got.Warnings, row.want)
		}
	}
}

func TestAPreviewWaitsForItsTurn(t *testing.T) {
	p := newPreviewing(t, npx(t))
	for range parallel {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server := registry.Server{Transport: "stdio", Command: "npx", Args: []string{"root"}}
	if _, err := p.Of(ctx, server); fault.KindOf(err) != fault.Timeout {
		t.Errorf("got %v", err)
	}
}

func TestWarningsOfAServerWithoutASandboxAreStricter(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	packages := []Package{
		{Name: "root", Version: "2.0.0", named: true, Published: now.Add(-time.Hour), origin: listing.Origin{
			First: now.AddDate(-3, 0, 0), Author: "Carol", Known: []string{"PYSEC-1"},
		}},
		{Name: "built", Version: "1.0.0", Scripts: true, Published: now.Add(-time.Hour), pinned: true},
		{Name: "held", Version: "1.0.0", contained: true, From: "http://x.example/held.tgz"},
	}
	open, confined := registry.Server{Transport: "stdio"}, registry.Server{Transport: "stdio", Sandbox: registry.Strict}
	got := describe(open, packages, now)
	says(t, got.Facts, "root 2.0.0 was published on 2026-05-06 (in the last 24 hours), by Carol according to the package itself. "+
		"The first version is from 2023-05-06 (3 years ago).")
	says(t, got.Warnings, "root 2.0.0 has known vulnerabilities: PYSEC-1.", "A malicious version is often found only after some days.",
		"held 1.0.0 does not come from a package registry, but from http://x.example/held.tgz.", "built 1.0.0 contains a list of its dependencies", "Contained in other packages, and not compared with a registry: held 1.0.0.",
		"Published in the last week: built 1.0.0.", "Scripts run at the installation, with your rights")
	if confined := describe(confined, packages, now); len(confined.Warnings) != len(got.Warnings)-1 {
		t.Errorf("confined: %q", confined.Warnings)
	}
	failed := unknown(open, packagemanager.CommandLine{}, packagemanager.ErrSourceOnly)
	says(t, failed.Warnings, "with your rights")
	many := make([]Package, maxListed+3)
	if got := describe(open, many, now); len(got.Packages) != maxListed || got.Omitted != 3 {
		t.Errorf("%d packages are listed, %d omitted", len(got.Packages), got.Omitted)
	}
}
