// Package credentials keeps the durable tokens with which MCP clients reach the hub over HTTP. A token gives access only
// to the MCP endpoint, and there only to the tools of its surface; see package surfaces. Tokens are random, and only
// their hashes are stored, so that neither the database nor the hub can show a token again.
package credentials

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

const (
	maxName   = 100 // characters
	maxTokens = 1000
)

// Credential describes a token.
type Credential struct {
	ID      string // unique, also after the token is revoked; not secret
	Name    string
	Client  string // id of the editor in the table of editors; empty if unknown
	Surface string // see package surfaces
	Created time.Time
	Used    time.Time // time of the last request with the token, to the minute; zero if there was none
	Hash    [sha256.Size]byte
}

// Changed is published when a credential is created, revoked or used.
type Changed struct{}

// Server returns the only server that the token gives access to, or "" if its surface is not limited to one server.
func (c Credential) Server() string { return surfaces.Server(c.Surface) }

// Grant is a stored credential. Keeper.Find returns it for the token of a request.
type Grant struct {
	Credential
	used  time.Time // guarded by the keeper's mu
	ended chan struct{}
}

// Ended returns a channel that is closed when the token is revoked.
func (g *Grant) Ended() <-chan struct{} { return g.ended }

// Store persists credentials.
type Store interface {
	Credentials(ctx context.Context) ([]Credential, error)
	AddCredential(ctx context.Context, c Credential) error
	DeleteCredential(ctx context.Context, id string) error
	// MarkUsed stores when credentials were last used. The keys of used are the ids of the credentials. MarkUsed
	// ignores unknown ids.
	MarkUsed(ctx context.Context, used map[string]time.Time) error
}

// Options are the dependencies of a Keeper.
type Options struct {
	Store Store
	Bus   *events.Bus
	Log   *slog.Logger
}

// Keeper creates, finds and revokes credentials. It holds all of them in memory and is safe for concurrent use.
type Keeper struct {
	store Store
	bus   *events.Bus
	log   *slog.Logger

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*Grant
	byName map[string]*Grant
	used   map[string]time.Time // uses that are not stored yet, by id
	// reserved contains the names of credentials that Create is storing.
	reserved map[string]struct{}

	pending chan struct{} // wakes Run
}

// Open returns a keeper of the stored credentials. It does not store the uses of tokens before Run is called.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	stored, err := o.Store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	k := &Keeper{
		store: o.Store, bus: o.Bus, log: o.Log,
		byHash: make(map[[sha256.Size]byte]*Grant), byName: make(map[string]*Grant),
		used: make(map[string]time.Time), reserved: make(map[string]struct{}), pending: make(chan struct{}, 1),
	}
	for _, c := range stored {
		k.add(c)
	}
	return k, nil
}

// add adds a stored credential. It is called with mu held, or before the keeper is shared.
func (k *Keeper) add(c Credential) {
	g := &Grant{Credential: c, used: c.Used, ended: make(chan struct{})}
	k.byHash[c.Hash], k.byName[c.Name] = g, g
}

// Find returns the grant for a token and records that the token was used. ok is false if no credential has the token.
func (k *Keeper) Find(token string) (g *Grant, ok bool) {
	hash := sha256.Sum256([]byte(token))
	k.mu.Lock()
	defer k.mu.Unlock()
	if g, ok = k.byHash[hash]; ok {
		k.note(g)
	}
	return g, ok
}

// List returns all credentials, sorted by name.
func (k *Keeper) List() []Credential {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]Credential, 0, len(k.byName))
	for _, g := range k.byName {
		c := g.Credential
		c.Used = g.used
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Credential) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Create creates a credential with the name, the client and the surface of c, and returns it with its token. An empty
// surface means surfaces.Registry.
func (k *Keeper) Create(ctx context.Context, c Credential) (token string, _ Credential, err error) {
	c.Surface = cmp.Or(c.Surface, surfaces.Registry)
	if c, err = valid(c); err != nil {
		return "", c, err
	}
	token = instance.NewSecret()
	c.ID, c.Created, c.Hash = rand.Text(), time.Now(), sha256.Sum256([]byte(token))
	if err := k.reserve(c.Name); err != nil {
		return "", c, err
	}
	err = k.store.AddCredential(ctx, c)
	k.mu.Lock()
	delete(k.reserved, c.Name)
	if err == nil {
		k.add(c)
	}
	k.mu.Unlock()
	if err != nil {
		return "", c, err
	}
	events.Publish(k.bus, Changed{})
	return token, c, nil
}

