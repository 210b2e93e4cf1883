//go:build unix

package installer_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

func TestABundleIsDownloadedUnpackedConfiguredAndStarted(t *testing.T) {
	b := newBench(t, nil)
	content := packed(t, `[ "$TOKEN" = s3cret-value ] || exit 1; `+server(t, "-only", "-tool", "forecast=Forecast."))
	collected := b.steps()
	result, err := b.install(bundled(t, content, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := namesOf(collected()), []string{"prerequisites", "download", "register", "start", "done"}; !slices.Equal(got, want) {
		t.Errorf("the steps are %q, want %q", got, want)
	}
	if result.State != installer.Succeeded || result.Progress.Tools != 1 || result.Tools[0].Name != "forecast" {
		t.Errorf("got %+v", result.Progress)
	}
	s, err := b.servers.Get("weather")
	if err != nil || !s.Approved || !s.Installed || s.Env["TOKEN"] != launch.Reference("TOKEN") ||
		!strings.HasPrefix(s.Command, b.options.Machine.Bundles) {
		t.Errorf("the server is %+v, %v", s, err)
	}
	if !b.vault.Holds(t.Context(), "weather", "TOKEN", "s3cret-value") {
		t.Error("the secret is not in the vault")
	}
	kept, err := b.store.Installs.Installs(t.Context(), s.ID)
	if err != nil || len(kept) != 1 || kept[0].Hash != result.Plan.Hash || kept[0].Listing.ID() != "official:io.example/weather" ||
		kept[0].Option != "mcpb" || len(kept[0].Answers) != 0 {
		t.Errorf("the store has %+v, %v", kept, err)
	}
	b.checkNoFiles(b.temp)
}

func TestADownloadReportsItsBytes(t *testing.T) {
	b := newBench(t, nil)
	content := packed(t, server(t))
	collected := b.steps()
	if _, err := b.install(bundled(t, content, nil)); err != nil {
		t.Fatal(err)
	}
	size := int64(len(content))
	if !slices.ContainsFunc(collected(), func(p installer.Progress) bool {
		return p.Step == installer.Download && p.Bytes == size && p.Total == size
	}) {
		t.Error("no event has the size of the file")
	}
}

func TestAFailureShowsItsCauseAndLeavesNothingBehind(t *testing.T) {
	evil := packed(t, "true")
	for name, c := range map[string]struct {
		order func(t *testing.T) installer.Order
		step  installer.Step
		want  string
	}{
		"a package that exits at once": {func(t *testing.T) installer.Order {
			return bundled(t, packed(t, "echo 'Error: the licence has expired' >&2; exit 1"), nil)
		}, installer.Start, "the licence has expired"},
		"a wrong checksum": {func(t *testing.T) installer.Order {
			return bundled(t, packed(t, server(t)), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(evil) })
		}, installer.Download, "not the one of the listing: its SHA-256 checksum is"},
		"a file that ends too early": {func(t *testing.T) installer.Order {
			return bundled(t, packed(t, server(t)), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100000")
				_, _ = w.Write(evil)
			})
		}, installer.Download, "before the file was complete"},
		"a file that is gone": {func(t *testing.T) installer.Order {
			return bundled(t, evil, http.NotFound)
		}, installer.Download, "does not have it"},
		"a file that is no bundle": {func(t *testing.T) installer.Order {
			return bundled(t, []byte("<html>"), nil)
		}, installer.Download, "not a bundle"},
		"a bundle with a file outside": {func(t *testing.T) installer.Order {
			return bundled(t, packed(t, server(t), "../evil", "x"), nil)
		}, installer.Download, "leads outside"},
		"a missing answer": {func(t *testing.T) installer.Order {
			o := bundled(t, evil, nil)
			o.Request.Answers = nil
			return o
		}, installer.Download, "needs answers: token"},
		"another plan than the approved one": {func(t *testing.T) installer.Order {
			o := bundled(t, evil, nil)
			o.Hash = "another"
			return o
		}, installer.Download, "not what was approved"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			result, err := b.install(c.order(t))
			if result.State != installer.Failed || result.Step != c.step || !strings.Contains(result.Error, c.want) ||
				fault.MessageOf(err) != result.Error {
				t.Errorf("got %+v, %v", result.Progress, err)
			}
			if result.Questions != (name == "a missing answer") {
				t.Errorf("questions: %v", result.Questions)
			}
			b.checkNothingLeft()
		})
	}
}

