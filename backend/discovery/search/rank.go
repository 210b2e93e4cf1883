package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// liftShare is the largest amount that earlier calls add to a score.
const liftShare = 0.2

// phraseBonus is added to the score of a tool whose name occurs in the query as
// consecutive words.
const phraseBonus = 0.1

// maxHits is the number of hits kept in a ranking, which limits Query.Limit.
const maxHits = 50

// ranking is the state of a search for one query.
type ranking struct {
	asked        asked
	index        *index
	blend        blend
	parts        []part
	perfect      float32   // score of a perfect match by words
	lexical      []float32 // score of each tool by words
	bestLexical  float32   // the largest in lexical
	similarities []float32 // cosine of each tool's vector with the query's; nil without vectors
	unread       bool      // tools have vectors, but the query has none
	named        map[int32]int
	phrased      map[int32]bool
	lifts        map[int32]learning.Lift
	best         []Hit // allowed tools, the best first, at most maxHits
}

// rank ranks the tools for a query, and for each of its steps if it has
// several.
func (s *Searcher) rank(ctx context.Context, a asked, allow func(*catalog.Tool) bool) *ranking {
	x, m := s.current() // the steps are ranked over the same index
	r := s.rankOne(ctx, x, m, a, allow)
	if r.asked.foreign() {
		return r
	}
	if steps := r.index.steps(a.query); len(steps) > 0 && len(r.best) > 0 && r.named[r.best[0].at] < namedByWords {
		s.rankSteps(ctx, r, m, steps, allow)
	}
	return r
}

// rankOne ranks the tools for a query as a whole.
func (s *Searcher) rankOne(ctx context.Context, x *index, m *matrix, a asked, allow func(*catalog.Tool) bool) *ranking {
	r := &ranking{asked: a, index: x, parts: x.parse(a.words), blend: wordsAlone}
	if a.foreign() { // a word that no tool contains is foreign rather than misspelled
		r.parts = slices.DeleteFunc(r.parts, func(p part) bool { return p.guesses })
	}
	if len(x.documents) == 0 || len(words(a.words)) == 0 {
		return r
	}
	r.lexical = make([]float32, len(x.documents))
	r.perfect = x.score(r.parts, r.lexical)
	r.bestLexical = slices.Max(r.lexical)
	if m != nil && m.known > 0 {
		query := s.meaning.Query // waits only for a short time
		if a.patient {
			query = s.meaning.AwaitQuery
		}
		vector, ok := query(ctx, corrected(a.meaning, r.parts))
		if r.unread = !ok; ok {
			if r.similarities = m.similarities(vector); r.similarities != nil {
				r.blend = blendOf(m.of.Model())
				r.blend.settle(r.similarities)
				r.blend.weigh(r.bestLexical / max(r.perfect, 1e-6))
			}
		}
	}
	r.named, r.phrased = x.named(a.query), x.phrased(a.words)
	if s.learned != nil {
		r.lifts = x.lifts(s.learned.Lifts(a.query))
	}
	r.selectBest(allow)
	return r
}

// lifts returns the strongest lift of each indexed tool.
func (x *index) lifts(all []learning.Lift) map[int32]learning.Lift {
	var out map[int32]learning.Lift
	for _, lift := range all {
		for _, at := range slices.Concat(x.names[folded(lift.Tool)], x.renamed) {
			key := catalog.Key{Server: lift.Server, Tool: lift.Tool}
			if x.snapshot.Tools[at].Key() == key && out[at].Strength < lift.Strength {
				if out == nil {
					out = make(map[int32]learning.Lift)
				}
				out[at] = lift
			}
		}
	}
	return out
}

// selectBest sets r.best to the best allowed tools. Tools that the query names come
// first even if others have higher scores; selectBest then lowers the scores of the
// others, so that scores never increase from one hit to the next.
func (r *ranking) selectBest(allow func(*catalog.Tool) bool) {
	var best []Hit
	least := 0.0
	for i, t := range r.index.snapshot.Tools {
		score := r.score(int32(i))
		named := len(r.named) > 0 && r.named[int32(i)] != notNamed && !r.demotes(int32(i))
		if score <= least && !named || allow != nil && !allow(t) {
			continue
		}
		best = append(best, Hit{Tool: t, Score: score, at: int32(i), named: named})
		if len(best) == 2*maxHits {
			slices.SortFunc(best, compareHits)
			best = best[:maxHits]
			least = best[maxHits-1].Score
		}
	}
	slices.SortFunc(best, compareHits)
	r.best = best[:min(len(best), maxHits)]
	for i := range r.best[min(1, len(r.best)):] {
		r.best[i+1].Score = min(r.best[i+1].Score, r.best[i].Score)
	}
}

