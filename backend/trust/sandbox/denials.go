package sandbox

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// maxDenied is the largest number of denied accesses that are kept for one server.
const maxDenied = 20

// Output returns lines of a server's standard error, as upstream.Traces.Output does.
type Output func(server string, n int, after int64) (lines []upstream.Line, left int64)

// Changed is published when a server was denied an access for the first time, and
// when its denied accesses were forgotten.
type Changed struct{ Server string }

// denials are the denied accesses of servers.
type denials struct {
	mu    sync.Mutex
	known map[string]*confined // by server
	since map[string]int64     // number of the last line that was read, by server
}

// confined is a server that runs in a sandbox, with its denied accesses.
type confined struct {
	policy confinement.Policy
	home   string
	denied []Denied
}

// began records the policy with which a server is started.
func (d *denials) began(server string, p confinement.Policy, home string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = make(map[string]*confined)
	}
	if d.known[server] == nil {
		d.known[server] = &confined{}
	}
	c := d.known[server]
	c.policy, c.home = p, home
	// Drop the accesses that grants allow now.
	c.denied = slices.DeleteFunc(c.denied, func(one Denied) bool {
		_, still := deniedBy(p, claim{access: one.Access, target: one.Target}, home)
		return !still
	})
}

func (d *denials) forget(server string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.known, server)
	delete(d.since, server)
}

// Denied returns at most maxDenied accesses that a server was denied since the hub started, the latest last. A start of
// the server removes those that are granted by then, or all if its sandbox is off.
func (s *Sandbox) Denied(server string) []Denied {
	s.denials.mu.Lock()
	defer s.denials.mu.Unlock()
	if c := s.denials.known[server]; c != nil {
		return slices.Clone(c.denied)
	}
	return nil
}

// ForgetDenied forgets the denied accesses of a server.
func (s *Sandbox) ForgetDenied(server string) {
	s.denials.mu.Lock()
	if c := s.denials.known[server]; c != nil {
		c.denied = nil
	}
	s.denials.mu.Unlock()
	events.Publish(s.options.Bus, Changed{server})
}

// note adds the denied accesses that lines of a server's output report. It returns
// whether any of them is new.
func (d *denials) note(server string, lines ...upstream.Line) (news bool) {
	for _, line := range lines {
		if d.add(server, claimsIn(line.Text), line) {
			news = true
		}
	}
	return news
}

// add adds the denied accesses among claims, which a line reports. It returns whether any of them is new.
func (d *denials) add(server string, claims []claim, line upstream.Line) (news bool) {
	d.mu.Lock()
	c := d.known[server]
	if c == nil {
		d.mu.Unlock()
		return false
	}
	p, home := c.policy, c.home
	d.mu.Unlock()
	var found []Denied
	for _, claimed := range claims { // without the lock, because deniedBy looks at files
		if one, denied := deniedBy(p, claimed, home); denied {
			one.Last, one.Line = line.At, safetext.Clip(safetext.Label(strings.TrimSpace(line.Text)), 300)
			found = append(found, one)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range found {
		at := slices.IndexFunc(c.denied, func(o Denied) bool { return o.Access == one.Access && o.Target == one.Target })
		if at >= 0 {
			one.Count += c.denied[at].Count
			c.denied = slices.Delete(c.denied, at, at+1)
		} else {
			news = true
		}
		c.denied = append(c.denied, one)
	}
	if over := len(c.denied) - maxDenied; over > 0 {
		c.denied = slices.Delete(c.denied, 0, over)
	}
	return news
}

// Run notices denied accesses in the standard error of servers, until ctx ends.
func (s *Sandbox) Run(ctx context.Context) error {
	wrote, stop := events.Subscribe[upstream.Wrote](s.options.Bus, 256)
	defer func() { stop() }()
	s.readAll()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-wrote:
			if !open {
				wrote, stop = events.Subscribe[upstream.Wrote](s.options.Bus, 256)
				s.readAll() // events were lost
				continue
			}
			if s.read(e.Server) {
				events.Publish(s.options.Bus, Changed{e.Server})
			}
		}
	}
}

// CallFailed notices denied accesses in the result or error of a call that has failed. text contains no secrets.
func (s *Sandbox) CallFailed(server, text string, at time.Time) {
	var lines []upstream.Line
	for line := range strings.Lines(text) {
		lines = append(lines, upstream.Line{At: at, Text: line})
	}
	if s.denials.note(server, lines...) {
		events.Publish(s.options.Bus, Changed{server})
	}
}

// readAll calls read for all confined servers, and publishes the changes.
func (s *Sandbox) readAll() {
	s.denials.mu.Lock()
	servers := slices.Collect(maps.Keys(s.denials.known))
	s.denials.mu.Unlock()
	for _, server := range servers {
		if s.read(server) {
			events.Publish(s.options.Bus, Changed{server})
		}
	}
}

// read looks for denied accesses in the lines that a server has written to standard error since the last call, and
// reports whether any of them is new.
func (s *Sandbox) read(server string) bool {
	s.denials.mu.Lock()
	after, confined := s.denials.since[server], s.denials.known[server] != nil
	s.denials.mu.Unlock()
	if !confined || s.options.Output == nil {
		return false
	}
	lines, _ := s.options.Output(server, 100, after)
	if len(lines) == 0 {
		return false
	}
	s.denials.mu.Lock()
	s.denials.since[server] = lines[len(lines)-1].N
	s.denials.mu.Unlock()
	return s.denials.note(server, lines...)
}
