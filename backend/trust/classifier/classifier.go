// Package classifier measures how much the sentences of an item resemble prompt injection, that is, orders that the
// user did not give. It finds sentences that the rules of package scan miss, by logistic regression over properties of
// a sentence: its vector, its words, its length, the rules that match it or its neighbours, its distance from the
// subject of the tool, and whether it is, for example, imperative. The table of weights is embedded in the program;
// make train-trust writes it.
//
// A score alone never blocks anything: scan.Judge combines scores and rules.
package classifier

import (
	"cmp"
	"math"
	"slices"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Rule is the rule of the finding that raise adds.
const Rule = "classifier"

// reason explains the finding that raise adds.
const reason = "This sentence resembles orders that tools give to models without the user's knowledge."

// raise replaces the verdict of the rules in a result with the verdict of scan.Judge. r.Sentences must be set, and
// vectors are the vectors of the sentences' Plain texts, in the same order. If the score raises the verdict or is high
// enough for a warning, raise adds a finding with the sentence of the highest score.
func raise(r *scan.Result, vectors [][]float32) {
	t := shipped()
	score, index := t.score(r.Sentences, vectors)
	verdict := scan.Judge(*r, score, t.Thresholds)
	if verdict > r.Verdict || score >= t.Thresholds.Hundredth {
		s := &r.Sentences[index]
		r.Findings = append(r.Findings, scan.Finding{
			Rule: Rule, Verdict: scan.Warn, Field: s.Field, Start: s.Start, End: s.End, Text: s.Text, Reason: reason,
		})
		slices.SortStableFunc(r.Findings, func(a, b scan.Finding) int {
			return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(b.Points, a.Points))
		})
	}
	r.Verdict = verdict
}

// score returns the highest score of the sentences of an item, as log odds, and the index of that sentence. vectors
// are the vectors of the sentences' Plain texts, in the same order. If there are no sentences, score returns negative
// infinity and -1.
func (t *table) score(sentences []scan.Sentence, vectors [][]float32) (best float64, index int) {
	best, index = math.Inf(-1), -1
	for i, features := range Features(sentences, vectors) {
		sum := t.Bias
		for k, weight := range t.Vector {
			sum += weight * float64(vectors[i][k])
		}
		for _, f := range features {
			sum += t.Features[f.Name] * f.Value
		}
		if sum > best {
			best, index = sum, i
		}
	}
	return best, index
}
