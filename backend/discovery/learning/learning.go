// Package learning answers what was called after which query in this
// installation, so that the search may lift that tool for a like one. It hears
// what find_tool showed a session (Asked) and what that session called then
// (Called), and tells what it makes of it (Lifts). It ranks nothing, asks
// nobody, and sends nothing anywhere: queries are kept covered and cut, in the
// store of this machine. Who does not want that switches it off; what was
// learned is shown, and erased one by one or all.
//
//	Asked ─┐                ┌─ Lifts (memory, microseconds)
//	Called ┴─ sessions ─ memory ─ Run ─ store
//
// # What counts
//
// A call that succeeded counts for the query whose answer showed the tool,
// within ten minutes; where several did, for the one that showed it highest,
// the newest of equals. It counts for those others too that say the same in
// other words: queries of that session that are alike, and those up to two
// minutes old that found nothing, or share a word and are not to do something
// else. A tool that no answer showed, or only one that has had its success,
// counts for the newest query, for two minutes: the agent found it otherwise
// after a bad answer. Queries of one
// message of the agent are separate needs and explain nothing of each other:
// those of one find_tools request, and those that follow each other within a
// second without a call for one of them in between. For each
// query the first success counts, and one that was shown replaces one that was
// not. A session's last five queries are thought of.
//
// # What the search does with it
//
// A lift is a hint, not an order: see Lift.
package learning

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// maxText is how many characters of a query are kept.
	maxText = 200
	// tooWeak is the strength below which nothing is lifted.
	tooWeak = 0.02
)

// Answer is a query and the tools that find_tool showed for it, the best
// first; none when it found nothing.
type Answer struct {
	Query string
	Shown []catalog.Key
}

// Lift says that a tool was called after a like query.
//
// A search adds a bounded share of Strength to a tool's score and never makes
// more of it: at most 0.2 × Strength on a scale of 0 to 1, with the sum below
// the score of a tool that the query names exactly. One success has a strength
// of 0.5 at most, and so moves a tool past others that are nearly as good, and
// past nothing that is clearly better. No lifts change nothing.
type Lift struct {
	Server, Tool string
	Strength     float64 // above 0 and up to 1
	Like         string  // the earlier query it comes from, covered and cut
	Times        int     // how often that one led to the tool
}

// Pair is a query and a tool that was called for it.
type Pair struct {
	ID     int64  // never given twice
	Query  string // as it first came; covered, at most 200 characters
	Tool   catalog.Key
	Times  int       // successes, of one asking the first
	Failed int       // askings after which the tool answered with an error
	Last   time.Time // of the last success
}

// Learned is a pair and how strong it is now, between 0 and 1, for that very
// query.
type Learned struct {
	Pair
	Strength float64
}

// Switch is whether learning is on, and what config.yaml said when a person
// decided that. Should the file say something else later, that is the later
// decision, and holds.
type Switch struct{ On, Configured bool }

// Kept is all that the store has.
type Kept struct {
	Pairs  []Pair
	LastID int64   // the greatest that a pair ever had
	Switch *Switch // nil when nobody moved it
}

// Store keeps what was learned.
type Store interface {
	Learned(ctx context.Context) (Kept, error)
	// KeepLearned stores pairs, in place of those with the same ids, and deletes
	// others: all of it or nothing.
	KeepLearned(ctx context.Context, pairs []Pair, gone []int64) error
	// EraseLearned deletes pairs, all when ids is nil, so that nothing of them
	// is left in the store's files.
	EraseLearned(ctx context.Context, ids []int64) error
	KeepLearningSwitch(ctx context.Context, s Switch) error
}

// Changed is published when something was learned, forgotten or switched, and
// is in the store.
type Changed struct{}

// Options are what learning works with.
type Options struct {
	Store Store
	Bus   *events.Bus
	Log   *slog.Logger
	// Cover returns the beginning of a text, at most so many bytes, without
	// secrets, and whether that is not all; nil leaves texts as they are.
	Cover func(text string, bytes int) (head string, cut bool)
	On    bool             // what config.yaml says
	Now   func() time.Time // nil: time.Now
}

