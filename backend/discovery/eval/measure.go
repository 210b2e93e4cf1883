package eval

import (
	"math"
	"slices"
	"time"
)

// Report is the result of measuring an engine.
type Report struct {
	Queries int        `json:"queries"`
	All     Measures   `json:"all"`
	Kinds   []Measures `json:"kinds"` // in the order of their first query; empty if no query has a kind
	NoMatch NoMatch    `json:"no_match"`
	// Calibration has an entry for each confidence that occurs.
	Calibration []Confidence `json:"calibration"`
	Latency     Latency      `json:"latency_ms"`
}

// Measures are means over the queries with labels, from 0 to 1. Rankings count
// even if the engine found no match. For a query of the kind multi, recall is
// the share of its labels that is found; for others, one right tool is enough.
type Measures struct {
	Kind    string  `json:"kind,omitempty"`
	Queries int     `json:"queries"`
	R1      float64 `json:"r_at_1"`
	R5      float64 `json:"r_at_5"`
	R10     float64 `json:"r_at_10"`
	NDCG    float64 `json:"ndcg_at_10"`
	MRR     float64 `json:"mrr"` // over the first ten hits
}

// NoMatch measures how well an engine recognizes that no tool is right.
type NoMatch struct {
	Told      int     `json:"told"`      // queries for which the engine found no match
	Unlabeled int     `json:"unlabeled"` // queries for which no tool is right
	Correct   int     `json:"correct"`   // queries for which the engine found no match and no tool is right
	Precision float64 `json:"precision"` // Correct / Told; 0 if Told is 0
	Recall    float64 `json:"recall"`    // Correct / Unlabeled; 0 if Unlabeled is 0
	// Lost counts queries for which the engine found no match although its best
	// hit was right. LostShare is their share of the queries with labels.
	Lost      int     `json:"lost"`
	LostShare float64 `json:"lost_share"`
}

// Confidence measures how often the best hit is right among the queries that were
// answered with the same level of confidence.
type Confidence struct {
	Label   string  `json:"label"`
	Queries int     `json:"queries"`
	Right   float64 `json:"right"` // share of the queries whose best hit is right, also for "none"
}

// Latency is the duration of a search, in milliseconds.
type Latency struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// labels lists the levels of confidence, the highest first.
var labels = []string{"high", "medium", "low", "none"}

// Measure compares the answers with the labels of their queries.
func Measure(queries []Query, answers []Answer) Report {
	report := Report{Queries: len(queries), Kinds: []Measures{}, Latency: latency(answers)}
	var kinds []string
	for _, q := range queries {
		if q.Kind != "" && len(q.Relevant) > 0 && !slices.Contains(kinds, q.Kind) {
			kinds = append(kinds, q.Kind)
		}
	}
	report.All = means(queries, answers, func(Query) bool { return true })
	for _, kind := range kinds {
		m := means(queries, answers, func(q Query) bool { return q.Kind == kind })
		m.Kind = kind
		report.Kinds = append(report.Kinds, m)
	}
	report.NoMatch = noMatch(queries, answers)
	report.Calibration = calibration(queries, answers)
	return report
}

// means returns the measures of the queries for which wanted returns true.
func means(queries []Query, answers []Answer, wanted func(Query) bool) Measures {
	var m Measures
	for i, q := range queries {
		if len(q.Relevant) == 0 || !wanted(q) {
			continue
		}
		hits := make([]bool, min(len(answers[i].Hits), Depth)) // which of the first hits are right
		for j := range hits {
			hits[j] = slices.Contains(q.Relevant, answers[i].Hits[j].ID)
		}
		m.Queries++
		m.R1 += recall(q, hits, 1)
		m.R5 += recall(q, hits, 5)
		m.R10 += recall(q, hits, 10)
		ideal := slices.Repeat([]bool{true}, min(len(q.Relevant), Depth)) // the best possible ranking: every hit is a right tool
		m.NDCG += gain(hits) / gain(ideal)
		if first := slices.Index(hits, true); first >= 0 {
			m.MRR += 1 / float64(first+1)
		}
	}
	n := float64(max(m.Queries, 1))
	m.R1, m.R5, m.R10, m.NDCG, m.MRR = m.R1/n, m.R5/n, m.R10/n, m.NDCG/n, m.MRR/n
	return m
}

// recall returns 1 if a right tool is among the first k hits, otherwise 0. For
// queries of the kind multi, it returns the number of right tools among the first k
// hits, divided by the largest possible number.
func recall(q Query, hits []bool, k int) float64 {
	found := 0
	for _, right := range hits[:min(len(hits), k)] {
		if right {
			found++
		}
	}
	if q.Kind == "multi" {
		return float64(found) / float64(min(len(q.Relevant), k))
	}
	return float64(min(found, 1))
}

// gain returns the discounted cumulative gain with gains of 0 and 1: Järvelin
// and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (2002).
func gain(hits []bool) float64 {
	sum := 0.0
	for i, right := range hits {
		if right {
			sum += 1 / math.Log2(float64(i)+2)
		}
	}
	return sum
}

// rightFirst reports whether the best hit is right.
func rightFirst(q Query, a Answer) bool {
	return len(a.Hits) > 0 && slices.Contains(q.Relevant, a.Hits[0].ID)
}

// noMatch measures how well the answers without a match agree with the labels.
func noMatch(queries []Query, answers []Answer) NoMatch {
	var m NoMatch
	for i, q := range queries {
		none, rejected := len(q.Relevant) == 0, !answers[i].Found
		if none {
			m.Unlabeled++
		}
		if rejected {
			m.Told++
		}
		if rejected && none {
			m.Correct++
		}
		if rejected && rightFirst(q, answers[i]) {
			m.Lost++
		}
	}
	m.Precision, m.Recall = share(m.Correct, m.Told), share(m.Correct, m.Unlabeled)
	m.LostShare = share(m.Lost, len(queries)-m.Unlabeled)
	return m
}

// calibration measures the answers of each level of confidence that occurs.
func calibration(queries []Query, answers []Answer) []Confidence {
	out := []Confidence{}
	for _, label := range labels {
		count, right := 0, 0
		for i, q := range queries {
			if answers[i].Confidence != label {
				continue
			}
			count++
			if rightFirst(q, answers[i]) {
				right++
			}
		}
		if count > 0 {
			out = append(out, Confidence{label, count, share(right, count)})
		}
	}
	return out
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// latency returns percentiles by the nearest-rank method.
func latency(answers []Answer) Latency {
	if len(answers) == 0 {
		return Latency{}
	}
	times := make([]time.Duration, len(answers))
	for i, a := range answers {
		times[i] = a.Took
	}
	slices.Sort(times)
	at := func(p float64) float64 {
		i := int(math.Ceil(p*float64(len(times)))) - 1
		return Milliseconds(times[max(i, 0)])
	}
	return Latency{at(0.5), at(0.95), at(1)}
}

// Milliseconds returns a duration in milliseconds, rounded to the microsecond.
func Milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }
