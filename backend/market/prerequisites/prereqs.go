package prerequisites

import (
	"context"
	"sync"
	"time"
)

// Prereqs reports, for each program that many servers need, whether it can print its version. Docker can do so without
// a running engine.
type Prereqs struct {
	NPX    bool `json:"npx"`
	UVX    bool `json:"uvx"`
	Docker bool `json:"docker"`
	UV     bool `json:"uv"`
}

// prereqsProbe checks the programs and caches the result for probeAge.
type prereqsProbe struct {
	works func(ctx context.Context, program string) bool

	mu    sync.Mutex
	at    time.Time
	found Prereqs
}

// Prereqs returns which programs work in the environment that servers get. It
// checks them at most once a minute.
func (c *Checker) Prereqs(ctx context.Context) Prereqs { return c.prereqs.check(ctx) }

func (p *prereqsProbe) check(ctx context.Context) Prereqs {
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
func (c *Checker) works(ctx context.Context, program string) bool {
	env := c.options.Environment(ctx)
	path := c.options.Find(env, program)
	if path == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	_, err := c.options.Run(ctx, env, path, "--version")
	return err == nil
}
