package secrets

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// minGiven is the length below which even a secret is not covered: every text
// is full of words of three letters.
const minGiven = 4

// Given knows the secrets that servers were given since the hub started, those
// too that were changed since: an old process may tell them still. A nil one
// knows none. All methods are safe for concurrent use.
type Given struct {
	all atomic.Pointer[Redactor]

	mu      sync.Mutex
	servers map[string]*given
}

type given struct {
	values   []string
	launch   Launch
	redactor *Redactor // for this launch and these values
	made     bool
}

func (g *Given) add(server string, values []string) {
	if g == nil || len(values) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, more := g.server(server), false
	for _, value := range values {
		if len(value) >= minGiven && !slices.Contains(s.values, value) {
			s.values, s.made, more = append(s.values, value), false, true
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

func (g *Given) server(name string) *given {
	if g.servers == nil {
		g.servers = make(map[string]*given)
	}
	if g.servers[name] == nil {
		g.servers[name] = &given{}
	}
	return g.servers[name]
}

// Redactor returns a redactor that covers what a server was given, and the
// credentials in its configuration. It is made once for each of them.
func (g *Given) Redactor(server string, l Launch) *Redactor {
	if g == nil {
		return ForLaunch(l)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.server(server)
	if !s.made || !s.launch.same(l) {
		known := knownOf(l)
		for _, value := range s.values {
			known.addSecret(value)
		}
		s.launch, s.redactor, s.made = l, known.redactor(), true
	}
	return s.redactor
}

// Text covers what any server was given.
func (g *Given) Text(text string) string {
	if g == nil {
		return (*Redactor)(nil).Text(text)
	}
	return g.all.Load().Text(text)
}

// Head covers the same in the beginning of a text: see Redactor.Head.
func (g *Given) Head(text string, n int) (head string, cut bool) {
	if g == nil {
		return (*Redactor)(nil).Head(text, n)
	}
	return g.all.Load().Head(text, n)
}

func (l Launch) same(o Launch) bool {
	return l.URL == o.URL && slices.Equal(l.Args, o.Args) && maps.Equal(l.Env, o.Env) && maps.Equal(l.Headers, o.Headers)
}
