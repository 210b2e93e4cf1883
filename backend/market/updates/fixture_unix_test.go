//go:build unix

package updates_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// hub is an Updates with its dependencies. They are real, except that the check for installed programs is simulated
// and the registries run on this machine.
type hub struct {
	*updates.Updates
	t         *testing.T
	npm       *npmRegistry
	listings  *listings
	installer *installer.Installer
	store     *store.Store
	servers   *registry.Registry
	catalog   *catalog.Catalog
	vault     *vault.Vault
	journal   *journal.Journal
	processes *upstream.Manager
	lifecycle *lifecycle.Manager
	bus       *events.Bus
	home      string
	machine   plan.Machine
	stop      func()
}

// listings has the current listings by ID.
type listings struct {
	mu  sync.Mutex
	all map[string]listing.Listing
	err error
}

func (l *listings) Latest(_ context.Context, id string) (listing.Listing, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[id], l.err
}

func (l *listings) set(one listing.Listing, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all, l.err = map[string]listing.Listing{one.ID(): one}, err
}

// programs simulates a machine on which all programs are installed.
type programs struct{}

func (programs) Check(context.Context) prerequisites.Report {
	var r prerequisites.Report
	for _, name := range prerequisites.Programs() {
		r.Programs = append(r.Programs, prerequisites.Program{Name: name, Works: true, Path: "/bin/" + name, Version: "99.0.0"})
	}
	return r
}

func (programs) Forget() {}