// compareHits orders hits by decreasing score. Tools that the query names come
// before others.
func compareHits(a, b Hit) int {
	if a.named != b.named {
		if a.named {
			return -1
		}
		return 1
	}
	return compareScores(a, b)
}

// compareScores orders hits by decreasing score, then by name.
func compareScores(a, b Hit) int {
	if a.Score != b.Score { // joining the names is slow
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied())
}

// score returns the total score of a tool, from 0 to 1.
func (r *ranking) score(tool int32) float64 {
	score := float64(r.words(tool) + r.meaning(tool))
	if len(r.lifts) > 0 || len(r.phrased) > 0 { // most queries have neither, and score is called for every tool
		score += r.learned(tool) + r.phrase(tool)
	}
	if r.index.documents[tool].deprecated && r.demotes(tool) {
		return withNaming(notNamed, deprecatedShare*score)
	}
	if len(r.named) == 0 {
		return withNaming(notNamed, score)
	}
	return withNaming(r.named[tool], score)
}

// words returns the part of a tool's score that comes from its words.
func (r *ranking) words(tool int32) float32 {
	if r.bestLexical == 0 {
		return 0
	}
	return (1 - r.blend.meaning) * r.lexical[tool] * (1 + r.blend.coverage) / (r.bestLexical + r.blend.coverage*r.perfect)
}

// meaning returns the part of a tool's score that comes from its vector.
func (r *ranking) meaning(tool int32) float32 {
	if r.similarities == nil {
		return 0
	}
	return r.blend.meaning * max(r.blend.scale*(r.similarity(tool)-r.blend.zero), 0)
}

// similarity returns the cosine of a tool's vector with the query's. For a tool
// without a vector it is estimated from the tool's words.
func (r *ranking) similarity(tool int32) float32 {
	if near := r.similarities[tool]; near != noVector {
		return near
	}
	words := r.words(tool) / (1 - r.blend.meaning)
	return r.blend.zero + (0.15+0.5*words)/r.blend.scale
}

// learned returns the part of a tool's score that comes from earlier calls. It
// moves the tool past others that are nearly as good, but not past clearly
// better ones.
func (r *ranking) learned(tool int32) float64 { return liftShare * r.lifts[tool].Strength }

// phrase returns phraseBonus if the tool's name occurs in the query as
// consecutive words.
func (r *ranking) phrase(tool int32) float64 {
	if r.phrased[tool] {
		return phraseBonus
	}
	return 0
}

// withNaming moves a score into the range of scores for how, the way in which the
// query names the tool. namedByWords and misspelled share a range. For notNamed,
// withNaming only caps the score.
func withNaming(how int, score float64) float64 {
	score = min(score, 1)
	switch how {
	case namedExactly:
		return 1 - 1e-6*(1-score)
	case namedByWords, misspelled:
		return 0.9 + 0.09*score
	case mentioned:
		return 0.7 + 0.2*score
	}
	return min(score, 0.95)
}

// rankWords ranks the tools by their words, and tools that the query names first.
func (x *index) rankWords(query string, allow func(*catalog.Tool) bool) []Hit {
	r := x.wordRanking(query)
	if r == nil {
		return nil
	}
	r.named = x.named(query)
	r.selectBest(allow)
	return r.best
}

// wordRanking returns a ranking with the scores of all tools by words alone, or nil if there are no words or no tools.
func (x *index) wordRanking(query string) *ranking {
	r := &ranking{asked: asked{query: query}, index: x, parts: x.parse(query), blend: wordsAlone}
	if len(r.parts) == 0 || len(x.documents) == 0 {
		return nil
	}
	r.lexical = make([]float32, len(x.documents))
	r.perfect = x.score(r.parts, r.lexical)
	r.bestLexical = slices.Max(r.lexical)
	return r
}

// Scores returns how well each tool fits a text by its words, from 0 to 1. Each call indexes the tools anew: use a Searcher
// for lists that are long or searched repeatedly.
func Scores(text string, tools []*catalog.Tool) []float64 {
	scores := make([]float64, len(tools))
	x := newIndex(&catalog.Snapshot{Tools: tools}, newVocabulary(), make(map[catalog.Key]*document))
	r := x.wordRanking(text)
	if r == nil {
		return scores
	}
	r.named, r.phrased = x.named(text), x.phrased(text)
	for i := range scores {
		scores[i] = r.score(int32(i))
	}
	return scores
}
