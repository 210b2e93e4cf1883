package quarantine

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/samename"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// firstLists is a period that begins with the first list that a server sends. Within it, the first list of each other
// kind counts as a first list, too. A list of a new kind that arrives later counts as a change.
const firstLists = time.Hour

var seed = maphash.MakeSeed()

// file holds everything about one server while the Keeper decides about its items.
type file struct {
	Server
	configured registry.Server
	launch     Launch
	hash       string // of launch
	items      map[key]*Item
	changed    map[*Item]bool
	deleted    []*Item
	events     []Event
	forms      map[key]int // number of tools and prompts by kind and folded name; see package samename
}

// open reads everything about a server. The caller holds k.writing.
func (k *Keeper) open(ctx context.Context, server string) (*file, error) {
	configured, err := k.options.Servers.Get(server)
	if err != nil {
		return nil, err
	}
	f := &file{configured: configured, launch: LaunchOf(configured), items: make(map[key]*Item), changed: make(map[*Item]bool)}
	f.hash = f.launch.Hash()
	h := k.view.Load().servers[server]
	if h == nil {
		f.Server = Server{Name: server, Launch: f.hash, Form: f.launch}
		return f, nil
	}
	f.Server = h.Server
	items, err := k.options.Store.TrustItems(ctx, server)
	if err != nil {
		return nil, err
	}
	for i := range items {
		f.items[key{items[i].Kind, items[i].Name}] = &items[i]
	}
	if f.Launch == "" {
		f.adopt(k.options.Known, k.options.Now())
	}
	if h.expected == f.hash && f.Launch != f.hash {
		f.carry()
	}
	return f, nil
}

// carry makes the current launch the approved one, and keeps the approvals of definitions.
func (f *file) carry() {
	f.accept()
	for _, item := range f.items {
		if item.Approved != (Hash{}) && item.Launch != f.hash {
			item.Launch = f.hash
			f.changed[item] = true
		}
	}
}

// adopt approves the items that were in use before the hub stored approvals.
func (f *file) adopt(known func(server string, kind Kind) []json.RawMessage, now time.Time) {
	f.Launch, f.Form, f.Since = f.hash, f.launch, now
	for _, kind := range kinds {
		definitions := known(f.Name, kind)
		if definitions == nil {
			continue
		}
		f.Lists = append(f.Lists, kind)
		for position, definition := range definitions {
			name, ok := nameOf(kind, definition)
			if !ok || f.items[key{kind, name}] != nil {
				continue
			}
			item := approve(Item{
				Server: f.Name, Kind: kind, Name: name, Hash: HashOf(kind, definition), Latest: definition, Listed: true,
				Position: position,
			}, f.hash, f.Since)
			item.By = Existing
			f.items[key{kind, name}] = &item
			f.changed[&item] = true
		}
	}
}

// Admit records a list of items that a server has sent, decides about each item, and
// returns the definitions that agents may get, in the order of the list. They are the
// approved texts, even if the list has other texts with the same hash.
func (k *Keeper) Admit(ctx context.Context, server string, kind Kind, listed []json.RawMessage) ([]json.RawMessage, error) {
	affected, err := k.admit(ctx, server, kind, listed)
	if err != nil {
		return nil, err
	}
	k.later(server, affected)
	return k.options.Store.ApprovedTexts(ctx, server, kind)
}

// admit does the work of Admit. It returns the kinds of other lists about whose items it has
// decided again: the scan may find that items are harmful only together.
func (k *Keeper) admit(ctx context.Context, server string, kind Kind, listed []json.RawMessage) (affected []Kind, err error) {
	sum := sumOf(listed)
	k.writing.Lock()
	defer k.writing.Unlock()
	if last, known := k.listed[list{server, kind}]; known && last == sum {
		return k.relaunch(ctx, server) // Run may not have noticed a changed launch yet
	}
	f, err := k.open(ctx, server)
	if err != nil {
		return nil, err
	}
	now := k.options.Now()
	first := f.first(kind, now)
	before := f.list(kind, listed)
	if f.unjudged(k.options.Scanner.Version()) {
		if affected, err = k.judge(ctx, f, kind); err != nil {
			return nil, err
		}
	}
	c := k.circumstances(f, kind, first)
	for item, hash := range before {
		f.set(item, f.decide(*item, hash, c))
	}
	for _, other := range affected {
		c := k.circumstances(f, other, false)
		for _, item := range f.items {
			if item.Kind == other && item.Listed {
				f.set(item, f.decide(*item, item.Hash, c))
			}
		}
	}
	if !slices.Contains(f.Lists, kind) {
		f.Lists = append(f.Lists, kind)
	}
	if f.Since.IsZero() {
		f.Since = now
	}
	if err := k.save(ctx, f); err != nil {
		return nil, err
	}
	k.listed[list{server, kind}] = sum
	k.classifySoon(f)
	return affected, nil
}

