// Package classifier answers how much the sentences of an item resemble orders that the user did not give. It is a logistic
// regression over sentences, for what the rules of package scan do not name: the vector of a sentence, its words, what
// the rules and notes say about it and about its neighbours, its length, and how far it is from the subject of the tool.
// A table in the program holds the weights; make train-trust writes it.
//
// A score alone never blocks anything. How scores and rules are combined is decided in scan.Judge.
package classifier

import (
	"cmp"
	"math"
	"slices"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Rule is the rule of the finding that Raise adds.
const Rule = "classifier"

// reason explains that finding.
const reason = "This sentence resembles orders that tools give to models without the user's knowledge."

// Raise replaces the verdict of the rules in a result by that of scan.Judge. The result needs its sentences, and their
// vectors. If the score counts as a reason, Raise adds a finding with the sentence.
func Raise(r *scan.Result, vectors [][]float32) {
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

// score returns the highest score of the sentences of an item, as log odds, and the index of that sentence. vectors are
// those of the sentences' Plain texts, in the same order. Without sentences, it returns negative infinity and -1.
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
