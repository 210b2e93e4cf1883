package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// drawn returns examples drawn from a known regression. The second feature is
// far larger than the first, and the third is constant.
func drawn(n int, by regression) []example {
	chance := rand.New(rand.NewPCG(7, 7))
	var out []example
	for range n {
		x := []float64{chance.NormFloat64(), 100 + 20*chance.NormFloat64(), 3}
		out = append(out, example{x, chance.Float64() < by.of(x), 1})
	}
	return out
}

func TestFitRecoversTheRegressionOfItsExamples(t *testing.T) {
	by := regression{[]float64{1.5, -0.1, 0}, 9}
	got := fit(drawn(20_000, by))
	for i, want := range by.weights {
		if math.Abs(got.weights[i]-want) > 0.08*max(math.Abs(want), 0.1) {
			t.Errorf("weight %d is %f, want %f", i, got.weights[i], want)
		}
	}
	if math.Abs(got.bias-by.bias) > 0.7 {
		t.Errorf("bias is %f, want %f", got.bias, by.bias)
	}
	if math.Abs(got.weights[2]) > 1e-6 {
		t.Errorf("a constant feature has the weight %f", got.weights[2])
	}
}

// A fit is a minimum of the penalized loss: changing any weight increases it.
func TestFitFindsAMinimum(t *testing.T) {
	examples := drawn(300, regression{[]float64{1, 0.05, 0}, -5})
	for i := range examples {
		examples[i].weight = 0.2 + float64(i%5)
		examples[i].x = examples[i].x[:2]
	}
	mean, spread := moments(examples)
	wrong := func(r regression) float64 {
		sum := 0.0
		for j, w := range r.weights {
			sum += 0.5 * w * w * spread[j] * spread[j]
		}
		for _, e := range examples {
			p := r.of(e.x)
			if !e.yes {
				p = 1 - p
			}
			sum -= lossWeight * e.weight * math.Log(p)
		}
		return sum
	}
	best := fit(examples)
	least := wrong(best)
	for j := range mean {
		for _, by := range []float64{-0.01, 0.01} {
			other := regression{append([]float64{}, best.weights...), best.bias}
			other.weights[j] += by / spread[j]
			other.bias -= by / spread[j] * mean[j]
			if wrong(other) <= least {
				t.Errorf("changing weight %d by %g gives the loss %f, which is not above %f", j, by, wrong(other), least)
			}
		}
	}
	if moved := (regression{best.weights, best.bias + 0.01}); wrong(moved) <= least {
		t.Error("changing the bias does not increase the loss")
	}
}

func TestSeparableExamplesAreFitted(t *testing.T) {
	got := fit([]example{{[]float64{1}, true, 1}, {[]float64{2}, true, 1}, {[]float64{-1}, false, 1}, {[]float64{-2}, false, 1}})
	if math.IsNaN(got.bias) || got.of([]float64{3}) < 0.6 || got.of([]float64{-3}) > 0.4 {
		t.Errorf("got %+v", got)
	}
}

// invented returns random samples of three sets of different sizes. The first feature is higher in samples whose
// best match is right; the second is random.
func invented() []sample {
	chance := rand.New(rand.NewPCG(3, 3))
	var out []sample
	for set, n := range map[string]int{"azure-mcp": 60, "catalog-dev": 300, "mine": 40} {
		for i := range n {
			none := i%4 == 0
			right := !none && chance.Float64() < 0.7
			x := chance.NormFloat64() * 0.3
			if right {
				x += 2
			}
			out = append(out, sample{
				set: set, features: []float64{x, chance.Float64()}, right: right, none: none, own: set == "mine" && none,
			})
		}
	}
	return out
}

