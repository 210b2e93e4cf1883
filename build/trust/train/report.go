package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

const tableHead = `
| judged | cases | rules | head above t(1 %) | rules and head |
|---|---|---|---|---|
`

// tally counts verdicts on the documents of a set.
type tally struct{ all, rulesBlock, rulesWarn, head, block, warn int }

func (t *tally) add(rules, both scan.Verdict, above bool) {
	t.all++
	for _, c := range []struct {
		is    bool
		count *int
	}{
		{rules == scan.Block, &t.rulesBlock},
		{rules >= scan.Warn, &t.rulesWarn},
		{above, &t.head},
		{both == scan.Block, &t.block},
		{both >= scan.Warn, &t.warn},
	} {
		if c.is {
			*c.count++
		}
	}
}

// tallies has a tally for each row of the report, by the row's name.
type tallies map[string]*tally

// count counts verdicts. If hand is not empty, it counts only the poisoned documents of that author.
func count(documents []document, scores []float64, limits scan.Thresholds, hand string) tallies {
	t := make(tallies)
	for i := range documents {
		d := &documents[i]
		var rules, both scan.Verdict
		for _, r := range d.results {
			rules = max(rules, r.Verdict)
			both = max(both, scan.Judge(r, scores[i], limits))
		}
		for _, name := range d.rowNames(hand) {
			if t[name] == nil {
				t[name] = &tally{}
			}
			t[name].add(rules, both, scores[i] >= limits.Hundredth)
		}
	}
	return t
}

// rowNames returns the rows of the report that count a document.
func (d *document) rowNames(hand string) []string {
	own := d.trains() && d.poisoned
	switch {
	case hand != "":
		if own && !d.laid && d.hand() == hand {
			return []string{"hand " + hand + ", trained on the other"}
		}
		return nil
	case own && d.laid:
		return []string{"poisoned, kind left out, in real tools"}
	case own:
		return []string{"poisoned, kind left out", "– " + d.kind}
	case d.trains():
		return []string{d.set + ", left out"}
	}
	return []string{d.set}
}

// String returns the rows of the report.
func (t tallies) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		c := t[name]
		share := func(n int) string { return fmt.Sprintf("%.3f", float64(n)/float64(c.all)) }
		fmt.Fprintf(&b, "| %s | %d | %s / %s | %s | %s / %s |\n", name, c.all, share(c.rulesBlock), share(c.rulesWarn), share(c.head),
			share(c.block), share(c.warn))
	}
	return b.String()
}

// The lines around the report in a file.
const (
	reportBegin = "<!-- report -->\n"
	reportEnd   = "<!-- /report -->"
)

// replace replaces the lines between reportBegin and reportEnd in a file.
func replace(file, report string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(reportBegin))
	_, after, closed := bytes.Cut(rest, []byte(reportEnd))
	if !ok || !closed {
		return fmt.Errorf("%s has no lines %q and %q", file, strings.TrimSpace(reportBegin), reportEnd)
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, []byte(reportBegin + report + "\n" + reportEnd), after}, nil), 0o644)
}
