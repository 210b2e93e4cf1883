// Package prerequisites finds out which of the programs that start servers work on this machine, in which versions,
// and which command installs a missing one. It installs nothing.
package prerequisites

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/subprocess"
)

// The programs that start servers.
const (
	Node   = "node"
	NPX    = "npx"
	UV     = "uv"
	UVX    = "uvx"
	Python = "python"
	Docker = "docker"
	Podman = "podman"
	Dotnet = "dotnet"
	DNX    = "dnx"
	Cargo  = "cargo"
)

// Programs returns the names of all programs that are probed.
func Programs() []string {
	return []string{Node, NPX, UV, UVX, Python, Docker, Podman, Dotnet, DNX, Cargo}
}

// Program is the state of a program on this machine.
type Program struct {
	Name     string   `json:"name"`
	Product  string   `json:"product"`           // the product that includes the program, such as Node.js
	Path     string   `json:"path,omitempty"`    // empty if the program is not installed
	Version  string   `json:"version,omitempty"` // such as 20.11.1; for docker, the version of the engine
	Works    bool     `json:"works"`
	Rootless bool     `json:"rootless,omitempty"` // podman runs containers without administrator rights
	Problem  string   `json:"problem,omitempty"`  // a sentence that says why the program does not work
	Install  *Install `json:"install,omitempty"`  // nil if the program is installed
}

// Report is the state of all programs.
type Report struct {
	Programs []Program `json:"programs" nullable:"false"`
	At       time.Time `json:"at"`
}

// Program returns the state of a program.
func (r Report) Program(name string) Program {
	if i := slices.IndexFunc(r.Programs, func(p Program) bool { return p.Name == name }); i >= 0 {
		return r.Programs[i]
	}
	return Program{Name: name}
}

// Options are the dependencies of a Checker.
type Options struct {
	// Environment returns the environment that servers run in, that of the login shell.
	Environment func(context.Context) process.Env
	// Run runs a program and returns its output; nil means subprocess.Run.
	Run func(ctx context.Context, env process.Env, program string, args ...string) (string, error)
	// Find returns the path of a program in an environment, or ""; nil means process.Env.LookPath.
	Find    func(env process.Env, program string) string
	Machine Machine
}

// Checker probes the programs of this machine. It is safe for concurrent use.
type Checker struct {
	options Options
	timeout time.Duration // of the probe of one program

	mu    sync.Mutex
	known Report

	prereqs prereqsProbe
}

// New returns a Checker.
func New(o Options) *Checker {
	if o.Run == nil {
		o.Run = func(ctx context.Context, env process.Env, program string, args ...string) (string, error) {
			return subprocess.Run(ctx, env, func(string) {}, program, args...)
		}
	}
	if o.Find == nil {
		o.Find = process.Env.LookPath
	}
	c := &Checker{options: o, timeout: probeTimeout}
	c.prereqs.works = c.works
	return c
}

const (
	probeTimeout = 20 * time.Second // for one program: npx needs seconds on a busy machine
	probeAge     = time.Minute      // how long a report is reused
)

// Check returns the state of all programs. It probes them at most once a minute.
func (c *Checker) Check(ctx context.Context) Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known.At.IsZero() && time.Since(c.known.At) < probeAge {
		return c.known
	}
	env := c.options.Environment(ctx)
	names := Programs()
	report := Report{Programs: make([]Program, len(names))}
	var probes sync.WaitGroup
	for i, name := range names {
		probes.Go(func() { report.Programs[i] = c.probe(ctx, env, name) })
	}
	probes.Wait()
	if ctx.Err() == nil { // the result of a cancelled probe may be wrong
		report.At = time.Now()
		c.known = report
	}
	return report
}

// Forget makes the next Check probe all programs. Call it after a program was installed.
func (c *Checker) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = Report{}
}
