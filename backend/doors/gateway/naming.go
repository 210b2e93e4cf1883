package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// SlugStore persists the slugs of servers, by the ids of servers.
type SlugStore interface {
	// Slugs returns all slugs, including those of removed servers.
	Slugs(ctx context.Context) (map[int64]string, error)
	SaveSlug(ctx context.Context, server int64, slug string) error
}

// slugs assigns a slug to each server when it is first needed. Slugs of removed
// servers are kept, because a client may still know their URIs. It is safe for
// concurrent use.
type slugs struct {
	store SlugStore
	log   *slog.Logger

	unsaved chan struct{} // has a token when slugs are to be stored

	mu     sync.Mutex
	byID   map[int64]string // nil before the first use
	taken  map[string]bool
	toSave map[int64]string
}

func newSlugs(store SlugStore, log *slog.Logger) *slugs {
	return &slugs{store: store, log: log, unsaved: make(chan struct{}, 1), toSave: make(map[int64]string)}
}

// of returns the slug of a server.
func (b *slugs) of(server registry.Server) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	if slug := b.byID[server.ID]; slug != "" {
		return slug
	}
	slug := names.Slug(server.Name, func(slug string) bool { return b.taken[slug] })
	b.byID[server.ID], b.taken[slug], b.toSave[server.ID] = slug, true, slug
	select {
	case b.unsaved <- struct{}{}:
	default:
	}
	return slug
}

// saveRetry is the time after which slugs that could not be stored are stored again.
const saveRetry = 10 * time.Second

// run stores new slugs until ctx ends. Calls do not wait for it.
func (b *slugs) run(ctx context.Context) {
	var again <-chan time.Time
	for {
		select {
		case <-b.unsaved:
		case <-again:
		case <-ctx.Done():
			b.save(context.WithoutCancel(ctx))
			return
		}
		again = nil
		if !b.save(ctx) {
			again = time.After(saveRetry)
		}
	}
}

// save stores new slugs and reports whether it stored all.
func (b *slugs) save(ctx context.Context) bool {
	b.mu.Lock()
	waiting := maps.Clone(b.toSave)
	b.mu.Unlock()
	for server, slug := range waiting {
		if err := b.store.SaveSlug(ctx, server, slug); err != nil {
			b.log.Warn("could not store the slug of a server; it is stored later", "slug", slug, "error", err)
			return false
		}
		b.mu.Lock()
		delete(b.toSave, server)
		b.mu.Unlock()
	}
	return true
}

func (b *slugs) load() {
	if b.byID != nil {
		return
	}
	b.taken = make(map[string]bool)
	stored, err := b.store.Slugs(context.Background())
	if err != nil {
		b.log.Warn("could not read the slugs of servers", "error", err)
	}
	if b.byID = stored; stored == nil {
		b.byID = make(map[int64]string)
	}
	for _, slug := range b.byID {
		b.taken[slug] = true
	}
}

// naming translates between names and URIs of servers and those that clients are
// shown. It covers approved servers.
type naming struct {
	gateway *Gateway
	servers map[string]registry.Server // by slug
	serves  func(server string) bool   // which servers it covers; nil for all
}

func (g *Gateway) naming(serves func(server string) bool) naming {
	n := naming{g, make(map[string]registry.Server), serves}
	for _, server := range g.registry.List() {
		if server.Approved && (serves == nil || serves(server.Name)) {
			n.servers[g.slugs.of(server)] = server
		}
	}
	return n
}

// shown returns a result of a server, or the params of its notification or request,
// as clients are shown them. The URI bare stays as it is.
func (g *Gateway) shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	s, err := g.registry.Get(server)
	if err != nil {
		return message // removed meanwhile
	}
	return names.OutgoingExcept(bare, g.slugs.of(s), method, message)
}

