//go:build unix

package installer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// bench is a running installer with its dependencies. Only the check for installed programs is simulated.
type bench struct {
	*installer.Installer
	t        *testing.T
	options  installer.Options
	store    *store.Store
	servers  *registry.Registry
	vault    *vault.Vault
	programs *programs
	bin      string   // first folder of the PATH
	temp     string   // folder for temporary files
	extra    []string // further variables of servers and programs, each with its value
	stop     context.CancelFunc
	stopped  chan error
}

// programs simulates a machine on which all programs are installed, except for missing ones.
type programs struct {
	missing map[string]*prerequisites.Install
	forgot  func()
}

func (p *programs) Check(context.Context) prerequisites.Report {
	var r prerequisites.Report
	for _, name := range prerequisites.Programs() {
		one := prerequisites.Program{Name: name, Works: true, Path: "/bin/" + name, Version: "99.0.0"}
		if install, is := p.missing[name]; is {
			one = prerequisites.Program{Name: name, Install: install, Problem: name + " is not installed."}
		}
		r.Programs = append(r.Programs, one)
	}
	return r
}

func (p *programs) Forget() { p.forgot() }

func newBench(t *testing.T, edit func(*installer.Options)) *bench {
	t.Helper()
	b := &bench{t: t, bin: t.TempDir(), temp: t.TempDir(), programs: &programs{}}
	t.Setenv("TMPDIR", b.temp)
	bus, folder, quiet := &events.Bus{}, paths.Folder(t.TempDir()), slog.New(slog.DiscardHandler)
	var err error
	if b.store, err = store.Open(t.Context(), folder.Database()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	if b.servers, err = registry.Open(t.Context(), b.store.Servers, bus); err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Open(t.Context(), b.store.Tools, bus, quiet)
	if err != nil {
		t.Fatal(err)
	}
	b.vault = vault.New(vault.Options{Store: b.store.Secrets, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	if err := b.vault.Unlock(t.Context(), "a passphrase"); err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) process.Env {
		env := process.Clean().With("PATH", b.bin+":"+os.Getenv("PATH")).With("TMPDIR", b.temp).With("HOME", b.bin)
		for n := 0; n < len(b.extra); n += 2 {
			env = env.With(b.extra[n], b.extra[n+1])
		}
		return env
	}
	processes := upstream.New(upstream.Options{
		Registry: b.servers, Catalog: tools, Bus: bus, Log: quiet, Limits: settings.Limits{StartTimeout: time.Minute}, Secrets: b.vault,
		Children: filepath.Join(t.TempDir(), "children.json"), Environment: environment,
	})
	manager := lifecycle.New(lifecycle.Options{Registry: b.servers, Catalog: tools, Processes: processes, Vault: b.vault, Log: quiet})
	b.options = installer.Options{
		Machine: plan.Machine{
			OS: runtime.GOOS, Home: b.bin, Packages: filepath.Join(t.TempDir(), "packages"), Bundles: filepath.Join(t.TempDir(), "bundles"),
		},
		Programs: b.programs, Environment: environment, Files: fetch.New(fetch.Options{Source: "the publisher"}),
		Packages: downloads.New(downloads.Options{
			Registry: b.servers, Running: processes, Environment: environment, Folder: filepath.Join(t.TempDir(), "downloads"),
			Bus: bus, Log: quiet,
		}),
		Registry: b.servers, Intake: intake.New(intake.Options{Registry: b.servers, Vault: b.vault, Remove: manager.Remove}),
		Servers: manager, Children: processes, Vault: b.vault, Store: b.store.Installs, Bus: bus, Log: quiet,
	}
	if edit != nil {
		edit(&b.options)
	}
	b.Installer = installer.New(b.options)
	b.start()
	t.Cleanup(func() {
		b.stop()
		if err := <-b.stopped; err != nil {
			t.Error(err)
		}
		processes.Remove("weather")
		b.checkNoFiles(b.temp)
	})
	return b
}

// start runs the installer.
func (b *bench) start() {
	ctx, cancel := context.WithCancel(context.Background())
	b.stop, b.stopped = cancel, make(chan error, 1)
	running := b.Installer
	go func() { b.stopped <- running.Run(ctx) }()
}

// install installs a server and waits for the end of the job.
func (b *bench) install(o installer.Order) (installer.Result, error) {
	b.t.Helper()
	p, err := b.Install(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Wait(b.t.Context(), p.ID)
}

// checkNothingLeft checks that no servers, secrets, installs, files or processes are left.
func (b *bench) checkNothingLeft() {
	b.t.Helper()
	if all := b.servers.List(); len(all) > 0 {
		b.t.Errorf("servers are left: %v", all)
	}
	if all, err := b.vault.Records(context.Background()); err != nil || len(all) > 0 {
		b.t.Errorf("secrets are left: %v, %v", all, err)
	}
	if all, err := b.store.Installs.Installs(context.Background(), 0); err != nil || len(all) > 0 {
		b.t.Errorf("installs are left: %v, %v", all, err)
	}
	b.checkNoFiles(b.options.Machine.Bundles)
	b.checkNoFiles(b.options.Machine.Packages)
	b.checkNoFiles(b.temp)
	running, _ := filepath.Glob("/proc/[0-9]*/cmdline") // empty on systems other than Linux
	for _, file := range running {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(b.options.Machine.Bundles)) {
			b.t.Errorf("a process is left: %s", bytes.ReplaceAll(text, []byte{0}, []byte{' '}))
		}
	}
}

func (b *bench) checkNoFiles(folder string) {
	b.t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil || entry.Name() == "node-compile-cache": // Node's compile cache belongs to all programs of the user
			return fs.SkipDir
		case !entry.IsDir():
			b.t.Errorf("a file is left: %s", path)
		}
		return nil
	})
	if err != nil {
		b.t.Error(err)
	}
}