func TestAFailedServerCanBeInstalledAfterwards(t *testing.T) {
	b := newBench(t, nil)
	broken := bundled(t, packed(t, "echo broken >&2; exit 1"), nil)
	result, err := b.install(broken)
	if err == nil {
		t.Fatal("a broken server was installed")
	}
	if lines, err := b.Lines(result.ID); err != nil || !slices.Contains(lines, "broken") {
		t.Errorf("the output is %q, %v", lines, err)
	}
	if _, err := b.install(bundled(t, packed(t, server(t)), nil)); err != nil {
		t.Error(err)
	}
}

func TestAnInstallationIsCancelledAtEachStep(t *testing.T) {
	for _, step := range []installer.Step{installer.Download, installer.Start} {
		for _, how := range []string{"by a person", "by the end of the hub"} {
			t.Run(string(step)+" "+how, func(t *testing.T) {
				b := newBench(t, nil)
				content := packed(t, "sleep 300") // unlike an MCP server, it does not end when its input ends
				o := bundled(t, content, nil)
				if step == installer.Download {
					o = bundled(t, content, func(w http.ResponseWriter, r *http.Request) {
						_, _ = w.Write(content[:100])
						_ = http.NewResponseController(w).Flush()
						<-r.Context().Done()
					})
				}
				all, stop := events.Subscribe[installer.Progress](b.options.Bus, 1000)
				defer stop()
				p, err := b.Install(o)
				if err != nil {
					t.Fatal(err)
				}
				await(t, all, func(p installer.Progress) bool { return p.Step == step && (p.Bytes > 0 || step != installer.Download) })
				word := "cancelled"
				if how == "by a person" {
					if err := b.Cancel(p.ID); err != nil {
						t.Fatal(err)
					}
				} else {
					word = "the hub ended"
					b.stop()
				}
				result, err := b.Wait(t.Context(), p.ID)
				if result.State != installer.Cancelled || result.Step != step || err == nil || !strings.Contains(result.Error, word) {
					t.Errorf("got %+v, %v", result.Progress, err)
				}
				b.checkNothingLeft()
				if err := b.Cancel(p.ID); fault.KindOf(err) != fault.Conflict {
					t.Errorf("a second cancel: %v", err)
				}
			})
		}
	}
}

