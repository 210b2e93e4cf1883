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
	// maxTools is the largest number of tools kept for one query, and of
	// lifts that Lifts returns.
	maxTools = 20
	// maxLike is the largest number of similar queries, the most similar first,
	// whose tools Lifts returns.
	maxLike = 64
	// minLike is the least similarity of two queries at which the tools that were
	// called for one are lifted for the other.
	minLike = 0.5
	// halfLife is the age at which a success counts half as much as a new one.
	halfLife = 90 * 24 * time.Hour
	// maxAge is how long a pair may be unused before it is dropped.
	maxAge = 4 * halfLife
	// doubtLeft is the share of the doubt in a pair that remains after each further
	// success. The doubt is 1 minus the confidence.
	doubtLeft = 0.63
)

// topic is a need and the tools that were called for it.
type topic struct {
	need
	slot  int32 // index in memory.topics
	pairs []*pair
}

// pair is a Pair in memory.
type pair struct {
	Pair
	topic      *topic
	confidence float64 // its strength before the reductions for age and for other tools of the topic
}

// updateConfidence must be called after Times or Failed has changed.
func (p *pair) updateConfidence() {
	n := float64(p.Times)
	p.confidence = (1 - 0.5*math.Pow(doubtLeft, n-1)) * n / (n + float64(p.Failed))
}

// decay is the factor by which a success of that age counts.
func decay(age time.Duration) float64 { return math.Exp2(-max(age.Seconds(), 0) / halfLife.Seconds()) }

// strength returns the strength of the lift of the pair's tool for the pair's query:
// the confidence, reduced by age, and reduced further if other tools were called
// more often for the same query.
func (p *pair) strength(now time.Time) float64 {
	fresh := decay(now.Sub(p.Last))
	own, most := fresh*float64(p.Times), 0.0
	if len(p.topic.pairs) > 1 {
		for _, rival := range p.topic.pairs {
			most = max(most, decay(now.Sub(rival.Last))*float64(rival.Times))
		}
	}
	if own < most {
		fresh *= own / most
	}
	return fresh * p.confidence
}

// size is a compact summary of a need. It is compared before the words, because a
// query may be compared with thousands of needs.
type size struct {
	actions action
	words   uint8
}

func (n need) size() size { return size{n.actions, uint8(len(n.words))} }

// memory holds pairs and finds those with similar queries by their words. It is
// not safe for concurrent use.
type memory struct {
	topics []*topic // by slot; nil for free slots
	sizes  []size   // size of each topic, by slot
	free   []int32  // slots for new topics
	byKey  map[string]*topic
	words  map[string][]int32 // slots of the topics that contain the word
	byID   map[int64]*pair
	lastID int64
}

func newMemory() *memory {
	return &memory{byKey: make(map[string]*topic), words: make(map[string][]int32), byID: make(map[int64]*pair)}
}

// find returns the pair of a need and a tool, or nil.
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

// put adds a pair. It returns the IDs of pairs it dropped to keep within the
// limits: those unused for the longest time.
func (m *memory) put(given Pair, n need) (in *pair, dropped []int64) {
	t := m.byKey[n.key()]
	if t != nil && len(t.pairs) >= maxTools {
		dropped = append(dropped, m.drop(oldest(t.pairs)))
		t = m.byKey[n.key()]
	}
	if len(m.byID) >= maxPairs {
		dropped = append(dropped, m.drop(m.oldest()))
		t = m.byKey[n.key()]
	}
	if t == nil {
		t = m.open(n)
	}
	in = &pair{Pair: given, topic: t}
	in.updateConfidence()
	t.pairs = append(t.pairs, in)
	m.byID[given.ID] = in
	m.lastID = max(m.lastID, given.ID)
	return in, dropped
}

// oldest returns the pair that was unused for the longest time.
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

// open adds a topic without pairs.
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

// drop removes a pair and, if its topic has no other pairs, the topic. It returns
// the ID of the pair.
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

// match is a topic that is similar to a query.
type match struct {
	slot  int
	grade int // similarity in units of 1/gradeSteps
}

// gradeSteps is the resolution of similarities in memory. It is a multiple of
// all numbers up to 8, so that most similarities of short queries are exact.
const gradeSteps = 840

// like returns the topics that are similar to a need, at most maxLike. Since
// thousands may be similar, it counts topics by grade before it collects any.
func (m *memory) like(n need) []match {
	grades := m.grade(n)
	var counts [gradeSteps + 1]int
	for _, grade := range grades {
		counts[grade]++
	}
	least, found := gradeSteps+1, 0
	for least > minLike*gradeSteps && found < maxLike {
		least--
		found += counts[least]
	}
	out := make([]match, 0, min(found, maxLike))
	for floor := least + 1; floor >= least && len(out) < maxLike; floor-- { // those of the least grade last, until out is full
		for slot, grade := range grades {
			if int(grade) >= floor && (floor > least || int(grade) == least) && len(out) < maxLike {
				out = append(out, match{slot, int(grade)})
			}
		}
	}
	return out
}

// grade returns the similarity of each topic to a need, by slot.
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
			if !opposed(size.actions, own.actions) {
				out[slot] = uint16(share(int(shared), int(own.words), int(size.words)) * gradeSteps)
			}
		}
	}
	return out
}

// lifts returns the tools that were called for similar needs: the strongest
// first, each tool once.
func (m *memory) lifts(n need, now time.Time) []Lift {
	var out []Lift
	at := make(map[catalog.Key]int, maxLike)
	for _, found := range m.like(n) {
		for _, p := range m.topics[found.slot].pairs {
			lift := Lift{
				Server: p.Tool.Server, Tool: p.Tool.Tool, Strength: p.strength(now) * float64(found.grade) / gradeSteps,
				Like: p.Query, Times: p.Times,
			}
			switch i, ok := at[p.Tool]; {
			case lift.Strength < minStrength:
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