func newHub(t *testing.T) *hub {
	t.Helper()
	for _, program := range []string{"npm", "npx", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	h := &hub{t: t, home: t.TempDir(), bus: &events.Bus{}, npm: newNpmRegistry(t), listings: &listings{}}
	folder, quiet, cache := paths.Folder(t.TempDir()), slog.New(slog.DiscardHandler), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	h.store, err = store.Open(t.Context(), folder.Database())
	must(err)
	t.Cleanup(func() { _ = h.store.Close() })
	h.servers, err = registry.Open(t.Context(), h.store.Servers, h.bus)
	must(err)
	h.catalog, err = catalog.Open(t.Context(), h.store.Tools, h.bus, quiet)
	must(err)
	h.journal, err = journal.Open(t.Context(), journal.Options{Store: h.store.Calls, Bus: h.bus, Log: quiet})
	must(err)
	given := redact.NewKnownSecrets()
	h.vault = vault.New(vault.Options{Store: h.store.Secrets, Bus: h.bus, Folder: folder, Known: given, NoKeychain: true, Work: 10})
	must(h.vault.Unlock(t.Context(), "a passphrase"))
	environment := func(context.Context) process.Env {
		return process.Clean().With("PATH", os.Getenv("PATH")).With("HOME", h.home).
			With("npm_config_registry", h.npm.URL).With("npm_config_cache", cache).With("npm_config_fetch_retries", "0")
	}
	h.processes = upstream.New(upstream.Options{
		Registry: h.servers, Catalog: h.catalog, Bus: h.bus, Log: quiet,
		Limits:  settings.Limits{StartTimeout: time.Minute, IdleStop: time.Hour, CallTimeout: time.Minute},
		Secrets: h.vault, Known: given, Children: filepath.Join(t.TempDir(), "children.json"), Environment: environment,
	})
	h.vault.OnChange(h.processes.Renew)
	h.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: h.servers, Catalog: h.catalog, Processes: h.processes, Vault: h.vault, Log: quiet,
	})
	h.machine = plan.Machine{
		OS: runtime.GOOS, Home: h.home, Packages: filepath.Join(h.home, "packages"), Bundles: filepath.Join(h.home, "bundles"),
	}
	packages := npm.New(npm.Options{Environment: environment})
	h.installer = installer.New(installer.Options{
		Machine: h.machine, Programs: programs{}, Environment: environment, Files: fetch.New(fetch.Options{Source: "the publisher"}),
		Releases: map[listing.Kind]installer.Releases{listing.KindNPM: packages},
		Packages: downloads.New(downloads.Options{
			Registry: h.servers, Running: h.processes, Environment: environment, Folder: filepath.Join(t.TempDir(), "downloads"),
			Bus: h.bus, Log: quiet,
		}),
		Registry: h.servers, Intake: intake.New(intake.Options{Registry: h.servers, Vault: h.vault, Remove: h.lifecycle.Remove}),
		Servers: h.lifecycle, Children: h.processes, Vault: h.vault, Store: h.store.Installs, Bus: h.bus, Log: quiet,
	})
	h.Updates = updates.New(updates.Options{
		Registry: h.servers, Listings: h.listings, Installer: h.installer, Processes: h.processes, Catalog: h.catalog, Vault: h.vault,
		Journal: h.journal, Store: h.store.Installs, Bus: h.bus, Log: quiet,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{h.journal.Run, h.processes.Run, h.installer.Run, h.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	h.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(h.stop)
	return h
}

// offer makes a version of a package the newest one, and lists it. The listing asks for the variables env.
func (h *hub) offer(version, program string, env ...listing.Field) listing.Listing {
	h.t.Helper()
	h.npm.publish(version, npmPackage(h.t, version, program))
	l := listing.Listing{
		Source: listing.Official, Name: "io.example/weather", Version: version, Status: listing.Active,
		Packages: []listing.Package{{Kind: listing.KindNPM, Identifier: "@ada/weather", Version: version, Env: env}},
	}
	h.listings.set(l, nil)
	return l
}

func (h *hub) install(l listing.Listing, answers map[string][]string) {
	h.t.Helper()
	h.succeed(h.installer.Install(installer.Order{Request: plan.Request{Listing: l, Answers: answers}}))
}

// succeed waits for the end of a job, and fails the test if the job fails.
func (h *hub) succeed(p installer.Progress, err error) {
	h.t.Helper()
	if err == nil {
		_, err = h.installer.Wait(h.t.Context(), p.ID)
	}
	if err != nil {
		lines, _ := h.installer.Lines(p.ID)
		h.t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
	}
}

// fail waits for the end of a job, and fails the test if the job succeeds.
func (h *hub) fail(p installer.Progress, err error) (installer.Result, error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
	result, err := h.installer.Wait(h.t.Context(), p.ID)
	if err == nil {
		h.t.Fatal("the job has succeeded")
	}
	return result, err
}

// call calls a tool of the server and returns the text of its answer.
func (h *hub) call(tool string) string {
	h.t.Helper()
	s, err := h.servers.Get("weather")
	if err != nil {
		h.t.Fatal(err)
	}
	result, err := h.processes.Call(h.t.Context(), s, "", nil,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":{}}`)})
	if err != nil {
		h.t.Fatal(err)
	}
	return journal.Response(result.JSON, nil)
}

// only returns the only installed server.
func (h *hub) only() updates.Server {
	h.t.Helper()
	all, err := h.List(h.t.Context())
	if err != nil || len(all) != 1 {
		h.t.Fatalf("got %+v, %v", all, err)
	}
	return all[0]
}

// state describes everything that must be unchanged after a comparison or a failure.
func (h *hub) state() string {
	h.t.Helper()
	var out []string
	for _, s := range h.servers.List() {
		out = append(out, fmt.Sprint(s.Name, s.Command, s.Args, s.Env, s.Package.Version, s.AlwaysListed))
		names, err := h.vault.Names(h.t.Context(), s.Name)
		if err != nil {
			h.t.Fatal(err)
		}
		out = append(out, fmt.Sprint(names))
	}
	all, err := h.vault.Records(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	left, err := h.store.Installs.Leftovers(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	installs, err := h.store.Installs.Installs(h.t.Context(), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	out = append(out, fmt.Sprint(len(all), len(left), len(installs), installs[0].ID))
	for _, t := range h.catalog.Snapshot().Tools {
		out = append(out, t.Server+"__"+t.Name+t.Hash)
	}
	for _, folder := range []string{h.machine.Packages, h.machine.Bundles} {
		files, _ := filepath.Glob(folder + "/*")
		out = append(out, files...)
	}
	for _, line := range h.children() {
		if !strings.Contains(line, "@1.0.0") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// children returns the command lines of the running versions of the package.
func (h *hub) children() (out []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		text, err := os.ReadFile(file)
		environment, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if err == nil && bytes.Contains(environment, []byte("HOME="+h.home+"\x00")) {
			out = append(out, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	slices.Sort(out)
	return out
}

// npmRegistry serves versions of the package @ada/weather.
type npmRegistry struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte // by version
	last  string
}

func newNpmRegistry(t *testing.T) *npmRegistry {
	r := &npmRegistry{files: make(map[string][]byte)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *npmRegistry) publish(version string, file []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[version], r.last = file, version
}

func (r *npmRegistry) serve(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name, ok := strings.CutSuffix(strings.TrimPrefix(q.URL.Path, "/files/"), ".tgz"); ok {
		_, _ = w.Write(r.files[name])
		return
	}
	if !strings.EqualFold(q.URL.EscapedPath(), "/@ada%2fweather") {
		http.NotFound(w, q)
		return
	}
	versions := make(map[string]any)
	for version, file := range r.files {
		sum := sha512.Sum512(file)
		versions[version] = map[string]any{
			"name": "@ada/weather", "version": version, "bin": map[string]any{"weather": "main.js"},
			"dist": map[string]any{
				"tarball": r.URL + "/files/" + version + ".tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
			},
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"name": "@ada/weather", "dist-tags": map[string]any{"latest": r.last}, "versions": versions,
	})
}

// npmPackage returns the tarball of a version.
func npmPackage(t *testing.T, version, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, file := range [][2]string{
		{
			"package/package.json", `{"name":"@ada/weather","version":"` + version + `","bin":{"weather":"main.js"}}`,
		}, {"package/main.js", program},
	} {
		if err := archive.WriteHeader(&tar.Header{Name: file[0], Mode: 0o755, Size: int64(len(file[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// program returns an MCP server in JavaScript with these tools. answers maps the names of tools to JavaScript
// expressions of their results, in which args are the arguments of the call. The server appends each call to the file
// calls in the home folder.
func program(version string, tools []string, answers map[string]string) string {
	var cases strings.Builder
	for name, answer := range answers {
		fmt.Fprintf(&cases, "%q: args => (%s),\n", name, answer)
	}
	return `#!/usr/bin/env node
const version = "` + version + `"
const text = value => ({content: [{type: "text", text: typeof value === "string" ? value : JSON.stringify(value)}]})
const answers = {` + cases.String() + `}
require("readline").createInterface({input: process.stdin}).on("line", line => {
	const m = JSON.parse(line)
	if (m.id === undefined) return
	let answer = {error: {code: -32601, message: "unknown method"}}
	if (m.method === "initialize") answer = {result: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "weather", version}}}
	if (m.method === "tools/list") answer = {result: {tools: [` + strings.Join(tools, ",") + `]}}
	if (m.method === "tools/call") {
		require("fs").appendFileSync(process.env.HOME + "/calls", version + " " + m.params.name + "\n")
		const call = answers[m.params.name]
		answer = call ? {result: call(m.params.arguments)} : {error: {code: -32602, message: "unknown tool " + m.params.name}}
	}
	console.log(JSON.stringify({jsonrpc: "2.0", id: m.id, ...answer}))
})
`
}

// tool returns the definition of a tool.
func tool(name, description, arguments string, readOnly bool) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{%s}},"annotations":{"readOnlyHint":%v}}`,
		name, description, arguments, readOnly)
}