// incomingAmong returns the params of a client's request, or of its answer to a server, as
// the server knows them, and the server's name. The name is empty if the params name no
// server. Only servers that serves accepts are known; nil stands for all.
func (g *Gateway) incomingAmong(serves func(server string) bool, method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	switch method {
	case "prompts/get":
		name := jsonrpc.GetString(params, "name")
		if name == "" {
			return "", nil, nil
		}
		server, prompt, err := g.resolvePrompt(name, serves)
		return server, jsonrpc.Set(params, "name", jsonrpc.Quote(prompt)), err
	case "resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete",
		"sampling/createMessage", "elicitation/create", "tasks/get", "tasks/result", "tasks/cancel", "tasks/update":
	default:
		return "", params, nil
	}
	n := g.naming(serves)
	slug, own, err := names.Servers{Known: n.known, Owners: n.owners, Prompt: n.prompt}.Incoming(method, params)
	if unowned, ok := errors.AsType[*names.OwnerError](err); ok {
		return "", nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", unowned)
	}
	if err != nil {
		return "", nil, err
	}
	return n.servers[slug].Name, own, nil
}

func (n naming) known(slug string) bool {
	_, known := n.servers[slug]
	return known
}

// owners returns the slugs of the servers that list a resource, or a template that
// may have produced it, or a tool whose view it is.
func (n naming) owners(uri string) (owners []string) {
	for slug, server := range n.servers {
		if n.owns(server.Name, uri) {
			owners = append(owners, slug)
		}
	}
	return owners
}

func (n naming) owns(server, uri string) bool {
	for _, resource := range n.gateway.listings.Of(server, features.Resources) {
		if jsonrpc.GetString(resource, "uri") == uri {
			return true
		}
	}
	for _, template := range n.gateway.listings.Of(server, features.Templates) {
		text := jsonrpc.GetString(template, "uriTemplate")
		if text == uri || matchesTemplate(text, uri) {
			return true
		}
	}
	return strings.HasPrefix(uri, "ui://") && slices.ContainsFunc(n.gateway.catalog.Snapshot().Of(server), func(t *catalog.Tool) bool {
		return names.ViewURI(t.Definition) == uri
	})
}

// expression matches one expression of a URI template (RFC 6570).
var expression = regexp.MustCompile(`\{[^{}]*\}`)

// matchesTemplate reports whether a URI may be an expansion of a template. The
// values of variables are not checked.
func matchesTemplate(template, uri string) bool {
	literal := expression.Split(template, -1)
	if len(literal) == 1 {
		return false
	}
	for i, part := range literal {
		literal[i] = regexp.QuoteMeta(part)
	}
	pattern, err := regexp.Compile("^" + strings.Join(literal, ".*") + "$")
	return err == nil && pattern.MatchString(uri)
}

func (n naming) prompt(shown string) (slug, name string, err error) {
	server, name, err := n.gateway.resolvePrompt(shown, n.serves)
	if err != nil {
		return "", "", err
	}
	s, err := n.gateway.registry.Get(server)
	if err == nil {
		err = s.Usable()
	}
	return n.gateway.slugs.of(s), name, err
}

// resolvePrompt returns the server and the own name of a prompt of the servers that serves
// accepts, of all for nil.
func (g *Gateway) resolvePrompt(shown string, serves func(server string) bool) (server, name string, err error) {
	if serves == nil {
		serves = func(string) bool { return true }
	}
	directory := names.Directory{
		Listed: func(string) (string, string, bool) { return "", "", false },
		Splits: func(name string) [][2]string {
			return slices.DeleteFunc(slices.Clone(g.registry.Splits(name)), func(way [2]string) bool { return !serves(way[0]) })
		},
		Has: g.listsPrompt,
		Owners: func(name string) (owners []string) {
			for _, server := range g.registry.List() {
				if server.Approved && serves(server.Name) && g.listsPrompt(server.Name, name) {
					owners = append(owners, server.Name)
				}
			}
			return owners
		},
	}
	server, name, err = directory.Find(shown)
	if err != nil {
		return "", "", jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", err)
	}
	return server, name, nil
}

func (g *Gateway) listsPrompt(server, name string) bool {
	for _, definition := range g.listings.Of(server, features.Prompts) {
		if jsonrpc.GetString(definition, "name") == name {
			return true
		}
	}
	return false
}
