package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// row is a row of the first table: a set or a part of it.
type row struct {
	name   string
	wanted func(eval.Query) bool
}

// tables returns the measures of the trials as Markdown.
func tables(trials []trial) string {
	var b strings.Builder
	b.WriteString("\nR@1 / R@5 / nDCG@10; for queries that need several tools, R@5 is the share that is found.\n\n" +
		"| set | queries | FTS5, as agent-discover 1.4 | bleve, as mcpproxy-go | Agent Discover, words alone | Agent Discover, with " +
		"embeddings |\n|---|---|---|---|---|---|\n")
	for _, t := range trials {
		for _, r := range t.rows() {
			queries, cells := t.cells(r)
			fmt.Fprintf(&b, "| %s | %d | %s |\n", r.name, queries, strings.Join(cells, " | "))
		}
	}
	b.WriteString("\nAgent Discover in detail: R@10, the duration of a search, the answer \"no match\" (precision, recall, which is the " +
		"share of\n" +
		"impossible needs that it rejects, the share of possible ones that it refuses, and of right first hits that are lost by it), " +
		"and\n" +
		"how often the first hit is right, by confidence.\n\n" +
		"| set | R@10 | median, p95 | no match | refused | lost | high | medium | low |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range trials {
		for _, i := range []int{byWords, byMeaning} {
			if t.answers[i] != nil {
				fmt.Fprintf(&b, "| %s, %s | %s |\n", t.name, modes[i], strings.Join(detail(eval.Measure(t.Queries, t.answers[i])), " | "))
			}
		}
	}
	b.WriteString("\n")
	for _, t := range trials {
		if t.origin != "" {
			fmt.Fprintf(&b, "- %s (%d tools): %s\n", t.name, len(t.Tools), t.origin)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// rows returns a row for the whole set and one for each kind of query. If the set has queries in foreign languages,
// which no search with words only can answer, there is also a row without them.
func (t trial) rows() []row {
	all := []row{{t.name, func(eval.Query) bool { return true }}}
	var kinds []string
	for _, q := range t.Queries {
		if q.Kind != "" && len(q.Relevant) > 0 && !slices.Contains(kinds, q.Kind) {
			kinds = append(kinds, q.Kind)
		}
	}
	if slices.Contains(kinds, foreign) {
		all = append(all, row{t.name + " without " + foreign, func(q eval.Query) bool { return q.Kind != foreign }})
	}
	for _, kind := range kinds {
		all = append(all, row{"– " + kind, func(q eval.Query) bool { return q.Kind == kind }})
	}
	return all
}

// modes are the names of the two modes of Agent Discover in the second table.
var modes = map[int]string{byWords: "words", byMeaning: "meaning"}

const foreign = "foreign"

// cells returns the measures of each engine for a row, and the number of
// queries.
func (t trial) cells(r row) (queries int, cells []string) {
	for _, answers := range t.answers {
		if answers == nil {
			cells = append(cells, "–")
			continue
		}
		var asked []eval.Query
		var got []eval.Answer
		for i, q := range t.Queries {
			if r.wanted(q) {
				asked, got = append(asked, q), append(got, answers[i])
			}
		}
		m := eval.Measure(asked, got).All
		queries = m.Queries
		cells = append(cells, fmt.Sprintf("%s / %s / %s", short(m.R1), short(m.R5), short(m.NDCG)))
	}
	return queries, cells
}

// detail returns the cells of a row in the second table.
func detail(r eval.Report) []string {
	n := r.NoMatch
	noMatch := "–"
	if n.Unlabeled > 0 {
		noMatch = fmt.Sprintf("%s, %s", short(n.Precision), short(n.Recall))
	}
	cells := []string{
		short(r.All.R10), fmt.Sprintf("%.2f, %.2f ms", r.Latency.Median, r.Latency.P95), noMatch,
		fmt.Sprintf("%.1f %%", 100*float64(n.Told-n.Correct)/float64(max(r.All.Queries, 1))), fmt.Sprintf("%.1f %%", 100*n.LostShare),
	}
	for _, label := range []string{"high", "medium", "low"} {
		cell := "–"
		for _, c := range r.Calibration {
			if c.Label == label {
				cell = fmt.Sprintf("%s of %d", short(c.Right), c.Queries)
			}
		}
		cells = append(cells, cell)
	}
	return cells
}

// short formats a share with three decimals and without the leading zero.
func short(share float64) string {
	return strings.TrimPrefix(fmt.Sprintf("%.3f", share), "0")
}