// first reports whether a list of a kind is one of the first lists of its server; see firstLists.
func (f *file) first(kind Kind, now time.Time) bool {
	return !slices.Contains(f.Lists, kind) && (f.Since.IsZero() || now.Sub(f.Since) < firstLists)
}

func (k *Keeper) circumstances(f *file, kind Kind, first bool) circumstances {
	rules := k.options.Rules()
	return circumstances{
		launch: f.hash, first: first, strict: f.configured.ProposedBy != "",
		proposed: f.configured.ProposedBy != "" && !rules.Agents && !f.Clean,
		// Servers often change their lists of resources. Asking a person each time would only disturb them.
		quiet: rules.Quiet || kind == Resource, now: k.options.Now(),
	}
}

// sumOf returns a checksum of a list, by which Admit notices that a server has sent the same list again.
func sumOf(listed []json.RawMessage) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, definition := range listed {
		_, _ = h.Write(definition) // writing to a hash cannot fail
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// decide calls the function decide for i, after it has set c.alike.
func (f *file) decide(i Item, before Hash, c circumstances) Item {
	c.alike = f.alike(i)
	return decide(i, before, c)
}

// alike reports whether people may confuse the name of a tool or prompt with the name of another tool or prompt of the
// server. The other item may no longer be listed.
func (f *file) alike(i Item) bool {
	if i.Kind != Tool && i.Kind != Prompt {
		return false
	}
	if f.forms == nil {
		f.forms = make(map[key]int, len(f.items))
		for k := range f.items {
			f.forms[key{k.kind, samename.Fold(k.name)}]++
		}
	}
	return f.forms[key{i.Kind, samename.Fold(i.Name)}] > 1
}

// maxGone limits the items of a kind that are kept although the server no longer lists them and no definition of them was
// approved or rejected. The oldest are deleted first.
const maxGone = 200

// list updates the items of a kind from a list of the server. It returns the listed items with
// the hashes of the definitions that they had before. It keeps items that are no longer listed,
// because a server must not get rid of a decision by hiding an item. Exceptions are resources
// that are in use and that no person has approved, and items beyond maxGone.
func (f *file) list(kind Kind, listed []json.RawMessage) (before map[*Item]Hash) {
	f.forms = nil
	before = make(map[*Item]Hash, len(listed))
	for position, definition := range listed {
		name, ok := nameOf(kind, definition)
		if !ok {
			continue
		}
		item := f.items[key{kind, name}]
		if item == nil {
			item = &Item{Server: f.Name, Kind: kind, Name: name}
			f.items[key{kind, name}] = item
		} else if _, twice := before[item]; twice {
			continue
		}
		hash := HashOf(kind, definition)
		before[item] = item.Hash
		if item.Hash != hash {
			item.Hash, item.Latest, item.Scanned = hash, slices.Clone(definition), ""
			f.changed[item] = true
		}
		if !item.Listed || item.Position != position {
			item.Listed, item.Position = true, position
			f.changed[item] = true
		}
	}
	var gone []*Item
	for k, item := range f.items {
		_, still := before[item]
		switch {
		case k.kind != kind || still:
			continue
		case kind == Resource && !item.Held() && item.By != Person:
			f.forget(item)
			continue
		case item.Approved == (Hash{}) && item.Rejected == (Hash{}):
			gone = append(gone, item)
		}
		if item.Listed {
			item.Listed = false
			f.changed[item] = true
		}
	}
	slices.SortFunc(gone, func(a, b *Item) int { return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Name, b.Name)) })
	for _, item := range gone[min(len(gone), maxGone):] {
		f.forget(item)
	}
	return before
}

func (f *file) forget(item *Item) {
	delete(f.items, key{item.Kind, item.Name})
	delete(f.changed, item)
	f.deleted = append(f.deleted, item)
}

