package scan

import (
	"cmp"
	"slices"
)

// The numbers of points from which findings lead to a verdict.
const (
	heavy    = 3.0 // one rule with so many points blocks
	middling = 2.0 // one rule with so many points warns, two block
	sumBlock = 3.5 // this sum of all rules blocks if one rule has at least middling points
	sumWarn  = 3.0
)

// judge returns the points of an item and the verdict on it. The points are the sum of
// the highest points of each rule.
func judge(findings []Finding) (sum float64, v Verdict) {
	best := make(map[string]float64)
	for _, f := range findings {
		if f.Points == 0 {
			v = max(v, f.Verdict)
			continue
		}
		best[f.Rule] = max(best[f.Rule], f.Points)
	}
	high, mid := 0, 0
	for _, points := range best {
		sum += points
		switch {
		case points >= heavy:
			high++
		case points >= middling:
			mid++
		}
	}
	switch {
	case high > 0, mid > 1, mid > 0 && sum >= sumBlock:
		v = Block
	case mid > 0, sum >= sumWarn:
		v = max(v, Warn)
	case sum > 0:
		v = max(v, Note)
	}
	return sum, v
}

// verdictOf returns the verdict that follows from the points of one finding alone.
func verdictOf(points float64) Verdict {
	switch {
	case points >= heavy:
		return Block
	case points >= middling:
		return Warn
	case points > 0:
		return Note
	}
	return None
}

// mostFindings limits the findings of an item: more would not help a person.
const mostFindings = 40

// strongest sorts findings by weight. It keeps the three strongest findings of
// each rule, and at most mostFindings in all.
func strongest(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(b.Points, a.Points))
	})
	count := make(map[string]int)
	findings = slices.DeleteFunc(findings, func(f Finding) bool {
		count[f.Rule]++
		return count[f.Rule] > 3
	})
	return findings[:min(len(findings), mostFindings)]
}
