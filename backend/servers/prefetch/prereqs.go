package prefetch

import (
	"context"
	"sync"
	"time"
)

const (
	probeTimeout = 5 * time.Second // how long a program may take to print its version
	probeAge     = time.Minute     // how long a result is reused
)

// Prereqs reports which of the programs that many servers need work on this
// machine.
type Prereqs struct {
	NPX    bool `json:"npx"`
	UVX    bool `json:"uvx"`
	Docker bool `json:"docker"`
	UV     bool `json:"uv"`
}

// probe checks the programs and caches the result for probeAge.
type probe struct {
	works func(ctx context.Context, program string) bool

	mu    sync.Mutex
	at    time.Time
	found Prereqs
}

// Prereqs returns which programs work in the environment that servers get. It
// checks them at most once a minute.
func (p *Prefetcher) Prereqs(ctx context.Context) Prereqs { return p.probe.check(ctx) }

func (p *probe) check(ctx context.Context) Prereqs {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.at.IsZero() && time.Since(p.at) < probeAge {
		return p.found
	}
	var found Prereqs
	var checks sync.WaitGroup
	for program, works := range map[string]*bool{"npx": &found.NPX, "uvx": &found.UVX, "docker": &found.Docker, "uv": &found.UV} {
		checks.Go(func() { *works = p.works(ctx, program) })
	}
	checks.Wait()
	if ctx.Err() == nil { // the result of a cancelled check may be wrong
		p.at, p.found = time.Now(), found
	}
	return found
}

// works reports whether a program is installed and can print its version.
func (p *Prefetcher) works(ctx context.Context, program string) bool {
	env := p.environment(ctx)
	path := env.LookPath(program)
	if path == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := Run(ctx, env, func(string) {}, path, "--version")
	return err == nil
}
