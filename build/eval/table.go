package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// row is one line of the first table: a set, or a part of it.
type row struct {
	name   string
	wanted func(eval.Query) bool
}

// tables are what the engines came to, in Markdown.
func tables(trials []trial) string {
	var b strings.Builder
	b.WriteString("\nR@1 / R@5 / nDCG@10; of what needs several tools, R@5 is the share that is there.\n\n" +
		"| set | queries | FTS5, as agent-discover 1.4 | bleve, as mcpproxy-go | ours, words alone | ours, with meaning |\n|---|---|---|---|---|---|\n")
	for _, t := range trials {
		for _, r := range t.rows() {
			queries, cells := t.cells(r)
			fmt.Fprintf(&b, "| %s | %d | %s |\n", r.name, queries, strings.Join(cells, " | "))
		}
	}
	b.WriteString("\nOurs, in detail: what a search takes, what is told no match (precision, recall, and right answers lost by it),\n" +
		"and how often the first hit is right by what was said of it.\n\n" +
		"| set | median, p95 | no match | lost | high | medium | low |\n|---|---|---|---|---|---|---|\n")
	for _, t := range trials {
		for _, i := range []int{byWords, byMeaning} {
			if t.answers[i] != nil {
				fmt.Fprintf(&b, "| %s, %s | %s |\n", t.name, ours[i], strings.Join(detail(eval.Measure(t.Queries, t.answers[i])), " | "))
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

// rows are the set as a whole, and its kinds, with foreign languages apart:
// no search by words alone can follow them.
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

// ours are our two engines, as the second table calls them.
var ours = map[int]string{byWords: "words", byMeaning: "meaning"}

const foreign = "foreign"

// cells are the measures of a row, and of how many queries they are.
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

func detail(r eval.Report) []string {
	n := r.NoMatch
	told := "–"
	if n.Unlabeled > 0 {
		told = fmt.Sprintf("%s, %s", short(n.Precision), short(n.Recall))
	}
	cells := []string{
		fmt.Sprintf("%.2f, %.2f ms", r.Latency.Median, r.Latency.P95), told, fmt.Sprintf("%.1f %%", 100*n.LostShare),
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

// short is a share to three places, without the zero before the point.
func short(share float64) string {
	return strings.TrimPrefix(fmt.Sprintf("%.3f", share), "0")
}
