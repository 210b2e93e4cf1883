package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// keep is the file of sign-ins and registered clients. The members that identify them are readable, so that they can
// be found and removed without the keychain; tokens and clients are encrypted.
type keep struct {
	path  string
	vault Vault
	mu    sync.Mutex // held while the file is read, changed and written
	held  *kept      // the content of the file; nil before it was read
}

const keepFormat = 1

type kept struct {
	Format  int         `json:"format"`
	Grants  []keptGrant `json:"sign_ins"`
	Clients []keptOne   `json:"clients"`
}

// keptGrant is a stored grant. Sealed is the encrypted grant; the other members identify it.
type keptGrant struct {
	Server   int64    `json:"server"`
	Name     string   `json:"name"`
	Issuer   string   `json:"issuer"`
	Resource string   `json:"resource"` // hash: the resource may contain a secret
	Address  string   `json:"address"`  // hash
	Scopes   []string `json:"scopes,omitempty"`
	Sealed   string   `json:"sealed"`
}

// keptOne is a stored client, which was registered at an issuer for a redirect address. Sealed is the encrypted
// client.
type keptOne struct {
	Issuer   string `json:"issuer"`
	Redirect string `json:"redirect"`
	Sealed   string `json:"sealed"`
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// read returns the content of the file. The caller holds mu and must not modify the elements of the lists.
func (k *keep) read() (kept, error) {
	if k.held != nil {
		return *k.held, nil
	}
	held := kept{Format: keepFormat}
	data, err := paths.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		k.held = &held
		return held, nil
	}
	if err != nil {
		return held, fault.Wrap(err, fault.Unavailable, "could not read the sign-ins in %s: %s", k.path, paths.Reason(err))
	}
	if json.Unmarshal(data, &held) != nil || held.Format != keepFormat {
		return kept{}, fault.New(fault.Failed,
			"the sign-ins in %s are damaged or were written by a newer version; move the file away and sign in again", k.path)
	}
	k.held = &held
	return held, nil
}

func (k *keep) change(edit func(*kept)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	held, err := k.read()
	if err != nil {
		return err
	}
	held.Grants, held.Clients = slices.Clone(held.Grants), slices.Clone(held.Clients)
	edit(&held)
	data, err := json.MarshalIndent(held, "", " ")
	if err != nil {
		return err
	}
	if err := paths.WriteDurable(k.path, append(data, '\n')); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write the sign-ins in %s: %s", k.path, paths.Reason(err))
	}
	k.held = &held
	return nil
}

// all returns all stored grants, still encrypted.
func (k *keep) all() ([]keptGrant, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	held, err := k.read()
	return held.Grants, err
}

// find returns the stored grant for a server, still encrypted. ok is false if there is none.
func (k *keep) find(server int64, address string) (g keptGrant, ok bool, err error) {
	grants, err := k.all()
	i := slices.IndexFunc(grants, func(g keptGrant) bool { return g.Server == server && g.Address == address })
	if err != nil || i < 0 {
		return keptGrant{}, false, err
	}
	return grants[i], true, nil
}

// open decrypts a grant.
func (k *keep) open(ctx context.Context, g keptGrant) (*grant, error) {
	var opened grant
	if err := k.unseal(ctx, g.Sealed, &opened); err != nil {
		return nil, err
	}
	// The readable members could have been changed to send the token elsewhere.
	if opened.Server != g.Server || opened.Address != g.Address || opened.Issuer != g.Issuer || hash(opened.Resource) != g.Resource {
		return nil, fault.New(fault.Failed, "the sign-ins in %s are damaged; move the file away and sign in again", k.path)
	}
	return &opened, nil
}

// save stores a grant, and removes the server's other grants.
func (k *keep) save(ctx context.Context, name string, g *grant) error {
	sealed, err := k.seal(ctx, g)
	if err != nil {
		return err
	}
	return k.change(func(held *kept) {
		held.Grants = append(slices.DeleteFunc(held.Grants, func(o keptGrant) bool { return o.Server == g.Server }), keptGrant{
			Server: g.Server, Name: name, Issuer: g.Issuer, Resource: hash(g.Resource), Address: g.Address, Scopes: g.Scopes,
			Sealed: sealed,
		})
	})
}

// drop removes the stored grants that match.
func (k *keep) drop(match func(keptGrant) bool) error {
	grants, err := k.all()
	if err != nil || !slices.ContainsFunc(grants, match) {
		return err
	}
	return k.change(func(held *kept) { held.Grants = slices.DeleteFunc(held.Grants, match) })
}

// client returns the client that was registered at an issuer for a redirect address. ok
// is false if there is none, or none that can be decrypted.
func (k *keep) client(ctx context.Context, issuer, redirect string) (c client, ok bool) {
	k.mu.Lock()
	held, err := k.read()
	k.mu.Unlock()
	i := slices.IndexFunc(held.Clients, func(o keptOne) bool { return o.is(issuer, redirect) })
	if err != nil || i < 0 {
		return client{}, false
	}
	var opened struct {
		Issuer string
		Client client
	}
	err = k.unseal(ctx, held.Clients[i].Sealed, &opened)
	return opened.Client, err == nil && opened.Issuer == issuer
}

func (o keptOne) is(issuer, redirect string) bool {
	return o.Issuer == issuer && o.Redirect == redirect
}

func (k *keep) saveClient(ctx context.Context, issuer, redirect string, c client) error {
	sealed, err := k.seal(ctx, map[string]any{"Issuer": issuer, "Client": c})
	if err != nil {
		return err
	}
	return k.change(func(held *kept) {
		held.Clients = append(slices.DeleteFunc(held.Clients, func(o keptOne) bool { return o.is(issuer, redirect) }),
			keptOne{issuer, redirect, sealed})
	})
}

func (k *keep) dropClient(issuer, redirect string) error {
	return k.change(func(held *kept) {
		held.Clients = slices.DeleteFunc(held.Clients, func(o keptOne) bool { return o.is(issuer, redirect) })
	})
}

func (k *keep) seal(ctx context.Context, value any) (string, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	sealed, err := k.vault.Seal(ctx, data)
	return string(sealed), err
}

func (k *keep) unseal(ctx context.Context, sealed string, value any) error {
	data, err := k.vault.Unseal(ctx, []byte(sealed))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}
