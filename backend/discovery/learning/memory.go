package learning

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	maxPairs = 5_000
	// maxTools is how many tools one query is remembered with.
	maxTools = 20
	// maxLike is how many remembered queries, the most alike ones, lift tools
	// for one query.
	maxLike = 64
	// minLike is how alike two queries must be for one to tell of the other.
	minLike = 0.5
	// halfLife is the age at which a success counts half.
	halfLife = 90 * 24 * time.Hour
	// life is the age at which a success counts next to nothing, and goes.
	life = 4 * halfLife
	// unsaid is what each further success takes of the doubt that is left.
	unsaid = 0.63
)

// topic is a need with all that it has led to.
type topic struct {
	need
	slot  int32
	pairs []*pair
}

// pair is a Pair in memory.
type pair struct {
	Pair
	topic *topic
	sure  float64 // its strength, were it fresh and had no rivals
}

// reckon is called when successes or failures were counted.
func (p *pair) reckon() {
	n := float64(p.Times)
	p.sure = (1 - 0.5*math.Pow(unsaid, n-1)) * n / (n + float64(p.Failed))
}

// faded is how much a success of an age still counts.
func faded(age time.Duration) float64 { return math.Exp2(-max(age.Seconds(), 0) / halfLife.Seconds()) }

// strength is how surely the pair's query leads to its tool: what it had of
// successes, less failures, faded by age, and less again where the same query
// led to another tool more often.
func (p *pair) strength(now time.Time) float64 {
	fresh := faded(now.Sub(p.Last))
	own, most := fresh*float64(p.Times), 0.0
	if len(p.topic.pairs) > 1 {
		for _, rival := range p.topic.pairs {
			most = max(most, faded(now.Sub(rival.Last))*float64(rival.Times))
		}
	}
	if own < most {
		fresh *= own / most
	}
	return fresh * p.sure
}

// size is what of a need is looked at first, for thousands of them.
type size struct {
	deeds deed
	words uint8
}

func (n need) size() size { return size{n.deeds, uint8(len(n.words))} }

// memory holds pairs and finds those of like queries by their words. It locks
// nothing.
type memory struct {
	topics []*topic // by slot; nil is free
	sizes  []size   // of them
	free   []int32
	byKey  map[string]*topic
	words  map[string][]int32 // slots of the topics that have a word
	byID   map[int64]*pair
	lastID int64
}

func newMemory() *memory {
	return &memory{byKey: make(map[string]*topic), words: make(map[string][]int32), byID: make(map[int64]*pair)}
}

// find returns the pair of a need and a tool, nil when there is none.
func (m *memory) find(n need, tool catalog.Key) *pair {
	if t := m.byKey[n.key()]; t != nil {
		for _, p := range t.pairs {
			if p.Tool == tool {
				return p
			}
		}
	}
	return nil
}

// put takes in a pair. It returns the ids of those that had to make room: the
// ones that were of no use for longest.
func (m *memory) put(given Pair, n need) (in *pair, gone []int64) {
	t := m.byKey[n.key()]
	if t != nil && len(t.pairs) >= maxTools {
		gone = append(gone, m.drop(oldest(t.pairs)))
		t = m.byKey[n.key()]
	}
	if len(m.byID) >= maxPairs {
		gone = append(gone, m.drop(m.oldest()))
		t = m.byKey[n.key()]
	}
	if t == nil {
		t = m.open(n)
	}
	in = &pair{Pair: given, topic: t}
	in.reckon()
	t.pairs = append(t.pairs, in)
	m.byID[given.ID] = in
	m.lastID = max(m.lastID, given.ID)
	return in, gone
}

// oldest is the pair that was of no use for longest.
func oldest(pairs []*pair) *pair { return slices.MinFunc(pairs, byUse) }

func (m *memory) oldest() *pair {
	var out *pair
	for _, t := range m.topics {
		if t == nil {
			continue
		}
		if p := oldest(t.pairs); out == nil || byUse(p, out) < 0 {
			out = p
		}
	}
	return out
}

