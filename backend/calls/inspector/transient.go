package inspector

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	defaultLife   = 15 * time.Minute
	maxLife       = 24 * time.Hour
	maxTransients = 16
	// transientPrefix is the beginning of the names of transient servers. It
	// contains "__", which the names of configured servers cannot contain.
	transientPrefix = "__transient__"
)

// Spec says how a transient server is started or reached.
type Spec struct {
	Transport string // see registry.TransportFor
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Headers   map[string]string
	// Of is the name of a configured server. If it is set, a copy of that server
	// is started, with its secrets, and the fields above are ignored.
	Of   string
	Life time.Duration // 15 minutes if zero or negative, at most a day
}

// Transient is a server that exists for a test only. It is in no registry and
// no tool list, and it is closed at a set time.
type Transient struct {
	Handle string
	Server registry.Server // ID is 0
	Of     string          // name of the configured server that it is a copy of; empty if it is no copy
	Tools  []json.RawMessage
	Ends   time.Time
}

// Open starts a transient server and lists its tools. If too many transient
// servers are open, the error is a fault.Busy.
func (i *Inspector) Open(ctx context.Context, spec Spec) (*Transient, error) {
	if spec.Of != "" {
		return i.openCopy(ctx, spec)
	}
	transport, err := spec.check()
	if err != nil {
		return nil, err
	}
	handle := strings.ToLower(rand.Text()[:12])
	server := registry.Server{
		Name: transientPrefix + handle, Transport: transport, Approved: true,
		Command: spec.Command, Args: spec.Args, Env: printable(spec.Env), URL: spec.URL, Headers: spec.Headers,
	}
	return i.start(ctx, &Transient{Handle: handle, Server: server}, spec.Life)
}

// start starts a transient server, which Run closes after the time life; see Spec.Life.
func (i *Inspector) start(ctx context.Context, opened *Transient, life time.Duration) (*Transient, error) {
	if err := i.reserve(); err != nil {
		return nil, err
	}
	server := opened.Server
	err := i.servers.StartPrivate(ctx, server, upstream.Private{Of: opened.Of})
	if err != nil {
		i.servers.Remove(server.Name)
	}
	about, _ := i.servers.Describe(server.Name)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.starting--
	if err != nil {
		return nil, err
	}
	if life <= 0 {
		life = defaultLife
	}
	opened.Tools, opened.Ends = about.Tools, time.Now().Add(min(life, maxLife))
	i.transients[opened.Handle] = opened
	select {
	case i.opened <- struct{}{}:
	default:
	}
	return opened, nil
}

// reserve adds one to the number of starting servers, or returns a fault.Busy if too many servers are open. start
// subtracts it again.
func (i *Inspector) reserve() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.transients)+i.starting >= maxTransients {
		return fault.New(fault.Busy, "%d transient servers are open; delete one first", maxTransients)
	}
	i.starting++
	return nil
}

// check returns the transport of a server, or a fault.Invalid if the server cannot be started.
func (s Spec) check() (transport string, err error) {
	transport, err = registry.TransportFor(s.Transport, s.Command, s.URL)
	switch {
	case err != nil:
		return "", err
	case transport == "stdio" && s.Command == "":
		return "", fault.New(fault.Invalid, "command is required for stdio transport")
	case transport != "stdio" && s.URL == "":
		return "", fault.New(fault.Invalid, "url is required for remote transports")
	}
	// Commands are not run by a shell. Reject a command that was written for
	// one.
	if strings.ContainsAny(s.Command, ";&|`$<>(){}\n\r\x00") {
		return "", fault.New(fault.Invalid, "command contains unsafe characters")
	}
	if name, _, more := strings.Cut(s.Command, " "); more && !strings.ContainsAny(name, `/\\`) { // paths may contain spaces
		return "", fault.New(fault.Invalid, "command contains unsafe characters: give the program in command and its arguments in args")
	}
	return transport, nil
}

// printable returns env without the variables that have no name, have "=" in
// their name, or contain a NUL byte or a line break.
func printable(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		if name != "" && !strings.ContainsAny(name, "=\x00\r\n") && !strings.ContainsAny(value, "\x00\r\n") {
			out[name] = value
		}
	}
	return out
}

// Find returns the transient server with a handle. If there is none, the error
// is a fault.NotFound. A copy has the current configuration of its original; if the
// original was removed or is not approved any more, Find returns an error.
func (i *Inspector) Find(handle string) (*Transient, error) {
	i.mu.Lock()
	found, ok := i.transients[handle]
	i.mu.Unlock()
	if !ok || !time.Now().Before(found.Ends) {
		return nil, fault.New(fault.NotFound, "Server not found")
	}
	if found.Of == "" {
		return found, nil
	}
	present := *found
	var err error
	present.Server, err = i.copyOf(found.Of, found.Server.Name)
	return &present, err
}

// isTransient reports whether a name is that of a transient server.
func isTransient(name string) bool { return strings.HasPrefix(name, transientPrefix) }

// Close ends a transient server and returns when its process has ended. An
// unknown handle is ignored.
func (i *Inspector) Close(handle string) {
	i.mu.Lock()
	found, ok := i.transients[handle]
	delete(i.transients, handle)
	i.mu.Unlock()
	if ok {
		i.inbox.cancelAll(found.Server.Name)
		i.servers.Remove(found.Server.Name)
	}
}

// Run closes each transient server at the end of its life, until ctx ends.
func (i *Inspector) Run(ctx context.Context) error {
	for {
		var due <-chan time.Time
		if next, any := i.nextEnd(); any {
			due = time.After(time.Until(next.Ends))
		}
		select {
		case <-due:
			if next, any := i.nextEnd(); any && !time.Now().Before(next.Ends) {
				i.Close(next.Handle)
			}
		case <-i.opened:
		case <-ctx.Done():
			return nil
		}
	}
}

// nextEnd returns the transient server whose life ends first, and false if none
// is open.
func (i *Inspector) nextEnd() (*Transient, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.transients) == 0 {
		return nil, false
	}
	open := slices.Collect(maps.Values(i.transients))
	return slices.MinFunc(open, func(a, b *Transient) int { return a.Ends.Compare(b.Ends) }), true
}