// program writes a shell script to the first folder of the PATH.
func (b *bench) program(name, script string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		b.t.Fatal(err)
	}
}

// server returns the command line of an MCP server, quoted for a shell.
func server(t *testing.T, flags ...string) string {
	quoted := mcptest.Command(t, flags...)
	for n, word := range quoted {
		quoted[n] = "'" + word + "'"
	}
	return "exec " + strings.Join(quoted, " ")
}

// packed returns a bundle whose server is a shell script, with additional files. The bundle asks for a token.
func packed(t *testing.T, script string, more ...string) []byte {
	t.Helper()
	manifest := map[string]any{
		"manifest_version": "0.2", "name": "weather", "version": "1.2.0", "description": "Weather", "author": map[string]any{"name": "Ada"},
		"server": map[string]any{"type": "binary", "entry_point": "run.sh", "mcp_config": map[string]any{
			"command": "${__dirname}/run.sh", "args": []string{}, "env": map[string]any{"TOKEN": "${user_config.token}"},
		}},
		"user_config": map[string]any{"token": map[string]any{"type": "string", "title": "Token", "sensitive": true, "required": true}},
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	contents := map[string]string{"manifest.json": string(text), "run.sh": "#!/bin/sh\n" + script + "\n"}
	for n := 0; n < len(more); n += 2 {
		contents[more[n]] = more[n+1]
	}
	for name, content := range contents {
		file, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bundled returns an order for a bundle, which a server on loopback serves.
func bundled(t *testing.T, content []byte, handler http.HandlerFunc) installer.Order {
	t.Helper()
	if handler == nil {
		handler = func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}
	}
	files := httptest.NewServer(handler)
	t.Cleanup(files.Close)
	sum := sha256.Sum256(content)
	return order(listing.Package{
		Kind: listing.KindMCPB, Identifier: files.URL + "/weather.mcpb", Version: "1.2.0", SHA256: hex.EncodeToString(sum[:]),
	}, map[string][]string{"token": {"s3cret-value"}})
}

// order returns an order to install a package.
func order(p listing.Package, answers map[string][]string) installer.Order {
	return installer.Order{Request: plan.Request{
		Listing: listing.Listing{
			Source: listing.Official, Name: "io.example/weather", Version: "1.2.0", Status: listing.Active, Packages: []listing.Package{p},
		},
		Answers: answers,
	}}
}

// steps collects the progress of all jobs until the returned function is called. That function returns the collected
// progress.
func (b *bench) steps() func() []installer.Progress {
	b.t.Helper()
	all, stop := events.Subscribe[installer.Progress](b.options.Bus, 10_000)
	return func() (out []installer.Progress) {
		stop()
		for p := range all {
			out = append(out, p)
		}
		return out
	}
}

// await waits for an event about a job.
func await(t *testing.T, all <-chan installer.Progress, match func(installer.Progress) bool) {
	t.Helper()
	for {
		select {
		case p := <-all:
			if match(p) {
				return
			}
		case <-time.After(time.Minute):
			t.Fatal("the event did not come")
		}
	}
}

func namesOf(all []installer.Progress) []string {
	var out []string
	for _, p := range all {
		out = append(out, string(p.Step))
	}
	return slices.Compact(out)
}