// set replaces item with by, its next state, and marks it as changed. It does nothing if state and approval are the same.
func (f *file) set(item *Item, by Item) {
	if item.State == by.State && item.Reason == by.Reason && item.Approved == by.Approved && item.Launch == by.Launch &&
		item.Flips == by.Flips && item.By == by.By {
		return
	}
	if item.State != by.State {
		f.note(*item, by)
	}
	*item = by
	f.changed[item] = true
}

// note adds an event if an item is held now, or if it is allowed again because its server has returned to the approved
// definition.
func (f *file) note(was, now Item) {
	text := ""
	switch {
	case now.Held():
		text = "Held, because " + Explain(now.State, now.Reason)
	case was.State == Altered && now.By != Person && was.Approved == now.Approved:
		text = "Allowed again, because the server lists the approved definition again"
	default:
		return
	}
	f.events = append(f.events, Event{Server: f.Name, Kind: now.Kind, Name: now.Name, State: now.State, Text: text})
}

// save stores the file, replaces the server's part of the view that Refuse reads, and records the events. It publishes
// Changed if the server had or has items that need attention.
func (k *Keeper) save(ctx context.Context, f *file) error {
	changed := slices.SortedFunc(maps.Keys(f.changed), func(a, b *Item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.Position-b.Position, cmp.Compare(a.Name, b.Name))
	})
	if err := k.options.Store.SaveTrust(ctx, f.Server, changed, f.deleted); err != nil {
		return err
	}
	all := slices.Collect(maps.Values(f.items))
	before, after := k.view.Load().servers[f.Name], newHeldServer(f.Server, f.configured.UpdatedAt, f.hash != f.Launch, all)
	k.view.Store(k.view.Load().with(after))
	if k.options.Record != nil {
		for _, e := range f.events {
			k.options.Record(e)
		}
	}
	if before.attention() || after.attention() {
		events.Publish(k.options.Bus, Changed{f.Name})
	}
	return nil
}

// relaunch checks whether the launch of a server is the approved one. If it is not, or was not at the last check, relaunch
// decides about the items again and returns the kinds of those whose state has changed. The caller holds k.writing.
func (k *Keeper) relaunch(ctx context.Context, server string) ([]Kind, error) {
	configured, err := k.options.Servers.Get(server)
	if err != nil {
		return nil, nil // the server was removed meanwhile
	}
	h := k.view.Load().servers[server]
	if h == nil || h.Launch == "" || h.updated.Equal(configured.UpdatedAt) {
		return nil, nil
	}
	hash := LaunchOf(configured).Hash()
	if hash == h.expected {
		return nil, nil // the caller of Expect calls Accept next
	}
	if hash == h.Launch && !h.revoked {
		now := *h
		now.updated = configured.UpdatedAt
		k.view.Store(k.view.Load().with(&now))
		return nil, nil
	}
	f, err := k.open(ctx, server)
	if err != nil {
		return nil, err
	}
	return k.redecide(ctx, f)
}

// redecide decides about all listed items again, and saves the file. It returns the kinds
// of the items whose state has changed.
func (k *Keeper) redecide(ctx context.Context, f *file) (affected []Kind, err error) {
	for _, item := range f.items {
		if !item.Listed {
			continue
		}
		next := f.decide(*item, item.Hash, k.circumstances(f, item.Kind, false))
		if next.State != item.State && !slices.Contains(affected, item.Kind) {
			affected = append(affected, item.Kind)
		}
		if item.State == Pending && item.Reason == Proposed && next.State == Pending && next.Reason == New {
			continue // still one of the first items of a proposed server
		}
		f.set(item, next)
	}
	return affected, k.save(ctx, f)
}

// rejudge scans the items of a server if the current rules have not judged them.
func (k *Keeper) rejudge(ctx context.Context, server string) ([]Kind, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.view.Load().servers[server] == nil {
		return nil, nil
	}
	f, err := k.open(ctx, server)
	if err != nil {
		return nil, err
	}
	if len(f.changed) == 0 && !f.unjudged(k.options.Scanner.Version()) {
		k.classifySoon(f)
		return nil, nil
	}
	if _, err := k.judge(ctx, f, ""); err != nil {
		return nil, err
	}
	affected, err := k.redecide(ctx, f)
	k.classifySoon(f)
	return affected, err
}