func TestAServerIsInstalledOnceAtATime(t *testing.T) {
	b := newBench(t, nil)
	content, hold := packed(t, server(t)), make(chan struct{})
	o := bundled(t, content, func(w http.ResponseWriter, _ *http.Request) {
		<-hold
		_, _ = w.Write(content)
	})
	first, err := b.Install(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Install(o); fault.KindOf(err) != fault.Busy {
		t.Errorf("the second installation: %v", err)
	}
	close(hold)
	if _, err := b.Wait(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if result, err := b.install(o); fault.KindOf(err) != fault.Conflict || result.Step != installer.Prerequisites {
		t.Errorf("a server that exists: %+v, %v", result.Progress, err)
	}
	if _, err := b.servers.Get("weather"); err != nil {
		t.Errorf("the first server is gone: %v", err)
	}
}

func TestAPreparedBundleIsShownAndInstalledWithoutAnotherDownload(t *testing.T) {
	b := newBench(t, nil)
	content, downloads := packed(t, server(t)), 0
	o := bundled(t, content, func(w http.ResponseWriter, _ *http.Request) {
		downloads++
		_, _ = w.Write(content)
	})
	answers := o.Request.Answers
	o.Request.Answers = nil
	started, err := b.Prepare(o.Request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Wait(t.Context(), started.ID); err != nil {
		t.Fatal(err)
	}
	p, err := b.Plan(t.Context(), o.Request)
	if err != nil || len(p.Unanswered()) != 1 || p.Unanswered()[0].Name != "token" {
		t.Fatalf("the plan is %+v, %v", p, err)
	}
	o.Request.Answers = answers
	if p, err = b.Plan(t.Context(), o.Request); err != nil || p.Hash == "" {
		t.Fatalf("the plan is %+v, %v", p, err)
	}
	o.Hash = p.Hash
	if _, err := b.install(o); err != nil || downloads != 1 {
		t.Errorf("%d downloads, %v", downloads, err)
	}
	b.checkNoFiles(b.temp)
}

func TestAMissingProgramIsNamedWithTheCommandThatInstallsIt(t *testing.T) {
	b := newBench(t, nil)
	how := &prerequisites.Install{Commands: [][]string{{"fake-get", "install", "uv"}}, Run: [][]string{{"fake-get", "install", "uv"}}}
	b.programs.missing = map[string]*prerequisites.Install{"uvx": how}
	result, err := b.install(order(listing.Package{Kind: listing.KindPyPI, Identifier: "weather", Version: "1.0.0"}, nil))
	if err == nil || result.Step != installer.Prerequisites || result.Code != fault.CodeMissingProgram ||
		!strings.Contains(result.Error, "fake-get install uv") {
		t.Errorf("got %+v, %v", result.Progress, err)
	}
	b.checkNothingLeft()

	b.program("fake-get", `echo "unpacking $2"`)
	b.programs.forgot = func() { b.programs.missing = nil }
	started, err := b.InstallProgram("uvx")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Wait(t.Context(), started.ID); err != nil {
		t.Error(err)
	}
	if lines, err := b.Lines(started.ID); err != nil || !slices.Equal(lines, []string{"unpacking uv"}) {
		t.Errorf("the output is %q, %v", lines, err)
	}
}

func TestEachMissingProgramIsNamed(t *testing.T) {
	for program, p := range map[string]listing.Package{
		"npx": {Kind: listing.KindNPM, Identifier: "weather"}, "uvx": {Kind: listing.KindPyPI, Identifier: "weather"},
		"dnx": {Kind: listing.KindNuGet, Identifier: "Ada.Weather"}, "cargo": {Kind: listing.KindCargo, Identifier: "weather"},
		"docker": {Kind: listing.KindOCI, Identifier: "docker.io/ada/weather:1.0.0"},
	} {
		b := newBench(t, nil)
		how := &prerequisites.Install{Commands: [][]string{{"fake-get", "install", program}}}
		b.programs.missing = map[string]*prerequisites.Install{program: how}
		if program == "docker" {
			b.programs.missing["podman"] = how
		}
		p.Version = "1.0.0"
		result, err := b.install(order(p, nil))
		if err == nil || result.Step != installer.Prerequisites || result.Code != fault.CodeMissingProgram ||
			!strings.Contains(result.Error, program) || !strings.Contains(result.Error, "fake-get install "+program) {
			t.Errorf("%s: got %+v, %v", program, result.Progress, err)
		}
		b.checkNothingLeft()
	}
}

func TestAPlanSaysThatItsNameIsTaken(t *testing.T) {
	b := newBench(t, nil)
	o := order(listing.Package{Kind: listing.KindNPM, Identifier: "@ada/weather", Version: "1.0.0"}, nil)
	notes := func() string {
		t.Helper()
		p, err := b.Plan(t.Context(), o.Request)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(p.Notes, " ")
	}
	const want = "A server named “weather” exists already. Choose another name."
	if got := notes(); strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	if _, err := b.servers.Add(t.Context(), registry.Server{Name: "weather", Command: "x"}); err != nil {
		t.Fatal(err)
	}
	if got := notes(); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	o.Request.Name = "other"
	if got := notes(); strings.Contains(got, "exists already") {
		t.Errorf("got %s", got)
	}
}

// docker simulates a container engine that has an image once it was pulled.
const docker = `
has="$HOME/image"
case "$1 $2" in
"image inspect")
	[ -e "$has" ] || { echo "no such image" >&2; exit 1; }
	echo "docker.io/ada/weather@sha256:%SUM%" ;;
"image rm") rm "$has" ;;
pull*) echo "$2" >>"$HOME/pulls"; echo "Pulling layer"; touch "$has" ;;
run*) %RUN% ;;
esac`

func TestTheImageOfAContainerIsPinnedAndRemovedAfterAFailure(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for run, works := range map[string]bool{server(t): true, "echo 'exec format error' >&2; exit 1": false} {
		b := newBench(t, nil)
		b.program("docker", strings.NewReplacer("%SUM%", sum, "%RUN%", run).Replace(docker))
		result, err := b.install(order(listing.Package{Kind: listing.KindOCI, Identifier: "docker.io/ada/weather:latest"}, nil))
		pulls, _ := os.ReadFile(filepath.Join(b.bin, "pulls"))
		_, missing := os.Stat(filepath.Join(b.bin, "image"))
		if string(pulls) != "docker.io/ada/weather:latest\n" {
			t.Errorf("pulled %q", pulls)
		}
		switch {
		case works && (err != nil || missing != nil || !slices.Contains(result.Server.Args, "docker.io/ada/weather@sha256:"+sum)):
			t.Errorf("got %+v, %v, %v", result.Server, err, missing)
		case !works && (missing == nil || !strings.Contains(result.Error, "exec format error")):
			t.Errorf("got %v, %v", err, missing)
		}
		if !works {
			b.checkNothingLeft()
		}
		if lines, _ := b.Lines(result.ID); !slices.Contains(lines, "Pulling layer") {
			t.Errorf("the output is %q", lines)
		}
	}
}

func TestTheFolderOfACompiledProgramIsRemovedAfterAFailure(t *testing.T) {
	for run, works := range map[string]bool{server(t): true, "exit 1": false} {
		b := newBench(t, nil)
		b.program("cargo", `root="$6"; mkdir -p "$root/bin"; printf '#!/bin/sh\n%s\n' "`+run+
			`" >"$root/bin/weather"; chmod +x "$root/bin/weather"; echo "Compiling weather"`)
		result, err := b.install(order(listing.Package{Kind: listing.KindCargo, Identifier: "weather", Version: "0.3.0"}, nil))
		if (err == nil) != works {
			t.Fatalf("got %v", err)
		}
		if !works {
			b.checkNothingLeft()
		}
		if lines, _ := b.Lines(result.ID); !slices.Contains(lines, "Compiling weather") {
			t.Errorf("the output is %q", lines)
		}
	}
}

// signIn simulates servers that ask for a sign-in when they are started.
type signIn struct{ installer.Servers }

func (signIn) Refresh(context.Context, string) ([]*catalog.Tool, error) {
	return nil, fault.Wrap(mcphttp.ErrSignIn, fault.Denied, "sign in first")
}

func TestARemoteServerThatAsksForASignInIsInstalled(t *testing.T) {
	b := newBench(t, func(o *installer.Options) { o.Servers = signIn{o.Servers} })
	o := order(listing.Package{}, nil)
	o.Request.Listing.Packages, o.Request.Listing.Remotes = nil, []listing.Remote{
		{Type: "streamable-http", URL: "https://weather.example/mcp"},
	}
	result, err := b.install(o)
	if err != nil || !result.SignIn || result.Server.URL != "https://weather.example/mcp" {
		t.Errorf("got %+v, %v", result, err)
	}
	if kept, err := b.store.Installs.Installs(t.Context(), 0); err != nil || len(kept) != 1 || kept[0].Version != "1.2.0" {
		t.Errorf("the store has %+v, %v", kept, err)
	}
}

func TestACredentialInAPlainAnswerIsStoredAsASecret(t *testing.T) {
	b := newBench(t, nil)
	b.program("docker", strings.NewReplacer("%RUN%", server(t)).Replace(docker))
	token := "ghp_" + strings.Repeat("a1B2", 9)
	o := order(listing.Package{
		Kind: listing.KindOCI, Identifier: "docker.io/ada/weather:1.0.0",
		Env: []listing.Field{{Name: "LABEL", Input: listing.Input{Required: true}}},
	}, map[string][]string{"LABEL": {token}})
	result, err := b.install(o)
	if err != nil {
		t.Fatal(err)
	}
	if s := result.Server; !secretscan.IsReference(s.Env["LABEL"]) {
		t.Errorf("the server is %+v", s)
	}
	if records, err := b.vault.Records(t.Context()); err != nil || len(records) != 1 ||
		!b.vault.Holds(t.Context(), "weather", records[0].Name, token) {
		t.Errorf("the vault has %v, %v", records, err)
	}
	if kept, err := b.store.Installs.Installs(t.Context(), 0); err != nil || len(kept) != 1 || len(kept[0].Answers) != 0 {
		t.Errorf("the store has %+v, %v", kept, err)
	}
}

// releases returns the same version, or an error, for each lookup.
type releases struct {
	wanted []string
	err    error
}

func (r *releases) Release(_ context.Context, _, version string) (listing.Release, error) {
	r.wanted = append(r.wanted, version)
	return listing.Release{Version: "1.0.7", Program: "forecast"}, r.err
}

func TestAChangingVersionIsPinnedToThatOfThePackageRegistry(t *testing.T) {
	known := &releases{}
	b := newBench(t, func(o *installer.Options) { o.Releases = map[listing.Kind]installer.Releases{listing.KindNPM: known} })
	plan := func(version string) (string, error) {
		t.Helper()
		p, err := b.Plan(t.Context(), order(listing.Package{Kind: listing.KindNPM, Identifier: "weather", Version: version}, nil).Request)
		if err != nil {
			return "", err
		}
		return strings.Join(p.Command, " "), p.Check()
	}
	if got, err := plan("latest"); err != nil || got != "npx -y --package weather@1.0.7 forecast" {
		t.Errorf("latest: %q, %v", got, err)
	}
	known.err = fault.New(fault.Unavailable, "offline")
	if _, err := plan("latest"); fault.MessageOf(err) != "offline" {
		t.Errorf("latest without a network: %v", err)
	}
	if got, err := plan("1.0.2"); err != nil || got != "npx -y weather@1.0.2" {
		t.Errorf("an exact version without a network: %q, %v", got, err)
	}
	known.err = fault.New(fault.NotFound, "no such version")
	if _, err := plan("1.0.3"); err != nil {
		t.Errorf("a version that only an entry names: %v", err)
	}
	chosen := order(listing.Package{Kind: listing.KindNPM, Identifier: "weather", Version: "9.9.9"}, nil).Request
	chosen.Listing.Source = listing.NPM
	if _, err := b.Plan(t.Context(), chosen); fault.MessageOf(err) != "no such version" {
		t.Errorf("a version that a person has chosen: %v", err)
	}
	if want := []string{"latest", "latest", "1.0.2", "1.0.3", "9.9.9"}; !slices.Equal(known.wanted, want) {
		t.Errorf("looked up %q, want %q", known.wanted, want)
	}
}

func TestAFailureKeepsTheBundleOfAnotherServer(t *testing.T) {
	b := newBench(t, nil)
	content := packed(t, `[ "$TOKEN" = hang ] && `+server(t, "-mute")+"\n"+server(t))
	first, second := bundled(t, content, nil), bundled(t, content, nil)
	first.Request.Name, first.Request.Answers = "first", map[string][]string{"token": {"hang"}}
	all, stop := events.Subscribe[installer.Progress](b.options.Bus, 1000)
	defer stop()
	p, err := b.Install(first)
	if err != nil {
		t.Fatal(err)
	}
	await(t, all, func(p installer.Progress) bool { return p.Step == installer.Start })
	result, err := b.install(second)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(p.ID); err != nil {
		t.Fatal(err)
	}
	if result, _ := b.Wait(t.Context(), p.ID); result.State != installer.Cancelled {
		t.Errorf("got %+v", result.Progress)
	}
	if _, err := os.Stat(result.Server.Command); err != nil {
		t.Error(err)
	}
	if all := b.servers.List(); len(all) != 1 || all[0].Name != "weather" {
		t.Errorf("the servers are %v", all)
	}
}

// late delays Add for the server called name until the test allows it.
type late struct {
	installer.Intake
	name             string
	arrived, allowed chan struct{}
}

func (l late) Add(ctx context.Context, a intake.Arrival) (intake.Outcome, error) {
	if a.Server.Name == l.name {
		close(l.arrived)
		<-l.allowed
	}
	return l.Intake.Add(ctx, a)
}

func TestAFailureKeepsTheBundleOfAnInstallationInProgress(t *testing.T) {
	second := late{name: "second", arrived: make(chan struct{}), allowed: make(chan struct{})}
	b := newBench(t, func(o *installer.Options) {
		second.Intake = o.Intake
		o.Intake = second
	})
	content := packed(t, `[ "$TOKEN" = hang ] && `+server(t, "-mute")+"\n"+server(t))
	orders := make(map[string]installer.Order)
	for name, token := range map[string]string{"first": "hang", "second": "s3cret-value"} {
		o := bundled(t, content, nil)
		o.Request.Name, o.Request.Answers = name, map[string][]string{"token": {token}}
		orders[name] = o
	}
	all, stop := events.Subscribe[installer.Progress](b.options.Bus, 1000)
	defer stop()
	failing, err := b.Install(orders["first"])
	if err != nil {
		t.Fatal(err)
	}
	await(t, all, func(p installer.Progress) bool { return p.Step == installer.Start })
	working, err := b.Install(orders["second"])
	if err != nil {
		t.Fatal(err)
	}
	<-second.arrived // the second job holds its folder, but has not added its server yet
	if err := b.Cancel(failing.ID); err != nil {
		t.Fatal(err)
	}
	if result, _ := b.Wait(t.Context(), failing.ID); result.State != installer.Cancelled {
		t.Errorf("got %+v", result.Progress)
	}
	close(second.allowed)
	result, err := b.Wait(t.Context(), working.ID)
	if err != nil || result.State != installer.Succeeded {
		t.Fatalf("got %+v, %v", result.Progress, err)
	}
	if err := b.options.Servers.Remove(t.Context(), "second"); err != nil {
		t.Error(err)
	}
}

func TestOddNamesAreRefusedBeforeAnythingIsRun(t *testing.T) {
	b := newBench(t, nil)
	for _, program := range []string{"npm", "npx", "uvx", "docker", "podman", "dnx", "cargo"} {
		b.program(program, `echo "$0 $@" >>"$HOME/ran"; exit 1`)
	}
	odd := []string{
		"weather; touch /tmp/x", "$(id)", "`id`", "a b", "../weather", "..", "@ada/../weather", "wéather", "wеather\u202e", "-g",
		"--help", "a\nb", "a|b", "a&b", "", "http://127.0.0.1/x.tgz", "file:/etc",
	}
	for _, kind := range []listing.Kind{listing.KindNPM, listing.KindPyPI, listing.KindOCI, listing.KindNuGet, listing.KindCargo} {
		for _, name := range odd {
			result, err := b.install(order(listing.Package{Kind: kind, Identifier: name, Version: "1.0.0"}, nil))
			if err == nil || result.Step != installer.Prerequisites || result.Error == "" {
				t.Errorf("%s %q: got %+v, %v", kind, name, result.Progress, err)
			}
		}
	}
	for _, name := range odd {
		if name == "" {
			continue // the name is derived from the listing
		}
		o := order(listing.Package{Kind: listing.KindNPM, Identifier: "@ada/weather", Version: "1.0.0"}, nil)
		o.Request.Name = name
		if result, err := b.install(o); err == nil || result.Step == installer.Start {
			t.Errorf("a server %q: got %+v, %v", name, result.Progress, err)
		}
	}
	if ran, err := os.ReadFile(filepath.Join(b.bin, "ran")); err == nil {
		t.Errorf("programs were run: %s", ran)
	}
	b.checkNothingLeft()
}
