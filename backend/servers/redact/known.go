package redact

import (
	"context"
	"crypto/rand"
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

// KnownSecrets knows the secrets of all servers, so that they can be redacted in
// everything that this program writes: the values that servers were given since the hub
// started, the credentials in their configurations, and the fingerprints of all other
// secrets. It also keeps values that were replaced, because a process that got them may
// still print them. A nil KnownSecrets knows nothing. All methods are safe for
// concurrent use.
type KnownSecrets struct {
	index   atomic.Pointer[index]
	settled chan struct{} // closed by Settle
	once    sync.Once     // closes settled

	mu      sync.Mutex
	key     coverKey
	keyed   bool                               // key is that of the vault's fingerprints
	servers map[string]*serverSecrets          // by the name of the server
	kept    map[string]map[string]Fingerprints // fingerprints from the store, by server and secret
}

// NewKnownSecrets returns a KnownSecrets that knows nothing.
func NewKnownSecrets() *KnownSecrets { return &KnownSecrets{settled: make(chan struct{})} }

// Await waits until the stored secrets are known, but not longer than a few seconds: the keychain may be slow. It
// reports whether they are known.
func (k *KnownSecrets) Await(ctx context.Context) bool {
	if k == nil {
		return true
	}
	late := time.NewTimer(settleTimeout)
	defer late.Stop()
	select {
	case <-k.settled:
	case <-late.C:
	case <-ctx.Done():
	}
	select {
	case <-k.settled:
		return true
	default:
		return false
	}
}

const settleTimeout = 5 * time.Second

// Settle makes Await return. Later calls do nothing.
func (k *KnownSecrets) Settle() {
	if k != nil {
		k.once.Do(func() {
			if k.settled != nil {
				close(k.settled)
			}
		})
	}
}

// serverSecrets contains the known secrets of one server.
type serverSecrets struct {
	values   map[string]Fingerprints // fingerprints by value
	launches []launch.Launch         // the newest configurations whose credentials are in values
	tokens   []string                // the newest tokens that are in values, oldest first
}

// maxLaunches is how many configurations of a server are remembered, so that their credentials are not looked up again:
// the one in the registry and the one of the running process.
const maxLaunches = 2

// AddValues adds values that a server was given.
func (k *KnownSecrets) AddValues(server string, values []string) {
	if k == nil || len(values) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.learn(server, values, false) {
		k.rebuild()
	}
}

// learn adds values of a server and reports whether any of them is new. The
// caller holds mu.
func (k *KnownSecrets) learn(server string, values []string, private bool) (more bool) {
	s := k.server(server)
	for _, value := range values {
		if _, known := s.values[value]; known || len(value) < minValue {
			continue
		}
		s.values[value] = k.coverKey().prints(value, private)
		more = true
	}
	return more
}

// maxTokens is how many tokens of a server are redacted. A token that was replaced long ago is no longer valid.
const maxTokens = 12

// AddToken adds an access token of a server, or a credential with which the hub obtains access tokens. Only the newest
// maxTokens of a server are redacted.
func (k *KnownSecrets) AddToken(server, token string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.learn(server, []string{token}, false) {
		return
	}
	s := k.server(server)
	if s.tokens = append(s.tokens, token); len(s.tokens) > maxTokens {
		delete(s.values, s.tokens[0])
		s.tokens = s.tokens[1:]
	}
	k.rebuild()
}

// server returns the entry of a server. The caller holds mu.
func (k *KnownSecrets) server(name string) *serverSecrets {
	if k.servers == nil {
		k.servers = make(map[string]*serverSecrets)
	}
	if k.servers[name] == nil {
		k.servers[name] = &serverSecrets{values: make(map[string]Fingerprints)}
	}
	return k.servers[name]
}

// coverKey returns the key, and makes one if the vault's key is not known yet. The caller holds mu.
func (k *KnownSecrets) coverKey() coverKey {
	if k.key.mix == 0 {
		var secret [32]byte
		_, _ = rand.Read(secret[:]) // never fails
		k.key = coverKeyOf(secret)
	}
	return k.key
}

// rebuild replaces the index by one of all known fingerprints. The caller holds mu.
func (k *KnownSecrets) rebuild() {
	all := make(map[string]Fingerprints)
	for name, s := range k.servers {
		for _, prints := range s.values {
			all[name] = append(all[name], prints...)
		}
	}
	for name, secrets := range k.kept {
		for _, prints := range secrets {
			all[name] = append(all[name], prints...)
		}
	}
	k.index.Store(newIndex(k.coverKey(), all))
}

// AddLaunch adds the credentials in a server's configuration. A credential that is recognised only by its name, and
// could be an ordinary word, is redacted only in the texts of its own server.
func (k *KnownSecrets) AddLaunch(server string, l launch.Launch) {
	k.AddLaunches(func(yield func(string, launch.Launch) bool) { yield(server, l) })
}

// AddLaunches is AddLaunch for several servers. It takes less time than one AddLaunch for each.
func (k *KnownSecrets) AddLaunches(configurations iter.Seq2[string, launch.Launch]) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := false
	for server, l := range configurations {
		s := k.server(server)
		if slices.ContainsFunc(s.launches, func(known launch.Launch) bool {
			return known.URL == l.URL && slices.Equal(known.Args, l.Args) && maps.Equal(known.Env, l.Env) &&
				maps.Equal(known.Headers, l.Headers)
		}) {
			continue
		}
		s.launches = append([]launch.Launch{l}, s.launches[:min(len(s.launches), maxLaunches-1)]...)
		certain, doubtful := l.Credentials()
		changed = k.learn(server, certain, false) || changed
		changed = k.learn(server, doubtful, true) || changed
	}
	if changed {
		k.rebuild()
	}
}

