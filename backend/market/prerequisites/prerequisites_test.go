package prerequisites

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// machine simulates programs by name. A program prints its value, fails if the value is an error, and hangs if it is
// nil.
type machine map[string]any

func (m machine) options() Options {
	return Options{
		Environment: func(context.Context) process.Env { return process.Env{"PATH=/usr/bin"} },
		Find: func(_ process.Env, program string) string {
			if _, has := m[program]; has {
				return "/usr/bin/" + program
			}
			return ""
		},
		Run: func(ctx context.Context, _ process.Env, program string, _ ...string) (string, error) {
			switch does := m[filepath.Base(program)].(type) {
			case string:
				return does, nil
			case error:
				return does.Error(), does
			}
			<-ctx.Done()
			return "", ctx.Err()
		},
		Machine: Machine{OS: "linux"},
	}
}

func TestVersionsAndFailuresOfProgramsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := New(machine{
			"node": "v22.17.0\n", "npx": "10.9.2\n", "uv": "uv 0.9.2 (abc 2025-10-10)", "uvx": nil, "python": "Python 3.13.1",
			"docker": errors.New("error during connect\nCannot connect to the Docker daemon."),
			"podman": "5.4.2 rootless=true", "dnx": "", "dotnet": "10.0.100-rc.2.25502.107",
		}.options()).Check(t.Context())
		for _, want := range []Program{
			{Name: Node, Product: "Node.js", Path: "/usr/bin/node", Version: "22.17.0", Works: true},
			{Name: NPX, Product: "Node.js", Path: "/usr/bin/npx", Version: "10.9.2", Works: true},
			{Name: UV, Product: "uv", Path: "/usr/bin/uv", Version: "0.9.2", Works: true},
			{Name: UVX, Product: "uv", Path: "/usr/bin/uvx", Problem: "uvx did not answer within 20s."},
			{Name: Python, Product: "Python", Path: "/usr/bin/python", Version: "3.13.1", Works: true},
			{
				Name: Docker, Product: "Docker", Path: "/usr/bin/docker",
				Problem: "docker is installed, but its engine does not answer: Cannot connect to the Docker daemon.",
			},
			{Name: Podman, Product: "Podman", Path: "/usr/bin/podman", Version: "5.4.2", Works: true, Rootless: true},
			{Name: DNX, Product: ".NET", Path: "/usr/bin/dnx", Version: "10.0.100-rc.2.25502.107", Works: true},
		} {
			if got := report.Program(want.Name); got != want {
				t.Errorf("%s: got %+v, want %+v", want.Name, got, want)
			}
		}
		if cargo := report.Program(Cargo); cargo.Works || cargo.Path != "" || cargo.Install == nil {
			t.Errorf("a missing program is reported as %+v", cargo)
		}
	})
}

func TestReportsAreReusedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		o := machine{"node": "v22.0.0"}.options()
		really := o.Run
		o.Run = func(ctx context.Context, env process.Env, program string, args ...string) (string, error) {
			runs.Add(1)
			return really(ctx, env, program, args...)
		}
		c := New(o)
		c.Check(t.Context())
		time.Sleep(probeAge - time.Second)
		if c.Check(t.Context()); runs.Load() != 1 {
			t.Errorf("%d probes within a minute, want 1", runs.Load())
		}
		time.Sleep(2 * time.Second)
		if c.Check(t.Context()); runs.Load() != 2 {
			t.Errorf("%d probes after a minute, want 2", runs.Load())
		}
		c.Forget()
		if c.Check(t.Context()); runs.Load() != 3 {
			t.Errorf("%d probes after Forget, want 3", runs.Load())
		}
	})
}

func TestCancelledCheckIsNotReused(t *testing.T) {
	c := New(machine{"node": "v22.0.0"}.options())
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	c.Check(gone)
	if got := c.Check(t.Context()).Program(Node); !got.Works {
		t.Errorf("after a cancelled check, node is %+v", got)
	}
}

func TestMissingProgramsComeWithTheCommandOfThisMachine(t *testing.T) {
	for _, test := range []struct {
		name    string
		machine Machine
		has     []string
		program string
		command string
		run     string
		root    bool
	}{
		{"apt in a terminal", Machine{OS: "linux"}, []string{"apt-get"}, NPX, "sudo apt-get install -y nodejs npm", "", true},
		{
			"apt with a desktop",
			Machine{OS: "linux", Desktop: true},
			[]string{"apt-get", "pkexec"},
			NPX,
			"sudo apt-get install -y nodejs npm", "pkexec /usr/bin/apt-get install -y nodejs npm", true,
		},
		{
			"apt with pkexec but no desktop",
			Machine{OS: "linux"},
			[]string{"apt-get", "pkexec"},
			NPX,
			"sudo apt-get install -y nodejs npm", "", true,
		},
		{
			"apt as root",
			Machine{OS: "linux", Root: true},
			[]string{"apt-get"},
			Podman, "apt-get install -y podman",
			"apt-get install -y podman", true,
		},
		{
			"apt has pipx, which has uv",
			Machine{OS: "linux"},
			[]string{"apt-get"},
			UVX,
			"sudo apt-get install -y pipx; pipx install uv; pipx ensurepath", "", true,
		},
		{
			"pipx as root",
			Machine{OS: "linux", Root: true},
			[]string{"apt-get"},
			UVX,
			"apt-get install -y pipx; pipx install uv; pipx ensurepath", "apt-get install -y pipx; pipx install uv; pipx ensurepath", true,
		},
		{"apt has no dotnet", Machine{OS: "linux"}, []string{"apt-get"}, DNX, "", "", false},
		{"pipx has", Machine{OS: "linux"}, []string{"apt-get", "pipx"}, UVX, "pipx install uv", "pipx install uv", false},
		{"dnf", Machine{OS: "linux"}, []string{"dnf"}, DNX, "sudo dnf install -y dotnet-sdk-10.0", "", true},
		{"pacman", Machine{OS: "linux"}, []string{"pacman"}, UV, "sudo pacman -S --needed --noconfirm uv", "", true},
		{"brew", Machine{OS: "darwin"}, []string{"brew"}, Cargo, "brew install rust", "brew install rust", false},
		{"brew as root", Machine{OS: "darwin", Root: true}, []string{"brew"}, Cargo, "", "", false},
		{
			"winget",
			Machine{OS: "windows"},
			[]string{"winget"},
			Node, "winget install --accept-package-agreements --accept-source-agreements --exact --id OpenJS.NodeJS.LTS",
			"winget install --accept-package-agreements --accept-source-agreements --exact --id OpenJS.NodeJS.LTS", false,
		},
		{"nothing", Machine{OS: "linux"}, nil, Docker, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.machine.install(test.program, func(program string) string {
				if slices.Contains(test.has, program) {
					return "/usr/bin/" + program
				}
				return ""
			})
			if command, run := joined(got.Commands), joined(got.Run); command != test.command || run != test.run || got.Root != test.root {
				t.Errorf("got %q, %q, root %t", command, run, got.Root)
			}
			if !strings.HasPrefix(got.Page, "https://") {
				t.Errorf("the page of the official installer is %q", got.Page)
			}
		})
	}
}

