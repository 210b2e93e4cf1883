package search

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	maxSteps   = 5 // of one sentence; more are not ranked on their own
	minOpeners = 2 // descriptions that begin with a word, for it to be one that steps begin with

	// companyShare is what it counts for a step that the whole sentence speaks
	// of a tool's server.
	companyShare = 0.15
)

// steps takes a sentence apart that asks for several things, one after the
// other: "make a branch, commit the files and open a pull request". A step
// begins with a word that tools begin to describe themselves with; what stands
// before the first belongs to all. A sentence that asks for one thing has no
// steps.
func (x *index) steps(text string) []string {
	var context, steps []string
	for _, clause := range clauses(text) {
		switch {
		case x.opens(clause):
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

// clauses cuts a text where a new thought may begin.
func clauses(text string) []string {
	var out []string
	var clause []string
	flush := func() {
		for len(clause) > 0 && joins[strings.ToLower(clause[0])] {
			clause = clause[1:]
		}
		if len(clause) > 0 {
			out = append(out, strings.Join(clause, " "))
		}
		clause = nil
	}
	for _, word := range splitSpace(text) {
		bare := strings.TrimRight(word, ",.;:!?")
		if joins[strings.ToLower(bare)] {
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

// joins are words between two thoughts.
var joins = set("and then also afterwards after finally please next plus once und puis y e")

// opens reports whether a clause begins as tools begin to describe themselves.
func (x *index) opens(clause string) bool {
	all := words(clause)
	if len(all) < 2 || stopWords[all[0]] || all[0] == "pull" && strings.HasPrefix(all[1], "request") {
		return false // a pull request is a thing, though pull is a verb
	}
	least := minOpeners
	if len(x.documents) < minTools {
		least = 1
	}
	f := x.vocabulary.lookup(all[0])
	return f.kind >= 0 || f.stem >= 0 && x.openers[f.stem] >= least
}

// rankSteps ranks the steps of a sentence each on its own, and puts the best of
// each first, then the best of the whole, then the next of each.
func (s *Searcher) rankSteps(ctx context.Context, whole *ranking, m *matrix, steps []string, allow func(*catalog.Tool) bool) {
	company := make(map[string]float64)
	for _, hit := range whole.best {
		company[hit.Tool.Server] = max(company[hit.Tool.Server], hit.Score)
	}
	var lists [][]Hit
	for _, step := range steps {
		r := s.rankOne(ctx, whole.index, m, step, allow)
		for i, hit := range r.best {
			r.best[i].Score = (1-companyShare)*hit.Score + companyShare*company[hit.Tool.Server]
		}
		slices.SortFunc(r.best, better)
		if len(r.best) > 0 {
			lists = append(lists, r.best)
		}
	}
	slices.SortStableFunc(lists, func(a, b []Hit) int { return better(a[0], b[0]) })
	whole.best = inTurn(append([][]Hit{whole.best}, lists...))
}

// inTurn takes one hit of each list after the other. A hit has at most the
// score of the one before it.
func inTurn(lists [][]Hit) []Hit {
	var out []Hit
	seen := make(map[int32]bool)
	for taken := true; taken && len(out) < considered; {
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