// reserve reserves a name while Create stores its credential.
func (k *Keeper) reserve(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, taken := k.byName[name]
	_, soon := k.reserved[name]
	switch {
	case taken, soon:
		return fault.New(fault.Conflict, "there is a token %q already; revoke it or use another name", name)
	case len(k.byName)+len(k.reserved) >= maxTokens:
		return fault.New(fault.Busy, "there are %d tokens, which is the limit; revoke one", maxTokens)
	}
	k.reserved[name] = struct{}{}
	return nil
}

// valid checks the name, the surface and the client of c. It returns c, but with the client's id in the spelling of the
// table of editors.
func valid(c Credential) (Credential, error) {
	if c.Name == "" || utf8.RuneCountInString(c.Name) > maxName || c.Name != safetext.Visible(c.Name) ||
		strings.Contains(c.Name, "/") || strings.Trim(c.Name, ". ") == "" {
		return c, fault.New(fault.Invalid, "invalid token name: use 1 to %d characters, no slash and no control characters", maxName)
	}
	if err := surfaces.Check(c.Surface); err != nil {
		return c, err
	}
	if c.Client != "" {
		editor, known := table.ByID(c.Client)
		if !known {
			return c, fault.New(fault.Invalid, "unknown client %q; see: agent-discover editors list --all", c.Client)
		}
		c.Client = editor.ID
	}
	return c, nil
}

// Revoke deletes the credential with a name.
func (k *Keeper) Revoke(ctx context.Context, name string) error {
	k.mu.Lock()
	g, ok := k.byName[name]
	k.mu.Unlock()
	if !ok {
		return fault.New(fault.NotFound, "there is no token %q; see: agent-discover token list", name)
	}
	return k.revoke(ctx, g)
}

func (k *Keeper) revoke(ctx context.Context, g *Grant) error {
	if err := k.store.DeleteCredential(ctx, g.ID); err != nil {
		return err
	}
	k.end(g)
	events.Publish(k.bus, Changed{})
	return nil
}

func (k *Keeper) end(g *Grant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byHash[g.Hash] == g {
		delete(k.byHash, g.Hash)
		delete(k.byName, g.Name)
		delete(k.used, g.ID)
		close(g.ended)
	}
}

// Forget revokes the tokens that are limited to a removed server, because a later server
// of the same name is a different server.
func (k *Keeper) Forget(ctx context.Context, server string) error {
	return k.forgetSurface(ctx, surfaces.OfServer+server)
}

// Rename gives the tokens that are limited to a server the new name of the server. The caller has changed the store.
// Clients that are connected with such a token have to connect again.
func (k *Keeper) Rename(server, to string) {
	k.mu.Lock()
	for _, g := range slices.Collect(maps.Values(k.byName)) {
		if g.Surface == surfaces.OfServer+server {
			now := g.Credential
			now.Surface, now.Used = surfaces.OfServer+to, g.used
			k.add(now)
			close(g.ended)
		}
	}
	k.mu.Unlock()
	events.Publish(k.bus, Changed{})
}

// ForgetToolset revokes the tokens that are limited to a deleted toolset, because a later toolset of the same name is a
// different toolset.
func (k *Keeper) ForgetToolset(ctx context.Context, toolset string) error {
	return k.forgetSurface(ctx, surfaces.OfToolset+toolset)
}

func (k *Keeper) forgetSurface(ctx context.Context, surface string) error {
	k.mu.Lock()
	var of []*Grant
	for _, g := range k.byName {
		if g.Surface == surface {
			of = append(of, g)
		}
	}
	k.mu.Unlock()
	for _, g := range of {
		if err := k.revoke(ctx, g); err != nil {
			return err
		}
	}
	return nil
}
