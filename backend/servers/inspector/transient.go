package inspector

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	defaultLife   = 15 * time.Minute
	maxLife       = 24 * time.Hour
	maxTransients = 16
	// transientPrefix begins the names of transient servers. No configured
	// server can have it: names hold no "__".
	transientPrefix = "__transient__"
)

// Spec says how a transient server is started or reached.
type Spec struct {
	Transport string // stdio when empty
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Headers   map[string]string
	Life      time.Duration // 15 minutes when it is not more than 0
}

// Transient is a server that exists for a person's test only: in no registry,
// in no tool list, and gone after a while.
type Transient struct {
	Handle string
	Server registry.Server // ID is 0
	Tools  []json.RawMessage
	Ends   time.Time
}

// Open starts a transient server and lists its tools.
func (t *Tester) Open(ctx context.Context, spec Spec) (*Transient, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := t.reserve(); err != nil {
		return nil, err
	}
	handle := strings.ToLower(rand.Text()[:12])
	server := registry.Server{
		Name: transientPrefix + handle, Transport: cmp.Or(spec.Transport, "stdio"), Approved: true,
		Command: spec.Command, Args: spec.Args, Env: printable(spec.Env), URL: spec.URL, Headers: spec.Headers,
	}
	err := t.Upstream.Start(ctx, server)
	if err != nil {
		t.Upstream.Remove(server.Name)
	}
	about, _ := t.Upstream.Describe(server.Name)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting--
	if err != nil {
		return nil, err
	}
	life := spec.Life
	if life <= 0 {
		life = defaultLife
	}
	opened := &Transient{Handle: handle, Server: server, Tools: about.Tools, Ends: time.Now().Add(min(life, maxLife))}
	t.transients[handle] = opened
	select {
	case t.wake <- struct{}{}:
	default:
	}
	return opened, nil
}

func (t *Tester) reserve() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.transients)+t.starting >= maxTransients {
		return fault.New(fault.Busy, "%d transient servers are open; delete one first", maxTransients)
	}
	t.starting++
	return nil
}

func (s Spec) check() error {
	switch s.Transport {
	case "", "stdio":
		if s.Command == "" {
			return fault.New(fault.Invalid, "command is required for stdio transport")
		}
	case "sse", "streamable-http", "http":
		if s.URL == "" {
			return fault.New(fault.Invalid, "url is required for remote transports")
		}
	default:
		return fault.New(fault.Invalid, "transport must be one of: stdio, sse, streamable-http")
	}
	// No shell ever sees a command; this turns away what was meant for one.
	if strings.ContainsAny(s.Command, ";&|`$<>(){}\n\r\x00") {
		return fault.New(fault.Invalid, "command contains unsafe characters")
	}
	return nil
}

// printable leaves out variables whose name or value a process cannot have.
func printable(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		if name != "" && !strings.ContainsAny(name, "=\x00\r\n") && !strings.ContainsAny(value, "\x00\r\n") {
			out[name] = value
		}
	}
	return out
}

// Find returns the transient server with a handle, or a fault.NotFound.
func (t *Tester) Find(handle string) (*Transient, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found, ok := t.transients[handle]; ok && time.Now().Before(found.Ends) {
		return found, nil
	}
	return nil, fault.New(fault.NotFound, "Server not found")
}

// transient reports whether a server is one of these.
func transient(name string) bool { return strings.HasPrefix(name, transientPrefix) }

// Close ends a transient server; one that is not there is no error. It returns
// when the server is gone.
func (t *Tester) Close(handle string) {
	t.mu.Lock()
	found, ok := t.transients[handle]
	delete(t.transients, handle)
	t.mu.Unlock()
	if ok {
		t.withdraw(found.Server.Name)
		t.Upstream.Remove(found.Server.Name)
	}
}

// Run ends transient servers when their time has come, until ctx ends.
func (t *Tester) Run(ctx context.Context) error {
	for {
		var due <-chan time.Time
		if next, any := t.nextEnd(); any {
			due = time.After(time.Until(next.Ends))
		}
		select {
		case <-due:
			if next, any := t.nextEnd(); any && !time.Now().Before(next.Ends) {
				t.Close(next.Handle)
			}
		case <-t.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

func (t *Tester) nextEnd() (*Transient, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var open []*Transient
	for _, one := range t.transients {
		open = append(open, one)
	}
	if len(open) == 0 {
		return nil, false
	}
	return slices.MinFunc(open, func(a, b *Transient) int { return a.Ends.Compare(b.Ends) }), true
}
