package secrets

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// minValue is the minimum length of a secret's value that is redacted. Shorter
// values would match unrelated parts of texts.
const minValue = 4

// Given collects all values that servers were given since the hub started, so
// that they can be redacted. It also keeps values that were replaced, because a
// process that got them may still print them. A nil Given has no values. All
// methods are safe for concurrent use.
type Given struct {
	all atomic.Pointer[Redactor] // for the values of all servers

	mu      sync.Mutex
	servers map[string]*given
}

// given is the state of one server: the values that it was given, and a
// redactor for these values and the configuration.
type given struct {
	values   []string
	launch   Launch
	redactor *Redactor // for values and launch
	current  bool      // redactor contains all values
}

// add adds the values that Fill returns for a server.
func (g *Given) add(server string, values []string) {
	if g == nil || len(values) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, more := g.server(server), false
	for _, value := range values {
		if len(value) >= minValue && !slices.Contains(s.values, value) {
			s.values, s.current, more = append(s.values, value), false, true
		}
	}
	if !more {
		return
	}
	var known forms
	for _, s := range g.servers {
		for _, value := range s.values {
			known.addSecret(value)
		}
	}
	g.all.Store(known.redactor())
}

// server returns the entry of a server. The caller holds mu.
func (g *Given) server(name string) *given {
	if g.servers == nil {
		g.servers = make(map[string]*given)
	}
	if g.servers[name] == nil {
		g.servers[name] = &given{}
	}
	return g.servers[name]
}

// Redactor returns a redactor for the values that a server was given and for
// the credentials in its configuration. It caches the redactor until one of
// them changes.
func (g *Given) Redactor(server string, l Launch) *Redactor {
	if g == nil {
		return ForLaunch(l)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.server(server)
	if !s.current || !s.launch.same(l) {
		known := knownOf(l)
		for _, value := range s.values {
			known.addSecret(value)
		}
		s.launch, s.redactor, s.current = l, known.redactor(), true
	}
	return s.redactor
}

// Text redacts the values that any server was given, in the same way as
// Redactor.Text.
func (g *Given) Text(text string) string {
	if g == nil {
		return (*Redactor)(nil).Text(text)
	}
	return g.all.Load().Text(text)
}

// Head redacts the values that any server was given, in the same way as
// Redactor.Head.
func (g *Given) Head(text string, n int) (head string, cut bool) {
	if g == nil {
		return (*Redactor)(nil).Head(text, n)
	}
	return g.all.Load().Head(text, n)
}

func (l Launch) same(o Launch) bool {
	return l.URL == o.URL && slices.Equal(l.Args, o.Args) && maps.Equal(l.Env, o.Env) && maps.Equal(l.Headers, o.Headers)
}
