// Package quarantine answers which tools, prompts, resources, resource templates and
// instructions of servers may reach agents: those whose definition is approved. It keeps
// the approved text of each, so that sessions get that text and never a later one, and
// holds everything else until a person has decided.
//
//	server ── list ──► Keeper.Admit ── approved ──► catalog, features ──► sessions
//	                        │
//	                        └── held ──► a person: Approve, Reject
//
// The catalog and the features store only the definitions that Admit returns, so that held
// items are in no list, no search result and no schema. Refuse rejects calls of held items.
// Package scan judges the texts, and package difference compares definitions.
package quarantine

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Store persists servers and their items. Once a write has returned nil, its data survives the end of the process.
type Store interface {
	// TrustServers returns all servers that are known to this package.
	TrustServers(ctx context.Context) ([]Server, error)
	// HeldItems returns the items of all servers that are held or warn (see Item.Held and
	// Item.Warns), including items that are no longer listed. The items have no texts.
	HeldItems(ctx context.Context) ([]Item, error)
	// Unscanned returns the servers that list an item whose Item.Scanned is not scan.
	Unscanned(ctx context.Context, scan string) ([]string, error)
	// TrustItems returns all items of a server with their texts.
	TrustItems(ctx context.Context, server string) ([]Item, error)
	// TrustItem returns the item with an id, with its texts, and whether it exists.
	TrustItem(ctx context.Context, id int64) (i Item, found bool, err error)
	// ApprovedTexts returns the approved texts of the items of a kind that a server lists,
	// in the order of the list.
	ApprovedTexts(ctx context.Context, server string, kind Kind) ([]json.RawMessage, error)
	// SaveTrust stores a server and some of its items, and deletes others. Items without
	// an ID are new; SaveTrust sets their ID.
	SaveTrust(ctx context.Context, s Server, items, deleted []*Item) error
	// ForgetTrust deletes a server with its items.
	ForgetTrust(ctx context.Context, server string) error
}

// Scanner judges texts of servers. Its methods are called by several goroutines.
type Scanner interface {
	// Version returns the version of the rules. It changes when the same texts may be
	// judged differently.
	Version() string
	// Scan judges everything that a server lists, in the order of the texts.
	Scan(server string, texts []Text) []Judgement
}

// Classifier judges texts of servers more closely than a Scanner, and slowly: some
// milliseconds a sentence. A verdict of a Classifier is at least as severe as that of
// the Scanner.
type Classifier interface {
	// Classify judges everything that a server lists, in the order of the texts. It stops
	// with the error of ctx when ctx ends.
	Classify(ctx context.Context, server string, texts []Text) ([]Judgement, error)
}

// Rules are the settings about changed definitions and about agents.
type Rules struct {
	// Quiet approves changed and new items without asking if the scan finds nothing in
	// them.
	Quiet bool
	// Agents reports that agents may install servers. The first items of a server that an agent has proposed then need
	// no person's approval, unless the scan warns about them or people may confuse their names.
	Agents bool
}

// Options are the dependencies of a Keeper.
type Options struct {
	Store   Store
	Servers *registry.Registry
	Scanner Scanner
	// Classifier judges items more closely than Scanner: before the decision if an agent proposed the server or with
	// Rules.Quiet, otherwise later and in the background. It may be nil.
	Classifier Classifier
	Rules      func() Rules
	// Known returns the definitions of a kind that the hub used before it stored approvals,
	// or nil if it has no such list of the server.
	Known func(server string, kind Kind) []json.RawMessage
	// Reapply makes the catalog or package features read the approved items of a server again.
	Reapply func(ctx context.Context, server string, kind Kind) error
	// Record stores an entry about a decision. It may be nil.
	Record func(Event)
	Bus    *events.Bus
	Log    *slog.Logger
	Now    func() time.Time // nil for time.Now
}

// Keeper holds and approves the items of servers. It is safe for concurrent use.
type Keeper struct {
	options Options

	writing sync.Mutex // serializes decisions, including writes to the store
	view    atomic.Pointer[view]
	listed  map[list]uint64 // checksums of the lists that were admitted last; see admit
	again   chan list       // lists that Run makes the catalog and the features read again
	closely chan string     // servers whose items Run has to classify
}

// list identifies one list of one server.
type list struct {
	server string
	kind   Kind
}

// Changed is published after items were held, approved or rejected.
type Changed struct{ Server string }

// Open returns a keeper with the stored items. Only while Run is running does the keeper
// scan items again after a change of the rules, and notice changed launches.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	k := &Keeper{options: o, listed: make(map[list]uint64), again: make(chan list, 256), closely: make(chan string, 256)}
	servers, err := o.Store.TrustServers(ctx)
	if err != nil {
		return nil, err
	}
	held, err := o.Store.HeldItems(ctx)
	if err != nil {
		return nil, err
	}
	k.view.Store(newView(servers, held))
	return k, nil
}

