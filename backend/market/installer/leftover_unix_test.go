//go:build unix

package installer_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// after replaces the installer by a new one, as after a restart of a killed hub.
func (b *bench) after() {
	b.t.Helper()
	b.stop()
	if err := <-b.stopped; err != nil {
		b.t.Fatal(err)
	}
	b.Installer = installer.New(b.options)
	b.start()
	if _, err := b.Wait(b.t.Context(), b.queued()); err == nil {
		b.t.Fatal("the job that marks the end has succeeded")
	}
}

// queued starts a job that fails, and returns its ID. The job runs only after the leftovers were removed.
func (b *bench) queued() string {
	b.t.Helper()
	p, err := b.InstallProgram("no such program")
	if err != nil {
		b.t.Fatal(err)
	}
	return p.ID
}

func TestWhatAKilledHubLeftBehindIsRemovedAtTheNextStart(t *testing.T) {
	b := newBench(t, nil)
	ctx := t.Context()
	folder := func(of, name string) string {
		path := filepath.Join(of, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	left := func(l installer.Leftover) {
		t.Helper()
		_, err := b.store.Installs.SaveLeftover(ctx, l)
		must(err)
	}
	bundles, packages := b.options.Machine.Bundles, b.options.Machine.Packages
	used, unused, program := folder(bundles, "used"), folder(bundles, "unused"), folder(packages, "cargo-x-1.0.0")
	folder(bundles, ".unpacking-1")
	b.program("podman", `echo "$@" >> '`+b.bin+`/podman-calls'`)
	add := func(s registry.Server) registry.Server {
		t.Helper()
		s.Source, s.Transport, s.Approved = plan.Source, "stdio", true
		s, err := b.servers.Add(ctx, s)
		must(err)
		return s
	}
	complete := add(registry.Server{Name: "complete", Command: used + "/run", Env: map[string]string{"KEPT": launch.Reference("KEPT")}})
	half := add(registry.Server{Name: "half", Command: "x"})
	kept := add(registry.Server{Name: "kept", Command: "podman", Args: []string{"run", "image@sha256:a"}})
	record := installer.Install{Listing: listing.Listing{Source: listing.NPM, Name: "x"}, Version: "1.0.0", Hash: "h1", At: time.Now()}
	for _, s := range []registry.Server{complete, kept} {
		record.Server = s.ID
		must(b.store.Installs.SaveInstall(ctx, record))
	}
	for _, name := range []string{"KEPT", "NEW"} {
		must(b.vault.Set(ctx, "complete", name, "s3cret-value"))
		left(installer.Leftover{Kind: installer.LeftSecret, Server: "complete", Secret: name})
	}
	must(b.vault.Set(ctx, "half", "TOKEN", "s3cret-value"))
	for _, path := range []string{used, unused, program, filepath.Join(packages, "missing")} {
		left(installer.Leftover{Kind: installer.LeftFolder, Path: path})
	}
	for _, name := range []string{"half", "kept", "missing"} {
		left(installer.Leftover{Kind: installer.LeftServer, Server: name})
	}
	for _, image := range []string{"image@sha256:a", "image@sha256:b"} {
		left(installer.Leftover{Kind: installer.LeftImage, Engine: "podman", Image: image})
	}
	// Both servers were being updated to 2.0.0. Only one of them already has the new configuration.
	record.Version, record.Hash = "2.0.0", "h2"
	left(installer.Leftover{Kind: installer.LeftInstall, Server: "complete", Hash: launch.Of(complete).Hash(), Install: &record})
	left(installer.Leftover{Kind: installer.LeftInstall, Server: "kept", Hash: "another", Install: &record})

	b.after()

	for path, want := range map[string]bool{used: true, unused: false, program: false, filepath.Join(bundles, ".unpacking-1"): false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s exists: %v", path, err == nil)
		}
	}
	if _, err := b.servers.Get("half"); err == nil {
		t.Errorf("the server %d was not removed", half.ID)
	}
	names, err := b.vault.Names(ctx, "complete")
	if records, _ := b.vault.Records(ctx); err != nil || len(names) != 1 || names[0] != "KEPT" || len(records) != 1 {
		t.Errorf("the secrets are %v and %v, %v", names, records, err)
	}
	if calls, _ := os.ReadFile(filepath.Join(b.bin,
		"podman-calls")); string(calls) != "image inspect --format {{.Id}} image@sha256:b\nimage rm image@sha256:b\n" {
		t.Errorf("podman got %q", calls)
	}
	for name, want := range map[string]string{"complete": "2.0.0", "kept": "1.0.0"} {
		s, err := b.servers.Get(name)
		must(err)
		if all, err := b.store.Installs.Installs(ctx, s.ID); err != nil || len(all) == 0 || all[0].Version != want {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if all, err := b.store.Installs.Leftovers(ctx); err != nil || len(all) != 2 || all[0].Image != "image@sha256:a" || all[1].Path != used {
		t.Errorf("noted are %+v, %v", all, err)
	}
	must(os.RemoveAll(used))
}

func TestAnEndedInstallationLeavesNoNotes(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.install(bundled(t, packed(t, server(t)), nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.install(bundled(t, packed(t, "exit 1"), nil)); err == nil {
		t.Fatal("installed twice")
	}
	all, err := b.store.Installs.Leftovers(t.Context())
	for _, l := range all {
		// The downloads are removed when Run ends, and the bundle when no server needs it.
		if of := filepath.Dir(l.Path); l.Kind != installer.LeftFolder || of != b.temp && of != b.options.Machine.Bundles {
			t.Errorf("noted is %+v", l)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); runtime.Gosched() {
		if time.Since(began) > time.Minute {
			t.Fatal("timed out waiting until " + what)
		}
	}
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}

func TestTheFilesOfAServerGoWithTheLastServerThatNeedsThem(t *testing.T) {
	b := newBench(t, nil)
	o := bundled(t, packed(t, server(t)), nil)
	first, err := b.install(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Request.Name = "weather-two"
	if _, err := b.install(o); err != nil {
		t.Fatal(err)
	}
	b.program("cargo", `root="$6"; mkdir -p "$root/bin"; printf '#!/bin/sh\n%s\n' "`+server(t)+
		`" >"$root/bin/weather"; chmod +x "$root/bin/weather"`)
	o = order(listing.Package{Kind: listing.KindCargo, Identifier: "weather", Version: "1.0.0"}, nil)
	o.Request.Name = "compiled"
	compiled, err := b.install(o)
	if err != nil {
		t.Fatal(err)
	}
	remove := func(name string) {
		t.Helper()
		if err := b.options.Servers.Remove(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	remove("weather")
	remove("compiled")
	eventually(t, "the program is removed", func() bool { return gone(compiled.Server.Command) })
	if gone(first.Server.Command) {
		t.Error("the bundle of another server was removed")
	}
	remove("weather-two")
	eventually(t, "the bundle is removed", func() bool { return gone(first.Server.Command) })
	b.checkNothingLeft()
}

func TestTheImageOfARemovedServerIsRemovedOnceTheEngineCan(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	b := newBench(t, nil)
	engine := strings.NewReplacer("%SUM%", sum, "%RUN%", server(t)).Replace(docker)
	engine = strings.Replace(engine, `"image rm") `,
		`"image rm") mkdir "$HOME/tried" 2>/dev/null && { echo "image is in use" >&2; exit 1; }; `, 1)
	b.program("docker", `[ -e "$HOME/stopped" ] && { rm "$HOME/stopped"; echo "Cannot connect to the Docker daemon" >&2; exit 1; }`+engine)
	result, err := b.install(order(listing.Package{Kind: listing.KindOCI, Identifier: "docker.io/ada/weather:latest"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(b.bin, "image")
	if b.after(); gone(image) {
		t.Fatal("the image of a server was removed at the next start")
	}
	if err := os.WriteFile(filepath.Join(b.bin, "stopped"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.options.Servers.Remove(t.Context(), result.Server.Name); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the image is removed", func() bool { return gone(image) })
}
