package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// levels are what chances a verdict takes: those of confidence.go, or others to
// look at.
type levels struct{ found, medium, high float64 }

// chances are that there is a right tool, and that the best is it.
type chances struct{ any, best regression }

func chancesOf(known []sample) chances {
	return chances{any: fit(forAny(known)), best: fit(forBest(known))}
}

// forBest are the examples of which the first hit is right: all queries, of
// which those that nothing is right for count half.
func forBest(known []sample) []example {
	out := weighed(known, func(sample) bool { return true }, func(s sample) bool { return s.right })
	for i, s := range known {
		if s.none {
			out[i].weight /= 2
		}
	}
	return out
}

// forAny are the examples of which there is a right tool. A query whose right
// tool did not come first tells nothing of that: what it has found is wrong.
func forAny(known []sample) []example {
	return weighed(known, func(s sample) bool { return s.none || s.right }, func(s sample) bool { return !s.none })
}

// weighed makes every set count alike, and in each what is right for something
// as much as what is for nothing.
func weighed(known []sample, use, yes func(sample) bool) []example {
	type group struct {
		set  string
		none bool
	}
	many, used, total := make(map[group]float64), 0.0, 0.0
	for _, s := range known {
		if use(s) {
			many[group{s.set, s.none}]++
			used++
		}
	}
	for g := range many {
		total += weightOf(g.set)
	}
	var out []example
	for _, s := range known {
		if use(s) {
			out = append(out, example{s.features, yes(s), weightOf(s.set) / many[group{s.set, s.none}] * used / total})
		}
	}
	return out
}

// unseen are the chances of each sample by regressions that have not seen it:
// in the mean of several ways to deal the samples into five.
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

// dealt deals the samples into parts that are alike: each has its share of each
// set, and of what there is nothing for.
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

// withoutSet are the chances of each sample by regressions that have seen no
// sample of its set.
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

func where(known []sample, wanted func(i int) bool) []sample {
	var out []sample
	for i, s := range known {
		if wanted(i) {
			out = append(out, s)
		}
	}
	return out
}

// names are those of the sets, in the order of the samples.
func names(known []sample) []string {
	var out []string
	for _, s := range known {
		if len(out) == 0 || out[len(out)-1] != s.set {
			out = append(out, s.set)
		}
	}
	return out
}

// figures are how verdicts do on what they have not seen, in Markdown.
func figures(mode string, known []sample, at levels) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: told no match from below %.2f, medium from %.2f, high from %.2f. Of each label: how often the first hit is right, and its share.\n\n"+
		"| set | queries, nothing for | no match told | by the set's own | right lost | high | medium | low | nothing for, high |\n|---|---|---|---|---|---|---|---|---|\n",
		mode, at.found, at.medium, at.high)
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

// cells are the figures of a set.
func cells(known []sample, set string, best, any []float64, at levels) []string {
	var all, none, told, own, ownTold, right, lost, noneHigh float64
	var count, good [3]float64 // high, medium, low
	for i, s := range known {
		if s.set != set {
			continue
		}
		found := any[i] >= at.found
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
			told += is(!found)
			own += is(s.own)
			ownTold += is(s.own && !found)
			noneHigh += is(found && label == 0)
			continue
		}
		all++
		right += is(s.right)
		lost += is(s.right && !found)
		if found {
			count[label]++
			good[label] += is(s.right)
		}
	}
	cells := []string{fmt.Sprintf("%.0f, %.0f", all, none), of(told, none), of(ownTold, own), of(lost, right)}
	for i := range count {
		cells = append(cells, of(good[i], count[i])+fmt.Sprintf(" (%.0f %%)", 100*count[i]/max(all, 1)))
	}
	return append(cells, of(noneHigh, none))
}

func of(n, all float64) string {
	if all == 0 {
		return "–"
	}
	return short(n / all)
}

// literal is how confidence.go writes the chances.
func literal(mode string, c chances) string {
	return fmt.Sprintf("\n\t%s = chances{\n\t\tany:  %s,\n\t\tbest: %s,\n\t}\n", mode, written(c.any), written(c.best))
}

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

func rounded(n float64) string {
	n = math.Round(n*1000)/1000 + 0 // no -0
	return strconv.FormatFloat(n, 'f', -1, 64)
}