// Run scans and classifies those items of servers that the current rules have not judged,
// and holds the items of servers whose launch has changed, until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return k.follow(ctx) })
	group.Go(func() error { return k.classifyLater(ctx) })
	return group.Wait()
}

// follow first scans the items that the current rules have not judged. Then it reviews
// all servers and, until ctx ends, each server whose configuration changes. It also
// reapplies the lists in k.again.
func (k *Keeper) follow(ctx context.Context) error {
	changes, stop := events.Subscribe[registry.Changed](k.options.Bus, 1024)
	defer func() { stop() }()
	k.rescan(ctx)
	for _, s := range k.options.Servers.List() {
		k.review(ctx, s.Name)
	}
	for {
		select {
		case change, ok := <-changes:
			switch {
			case !ok: // events were lost; review all servers
				changes, stop = events.Subscribe[registry.Changed](k.options.Bus, 1024)
				for _, s := range k.options.Servers.List() {
					k.review(ctx, s.Name)
				}
			case !change.Removed:
				k.review(ctx, change.Name)
			}
		case l := <-k.again:
			k.reapply(ctx, l.server, l.kind)
		case <-ctx.Done():
			return nil
		}
	}
}

// review decides about the items of a server again if its launch has changed.
func (k *Keeper) review(ctx context.Context, server string) {
	k.writing.Lock()
	kinds, err := k.relaunch(ctx, server)
	k.writing.Unlock()
	if err != nil && ctx.Err() == nil {
		k.options.Log.Warn("could not hold the items of a server whose launch has changed", "server", server, "error", err)
	}
	for _, kind := range kinds {
		k.reapply(ctx, server, kind)
	}
}

// rescan judges the items of each server that lists an item which the current rules have
// not judged, and of each server whose launch is not recorded. If the store cannot say
// which servers list such items, rescan judges the items of all servers.
func (k *Keeper) rescan(ctx context.Context) {
	// Ask the store which servers list unjudged items: reading the items of all servers would slow down each start.
	unscanned, err := k.options.Store.Unscanned(ctx, k.options.Scanner.Version()+closer)
	every := err != nil
	if every && ctx.Err() == nil {
		k.options.Log.Warn("could not find the items that the current rules have not scanned; looking through all", "error", err)
	}
	for _, s := range k.options.Servers.List() {
		if ctx.Err() != nil {
			return
		}
		h := k.view.Load().servers[s.Name]
		if h == nil || !every && h.Launch != "" && !slices.Contains(unscanned, s.Name) { // without a launch, the items are adopted
			continue
		}
		kinds, err := k.rejudge(ctx, s.Name)
		if err != nil && ctx.Err() == nil {
			k.options.Log.Warn("could not scan the items of a server", "server", s.Name, "error", err)
		}
		for _, kind := range kinds {
			k.reapply(ctx, s.Name, kind)
		}
	}
}

func (k *Keeper) reapply(ctx context.Context, server string, kind Kind) {
	if err := k.options.Reapply(ctx, server, kind); err != nil && ctx.Err() == nil {
		k.options.Log.Error("could not apply a decision about a server", "server", server, "kind", string(kind), "error", err)
	}
}

// later makes Run call reapply. If the queue is full, held items stay in lists for longer,
// but Refuse rejects calls of them at once.
func (k *Keeper) later(server string, kinds []Kind) {
	for _, kind := range kinds {
		select {
		case k.again <- list{server, kind}:
		default:
			k.options.Log.Warn("a decision about a server is applied when the server lists its items again",
				"server", server, "kind", string(kind))
		}
	}
}

// Forget deletes everything about a removed server.
func (k *Keeper) Forget(ctx context.Context, server string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.options.Store.ForgetTrust(ctx, server); err != nil {
		return err
	}
	for _, kind := range kinds {
		delete(k.listed, list{server, kind})
	}
	servers := maps.Clone(k.view.Load().servers)
	before := servers[server]
	delete(servers, server)
	k.view.Store(&view{servers})
	if before.attention() {
		events.Publish(k.options.Bus, Changed{server})
	}
	return nil
}

// Rename reads the items of a server again that has a new name. The caller has changed the store.
func (k *Keeper) Rename(ctx context.Context, server, to string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	servers, err := k.options.Store.TrustServers(ctx)
	if err != nil {
		return err
	}
	held, err := k.options.Store.HeldItems(ctx)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		delete(k.listed, list{server, kind})
		delete(k.listed, list{to, kind})
	}
	now := maps.Clone(k.view.Load().servers)
	delete(now, server)
	delete(now, to)
	if h := newView(servers, held).servers[to]; h != nil {
		now[to] = h
	}
	k.view.Store(&view{now})
	events.Publish(k.options.Bus, Changed{server})
	events.Publish(k.options.Bus, Changed{to})
	return nil
}
