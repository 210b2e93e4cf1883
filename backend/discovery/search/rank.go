package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// liftShare is the most that earlier calls may add to a score.
const liftShare = 0.2

// phraseBonus is what it adds to a score that the words of a tool's name stand
// together in the query.
const phraseBonus = 0.1

// considered is how many hits are kept of a ranking: as many as anybody may
// ask for.
const considered = 50

// ranking is what a query comes to.
type ranking struct {
	query    string
	index    *index
	blend    blend
	parts    []part
	perfect  float32   // what a perfect match of the words would get
	lexical  []float32 // what the words of each tool get
	most     float32   // the best of them
	nearness []float32 // of each tool's meaning; nil without any
	named    map[int32]int
	phrased  map[int32]bool
	lifts    map[int32]learning.Lift
	best     []Hit // what is allowed, best first
}

// rank ranks the tools for a query, and those for each of its steps.
func (s *Searcher) rank(ctx context.Context, query string, allow func(*catalog.Tool) bool) *ranking {
	x, m := s.current() // one for the steps, too
	r := s.rankOne(ctx, x, m, query, allow)
	if steps := r.index.steps(query); len(steps) > 0 && len(r.best) > 0 && r.named[r.best[0].at] < worded {
		s.rankSteps(ctx, r, m, steps, allow)
	}
	return r
}

func (s *Searcher) rankOne(ctx context.Context, x *index, m *matrix, query string, allow func(*catalog.Tool) bool) *ranking {
	r := &ranking{query: query, index: x, parts: x.parse(query), blend: wordsAlone}
	if len(x.documents) == 0 || len(words(query)) == 0 {
		return r
	}
	r.lexical = make([]float32, len(x.documents))
	r.perfect = x.score(r.parts, r.lexical)
	r.most = slices.Max(r.lexical)
	if m != nil && m.known > 0 {
		if vector, ok := s.options.Meaning.Query(ctx, corrected(query, r.parts)); ok {
			if r.nearness = m.nearness(vector); r.nearness != nil {
				r.blend = blendOf(m.of.Model())
				r.blend.settle(r.nearness)
			}
		}
	}
	r.named, r.phrased = x.named(query), x.phrased(query)
	if s.options.Learned != nil {
		r.lifts = x.lifts(s.options.Learned.Lifts(query))
	}
	r.pick(allow)
	return r
}

// lifts are the lifts of tools that are known, the strongest of each.
func (x *index) lifts(all []learning.Lift) map[int32]learning.Lift {
	var out map[int32]learning.Lift
	for _, lift := range all {
		for _, at := range x.names[squashed(lift.Tool)] {
			if t := x.snapshot.Tools[at]; t.Server == lift.Server && t.Name == lift.Tool && out[at].Strength < lift.Strength {
				if out == nil {
					out = make(map[int32]learning.Lift)
				}
				out[at] = lift
			}
		}
	}
	return out
}

// pick keeps the best of the tools that are allowed.
func (r *ranking) pick(allow func(*catalog.Tool) bool) {
	var best []Hit
	least := 0.0
	for i, t := range r.index.snapshot.Tools {
		score := r.score(int32(i))
		named := len(r.named) > 0 && r.named[int32(i)] != notNamed
		if score <= least && !named || allow != nil && !allow(t) {
			continue
		}
		best = append(best, Hit{Tool: t, Score: score, at: int32(i), named: named})
		if len(best) == 2*considered {
			slices.SortFunc(best, before)
			best = best[:considered]
			least = best[considered-1].Score
		}
	}
	slices.SortFunc(best, before)
	r.best = best[:min(len(best), considered)]
	for i := range r.best[min(1, len(r.best)):] {
		r.best[i+1].Score = min(r.best[i+1].Score, r.best[i].Score)
	}
}

// before puts tools that were named before those that were not, and count no
// more then.
func before(a, b Hit) int {
	if a.named != b.named {
		if a.named {
			return -1
		}
		return 1
	}
	return better(a, b)
}

func better(a, b Hit) int {
	if a.Score != b.Score { // names are put together only where they matter
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied())
}

// score is what a tool gets in all, from 0 to 1.
func (r *ranking) score(tool int32) float64 {
	score := float64(r.words(tool) + r.meaning(tool))
	if len(r.lifts) > 0 || len(r.phrased) > 0 { // most queries have none, and this is asked for every tool
		score += r.learned(tool) + r.phrase(tool)
	}
	if len(r.named) == 0 {
		return placed(notNamed, score)
	}
	return placed(r.named[tool], score)
}

// words is what a tool's words add to its score.
func (r *ranking) words(tool int32) float32 {
	if r.most == 0 {
		return 0
	}
	return (1 - r.blend.meaning) * r.lexical[tool] * (1 + r.blend.coverage) / (r.most + r.blend.coverage*r.perfect)
}

// meaning is what a tool's meaning adds to its score.
func (r *ranking) meaning(tool int32) float32 {
	if r.nearness == nil {
		return 0
	}
	return r.blend.meaning * max(r.blend.scale*(r.near(tool)-r.blend.zero), 0)
}

// near is how near a tool's meaning is, or is assumed to be while it has no
// vector.
func (r *ranking) near(tool int32) float32 {
	if near := r.nearness[tool]; near != unknown {
		return near
	}
	return r.blend.guess(r.words(tool) / (1 - r.blend.meaning))
}

// learned is what earlier calls add to a tool's score: enough to come before
// one that is nearly as good, too little to come before one that is plainly
// better.
func (r *ranking) learned(tool int32) float64 { return liftShare * r.lifts[tool].Strength }

// phrase is what a tool gets whose name's words stand together in the query.
func (r *ranking) phrase(tool int32) float64 {
	if r.phrased[tool] {
		return phraseBonus
	}
	return 0
}

// placed puts tools that were named above those that were not, in the order of
// how plainly they were.
func placed(how int, score float64) float64 {
	score = min(score, 1)
	switch how {
	case exact:
		return 1 - 1e-6*(1-score)
	case worded, spelt:
		return 0.9 + 0.09*score
	case mentioned:
		return 0.7 + 0.2*score
	}
	return min(score, 0.95)
}

// rankWords ranks by words alone.
func (x *index) rankWords(query string, allow func(*catalog.Tool) bool) []Hit {
	r := &ranking{query: query, index: x, parts: x.parse(query), blend: wordsAlone}
	if len(r.parts) == 0 || len(x.documents) == 0 {
		return nil
	}
	r.lexical = make([]float32, len(x.documents))
	r.perfect = x.score(r.parts, r.lexical)
	r.most = slices.Max(r.lexical)
	r.named = x.named(query)
	r.pick(allow)
	return r.best
}
