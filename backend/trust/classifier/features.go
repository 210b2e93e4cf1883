package classifier

import (
	"math"
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Feature is a property of a sentence and its strength.
type Feature struct {
	Name  string
	Value float64
}

// Features returns the properties of each sentence of an item, except for its vector. vectors are the vectors of the
// sentences' Plain texts, in the same order.
func Features(sentences []scan.Sentence, vectors [][]float32) [][]Feature {
	foreignness := offTopic(vectors)
	list := make([][]Feature, len(sentences))
	for i := range sentences {
		s := &sentences[i]
		f := features{{"length", float64(min(s.Words, 60)) / 30}, {"off-topic", foreignness[i]}}
		f.notes(s)
		for _, rule := range s.Rules {
			f.add("rule:" + rule)
		}
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(sentences) || sentences[k].Field != s.Field {
				continue
			}
			for _, rule := range sentences[k].Rules {
				f.add("beside:" + rule)
			}
		}
		f.words(s.Plain)
		list[i] = f.unique()
	}
	return list
}

type features []Feature

func (f *features) add(name string) { *f = append(*f, Feature{name, 1}) }

func (f *features) notes(s *scan.Sentence) {
	for _, note := range []struct {
		name string
		is   bool
	}{
		{"obligation", s.Obligation},
		{"imperative", s.Imperative},
		{"this", s.This},
		{"sibling", s.Sibling},
		{"foreign", s.Foreign},
		{"foreign order", s.Foreign && (s.Obligation || s.Imperative)},
		{"parameter", strings.Contains(s.Field, "/properties/")},
		{
			"value", strings.HasSuffix(s.Field, "/title") || strings.HasSuffix(s.Field, "/default") ||
				strings.Contains(s.Field, "/enum/") || strings.HasSuffix(s.Field, "/const"),
		},
	} {
		if note.is {
			f.add("note:" + note.name)
		}
	}
}

// words adds the words of a sentence and its pairs of neighbouring words.
func (f *features) words(plain string) {
	last := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(plain), func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }) {
		f.add("word:" + word)
		if last != "" {
			f.add("word:" + last + " " + word)
		}
		last = word
	}
}

// unique returns the features without repetitions.
func (f features) unique() features {
	seen := make(map[string]bool, len(f))
	out := f[:0]
	for _, feature := range f {
		if !seen[feature.Name] {
			seen[feature.Name] = true
			out = append(out, feature)
		}
	}
	return out
}

// usualNearness is the usual similarity of a sentence to the other sentences of its tool.
const usualNearness = .35

// offTopic returns how much less than usual each vector resembles the mean of the others; 0 for a single vector.
func offTopic(vectors [][]float32) []float64 {
	out := make([]float64, len(vectors))
	if len(vectors) < 2 {
		return out
	}
	sum := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += x
		}
	}
	for k, v := range vectors {
		var product, square float64
		for i, x := range v {
			rest := float64(sum[i] - x)
			product += float64(x) * rest
			square += rest * rest
		}
		if square > 0 {
			out[k] = usualNearness - product/math.Sqrt(square)
		}
	}
	return out
}
