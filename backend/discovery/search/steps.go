package search

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	maxSteps    = 5 // largest number of steps; queries with more are ranked as a whole only
	minOpenings = 2 // a word may begin a step if at least this many descriptions begin with it

	// serverShare is the weight of the server in the score of a hit for one step.
	// The score is (1-serverShare) times the tool's own score, plus serverShare
	// times the best score that a tool of the server has for the whole query.
	serverShare = 0.15
)

// steps splits a query that asks for several things in sequence: "make a
// branch, commit the files and open a pull request". A step begins with a known
// verb, or with a word that also begins descriptions of tools. The text before the
// first step is prepended to each step. Queries that ask for one thing have no steps.
func (x *index) steps(text string) []string {
	var context, steps []string
	for _, clause := range clauses(text) {
		switch {
		case x.startsStep(clause):
			steps = append(steps, clause)
		case len(steps) > 0:
			steps[len(steps)-1] += ", " + clause
		default:
			context = append(context, clause)
		}
	}
	if len(steps) < 2 || len(steps) > maxSteps {
		return nil
	}
	for i := range steps {
		steps[i] = strings.Join(append(slices.Clone(context), steps[i]), ", ")
	}
	return steps
}

// clauses splits a text at punctuation and conjunctions.
func clauses(text string) []string {
	var out []string
	var clause []string
	flush := func() {
		for len(clause) > 0 && conjunctions[strings.ToLower(clause[0])] {
			clause = clause[1:]
		}
		if len(clause) > 0 {
			out = append(out, strings.Join(clause, " "))
		}
		clause = nil
	}
	for _, word := range strings.Fields(text) {
		bare := strings.TrimRight(word, ",.;:!?")
		if conjunctions[strings.ToLower(bare)] {
			flush()
			continue
		}
		clause = append(clause, bare)
		if bare != word {
			flush()
		}
	}
	flush()
	return out
}

// conjunctions are words between two clauses.
var conjunctions = set("and then also afterwards after finally please next plus once und puis y e")

// startsStep reports whether a clause has at least two words and begins with a known verb, or with a word that begins
// the descriptions of several tools.
func (x *index) startsStep(clause string) bool {
	all := words(clause)
	if len(all) < 2 || stopWords[all[0]] || all[0] == "pull" && strings.HasPrefix(all[1], "request") {
		return false // "pull" is a verb except in "pull request"
	}
	least := minOpenings
	if len(x.documents) < minTools {
		least = 1
	}
	f := x.vocabulary.lookup(all[0])
	return f.kind >= 0 || f.stem >= 0 && x.openings[f.stem] >= least
}

// rankSteps ranks the tools for each step and merges the hits into those of whole:
// first the best hit of the whole query and of each step, then the second best of
// each, and so on.
func (s *Searcher) rankSteps(ctx context.Context, whole *ranking, m *matrix, steps []string, allow func(*catalog.Tool) bool) {
	serverScores := make(map[string]float64)
	for _, hit := range whole.best {
		serverScores[hit.Tool.Server] = max(serverScores[hit.Tool.Server], hit.Score)
	}
	var lists [][]Hit
	for _, step := range steps {
		r := s.rankOne(ctx, whole.index, m, asked{query: step, words: step, meaning: step, patient: whole.asked.patient}, allow)
		for i, hit := range r.best {
			r.best[i].Score = (1-serverShare)*hit.Score + serverShare*serverScores[hit.Tool.Server]
		}
		slices.SortFunc(r.best, compareScores)
		if len(r.best) > 0 {
			lists = append(lists, r.best)
		}
	}
	slices.SortStableFunc(lists, func(a, b []Hit) int { return compareScores(a[0], b[0]) })
	whole.best = interleave(append([][]Hit{whole.best}, lists...))
}

// interleave takes one hit of each list in turn, without duplicates, until it
// has about maxHits. It lowers scores where needed so that they never increase.
func interleave(lists [][]Hit) []Hit {
	var out []Hit
	seen := make(map[int32]bool)
	for taken := true; taken && len(out) < maxHits; {
		taken = false
		for i, list := range lists {
			for len(list) > 0 && seen[list[0].at] {
				list = list[1:]
			}
			if len(list) > 0 {
				seen[list[0].at], taken = true, true
				out = append(out, list[0])
				list = list[1:]
			}
			lists[i] = list
		}
	}
	for i := range out[min(1, len(out)):] {
		out[i+1].Score = min(out[i+1].Score, out[i].Score)
	}
	return out
}