func TestExamplesAreWeightedBySet(t *testing.T) {
	known := invented()
	weights := make(map[string]float64)
	for i, e := range forBest(known) {
		weights[fmt.Sprint(known[i].set, " ", known[i].none)] += e.weight
	}
	unit := weights["mine false"]
	for group, want := range map[string]float64{
		"mine true": 0.5, "azure-mcp false": 1, "azure-mcp true": 0.5, "catalog-dev false": 2, "catalog-dev true": 1,
	} {
		if got := weights[group] / unit; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %f, want %f", group, got, want)
		}
	}
	for i, e := range forAny(known) {
		if e.yes == known[i].none {
			t.Errorf("sample %d: got the label %t", i, e.yes)
		}
	}
}

func TestPartsHaveTheSameShareOfEachSet(t *testing.T) {
	known := invented()
	of := dealt(known, 5, 1)
	many := make(map[string]map[int]int)
	for i, s := range known {
		group := fmt.Sprint(s.set, s.none)
		if many[group] == nil {
			many[group] = make(map[int]int)
		}
		many[group][of[i]]++
	}
	for group, parts := range many {
		for part := range 5 {
			if least, most := parts[part], parts[(part+1)%5]; max(least, most)-min(least, most) > 1 {
				t.Errorf("%s: %v", group, parts)
			}
		}
	}
}

func TestFiguresDescribeTheVerdicts(t *testing.T) {
	known := invented()
	c := chancesOf(known)
	if c.best.of([]float64{2.2, 0.5}) < 0.8 || c.best.of([]float64{0, 0.5}) > 0.2 {
		t.Errorf("got %+v", c)
	}
	text := figures("byWords", known, levels{[2]float64{0.16, 0.16}, 0.45, 0.76})
	for _, want := range []string{
		"| mine, five parts | 30, 10 | ", "| mine, without the set | ", "| catalog-dev, five parts | 225, 75 | ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	all := cells([]sample{
		{set: "a", right: true},
		{set: "a", right: true},
		{set: "a"},
		{set: "a", none: true, own: true},
		{set: "a", none: true},
		{set: "b", right: true},
		{set: "a"},
	}, "a", []float64{0.9, 0.9, 0.5, 0.9, 0.1, 0.1, 0.1}, []float64{0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1},
		levels{[2]float64{0.16, 0.16}, 0.45, 0.76})
	if got := strings.Join(all, " "); got != "4, 2 .500 .000 .500 .500 1.000 (25 %) .000 (25 %) – (0 %) .500" {
		t.Errorf("got %s", got)
	}
}

func TestConstantsArePrintedAsGoCode(t *testing.T) {
	got := literal("byWords", chances{regression{[]float64{1.23449, -0.0001, 0, 0}, -2}, regression{[]float64{0, 3}, 0.5}})
	for _, want := range []string{
		"byWords = chances{", "any:  chance{[features]float64{1.234}, -2},", "best: chance{[features]float64{0, 3}, 0.5},",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestOnlyKnownSetsGetAdditionalQueries(t *testing.T) {
	s := tiny(t)
	other := set{name: "metatool-single", Set: &eval.Set{Queries: make([]eval.Query, 17)}}
	for name, want := range map[string]int{"tiny": 0, "azure-mcp": 3 + 100, "catalog-dev": 100, "toollinkos": 0} {
		s.name = name
		queries, own := asked(s, []set{s, other})
		if own != len(s.Queries) || len(queries) != own+want {
			t.Errorf("%s: got %d queries, %d of them its own", name, len(queries), own)
		}
	}
	s.name = "tiny"
	how := settings.Default().Search
	how.Provider = settings.ProviderNone
	got, err := samples(t.Context(), s, []set{s}, how)
	if err != nil || len(got) != len(s.Queries) {
		t.Fatalf("got %d samples, %v", len(got), err)
	}
	right, none := 0, 0
	for _, sample := range got {
		if sample.right {
			right++
		}
		if sample.none {
			none++
		}
	}
	if right < 14 || none == 0 || len(got[0].features) != 12 {
		t.Errorf("got %d right samples, %d without a tool, and %d features", right, none, len(got[0].features))
	}
}