// Learning remembers. It is safe for concurrent use.
type Learning struct {
	Options
	on      atomic.Bool
	some    chan struct{} // there is something to write
	writing sync.Mutex    // the store; taken before mu

	mu       sync.RWMutex
	memory   *memory
	sessions map[string]*asker
	dirty    map[int64]bool // pairs that the store does not have as they are
	gone     []int64        // that it still has
}

// Open loads what was learned. What is learned then is written while Run runs.
func Open(ctx context.Context, o Options) (*Learning, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cover == nil {
		o.Cover = func(text string, bytes int) (string, bool) {
			return text[:min(len(text), bytes)], len(text) > bytes
		}
	}
	kept, err := o.Store.Learned(ctx)
	if err != nil {
		return nil, err
	}
	l := &Learning{
		Options: o, some: make(chan struct{}, 1), memory: newMemory(),
		sessions: make(map[string]*asker), dirty: make(map[int64]bool),
	}
	for _, p := range kept.Pairs {
		_, gone := l.memory.put(p, needOf(p.Query))
		l.gone = append(l.gone, gone...)
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

// Lifts returns what like queries led to, the strongest first, each tool once
// and at most 20; nil when learning is off or there is none. It takes
// microseconds and waits for no store.
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
	if lifts := l.memory.lifts(n, l.Now()); len(lifts) > 0 {
		return lifts
	}
	return nil
}

// read covers and cuts a query, and takes it apart.
func (l *Learning) read(query string) (text string, n need) {
	text, cut := l.Cover(query, 4*maxText)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); cut || len(runes) > maxText {
		text = string(runes[:min(len(runes), maxText-1)]) + "…"
	}
	return text, needOf(text)
}

// On reports whether learning is on.
func (l *Learning) On() bool { return l.on.Load() }

// Switch turns learning on or off, and keeps that over a restart. Off, nothing
// is lifted and nothing is learned; what was learned stays.
func (l *Learning) Switch(ctx context.Context, on bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.Store.KeepLearningSwitch(ctx, Switch{On: on, Configured: l.Options.On}); err != nil {
		return err
	}
	l.on.Store(on)
	if !on {
		l.mu.Lock()
		clear(l.sessions)
		l.mu.Unlock()
	}
	events.Publish(l.Bus, Changed{})
	return nil
}

// All returns all that was learned, the last first.
func (l *Learning) All() []Learned {
	now := l.Now()
	l.mu.RLock()
	out := make([]Learned, 0, len(l.memory.byID))
	for _, p := range l.memory.byID {
		out = append(out, Learned{p.Pair, p.strength(now)})
	}
	l.mu.RUnlock()
	slices.SortFunc(out, func(a, b Learned) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.ID, a.ID)) })
	return out
}

// Count returns how many pairs there are.
func (l *Learning) Count() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.memory.byID)
}

// Forget erases one pair; fault.NotFound when there is none of that id.
func (l *Learning) Forget(ctx context.Context, id int64) error {
	l.mu.RLock()
	_, known := l.memory.byID[id]
	l.mu.RUnlock()
	if !known {
		return fault.New(fault.NotFound, "nothing of the id %d was learned", id)
	}
	return l.erase(ctx, func(p *pair) bool { return p.ID == id })
}

// ForgetServer erases what was learned of a server that is no more.
func (l *Learning) ForgetServer(ctx context.Context, server string) error {
	return l.erase(ctx, func(p *pair) bool { return p.Tool.Server == server })
}

// erase erases the pairs that which selects, in the store first.
func (l *Learning) erase(ctx context.Context, which func(*pair) bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.RLock()
	ids := []int64{}
	for id, p := range l.memory.byID {
		if which(p) {
			ids = append(ids, id)
		}
	}
	l.mu.RUnlock()
	if len(ids) == 0 {
		return nil
	}
	if err := l.Store.EraseLearned(ctx, ids); err != nil {
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
	events.Publish(l.Bus, Changed{})
	return nil
}

// ForgetAll erases everything, also what sessions were just asking.
func (l *Learning) ForgetAll(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.Store.EraseLearned(ctx, nil); err != nil {
		return err
	}
	l.mu.Lock()
	last := l.memory.lastID
	l.memory = newMemory()
	l.memory.lastID = last
	l.gone = nil
	clear(l.dirty)
	clear(l.sessions)
	l.mu.Unlock()
	events.Publish(l.Bus, Changed{})
	return nil
}
