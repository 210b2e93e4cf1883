package lifecycle

import (
	"context"
	"sync"
	"time"
)

const (
	probeLimit = 5 * time.Second // for a program to tell its version
	probeKept  = time.Minute
)

// Prereqs says which of the programs that servers are often started with work
// on this machine.
type Prereqs struct {
	NPX    bool `json:"npx"`
	UVX    bool `json:"uvx"`
	Docker bool `json:"docker"`
	UV     bool `json:"uv"`
}

// probe asks programs, and remembers for probeKept what they said.
type probe struct {
	works func(ctx context.Context, program string) bool

	mu    sync.Mutex
	at    time.Time
	found Prereqs
}

// Prereqs returns which programs work in the environment that servers get. It
// asks them at most once a minute.
func (i *Installer) Prereqs(ctx context.Context) Prereqs { return i.probe.ask(ctx) }

func (p *probe) ask(ctx context.Context) Prereqs {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.at.IsZero() && time.Since(p.at) < probeKept {
		return p.found
	}
	var found Prereqs
	var asking sync.WaitGroup
	for program, answer := range map[string]*bool{"npx": &found.NPX, "uvx": &found.UVX, "docker": &found.Docker, "uv": &found.UV} {
		asking.Go(func() { *answer = p.works(ctx, program) })
	}
	asking.Wait()
	if ctx.Err() == nil { // else nobody had the time to answer
		p.at, p.found = time.Now(), found
	}
	return found
}

// works reports whether a program is there and tells its version.
func (i *Installer) works(ctx context.Context, program string) bool {
	env := i.Upstream.Environment(ctx)
	path := env.LookPath(program)
	if path == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	_, err := run(ctx, env, path, "--version")
	return err == nil
}
