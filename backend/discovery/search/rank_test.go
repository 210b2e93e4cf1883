package search

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// needs are queries of many kinds, for what holds of all.
var needs = []string{
	"there is a bug that somebody should look at", "will it rain tomorrow", "tell the team in the chat", "create_issue", "creat_isue",
	"call create_issue now", "make a branch, commit the files and open a pull request", "which containers run in the cluster", "wether",
	"list the events of the day, then send an email to the guests", "get pull request", "the", "搜索餐厅", "hurricane", "members",
	"show the website and then take a picture", "move it",
}

// order is what a searcher answers to all needs, with scores.
func order(t *testing.T, s *Searcher) string {
	t.Helper()
	var b strings.Builder
	for _, text := range needs {
		r := s.Find(t.Context(), Query{Text: text, Limit: 50, Always: true})
		b.WriteString(text + ": " + string(r.Confidence) + " ")
		for _, hit := range r.Hits {
			score, _ := json.Marshal(hit.Score)
			b.WriteString(hit.Tool.Proxied() + " " + string(score) + " ")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestMeaningFindsWhatWordsDoNot(t *testing.T) {
	c := listed(t, office)
	s := New(Options{Catalog: c, Meaning: thinks(vectorsOf(t, c, measuredModel, thinker{}))})
	sought(t, s, map[string]string{
		"will it rain tomorrow, do I need an umbrella": "weather__forecast",
		"is a hurricane on its way":                    "weather__get_alerts",
		"which containers run in the cluster":          "kube__get_pods",
	})
}

func TestWithoutAVectorToCompareWordsAlone(t *testing.T) {
	c := listed(t, office)
	vectors := vectorsOf(t, c, measuredModel, thinker{})
	none := vectorsOf(t, listed(t, nil), measuredModel, thinker{})
	strange := vectorsOf(t, listed(t, map[string]string{"other": "tool: Of another catalog"}), measuredModel, thinker{})
	want := order(t, New(Options{Catalog: c}))
	if order(t, New(Options{Catalog: c, Meaning: thinks(vectors)})) == want {
		t.Fatal("meaning changes nothing")
	}
	for name, m := range map[string]minded{
		"no vectors at all":     thinks(none),
		"vectors of others":     thinks(strange),
		"nil":                   thinks(nil),
		"no vector of a query":  {thinks(vectors).vectors, func(string) ([]float32, bool) { return nil, false }},
		"of another length":     {thinks(vectors).vectors, func(string) ([]float32, bool) { return make([]float32, dimensions+1), true }},
		"of a shorter one":      {thinks(vectors).vectors, func(string) ([]float32, bool) { return []float32{1}, true }},
		"of no length, but one": {thinks(vectors).vectors, func(string) ([]float32, bool) { return nil, true }},
	} {
		if got := order(t, New(Options{Catalog: c, Meaning: m})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestToolsWithoutAVectorAreFoundAmongOthers(t *testing.T) {
	for _, missing := range []string{"github", "weather", "mail"} {
		c := listed(t, office)
		some := and(nil)
		delete(some, missing)
		s := New(Options{Catalog: c, Meaning: thinks(vectorsOf(t, listed(t, some), measuredModel, thinker{}))})
		sought(t, s, map[string]string{
			"open an issue with a title in the repository": "github__create_issue",
			"weather of the coming days":                   "weather__forecast",
			"send an email to a colleague":                 "mail__send_email",
			"create_issue":                                 "github__create_issue",
			"which containers run in the cluster":          "kube__get_pods",
		})
	}
}

func TestVectorsThatComeBetweenTwoQueriesCount(t *testing.T) {
	c := listed(t, office)
	now := vectorsOf(t, listed(t, nil), measuredModel, thinker{})
	means := thinks(nil)
	means.vectors = func() *embedding.Vectors { return now }
	s := New(Options{Catalog: c, Meaning: means})
	const query = "will it rain tomorrow, do I need an umbrella"
	if r := s.Find(t.Context(), Query{Text: query, Limit: 1}); r.Found && r.Hits[0].Tool.Name == "forecast" {
		t.Fatal("words find it")
	}
	now = vectorsOf(t, c, measuredModel, thinker{})
	sought(t, s, map[string]string{query: "weather__forecast"})
	if _, err := c.Replace(t.Context(), "garden", definitions("water_plants: Pour what falls from no cloud")); err != nil {
		t.Fatal(err)
	}
	sought(t, s, map[string]string{query: "weather__forecast", "pour what falls": "garden__water_plants"})
	now = vectorsOf(t, c, measuredModel, thinker{})
	sought(t, s, map[string]string{query: "weather__forecast", "pour what falls": "garden__water_plants"})
}

// shifted is an encoder like another, whose cosines are all a*cosine + b: two
// more directions hold what that takes.
func shifted(v []float32, a, b float64, tool bool) []float32 {
	out := make([]float32, dimensions)
	for i, n := range v {
		out[i] = n * float32(math.Sqrt(a))
	}
	out[dimensions-2] = float32(math.Sqrt(b))
	left := math.Sqrt(max(1-a-b, 0))
	if tool { // what a tool has of its own, a query has not
		out[dimensions-3] = float32(left)
	} else {
		out[dimensions-4] = float32(left)
	}
	return out
}

type shiftedThinker struct{ a, b float64 }

func (s shiftedThinker) Encode(text string, n int) []float32 {
	return shifted(thinker{}.Encode(text, n), s.a, s.b, true)
}
func (shiftedThinker) Release() {}

func TestShiftAndScaleOfAnUnknownModelChangeNothing(t *testing.T) {
	// Two of each, for there are to be enough to measure.
	servers := and(nil)
	for name, tools := range office {
		servers["second "+name] = tools
	}
	c := listed(t, servers)
	first := func(a, b float64) string {
		means := thinks(vectorsOf(t, c, "something-else", shiftedThinker{a, b}))
		means.query = func(text string) ([]float32, bool) { return shifted(thinker{}.Encode(text, 0), a, b, false), true }
		s := New(Options{Catalog: c, Meaning: means})
		var out strings.Builder
		for _, text := range needs {
			if strings.HasPrefix(text, "list the events") {
				continue // its two best are even, but for rounding
			}
			r := s.Find(t.Context(), Query{Text: text, Limit: 4, Always: true})
			out.WriteString(text + ": " + string(r.Confidence) + " " + found(r.Hits) + "\n")
		}
		return out.String()
	}
	want := first(1, 0)
	for _, by := range [][2]float64{{0.5, 0.5}, {0.7, 0}, {0.4, 0.3}, {0.6, 0.2}} {
		if got := first(by[0], by[1]); got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", by, got, want)
		}
	}
}

func TestAnUnknownModelThatKnowsNothingDoesLittleHarm(t *testing.T) {
	c := listed(t, office)
	same := make([]float32, dimensions)
	same[0] = 1
	means := thinks(vectorsOf(t, c, "something-else", alwaysThe(same)))
	means.query = func(string) ([]float32, bool) { return same, true }
	sought(t, New(Options{Catalog: c, Meaning: means}), map[string]string{
		"create a branch": "github__create_branch", "storm warnings": "weather__get_alerts", "send an email": "mail__send_email", "create_issue": "github__create_issue",
	})
}

type alwaysThe []float32

func (a alwaysThe) Encode(string, int) []float32 { return append([]float32{}, a...) }
func (alwaysThe) Release()                       {}

func TestALiftAddsAtMostAFifth(t *testing.T) {
	c := listed(t, office)
	const query = "list what is in the channels of the workspace"
	score := func(s *Searcher, tool string) float64 {
		for _, hit := range s.Find(t.Context(), Query{Text: query, Limit: 50, Always: true}).Hits {
			if hit.Tool.Name == tool {
				return hit.Score
			}
		}
		return 0
	}
	alone := New(Options{Catalog: c})
	for _, tool := range []string{"list_channels", "list_directory", "get_users", "send_email"} {
		for _, strength := range []float64{0.02, 0.5, 1} {
			server := strings.SplitN(found([]Hit{{Tool: c.Snapshot().Named(tool)[0]}}), "__", 2)[0]
			s := New(Options{Catalog: c, Learned: learned{"": {
				{Server: server, Tool: tool, Strength: strength, Like: "x"},
				{Server: server, Tool: tool, Strength: strength / 2},
				{Server: "nobody", Tool: tool, Strength: 1},
				{Server: server, Tool: "no_more", Strength: 1},
			}}})
			gained, want := score(s, tool)-score(alone, tool), 0.2*strength
			if gained > want+1e-6 || gained < want-1e-6 && score(s, tool) < 0.949 {
				t.Errorf("%s gains %f by %f", tool, gained, strength)
			}
			if score(s, tool) > 0.95 {
				t.Errorf("%s comes to %f unnamed", tool, score(s, tool))
			}
		}
	}
}

func TestOneSuccessMovesAToolPastNothingThatIsClearlyBetter(t *testing.T) {
	c := listed(t, office)
	once := learned{"": {{Server: "calendar", Tool: "list_events", Strength: 0.5, Like: "what else"}}}
	sought(t, New(Options{Catalog: c, Learned: once}), map[string]string{
		"storm warnings": "weather__get_alerts", "list the channels of the workspace": "slack__list_channels", "take a screenshot": "browser__take_screenshot",
	})
	near := New(Options{Catalog: c, Learned: learned{"": {{Server: "calendar", Tool: "delete_event", Strength: 0.5}}}})
	sought(t, near, map[string]string{"event": "calendar__delete_event"})
}

func TestNothingLearnedChangesNothing(t *testing.T) {
	c := listed(t, office)
	want := order(t, New(Options{Catalog: c}))
	for name, l := range map[string]Learned{"none": learned{}, "of no tool": learned{"": {{Server: "github", Tool: "gone", Strength: 1}}}, "of no strength": learned{"": {{Server: "github", Tool: "create_issue"}}}} {
		if got := order(t, New(Options{Catalog: c, Learned: l})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestWhatWasLearnedIsExplained(t *testing.T) {
	c := listed(t, office)
	s := New(Options{Catalog: c, Learned: learned{"": {{Server: "slack", Tool: "get_users", Strength: 0.5, Like: "who works here, who"}}}})
	for _, hit := range s.Find(t.Context(), Query{Text: "the people of the workspace", Limit: 50, Explain: true, Always: true}).Hits {
		for _, reason := range hit.Why {
			if (reason.Field == "learned") != (hit.Tool.Name == "get_users" && reason.Field == "learned") {
				t.Errorf("%s: %+v", hit.Tool.Name, reason)
			}
			if reason.Field == "learned" && (strings.Join(reason.Terms, " ") != "here who works" || math.Abs(reason.Points-0.1) > 0.011) {
				t.Errorf("got %+v", reason)
			}
		}
		if hit.Tool.Name == "get_users" && !strings.Contains(fieldsOf(hit.Why), "learned") {
			t.Errorf("got %+v", hit.Why)
		}
	}
}

func fieldsOf(reasons []Reason) string {
	var out []string
	for _, r := range reasons {
		out = append(out, r.Field)
	}
	return strings.Join(out, " ")
}

func TestReasonsAddUpInEveryMode(t *testing.T) {
	c := listed(t, office)
	vectors := vectorsOf(t, c, measuredModel, thinker{})
	some := and(nil)
	delete(some, "github")
	lifts := learned{"": {
		{Server: "slack", Tool: "get_users", Strength: 1, Like: "who"}, {Server: "github", Tool: "create_issue", Strength: 0.7, Like: "report a bug"},
	}}
	seen := make(map[string]bool)
	for _, o := range []Options{
		{},
		{Learned: lifts},
		{Meaning: thinks(vectors)},
		{Meaning: thinks(vectors), Learned: lifts},
		{Meaning: thinks(vectorsOf(t, listed(t, some), measuredModel, thinker{})), Learned: lifts},
		{Meaning: thinks(vectorsOf(t, c, "something-else", thinker{})), Learned: lifts},
	} {
		o.Catalog = c
		s := New(o)
		for _, text := range append(append([]string{}, needs...), mentions...) {
			r := s.Find(t.Context(), Query{Text: text, Limit: 50, Explain: true, Always: true})
			sane(t, text, r)
			for _, hit := range r.Hits {
				for i, reason := range hit.Why {
					seen[reason.Field] = true
					if reason.Points <= 0 || i > 0 && reason.Points > hit.Why[i-1].Points {
						t.Errorf("%q: %+v", text, hit.Why)
					}
				}
			}
		}
	}
	for _, field := range strings.Fields("name server description parameters meaning learned mention step") {
		if !seen[field] {
			t.Errorf("nothing was found by %s", field)
		}
	}
}

func TestOrderIsTheSameAgainAndForServersInAnyOrder(t *testing.T) {
	servers := and(map[string]string{"twin": office["github"], "twin two": office["github"]})
	vectors := vectorsOf(t, listed(t, servers), measuredModel, thinker{})
	for name, means := range map[string]Meaning{"words": nil, "meaning": thinks(vectors)} {
		want := ""
		for range 8 { // maps give their servers in another order each time
			s := New(Options{Catalog: listed(t, servers), Meaning: means, Learned: learned{"": {{Server: "mail", Tool: "send_email", Strength: 0.3}}}})
			for range 2 {
				got := order(t, s)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%s: got\n%s\nwant\n%s", name, got, want)
				}
			}
		}
	}
}
