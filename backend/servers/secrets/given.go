package secrets

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// minValue is the minimum length of a secret's value that is redacted. Shorter
// values would match unrelated parts of texts.
const minValue = 4

// Given knows the secrets of all servers, so that they can be redacted in
// everything that this program writes: the values that servers were given since
// the hub started, those in their configurations, and the fingerprints of all
// others. It also keeps values that were replaced, because a process that got
// them may still print them. A nil Given knows nothing. All methods are safe for
// concurrent use.
type Given struct {
	index   atomic.Pointer[index]
	settled chan struct{} // closed by settle
	once    sync.Once     // closes settled

	mu      sync.Mutex
	key     coverKey
	keyed   bool                          // key is that of the vault's fingerprints
	servers map[string]*given             // by the name of the server
	kept    map[string]map[string][]print // fingerprints from the store, by server and secret
}

// NewGiven returns a Given that knows nothing.
func NewGiven() *Given { return &Given{settled: make(chan struct{})} }

// Await waits until the stored secrets are known, but not longer than a few
// seconds: the keychain may be slow. It reports whether they are.
func (g *Given) Await(ctx context.Context) bool {
	if g == nil {
		return true
	}
	late := time.NewTimer(settleTimeout)
	defer late.Stop()
	select {
	case <-g.settled:
	case <-late.C:
	case <-ctx.Done():
	}
	select {
	case <-g.settled:
		return true
	default:
		return false
	}
}

const settleTimeout = 5 * time.Second

// settle makes Await return. Later calls do nothing.
func (g *Given) settle() {
	if g != nil {
		g.once.Do(func() {
			if g.settled != nil {
				close(g.settled)
			}
		})
	}
}

// given is what is known of one server.
type given struct {
	values   map[string][]print // by value
	launches []launch.Launch    // the last configurations whose credentials are among the values
	tokens   []string           // the last tokens among the values
}

// maxLaunches is how many configurations of a server are compared before their
// credentials are looked up again: that in the registry, and that of its process.
const maxLaunches = 2

// add adds the values that Fill returns for a server.
func (g *Given) add(server string, values []string) {
	if g == nil || len(values) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.learn(server, values, false) {
		g.rebuild()
	}
}

// learn adds values of a server and reports whether any of them is new. The
// caller holds mu.
func (g *Given) learn(server string, values []string, private bool) (more bool) {
	s := g.server(server)
	for _, value := range values {
		if _, known := s.values[value]; known || len(value) < minValue {
			continue
		}
		s.values[value] = g.coverKey().prints(value, private)
		more = true
	}
	return more
}

// maxTokens is how many tokens of a server are covered. A token that was replaced long
// ago is no longer valid.
const maxTokens = 12

// KnowToken adds a token with which a server is called, or with which such tokens are
// obtained.
func (g *Given) KnowToken(server, token string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.learn(server, []string{token}, false) {
		return
	}
	s := g.server(server)
	if s.tokens = append(s.tokens, token); len(s.tokens) > maxTokens {
		delete(s.values, s.tokens[0])
		s.tokens = s.tokens[1:]
	}
	g.rebuild()
}

// server returns the entry of a server. The caller holds mu.
func (g *Given) server(name string) *given {
	if g.servers == nil {
		g.servers = make(map[string]*given)
	}
	if g.servers[name] == nil {
		g.servers[name] = &given{values: make(map[string][]print)}
	}
	return g.servers[name]
}

// coverKey returns the key, and makes one if the vault's is not known yet. The
// caller holds mu.
func (g *Given) coverKey() coverKey {
	if g.key.mix == 0 {
		g.key = newCoverKey()
	}
	return g.key
}

// rebuild makes everything that is known take effect. The caller holds mu.
func (g *Given) rebuild() {
	all := make(map[string][]print)
	for name, s := range g.servers {
		for _, prints := range s.values {
			all[name] = append(all[name], prints...)
		}
	}
	for name, secrets := range g.kept {
		for _, prints := range secrets {
			all[name] = append(all[name], prints...)
		}
	}
	g.index.Store(newIndex(g.coverKey(), all))
}

// Know adds the credentials in a server's configuration. A credential that is
// recognised only by its name, and could be an ordinary word, is covered only in
// the texts of its own server.
func (g *Given) Know(server string, l launch.Launch) {
	g.KnowAll(func(yield func(string, launch.Launch) bool) { yield(server, l) })
}

// KnowAll is Know for several servers. It takes less time than one Know for each.
func (g *Given) KnowAll(configurations iter.Seq2[string, launch.Launch]) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	changed := false
	for server, l := range configurations {
		s := g.server(server)
		if slices.ContainsFunc(s.launches, func(known launch.Launch) bool { return same(known, l) }) {
			continue
		}
		s.launches = append([]launch.Launch{l}, s.launches[:min(len(s.launches), maxLaunches-1)]...)
		certain, doubtful := l.Credentials()
		changed = g.learn(server, certain, false) || changed
		changed = g.learn(server, doubtful, true) || changed
	}
	if changed {
		g.rebuild()
	}
}

// hasKey reports whether the key of the vault's fingerprints is known.
func (g *Given) hasKey() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.keyed
}

// useKey sets the key of the vault's fingerprints, and makes those of all known
// values anew.
func (g *Given) useKey(key coverKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.keyed && g.key == key {
		return
	}
	g.key, g.keyed, g.kept = key, true, nil
	for _, s := range g.servers {
		for value, prints := range s.values {
			private := len(prints) > 0 && prints[0].kind&ofOwner != 0
			s.values[value] = key.prints(value, private)
		}
	}
	g.rebuild()
}

// keep adds fingerprints from the store, by server and secret. They were made
// with the key of useKey.
func (g *Given) keep(prints map[string]map[string][]print) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept == nil {
		g.kept = make(map[string]map[string][]print)
	}
	for server, secrets := range prints {
		if g.kept[server] == nil {
			g.kept[server] = make(map[string][]print)
		}
		maps.Copy(g.kept[server], secrets)
	}
	g.rebuild()
}

// Redactor returns a redactor for the texts of a server. It knows the credentials
// in the server's configuration and whatever g knows when it is used.
func (g *Given) Redactor(server string, l launch.Launch) *Redactor {
	if g == nil {
		return ForLaunch(l)
	}
	g.Know(server, l)
	return &Redactor{index: g.index.Load, server: server}
}

// Text redacts the secrets of all servers, in the same way as Redactor.Text.
func (g *Given) Text(text string) string { return g.everything().Text(text) }

// Head redacts the secrets of all servers, in the same way as Redactor.Head.
func (g *Given) Head(text string, n int) (head string, cut bool) { return g.everything().Head(text, n) }

func (g *Given) everything() *Redactor {
	if g == nil {
		return nil
	}
	return &Redactor{index: g.index.Load, server: anyServer}
}

// same reports whether two launches have the same texts.
func same(a, b launch.Launch) bool {
	return a.URL == b.URL && slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers)
}