func byUse(a, b *pair) int { return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.ID, b.ID)) }

func (m *memory) open(n need) *topic {
	t := &topic{need: n}
	if last := len(m.free) - 1; last >= 0 {
		t.slot, m.free = m.free[last], m.free[:last]
		m.topics[t.slot], m.sizes[t.slot] = t, n.size()
	} else {
		t.slot = int32(len(m.topics))
		m.topics, m.sizes = append(m.topics, t), append(m.sizes, n.size())
	}
	for _, word := range n.words {
		m.words[word] = append(m.words[word], t.slot)
	}
	m.byKey[n.key()] = t
	return t
}

// drop takes a pair out, with its topic when that was the last of it.
func (m *memory) drop(p *pair) (id int64) {
	delete(m.byID, p.ID)
	t := p.topic
	t.pairs = slices.DeleteFunc(t.pairs, func(other *pair) bool { return other == p })
	if len(t.pairs) > 0 {
		return p.ID
	}
	delete(m.byKey, t.key())
	m.topics[t.slot], m.sizes[t.slot] = nil, size{}
	m.free = append(m.free, t.slot)
	for _, word := range t.need.words {
		left := slices.DeleteFunc(m.words[word], func(slot int32) bool { return slot == t.slot })
		if m.words[word] = left; len(left) == 0 {
			delete(m.words, word)
		}
	}
	return p.ID
}

// match is a topic that is like a query.
type match struct {
	slot  int
	grade int // of likeness, in steps
}

// steps is how finely likeness is told apart: of queries up to eight words all
// of it.
const steps = 840

// like returns the topics that are like a need, at most maxLike of them. It
// counts grades before it collects any: thousands may be alike.
func (m *memory) like(n need) []match {
	grades := m.grade(n)
	var counts [steps + 1]int
	for _, grade := range grades {
		counts[grade]++
	}
	least, some := steps+1, 0
	for least > minLike*steps && some < maxLike {
		least--
		some += counts[least]
	}
	out := make([]match, 0, min(some, maxLike))
	for floor := least + 1; floor >= least && len(out) < maxLike; floor-- { // those of the least grade last
		for slot, grade := range grades {
			if int(grade) >= floor && (floor > least || int(grade) == least) && len(out) < maxLike {
				out = append(out, match{slot, int(grade)})
			}
		}
	}
	return out
}

// grade says by slot how alike topics are to a need.
func (m *memory) grade(n need) []uint16 {
	out := make([]uint16, len(m.topics))
	for _, word := range n.words {
		for _, slot := range m.words[word] {
			out[slot]++
		}
	}
	own := n.size()
	for slot, shared := range out {
		if size := m.sizes[slot]; shared > 0 {
			out[slot] = 0
			if !opposed(size.deeds, own.deeds) {
				out[slot] = uint16(share(int(shared), int(own.words), int(size.words)) * steps)
			}
		}
	}
	return out
}

// lifts returns what like queries led to, the strongest first and each tool once.
func (m *memory) lifts(n need, now time.Time) []Lift {
	var out []Lift
	at := make(map[catalog.Key]int, maxLike)
	for _, found := range m.like(n) {
		for _, p := range m.topics[found.slot].pairs {
			lift := Lift{
				Server: p.Tool.Server, Tool: p.Tool.Tool, Strength: p.strength(now) * float64(found.grade) / steps,
				Like: p.Query, Times: p.Times,
			}
			switch i, ok := at[p.Tool]; {
			case lift.Strength < tooWeak:
			case !ok:
				at[p.Tool] = len(out)
				out = append(out, lift)
			case lift.Strength > out[i].Strength:
				out[i] = lift
			}
		}
	}
	slices.SortFunc(out, func(a, b Lift) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	return out[:min(len(out), maxTools)]
}