// HasKey reports whether the key of the vault's fingerprints is known.
func (k *KnownSecrets) HasKey() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keyed
}

// SetKey derives the key of the vault's fingerprints from a secret, and computes the fingerprints of all known values
// again.
func (k *KnownSecrets) SetKey(secret [32]byte) {
	key := coverKeyOf(secret)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keyed && k.key == key {
		return
	}
	k.key, k.keyed, k.kept = key, true, nil
	for _, s := range k.servers {
		for value, prints := range s.values {
			private := len(prints) > 0 && prints[0].kind&ofOwner != 0
			s.values[value] = key.prints(value, private)
		}
	}
	k.rebuild()
}

// Fingerprint returns the fingerprints of the value of an account, and the form in which they are stored. They have no
// effect until AddFingerprints is called.
func (k *KnownSecrets) Fingerprint(account, value string) (prints Fingerprints, stored []byte) {
	key := k.currentKey()
	prints = key.prints(value, false)
	return prints, prints.seal(key, account)
}

// ReadFingerprints returns the stored fingerprints of an account. old is true if an earlier version of this program,
// which found fewer forms, made them.
func (k *KnownSecrets) ReadFingerprints(account string, stored []byte) (prints Fingerprints, old bool, err error) {
	return k.currentKey().open(account, stored)
}

func (k *KnownSecrets) currentKey() coverKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.coverKey()
}

// AddFingerprints adds fingerprints. prints contains them by the name of the server and the name of the secret. They
// must have been made with the key that SetKey has derived.
func (k *KnownSecrets) AddFingerprints(prints map[string]map[string]Fingerprints) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = make(map[string]map[string]Fingerprints)
	}
	for server, secrets := range prints {
		if k.kept[server] == nil {
			k.kept[server] = make(map[string]Fingerprints)
		}
		maps.Copy(k.kept[server], secrets)
	}
	k.rebuild()
}

// Redactor returns a redactor for the texts of a server. It knows the credentials in the server's configuration and
// all secrets that k knows when the redactor is used.
func (k *KnownSecrets) Redactor(server string, l launch.Launch) *Redactor {
	if k == nil {
		return ForLaunch(l)
	}
	k.AddLaunch(server, l)
	return &Redactor{index: k.index.Load, server: server}
}

// Text redacts the secrets of all servers, in the same way as Redactor.Text.
func (k *KnownSecrets) Text(text string) string { return k.everything().Text(text) }

// Head redacts the secrets of all servers, in the same way as Redactor.Head.
func (k *KnownSecrets) Head(text string, n int) (head string, cut bool) {
	return k.everything().Head(text, n)
}

func (k *KnownSecrets) everything() *Redactor {
	if k == nil {
		return nil
	}
	return &Redactor{index: k.index.Load, server: anyServer}
}
