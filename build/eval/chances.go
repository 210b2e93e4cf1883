package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// levels are the thresholds for probabilities in confidence.go: below found a search reports no match, and from
// medium and high on it reports medium and high confidence. found has a value for few and for many tools.
type levels struct {
	found        [2]float64
	medium, high float64
}

// foundAt returns the least probability with which a sample counts as a match.
func (l levels) foundAt(s sample) float64 { return l.found[0] + (l.found[1]-l.found[0])*s.crowd }

// chances are the regressions for the probability that a right tool exists, and
// that the best hit is right.
type chances struct{ any, best regression }

func chancesOf(known []sample) chances {
	return chances{any: fit(forAny(known)), best: fit(forBest(known))}
}

// forBest returns the examples for "the best hit is right": all samples.
// Queries without a right tool count half.
func forBest(known []sample) []example {
	out := weighed(known, func(sample) bool { return true }, func(s sample) bool { return s.right })
	for i, s := range known {
		if s.none {
			out[i].weight /= 2
		}
	}
	return out
}

// forAny returns the examples for "a right tool exists": all samples, even those whose first hit is wrong, because a
// wrong hit usually resembles the right tool.
func forAny(known []sample) []example {
	return weighed(known, func(sample) bool { return true }, func(s sample) bool { return !s.none })
}

// weighed returns examples for the samples that use selects, labelled by yes. In each set, the samples with a right
// tool have the total weight weightOf, and so have the samples without one. All weights are then scaled so that their
// mean is 1.
func weighed(known []sample, use, yes func(sample) bool) []example {
	type group struct {
		set  string
		none bool
	}
	counts, used, total := make(map[group]float64), 0.0, 0.0
	for _, s := range known {
		if use(s) {
			counts[group{s.set, s.none}]++
			used++
		}
	}
	for g := range counts {
		total += weightOf(g.set)
	}
	var out []example
	for _, s := range known {
		if use(s) {
			out = append(out, example{s.features, yes(s), weightOf(s.set) / counts[group{s.set, s.none}] * used / total})
		}
	}
	return out
}

// unseen returns the probabilities of each sample according to regressions that were fitted without the sample:
// five-fold cross-validation, averaged over several random divisions.
func unseen(known []sample) (best, any []float64) {
	const parts, deals = 5, 3
	best, any = make([]float64, len(known)), make([]float64, len(known))
	for deal := range deals {
		of := dealt(known, parts, uint64(deal))
		for part := range parts {
			c := chancesOf(where(known, func(i int) bool { return of[i] != part }))
			for i, s := range known {
				if of[i] == part {
					best[i] += c.best.of(s.features) / deals
					any[i] += c.any.of(s.features) / deals
				}
			}
		}
	}
	return best, any
}

// dealt divides the samples at random into parts and returns the part of each sample. Each part has the same share
// of each set, and of the queries without a right tool.
func dealt(known []sample, parts int, seed uint64) []int {
	type group struct {
		set  string
		none bool
	}
	members := make(map[group][]int)
	for i, s := range known {
		g := group{s.set, s.none}
		members[g] = append(members[g], i)
	}
	out := make([]int, len(known))
	for _, at := range members {
		for i, part := range folds(len(at), parts, seed) {
			out[at[i]] = part
		}
	}
	return out
}

// withoutSet returns the probabilities of each sample according to regressions that were fitted without its set.
func withoutSet(known []sample) (best, any []float64) {
	best, any = make([]float64, len(known)), make([]float64, len(known))
	for _, name := range names(known) {
		c := chancesOf(where(known, func(i int) bool { return known[i].set != name }))
		for i, s := range known {
			if s.set == name {
				best[i], any[i] = c.best.of(s.features), c.any.of(s.features)
			}
		}
	}
	return best, any
}

// where returns the samples for whose index wanted returns true.
func where(known []sample, wanted func(i int) bool) []sample {
	var out []sample
	for i, s := range known {
		if wanted(i) {
			out = append(out, s)
		}
	}
	return out
}

