// Package learning remembers which tool was called after which query, so that
// search can rank that tool higher for similar queries. Asked records what
// find_tool showed a session, Called records what the session then called, and
// Lifts returns the tools that were called after similar queries. Package
// search decides how much a lift adds to a score.
//
// Queries are stored on this machine only, redacted and truncated. Users can switch
// learning off, list what was learned, and erase it in part or as a whole.
//
//	Asked ─┐                ┌─ Lifts (microseconds)
//	Called ┴─ sessions ─ memory ─ Run ─ store
//
// # Which query a call counts for
//
// A successful call counts for the query of the same session whose answer
// showed the tool in the last ten minutes. If several answers showed it, the
// call counts for the one that ranked it highest, and among equals for the
// newest.
//
// The call also counts for other queries that express the same need in other
// words: queries that showed the tool and are similar, and queries of the last
// two minutes that found nothing, or that share a word and do not ask for a
// different action.
//
// If no answer showed the tool, or the call of a shown tool has already succeeded
// for the query that ranked it highest, the call counts for the newest query: the
// agent found the tool in another way after a bad answer. That query must be at
// most two minutes old and the only one in its message, its answer must not have
// shown the tool, and no shown tool may have been called for it with success.
//
// Several queries in one message of the agent express separate needs, so a call for
// one of them does not count for another. The queries of one find_tools request
// belong to one message. So do queries that follow each other within a second,
// unless a tool was called for one of them in between.
//
// Only the first success of a query counts; a success of a tool that was shown
// replaces one of a tool that was not. Of each session, the last five queries
// are considered.
package learning

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// maxText is the number of characters of a query that are kept.
	maxText = 200
	// minStrength is the strength below which a lift is dropped.
	minStrength = 0.02
)

// Answer is a query and the tools that find_tool showed for it, the best first.
// Shown is empty when it found nothing.
type Answer struct {
	Query string
	Shown []catalog.Key
}

// Lift reports that a tool was called after a similar query.
//
// A search may add at most 0.2 × Strength to a tool's score, on a scale from 0
// to 1, and the sum must stay below the score of a tool that the query names
// exactly. A single success has a strength of at most 0.5. Thus a lift moves a
// tool past others that are nearly as good, but not past a tool that is clearly
// better.
type Lift struct {
	Server, Tool string
	Strength     float64 // above 0 and up to 1
	Like         string  // the earlier query, redacted and truncated
	Times        int     // successes of the tool for the earlier query
}

// Pair is a query and a tool that was called for it.
type Pair struct {
	ID     int64  // never reused
	Query  string // as first received, redacted and truncated to 200 characters
	Tool   catalog.Key
	Times  int       // successes, at most one each time the query was asked
	Failed int       // times the query was asked and the tool then returned an error
	Last   time.Time // time of the last success
}

// Learned is a pair and the current strength of its lift, from 0 to 1, for a query
// that is equal to the query of the pair.
type Learned struct {
	Pair
	Strength float64
}

// Switch is a person's choice to turn learning on or off, with the value in
// config.yaml at that time. If config.yaml later has another value, that value
// is the newer decision and applies.
type Switch struct{ On, Configured bool }

// Kept is the whole content of the store.
type Kept struct {
	Pairs  []Pair
	LastID int64   // the greatest ID that any pair has had
	Switch *Switch // nil when no choice was made
}

// Store persists what was learned.
type Store interface {
	// Learned returns everything that is stored.
	Learned(ctx context.Context) (Kept, error)
	// KeepLearned stores pairs, replacing those with the same IDs, and deletes
	// the pairs with the IDs in deleted, in one transaction.
	KeepLearned(ctx context.Context, pairs []Pair, deleted []int64) error
	// EraseLearned deletes the pairs with these IDs, or all if ids is nil, such
	// that no trace of them remains in the store's files.
	EraseLearned(ctx context.Context, ids []int64) error
	// KeepLearningSwitch stores a person's choice.
	KeepLearningSwitch(ctx context.Context, s Switch) error
}

