package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Reason is the contribution of one part of a tool to its score.
type Reason struct {
	Field string   // name, server, title, description, parameters, meaning, learned, mention or step
	Terms []string // matching words of the query, sorted
	// Points is the contribution. The points of all reasons of a hit add up to
	// its score.
	Points float64
}

// explain returns the reasons for a hit's score, the largest first.
func (r *ranking) explain(hit Hit) []Reason {
	if r.named[hit.at] >= misspelled {
		return []Reason{{Field: inName.String(), Terms: distinct(strings.Fields(strings.ToLower(r.asked.query))), Points: hit.Score}}
	}
	reasons := r.reasonsOfWords(hit.at)
	add := func(field string, terms []string, points float64) {
		if points > 0 {
			reasons = append(reasons, Reason{field, distinct(terms), points})
		}
	}
	add("meaning", nil, float64(r.meaning(hit.at)))
	add("learned", words(r.lifts[hit.at].Like), r.learned(hit.at))
	sum, mention := 0.0, r.phrase(hit.at)
	for _, reason := range reasons {
		sum += reason.Points
	}
	if r.named[hit.at] == mentioned {
		mention = max(mention, hit.Score-sum)
	}
	add("mention", words(hit.Tool.Name), mention)
	if len(reasons) == 0 { // the hit was found for a step, not for the whole query
		return []Reason{{Field: "step", Points: hit.Score}}
	}
	for i := range reasons { // scores are capped, and those of steps are weighted
		reasons[i].Points *= hit.Score / (sum + mention)
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Field, b.Field))
	})
	return reasons
}

// byWords returns the place of a tool among the allowed tools by words alone, as
// described at Hit.ByWords.
func (r *ranking) byWords(tool int32, allow func(*catalog.Tool) bool) int {
	if r.lexical[tool] == 0 {
		return 0
	}
	place := 1
	for i, t := range r.index.snapshot.Tools {
		if r.lexical[i] > r.lexical[tool] && (allow == nil || allow(t)) {
			place++
		}
	}
	return place
}

// distinct sorts words and removes duplicates, in place.
func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// reasonsOfWords divides the word score of a tool among its fields.
func (r *ranking) reasonsOfWords(tool int32) []Reason {
	total := float64(r.words(tool))
	if total == 0 {
		return nil
	}
	d := r.index.documents[tool]
	byName := make(map[string]*Reason)
	sum := 0.0
	for _, p := range r.parts {
		for _, t := range p.terms {
			worth := float64(t.weight * r.index.termWeight(tool, t.term))
			if worth == 0 {
				continue
			}
			whole := float32(0)
			weights := r.index.fieldWeights(d, t.term)
			for _, w := range weights {
				whole += w
			}
			for f, w := range weights {
				if w == 0 {
					continue
				}
				name := field(f).String()
				if byName[name] == nil {
					byName[name] = &Reason{Field: name}
				}
				points := worth * float64(w/whole)
				byName[name].Points += points
				byName[name].Terms = append(byName[name].Terms, p.word)
				sum += points
			}
		}
	}
	var out []Reason
	for _, reason := range byName {
		reason.Points *= total / sum
		reason.Terms = distinct(reason.Terms)
		out = append(out, *reason)
	}
	return out
}

// termWeight returns the weight of a term in a tool, 0 if the tool does not
// contain the term.
func (x *index) termWeight(tool, term int32) float32 {
	from, to := x.starts[term], x.starts[term+1]
	if at, ok := slices.BinarySearch(x.tools[from:to], tool); ok {
		return x.weights[int(from)+at]
	}
	return 0
}

// fieldWeights returns the weight of a term in each field of a document.
func (x *index) fieldWeights(d *document, term int32) [fields]float32 {
	var out [fields]float32
	for f := range fields {
		weight := x.wordWeight(d, f)
		for _, number := range d.in(f) {
			switch w := x.forms[number]; term {
			case w.stem:
				out[f] += weight * stemShare
			case w.surface:
				out[f] += weight * surfaceShare
			case w.kind:
				out[f] += weight * kindShare
			}
		}
	}
	return out
}
