package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// published has the ranks of the right tools in answers of Agent Discover with the published encoder, before the
// encoder was trained with needs for tools. eval -save FILE writes such a file.
//
//go:embed testdata/published.tsv
var published string

// before has earlier answers: by set and query, the ranks of the right tools among the first ten hits, from 1.
type before map[string]map[string][]int

// readBefore reads earlier answers. Each line has the set, the ID of the query, and the ranks, separated by commas.
func readBefore(text string) (before, error) {
	b := make(before)
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 3 {
			return nil, fmt.Errorf("line %d: want a set, a query and places, got %q", n, lines.Text())
		}
		if b[cells[0]] == nil {
			b[cells[0]] = make(map[string][]int)
		}
		places := []int{}
		for _, cell := range strings.FieldsFunc(cells[2], func(r rune) bool { return r == ',' }) {
			place, err := strconv.Atoi(cell)
			if err != nil || place < 1 || place > eval.Depth {
				return nil, fmt.Errorf("line %d: %q is not a place", n, cell)
			}
			places = append(places, place)
		}
		b[cells[0]][cells[1]] = places
	}
	return b, lines.Err()
}

// save writes to a file the ranks of the right tools in the answers of the search with embeddings; see
// readBefore.
func save(path string, trials []trial) error {
	var b bytes.Buffer
	for _, t := range trials {
		for i, q := range t.Queries {
			var places []string
			for at, hit := range t.answers[byMeaning][i].Hits[:min(len(t.answers[byMeaning][i].Hits), eval.Depth)] {
				if slices.Contains(q.Relevant, hit.ID) {
					places = append(places, strconv.Itoa(at+1))
				}
			}
			if len(q.Relevant) > 0 {
				fmt.Fprintf(&b, "%s\t%s\t%s\n", t.name, q.ID, strings.Join(places, ","))
			}
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// answer returns an answer that has right tools at the given ranks.
func answer(q eval.Query, places []int) eval.Answer {
	a := eval.Answer{Hits: make([]eval.Hit, eval.Depth)}
	for i, place := range places {
		a.Hits[place-1].ID = q.Relevant[i%len(q.Relevant)]
	}
	return a
}

// changes returns a Markdown table that compares the measures of the earlier answers with those of the present
// ones, and counts the queries whose first hit has become right or wrong.
func (b before) changes(trials []trial) string {
	var out strings.Builder
	out.WriteString("\nWith the published encoder and with the trained one (R@1 / R@10), and the queries whose first hit has become " +
		"right or wrong; p\n" +
		"is the chance of a difference at least as large if both were equally good (sign test).\n\n" +
		"| set | queries | published | trained | won | lost | p |\n|---|---|---|---|---|---|---|\n")
	for _, t := range trials {
		if b[t.name] == nil || t.answers[byMeaning] == nil {
			continue
		}
		for _, r := range append(t.rows(), t.styles()...) {
			if cells := b.compare(t, r); cells != "" {
				fmt.Fprintf(&out, "| %s | %s |\n", r.name, cells)
			}
		}
	}
	return out.String()
}

// compare returns the cells of a row, and "" if there are no earlier answers to its queries.
func (b before) compare(t trial, r row) string {
	var asked []eval.Query
	var then, now []eval.Answer
	won, lost := 0, 0
	for i, q := range t.Queries {
		places, ok := b[t.name][q.ID]
		if !ok || len(q.Relevant) == 0 || !r.wanted(q) {
			continue
		}
		was, is := answer(q, places), t.answers[byMeaning][i]
		asked, then, now = append(asked, q), append(then, was), append(now, is)
		switch was, is := firstRight(q, was), firstRight(q, is); {
		case is && !was:
			won++
		case was && !is:
			lost++
		}
	}
	if len(asked) == 0 {
		return ""
	}
	first, second := eval.Measure(asked, then).All, eval.Measure(asked, now).All
	return fmt.Sprintf("%d | %s / %s | %s / %s | %d | %d | %s", len(asked), short(first.R1), short(first.R10), short(second.R1),
		short(second.R10), won, lost, chanceOf(signTest(won, lost)))
}

// chanceOf formats a probability.
func chanceOf(p float64) string {
	if p < 0.001 {
		return "< .001"
	}
	return short(p)
}

func firstRight(q eval.Query, a eval.Answer) bool {
	return len(a.Hits) > 0 && slices.Contains(q.Relevant, a.Hits[0].ID)
}

// signTest returns the two-sided probability that at least max(won, lost) of won+lost fair coins show the same
// side.
func signTest(won, lost int) float64 {
	n, sum := won+lost, 0.0
	whole, _ := math.Lgamma(float64(n + 1))
	for k := max(won, lost); k <= n; k++ {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(whole - a - b - float64(n)*math.Ln2)
	}
	return min(2*sum, 1)
}

// styleNames are the kinds of wording in a set's styles.tsv.
var styleNames = []struct{ letter, name string }{
	{"L", "shares words with the tool"}, {"P", "paraphrase"}, {"I", "indirect need"},
}

// styles returns a row for each style of wording in the set's file styles.tsv, and one for the queries that only
// tools of servers without training data satisfy.
func (t trial) styles() []row {
	of := make(map[string]string)
	text, _ := os.ReadFile(filepath.Join(t.folder, "styles.tsv")) // most sets have none
	for line := range strings.Lines(string(text)) {
		if id, style, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			of[id] = style
		}
	}
	var rows []row
	if len(of) > 0 {
		for _, s := range styleNames {
			rows = append(rows, row{"– intent, " + s.name, func(q eval.Query) bool { return of[q.ID] == s.letter }})
		}
	}
	if servers := unwritten(); len(servers) > 0 {
		rows = append(rows, row{"– intent, servers without training data", func(q eval.Query) bool {
			return q.Kind == "intent" && !slices.ContainsFunc(q.Relevant, func(id string) bool {
				server, _, _ := strings.Cut(id, "/")
				return !slices.Contains(servers, server)
			})
		}})
	}
	return rows
}

// unwritten returns the servers without training data.
func unwritten() []string {
	root, _ := reference.Repository()
	text, _ := os.ReadFile(filepath.Join(root, "build", "model", "data", "unwritten.txt"))
	return strings.Fields(string(text))
}
