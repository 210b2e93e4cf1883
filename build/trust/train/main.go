// Command train fits the table of backend/trust/classifier: a logistic regression over the sentences in
// build/trust/data, which are poisoned or resemble poisoned ones, and those of clean tools of real servers in the
// folders trust and catalog of AGENT_DISCOVER_SHARED. It does not train on the labelled sets that measure the result.
//
// It also prints how well such weights judge sentences that they were not trained on. Each kind of instruction and
// each server is judged with weights that were trained without it. The sentences of each of two authors are judged
// with weights that were trained on the sentences of the other. The labelled sets are judged with the final weights.
//
// The same inputs give the same table.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

func main() {
	data := flag.String("data", "build/trust/data", "the folder with the sentences")
	to := flag.String("to", "backend/trust/classifier/table.json", "write the table to this file")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "agent-discover-train-trust.gob"),
		"keep vectors in this file; empty for none")
	report := flag.String("readme", "", "write the report to this file, between its markers")
	flag.Parse()
	if err := run(*data, *to, *cache, *report); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(data, to, cache, readme string) error {
	documents, err := read(data)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "train: computing vectors")
	vectors, err := encode(documents, cache)
	if err != nil {
		return err
	}
	m := newMatrix(documents, vectors)
	fmt.Fprintf(os.Stderr, "train: %d documents, %d columns\n", len(documents), m.columns())
	all := func(*document) bool { return true }
	full := m.train(all)
	scores := m.leftOut(full, all)
	limits := thresholds(documents, scores)
	table, err := m.table(full, limits).Marshal()
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, append(table, '\n'), 0o644); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString(count(documents, scores, limits, "").String())
	for _, hand := range []string{"a", "b"} {
		other := func(d *document) bool { return !d.poisoned || d.hand() != hand }
		weights := m.train(other)
		scores := m.leftOut(weights, other)
		b.WriteString(count(documents, scores, thresholds(documents, scores), hand).String())
	}
	fmt.Print(b.String())
	if readme == "" {
		return nil
	}
	return replace(readme, b.String())
}

// read returns the training data, the clean tools, and the labelled sets.
func read(data string) ([]document, error) {
	trust, ok := reference.Find("trust")
	if !ok {
		return nil, errors.New("no clean tools: set AGENT_DISCOVER_SHARED to the folder that contains trust and catalog")
	}
	shared := filepath.Dir(trust)
	documents, hosts, err := catalogue(shared)
	if err != nil {
		return nil, err
	}
	own, err := ownData(data, hosts)
	if err != nil {
		return nil, err
	}
	labelled, err := foreign(shared)
	return slices.Concat(documents, own, labelled), err
}

// margin is the least distance between the score of a clean tool about which the rules warn and the threshold
// Confirming, from which on the classifier blocks a tool about which the rules warn.
const margin = .1

// thresholds returns the scores that 3 %, 1 % and 2 ‰ of the clean tools of real servers exceed. It also returns the
// score from which on the classifier blocks a tool about which the rules warn.
func thresholds(documents []document, scores []float64) scan.Thresholds {
	var clean []float64
	for i := range documents {
		if documents[i].set == catalogueSet {
			clean = append(clean, scores[i])
		}
	}
	slices.Sort(clean)
	above := func(share float64) float64 {
		return math.Nextafter(clean[len(clean)-1-int(share*float64(len(clean)))], math.Inf(1))
	}
	t := scan.Thresholds{Some: above(.03), Hundredth: above(.01), Thousandth: above(.002)}
	t.Confirming = t.Hundredth
	for i := range documents {
		if d := &documents[i]; d.set == catalogueSet && d.results[0].Verdict == scan.Warn {
			t.Confirming = max(t.Confirming, scores[i]+margin)
		}
	}
	return t
}

// table converts weights to the form of package classifier.
func (m *matrix) table(weights []float64, t scan.Thresholds) classifier.Weights {
	w := classifier.Weights{Bias: weights[m.columns()], Features: make(map[string]float64), Thresholds: t}
	for _, x := range weights[:minilm.Dimensions] {
		w.Vector = append(w.Vector, x*scales["vector"])
	}
	for _, name := range slices.Sorted(maps.Keys(m.features)) {
		w.Features[name] = weights[m.features[name]] * scaleOf(name)
	}
	return w
}