// Changed is published after a change of the learned pairs or of the switch was
// stored.
type Changed struct{}

// Options are the dependencies and settings of a Learning.
type Options struct {
	Store Store
	Bus   *events.Bus
	Log   *slog.Logger
	// Redact removes secrets from a text and returns its first bytes, at most
	// the given number, and whether the text was longer. If it is nil, texts are
	// only truncated.
	Redact func(text string, bytes int) (head string, cut bool)
	On     bool             // the value in config.yaml
	Now    func() time.Time // nil: time.Now
	// Expired returns the time before which a pair must have been used last to be dropped at an age. If it is nil, this
	// is Now minus the age, although the clock of a machine may have jumped ahead.
	Expired func(age time.Duration) time.Time
}

// Learning records queries and calls and returns lifts. Its methods may be
// called concurrently, except Run, which may run once at a time.
type Learning struct {
	store      Store
	bus        *events.Bus
	log        *slog.Logger
	redact     func(text string, bytes int) (head string, cut bool)
	configured bool // the value in config.yaml
	now        func() time.Time
	expired    func(age time.Duration) time.Time

	on      atomic.Bool
	changes chan struct{} // contains a value when there are changes to store
	writing sync.Mutex    // serializes writes to the store; locked before mu

	mu       sync.RWMutex
	memory   *memory
	sessions map[string]*session
	dirty    map[int64]bool // IDs of pairs that differ from the stored ones
	deleted  []int64        // IDs of dropped pairs that are still stored
}

// Open returns a Learning with the stored pairs. If config.yaml has changed
// since a person switched learning on or off, Open stores the new value as the
// choice. New pairs are stored while Run runs.
func Open(ctx context.Context, o Options) (*Learning, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Expired == nil {
		o.Expired = func(age time.Duration) time.Time { return o.Now().Add(-age) }
	}
	if o.Redact == nil {
		o.Redact = func(text string, bytes int) (string, bool) {
			return text[:min(len(text), bytes)], len(text) > bytes
		}
	}
	kept, err := o.Store.Learned(ctx)
	if err != nil {
		return nil, err
	}
	l := &Learning{
		store: o.Store, bus: o.Bus, log: o.Log, redact: o.Redact, configured: o.On, now: o.Now, expired: o.Expired,
		changes: make(chan struct{}, 1), memory: newMemory(),
		sessions: make(map[string]*session), dirty: make(map[int64]bool),
	}
	for _, p := range kept.Pairs {
		_, dropped := l.memory.put(p, needOf(p.Query))
		l.deleted = append(l.deleted, dropped...)
	}
	l.memory.lastID = max(l.memory.lastID, kept.LastID)
	l.on.Store(o.On)
	switch s := kept.Switch; {
	case s == nil:
	case s.Configured == o.On:
		l.on.Store(s.On)
	default:
		if err := o.Store.KeepLearningSwitch(ctx, Switch{On: o.On, Configured: o.On}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Lifts returns the tools that were called after similar queries: the strongest
// first, each once, at most 20. It returns nil when learning is off or there
// are none. It only reads memory and takes microseconds.
func (l *Learning) Lifts(query string) []Lift {
	if !l.on.Load() {
		return nil
	}
	_, n := l.read(query)
	if len(n.words) == 0 {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if lifts := l.memory.lifts(n, l.now()); len(lifts) > 0 {
		return lifts
	}
	return nil
}

// read redacts and truncates a query and parses its need.
func (l *Learning) read(query string) (text string, n need) {
	text, cut := l.redact(query, 4*maxText)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); cut || len(runes) > maxText {
		text = string(runes[:min(len(runes), maxText-1)]) + "…"
	}
	return text, needOf(text)
}

// On reports whether learning is on.
func (l *Learning) On() bool { return l.on.Load() }

// Switch turns learning on or off and stores the choice. While learning is off,
// Lifts returns nil and nothing is recorded; what was learned is kept.
func (l *Learning) Switch(ctx context.Context, on bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.store.KeepLearningSwitch(ctx, Switch{On: on, Configured: l.configured}); err != nil {
		return err
	}
	l.on.Store(on)
	if !on {
		l.mu.Lock()
		clear(l.sessions)
		l.mu.Unlock()
	}
	events.Publish(l.bus, Changed{})
	return nil
}

// All returns all pairs, the most recently used first.
func (l *Learning) All() []Learned {
	now := l.now()
	l.mu.RLock()
	out := make([]Learned, 0, len(l.memory.byID))
	for _, p := range l.memory.byID {
		out = append(out, Learned{p.Pair, p.strength(now)})
	}
	l.mu.RUnlock()
	slices.SortFunc(out, func(a, b Learned) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.ID, a.ID)) })
	return out
}