// names returns the names of the sets, in the order of the samples.
func names(known []sample) []string {
	var out []string
	for _, s := range known {
		if len(out) == 0 || out[len(out)-1] != s.set {
			out = append(out, s.set)
		}
	}
	return out
}

// figures returns a Markdown table of how often the search would be right with these
// thresholds, for samples that the regressions were not fitted to.
func figures(mode string, known []sample, at levels) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n%s: no match below %.2f with few and %.2f with many tools, medium from %.2f, high from %.2f. For each confidence: how often "+
			"the first hit is right, and its share of the queries with a tool.\n\n"+
			"| set | queries with and without a tool | recall of no match | recall on the set's own | queries with a tool lost | right "+
			"answers lost | high | medium | low | without a tool, high |\n|---|---|---|---|---|---|---|---|---|---|\n",
		mode, at.found[0], at.found[1], at.medium, at.high)
	for _, way := range []struct {
		name   string
		unseen func([]sample) (best, any []float64)
	}{{"five parts", unseen}, {"without the set", withoutSet}} {
		if way.name != "five parts" && len(names(known)) < 2 {
			continue
		}
		best, any := way.unseen(known)
		for _, set := range names(known) {
			fmt.Fprintf(&b, "| %s, %s | %s |\n", set, way.name, strings.Join(cells(known, set, best, any, at), " | "))
		}
	}
	return b.String()
}

// cells returns the cells of a set's row.
func cells(known []sample, set string, best, any []float64, at levels) []string {
	var all, allLost, none, rejected, own, ownRejected, right, lost, noneHigh float64
	var count, good [3]float64 // high, medium, low
	for i, s := range known {
		if s.set != set {
			continue
		}
		found := any[i] >= at.foundAt(s)
		label := 2
		if best[i] >= at.high {
			label = 0
		} else if best[i] >= at.medium {
			label = 1
		}
		is := func(b bool) float64 {
			if b {
				return 1
			}
			return 0
		}
		if s.none {
			none++
			rejected += is(!found)
			own += is(s.own)
			ownRejected += is(s.own && !found)
			noneHigh += is(found && label == 0)
			continue
		}
		all++
		allLost += is(!found)
		right += is(s.right)
		lost += is(s.right && !found)
		if found {
			count[label]++
			good[label] += is(s.right)
		}
	}
	cells := []string{fmt.Sprintf("%.0f, %.0f", all, none), of(rejected, none), of(ownRejected, own), of(allLost, all), of(lost, right)}
	for i := range count {
		cells = append(cells, of(good[i], count[i])+fmt.Sprintf(" (%.0f %%)", 100*count[i]/max(all, 1)))
	}
	return append(cells, of(noneHigh, none))
}

// of formats n as a share of all.
func of(n, all float64) string {
	if all == 0 {
		return "–"
	}
	return short(n / all)
}

// literal returns the chances as Go code for confidence.go.
func literal(mode string, c chances) string {
	return fmt.Sprintf("\n\t%s = chances{\n\t\tany:  %s,\n\t\tbest: %s,\n\t}\n", mode, written(c.any), written(c.best))
}

// written returns a regression as Go code, without trailing zeros.
func written(r regression) string {
	var numbers []string
	for _, w := range r.weights {
		numbers = append(numbers, rounded(w))
	}
	for len(numbers) > 0 && numbers[len(numbers)-1] == "0" {
		numbers = numbers[:len(numbers)-1]
	}
	return fmt.Sprintf("chance{[features]float64{%s}, %s}", strings.Join(numbers, ", "), rounded(r.bias))
}

// rounded formats a number with at most three decimals.
func rounded(n float64) string {
	n = math.Round(n*1000)/1000 + 0 // avoids -0
	return strconv.FormatFloat(n, 'f', -1, 64)
}
