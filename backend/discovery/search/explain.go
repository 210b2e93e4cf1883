package search

import (
	"cmp"
	"slices"
	"strings"
)

// Reason is what one part of a tool has to do with its score.
type Reason struct {
	Field string   // name, server, title, description, parameters, meaning, learned, mention or step
	Terms []string // words of the query that are there, or others of their kind; sorted
	// Points are this part's share of the score: all reasons of a hit add up
	// to it.
	Points float64
}

// explain returns what the parts of a tool have to do with its score, the
// weightiest first.
func (r *ranking) explain(hit Hit) []Reason {
	if r.named[hit.at] >= spelt {
		return []Reason{{Field: inName.String(), Terms: distinct(strings.Fields(strings.ToLower(r.query))), Points: hit.Score}}
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
	if len(reasons) == 0 { // only a step is near it, not the whole
		return []Reason{{Field: "step", Points: hit.Score}}
	}
	for i := range reasons { // a score has a ceiling, and that of a step is weighed
		reasons[i].Points *= hit.Score / (sum + mention)
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Field, b.Field))
	})
	return reasons
}

func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// reasonsOfWords shares what the words of a tool add to its score among its
// fields.
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
			worth := float64(t.of * r.index.worth(tool, t.term))
			if worth == 0 {
				continue
			}
			whole := float32(0)
			weights := r.index.weights(d, t.term)
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

// worth is what a term is worth to a tool.
func (x *index) worth(tool, term int32) float32 {
	from, to := x.starts[term], x.starts[term+1]
	if at, ok := slices.BinarySearch(x.tools[from:to], tool); ok {
		return x.worths[int(from)+at]
	}
	return 0
}

// weights is what a term counts for in each field of a document.
func (x *index) weights(d *document, term int32) [fields]float32 {
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
