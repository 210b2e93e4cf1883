package search

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// needs are queries of many kinds, for tests of properties that hold for all.
var needs = []string{
	"there is a bug that somebody should look at", "will it rain tomorrow", "tell the team in the chat", "create_issue", "creat_isue",
	"call create_issue now", "make a branch, commit the files and open a pull request", "which containers run in the cluster", "wether",
	"list the events of the day, then send an email to the guests", "get pull request", "the", "搜索餐厅", "hurricane", "members",
	"show the website and then take a picture", "move it",
}

// order returns the results of a searcher for all needs, with scores.
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

func TestVectorsFindToolsThatWordsDoNot(t *testing.T) {
	c := newCatalog(t, office)
	s := New(Options{Catalog: c, Meaning: meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))})
	expectBest(t, s, map[string]string{
		"will it rain tomorrow, do I need an umbrella": "weather__forecast",
		"is a hurricane on its way":                    "weather__get_alerts",
		"which containers run in the cluster":          "kube__get_pods",
	})
}

func TestWithoutVectorsWordsAloneCount(t *testing.T) {
	c := newCatalog(t, office)
	vectors := vectorsOf(t, c, measuredModel, senseEncoder{})
	none := vectorsOf(t, newCatalog(t, nil), measuredModel, senseEncoder{})
	strange := vectorsOf(t, newCatalog(t, map[string]string{"other": "tool: Of another catalog"}), measuredModel, senseEncoder{})
	want := order(t, New(Options{Catalog: c}))
	if order(t, New(Options{Catalog: c, Meaning: meaningOf(vectors)})) == want {
		t.Fatal("vectors do not change the ranking")
	}
	for name, m := range map[string]fakeMeaning{
		"no vectors at all":      meaningOf(none),
		"vectors of other tools": meaningOf(strange),
		"nil":                    meaningOf(nil),
		"no vector of a query":   {meaningOf(vectors).vectors, func(string) ([]float32, bool) { return nil, false }},
		"a query vector that is too long": {
			meaningOf(vectors).vectors, func(string) ([]float32, bool) { return make([]float32, dimensions+1), true },
		},
		"a query vector that is too short": {meaningOf(vectors).vectors, func(string) ([]float32, bool) { return []float32{1}, true }},
		"an empty query vector":            {meaningOf(vectors).vectors, func(string) ([]float32, bool) { return nil, true }},
	} {
		if got := order(t, New(Options{Catalog: c, Meaning: m})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestToolsWithoutAVectorAreFound(t *testing.T) {
	for _, missing := range []string{"github", "weather", "mail"} {
		c := newCatalog(t, office)
		some := officeWith(nil)
		delete(some, missing)
		s := New(Options{Catalog: c, Meaning: meaningOf(vectorsOf(t, newCatalog(t, some), measuredModel, senseEncoder{}))})
		expectBest(t, s, map[string]string{
			"open an issue with a title in the repository": "github__create_issue",
			"weather of the coming days":                   "weather__forecast",
			"send an email to a colleague":                 "mail__send_email",
			"create_issue":                                 "github__create_issue",
			"which containers run in the cluster":          "kube__get_pods",
		})
	}
}

func TestNewVectorsAreUsedImmediately(t *testing.T) {
	c := newCatalog(t, office)
	now := vectorsOf(t, newCatalog(t, nil), measuredModel, senseEncoder{})
	meaning := meaningOf(nil)
	meaning.vectors = func() *embedding.Vectors { return now }
	s := New(Options{Catalog: c, Meaning: meaning})
	const query = "will it rain tomorrow, do I need an umbrella"
	if r := s.Find(t.Context(), Query{Text: query, Limit: 1}); r.Found && r.Hits[0].Tool.Name == "forecast" {
		t.Fatal("words alone find the tool")
	}
	now = vectorsOf(t, c, measuredModel, senseEncoder{})
	expectBest(t, s, map[string]string{query: "weather__forecast"})
	if _, err := c.Replace(t.Context(), "garden", definitions("water_plants: Pour with a hose")); err != nil {
		t.Fatal(err)
	}
	expectBest(t, s, map[string]string{query: "weather__forecast", "pour with the hose": "garden__water_plants"})
	now = vectorsOf(t, c, measuredModel, senseEncoder{})
	expectBest(t, s, map[string]string{query: "weather__forecast", "pour with the hose": "garden__water_plants"})
}

// shifted changes a vector such that each cosine c with the vector of another
// text becomes a*c + b. For that it uses three dimensions that are 0 in all vectors
// of senseEncoder: one for all texts, one for tools and one for queries. tool is true
// for vectors of tools, false for vectors of queries.
func shifted(v []float32, a, b float64, tool bool) []float32 {
	out := make([]float32, dimensions)
	for i, n := range v {
		out[i] = n * float32(math.Sqrt(a))
	}
	out[dimensions-2] = float32(math.Sqrt(b))
	left := math.Sqrt(max(1-a-b, 0))
	if tool { // tools and queries use different directions
		out[dimensions-3] = float32(left)
	} else {
		out[dimensions-4] = float32(left)
	}
	return out
}

type shiftedEncoder struct{ a, b float64 }

func (s shiftedEncoder) Encode(text string, n int) []float32 {
	return shifted(senseEncoder{}.Encode(text, n), s.a, s.b, true)
}
func (shiftedEncoder) Release() {}

func TestRankingsDoNotDependOnTheRangeOfAModelsCosines(t *testing.T) {
	// Every server is added twice, because blend.settle needs at least minTools tools.
	servers := officeWith(nil)
	for name, tools := range office {
		servers["second "+name] = tools
	}
	c := newCatalog(t, servers)
	first := func(a, b float64) string {
		meaning := meaningOf(vectorsOf(t, c, "something-else", shiftedEncoder{a, b}))
		meaning.query = func(text string) ([]float32, bool) { return shifted(senseEncoder{}.Encode(text, 0), a, b, false), true }
		s := New(Options{Catalog: c, Meaning: meaning})
		var out strings.Builder
		for _, text := range needs {
			if strings.HasPrefix(text, "list the events") {
				continue // its two best hits have equal scores except for rounding
			}
			r := s.Find(t.Context(), Query{Text: text, Limit: 4, Always: true})
			out.WriteString(text + ": " + string(r.Confidence) + " " + names(r.Hits) + "\n")
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

func TestAUselessModelDoesLittleHarm(t *testing.T) {
	c := newCatalog(t, office)
	same := make([]float32, dimensions)
	same[0] = 1
	meaning := meaningOf(vectorsOf(t, c, "something-else", constantEncoder(same)))
	meaning.query = func(string) ([]float32, bool) { return same, true }
	expectBest(t, New(Options{Catalog: c, Meaning: meaning}), map[string]string{
		"create a branch": "github__create_branch", "storm warnings": "weather__get_alerts", "send an email": "mail__send_email",
		"create_issue": "github__create_issue",
	})
}

type constantEncoder []float32

func (a constantEncoder) Encode(string, int) []float32 { return append([]float32{}, a...) }
func (constantEncoder) Release()                       {}

func TestALiftAddsAtMostAFifth(t *testing.T) {
	c := newCatalog(t, office)
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
			server := strings.SplitN(names([]Hit{{Tool: c.Snapshot().Named(tool)[0]}}), "__", 2)[0]
			s := New(Options{Catalog: c, Learned: fakeLearned{"": {
				{Server: server, Tool: tool, Strength: strength, Like: "x"},
				{Server: server, Tool: tool, Strength: strength / 2},
				{Server: "nobody", Tool: tool, Strength: 1},
				{Server: server, Tool: "no_more", Strength: 1},
			}}})
			gained, want := score(s, tool)-score(alone, tool), 0.2*strength
			if gained > want+1e-6 || gained < want-1e-6 && score(s, tool) < 0.949 {
				t.Errorf("%s gains %f from a lift of %f, want %f", tool, gained, strength, want)
			}
			if score(s, tool) > 0.95 {
				t.Errorf("%s has the score %f although it is not named", tool, score(s, tool))
			}
		}
	}
}

func TestOneSuccessDoesNotOutrankAClearlyBetterTool(t *testing.T) {
	c := newCatalog(t, office)
	once := fakeLearned{"": {{Server: "calendar", Tool: "list_events", Strength: 0.5, Like: "what else"}}}
	expectBest(t, New(Options{Catalog: c, Learned: once}), map[string]string{
		"storm warnings": "weather__get_alerts", "list the channels of the workspace": "slack__list_channels",
		"take a screenshot": "browser__take_screenshot",
	})
	near := New(Options{Catalog: c, Learned: fakeLearned{"": {{Server: "calendar", Tool: "delete_event", Strength: 0.5}}}})
	expectBest(t, near, map[string]string{"event": "calendar__delete_event"})
}

func TestALiftReachesAToolThatIsRenamed(t *testing.T) {
	c := newCatalog(t, office)
	tools := slices.Clone(c.Snapshot().Tools)
	for i, tool := range tools {
		if tool.Server == "weather" && tool.Name == "get_alerts" {
			renamed := *tool
			renamed.Own, renamed.Name = "get_alerts", "tell_of_storms"
			tools[i] = &renamed
		}
	}
	c.Reset(tools)
	learned := fakeLearned{"": {{Server: "weather", Tool: "get_alerts", Strength: 1, Like: "x"}}}
	for _, hit := range New(Options{Catalog: c, Learned: learned}).Find(t.Context(), Query{
		Text: "storms", Limit: 50, Explain: true, Always: true,
	}).Hits {
		if hit.Tool.Name == "tell_of_storms" && strings.Contains(fieldsOf(hit.Why), "learned") {
			return
		}
	}
	t.Error("the renamed tool is not lifted")
}

func TestLiftsWithoutEffectChangeNothing(t *testing.T) {
	c := newCatalog(t, office)
	want := order(t, New(Options{Catalog: c}))
	for name, l := range map[string]Learned{
		"none": fakeLearned{}, "of an unknown tool": fakeLearned{
			"": {{Server: "github", Tool: "gone", Strength: 1}},
		}, "without strength": fakeLearned{"": {{Server: "github", Tool: "create_issue"}}},
	} {
		if got := order(t, New(Options{Catalog: c, Learned: l})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestLiftsAreExplained(t *testing.T) {
	c := newCatalog(t, office)
	s := New(Options{
		Catalog: c, Learned: fakeLearned{"": {{Server: "slack", Tool: "get_users", Strength: 0.5, Like: "who works here, who"}}},
	})
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
	c := newCatalog(t, office)
	vectors := vectorsOf(t, c, measuredModel, senseEncoder{})
	some := officeWith(nil)
	delete(some, "github")
	lifts := fakeLearned{"": {
		{Server: "slack", Tool: "get_users", Strength: 1, Like: "who"},
		{Server: "github", Tool: "create_issue", Strength: 0.7, Like: "report a bug"},
	}}
	seen := make(map[string]bool)
	for _, o := range []Options{
		{},
		{Learned: lifts},
		{Meaning: meaningOf(vectors)},
		{Meaning: meaningOf(vectors), Learned: lifts},
		{Meaning: meaningOf(vectorsOf(t, newCatalog(t, some), measuredModel, senseEncoder{})), Learned: lifts},
		{Meaning: meaningOf(vectorsOf(t, c, "something-else", senseEncoder{})), Learned: lifts},
	} {
		o.Catalog = c
		s := New(o)
		for _, text := range append(append([]string{}, needs...), mentions...) {
			r := s.Find(t.Context(), Query{Text: text, Limit: 50, Explain: true, Always: true})
			checkResult(t, text, r)
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
			t.Errorf("no hit has a reason of the field %s", field)
		}
	}
}

func TestRankingsAreDeterministic(t *testing.T) {
	servers := officeWith(map[string]string{"twin": office["github"], "twin two": office["github"]})
	vectors := vectorsOf(t, newCatalog(t, servers), measuredModel, senseEncoder{})
	for name, meaning := range map[string]Meaning{"words": nil, "meaning": meaningOf(vectors)} {
		want := ""
		for range 8 { // newCatalog adds the servers in random order
			s := New(Options{
				Catalog: newCatalog(t, servers), Meaning: meaning,
				Learned: fakeLearned{"": {{Server: "mail", Tool: "send_email", Strength: 0.3}}},
			})
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

func TestWordsCountMoreWhereAToolContainsThoseOfTheQuery(t *testing.T) {
	for _, row := range []struct {
		model   string
		covered float32
		want    float32
	}{
		{"builtin/" + measuredModel, 0, 0.75},
		{"builtin/" + measuredModel, 0.3, 0.75},
		{"builtin/" + measuredModel, 0.8, 0.55},
		{"local/another", 0.8, 0.5},
	} {
		b := blendOf(row.model)
		b.weigh(row.covered)
		if math.Abs(float64(b.meaning-row.want)) > 1e-6 {
			t.Errorf("%s, covered %.1f: the weight of the vectors is %.3f, want %.3f", row.model, row.covered, b.meaning, row.want)
		}
	}
}