// Count returns the number of pairs.
func (l *Learning) Count() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.memory.byID)
}

// Add adds pairs that were learned elsewhere and returns how many. It gives them new IDs, and skips those that are known
// or too old.
func (l *Learning) Add(pairs []Pair) (added int) {
	old := l.expired(maxAge)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range pairs {
		p.Query, _ = l.redact(p.Query, maxText)
		need := needOf(p.Query)
		if p.Times < 1 || p.Failed < 0 || p.Last.Before(old) || len(need.words) == 0 || l.memory.find(need, p.Tool) != nil {
			continue
		}
		p.ID = l.memory.lastID + 1
		if now := l.now(); p.Last.After(now) {
			p.Last = now
		}
		in, dropped := l.memory.put(p, need)
		l.markDeleted(dropped)
		l.dirty[in.ID] = true
		added++
	}
	if added > 0 {
		l.wake()
	}
	return added
}

// Forget erases a pair. It returns fault.NotFound if there is no pair with that
// ID.
func (l *Learning) Forget(ctx context.Context, id int64) error {
	l.mu.RLock()
	_, known := l.memory.byID[id]
	l.mu.RUnlock()
	if !known {
		return Unknown(strconv.FormatInt(id, 10))
	}
	return l.erase(ctx, func(p *pair) bool { return p.ID == id })
}

// Unknown is the error for an ID that no pair has.
func Unknown(id string) error {
	return fault.New(fault.NotFound, "no learned query has the id %s; to see the ids, run: agent-discover learned", id)
}

// ForgetServer erases the pairs of a deleted server.
func (l *Learning) ForgetServer(ctx context.Context, server string) error {
	return l.erase(ctx, func(p *pair) bool { return p.Tool.Server == server })
}

// Rename gives the pairs of a server the new name of the server. They are stored later, if the caller has not changed the
// store.
func (l *Learning) Rename(server, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, p := range l.memory.byID {
		if p.Tool.Server == server {
			p.Tool.Server = to
			l.dirty[id] = true
		}
	}
	l.wake()
}

// erase erases the selected pairs, first in the store and then in memory.
func (l *Learning) erase(ctx context.Context, selected func(*pair) bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.RLock()
	ids := []int64{}
	for id, p := range l.memory.byID {
		if selected(p) {
			ids = append(ids, id)
		}
	}
	l.mu.RUnlock()
	if len(ids) == 0 {
		return nil
	}
	if err := l.store.EraseLearned(ctx, ids); err != nil {
		return err
	}
	l.mu.Lock()
	for _, id := range ids {
		if p := l.memory.byID[id]; p != nil {
			l.memory.drop(p)
		}
		delete(l.dirty, id)
	}
	l.mu.Unlock()
	events.Publish(l.bus, Changed{})
	return nil
}

// ForgetAll erases all pairs and the recent queries of all sessions.
func (l *Learning) ForgetAll(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.store.EraseLearned(ctx, nil); err != nil {
		return err
	}
	l.mu.Lock()
	last := l.memory.lastID
	l.memory = newMemory()
	l.memory.lastID = last
	l.deleted = nil
	clear(l.dirty)
	clear(l.sessions)
	l.mu.Unlock()
	events.Publish(l.bus, Changed{})
	return nil
}