func joined(commands [][]string) string {
	var out []string
	for _, command := range commands {
		out = append(out, strings.Join(command, " "))
	}
	return strings.Join(out, "; ")
}

func TestEveryProgramHasAnInstaller(t *testing.T) {
	for _, name := range Programs() {
		for _, system := range []string{"linux", "darwin", "windows"} {
			if got := (Machine{OS: system}).install(name, func(string) string { return "" }); got.Page == "" {
				t.Errorf("%s on %s: no page", name, system)
			}
		}
	}
}

func TestRequirementsAreComparedWithTheMachine(t *testing.T) {
	report := New(machine{
		"node": "v18.19.0", "npx": "9.2.0", "docker": errors.New("no daemon"), "podman": "5.0.0 rootless=false",
	}.options()).Check(t.Context())
	for _, test := range []struct {
		need    Requirement
		program string
		problem string
	}{
		{Requirement{}, "", ""},
		{Requirement{Programs: []string{NPX}}, NPX, ""},
		{Requirement{Programs: []string{NPX}, Of: Node, Versions: ">=18"}, NPX, ""},
		{
			Requirement{
				Programs: []string{NPX}, Of: Node, Versions: ">=20",
			}, NPX, "node has the version 18.19.0, but the package needs >=20.",
		},
		{Requirement{Programs: []string{Docker, Podman}}, Podman, ""},
		{Requirement{Programs: []string{Docker}}, Docker, "docker is installed, but its engine does not answer: no daemon."},
		{Requirement{Programs: []string{UVX, Docker}}, Docker, "docker is installed, but its engine does not answer: no daemon."},
		{Requirement{Programs: []string{UVX, Cargo}}, UVX, "uvx or cargo is not installed."},
	} {
		if p, problem := report.Meets(test.need); p.Name != test.program || problem != test.problem {
			t.Errorf("%+v: got %s, %q", test.need, p.Name, problem)
		}
	}
}

func TestVersionRangesOfNpmAndPython(t *testing.T) {
	for _, test := range []struct {
		versions, in, out string // in and out are versions separated by spaces
	}{
		{">=18", "18.0.0 18.19.1 22.1.0", "16.20.2"},
		{">=18.17.1 <21", "18.17.1 20.9.0", "18.17.0 21.0.0"},
		{"^18 || ^20.10 || >=22", "18.1.0 20.11.0 22.0.0", "19.0.0 20.9.0 21.0.0"},
		{"18.x", "18.4.0", "17.0.0 19.0.0"},
		{"~18.2", "18.2.9", "18.3.0 18.1.0"},
		{"^0.9.1", "0.9.5", "0.10.0 0.9.0"},
		{"18 - 20", "18.0.0 20.9.9", "17.9.9 21.0.0"},
		{"*", "1.0.0 99.0.0", ""},
		{"", "1.0.0", ""},
		{">=3.10", "3.10.0 3.13.1", "3.9.18"},
		{">=3.10,<3.13", "3.12.9", "3.13.0 3.9.0"},
		{"~=3.10", "3.10.1 3.14.0", "4.0.0 3.9.0"},
		{"==3.11.*", "3.11.4", "3.12.0"},
		{">3.9,!=3.11.0", "3.10.0 3.11.1", "3.9.9 3.11.0"},
		{">=20.0.0-rc.1", "20.0.0 22.0.0", "18.0.0"},
		{"lts/hydrogen", "1.0.0", ""},
		{"node18", "1.0.0", ""},
	} {
		for _, version := range strings.Fields(test.in) {
			if !Allows(test.versions, version) {
				t.Errorf("%q does not allow %s", test.versions, version)
			}
		}
		for _, version := range strings.Fields(test.out) {
			if Allows(test.versions, version) {
				t.Errorf("%q allows %s", test.versions, version)
			}
		}
	}
}

func FuzzAllows(f *testing.F) {
	f.Add(">=3.10,<4", "3.11.2")
	f.Add("^18 || >=20 - x", "v20.1.0-rc+1")
	f.Fuzz(func(t *testing.T, versions, version string) {
		Allows(versions, version) // must not panic
	})
}
