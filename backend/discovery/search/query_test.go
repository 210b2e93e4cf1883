package search

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// expectBest checks which tool ranks first for each query.
func expectBest(t *testing.T, s *Searcher, rows map[string]string) {
	t.Helper()
	for query, want := range rows {
		if r := s.Find(t.Context(), Query{Text: query, Limit: 5}); !r.Found || r.Hits[0].Tool.Proxied() != want {
			t.Errorf("%q: want %s, got %+v %s", query, want, r.Evidence, names(r.Hits))
		}
	}
}

func TestTyposAndPrefixesAreMatched(t *testing.T) {
	expectBest(t, New(Options{Catalog: newCatalog(t, office)}), map[string]string{
		"take a screnshot":         "browser__take_screenshot",
		"tkae screenshto":          "browser__take_screenshot",
		"wether forcast":           "weather__forecast",
		"lst the chanels":          "slack__list_channels",
		"send an emial":            "mail__send_email",
		"kuber":                    "kube__get_pods",
		"forec for a cit":          "weather__forecast",
		"describ the colums":       "db__describe_table",
		"serch repositorys":        "github__search_repositories",
		"merge the pul requst":     "github__merge_pull_request",
		"screenshots of the pages": "browser__take_screenshot",
	})
}

func TestAbbreviationsAreMatched(t *testing.T) {
	expectBest(t, New(Options{Catalog: newCatalog(t, office)}), map[string]string{
		"k8s":                      "kube__get_pods",
		"merge the pr":             "github__merge_pull_request",
		"find a repo on a topic":   "github__search_repositories",
		"what is in this dir":      "files__list_directory",
		"post a msg to a channel":  "slack__post_message",
		"ids of the accounts":      "accounts__getUserIDs",
		"user id":                  "accounts__getUserIDs",
		"run a query against a db": "db__run_query",
	})
}

func TestOtherScriptsAreMatched(t *testing.T) {
	expectBest(t, New(Options{Catalog: newCatalog(t, office)}), map[string]string{
		"搜索餐厅":         "maps__search_place",
		"附近有什么餐厅":      "maps__search_place",
		"搜索 place 附近的": "maps__search_place",
	})
}

// hostile are malicious and meaningless queries.
var hostile = []string{
	"", " ", "\t\r\n  ", "🙂", "🙂🙃👩‍👩‍👧‍👦", "اعرض كل المشاكل المفتوحة", "הצג את כל הבעיות", "\u202eeussi_etaerc",
	"the of and to", "a", "x", "日", "?", "***", `"foo" OR bar* NEAR(baz, 3); DROP TABLE tools`, `" OR 1=1 --`, `name:create* AND NOT ^x`,
	"(((((", `\`, `%_%`, "\x00", "create\x00issue", "\xff\xfe\xfd", "create_\xffissue", "\xed\xa0\x80", "e\u0301\u0301\u0301", "ſ K Å", "İ",
	"__", "mcp__", "mcp____", ".", "/", "::", "github__", "__create_issue", "mcp__github__", " . ",
	strings.Repeat("issue ", 200), strings.Repeat("create an issue and then list all branches, ", 240), // the second has 10 kB
	strings.Repeat("x", 10<<10), strings.Repeat("日", 5000), strings.Repeat("A", 5000), strings.Repeat("_", 5000),
	strings.Repeat("aB", 3000), strings.Repeat("and ", 2000), strings.Repeat("create issue, ", 6), strings.Repeat("\xff", 3000),
}

// checkResult checks the properties that every result must have.
func checkResult(t *testing.T, text string, r Result) {
	t.Helper()
	if r.Found != (r.Confidence != "") || r.Found && len(r.Hits) == 0 || r.TopScore < 0 || r.TopScore > 1 {
		t.Errorf("%.60q: %+v", text, r)
	}
	seen := make(map[string]bool)
	last := 1.0
	for _, hit := range r.Hits {
		// The negated form also rejects NaN.
		if !(hit.Score > 0 && hit.Score <= last) || seen[hit.Tool.Proxied()] {
			t.Errorf("%.60q: %f after %f for %s", text, hit.Score, last, hit.Tool.Proxied())
		}
		last, seen[hit.Tool.Proxied()] = hit.Score, true
		sum := 0.0
		for _, reason := range hit.Why {
			sum += reason.Points
			for _, term := range reason.Terms {
				if !utf8.ValidString(term) {
					t.Errorf("%.60q: a reason has the invalid term %q", text, term)
				}
			}
		}
		if sum < hit.Score-1e-4 || sum > hit.Score+1e-4 {
			t.Errorf("%.60q: the reasons add up to %f, want %f: %s %+v", text, sum, hit.Score, hit.Tool.Proxied(), hit.Why)
		}
	}
}

func TestHostileQueriesGiveValidResults(t *testing.T) {
	c := newCatalog(t, office)
	for _, meaning := range []Meaning{nil, meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))} {
		s := New(Options{
			Catalog: c, Meaning: meaning, Learned: fakeLearned{
				"": {{Server: "slack", Tool: "get_users", Strength: 1, Like: "who is there"}},
			},
		})
		for _, text := range hostile {
			checkResult(t, text, s.Find(t.Context(), Query{Text: text, Limit: 10, Always: true, Explain: true}))
			s.Nearest("", text, 5)
		}
	}
}

func TestQueriesWithoutContentFindNothing(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	for _, text := range []string{
		"", " ", "\t\n", "🙂", "a", "x", "?", "***", "\x00", "\xff\xfe", "__", "mcp__", "the of and to", "اعرض كل المشاكل المفتوحة", "日",
	} {
		if r := s.Find(t.Context(), Query{Text: text, Limit: 5}); r.Found || len(r.Hits) > 0 {
			t.Errorf("%q: found %s, want nothing", text, names(r.Hits))
		}
	}
}

func TestTheBeginningOfALongQueryCounts(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	var long strings.Builder
	long.WriteString("storm warnings ")
	for i := range 300 {
		fmt.Fprintf(&long, "filler%d ", i)
	}
	x, _ := s.current()
	if parts := x.parse(long.String()); len(parts) != maxParts || parts[0].word != "storm" {
		t.Errorf("got %d parts, want %d", len(parts), maxParts)
	}
	if r := s.Find(t.Context(), Query{Text: long.String(), Limit: 1, Always: true}); r.Hits[0].Tool.Name != "get_alerts" {
		t.Errorf("got %s", names(r.Hits))
	}
}

func TestSyntaxOfOtherSearchEnginesIsIgnored(t *testing.T) {
	expectBest(t, New(Options{Catalog: newCatalog(t, office)}), map[string]string{
		`"take" AND screenshot*`:                        "browser__take_screenshot",
		`NEAR(storm warnings, 3)`:                       "weather__get_alerts",
		`storm' OR '1'='1'; -- warnings`:                "weather__get_alerts",
		`{"query":"storm warnings"}`:                    "weather__get_alerts",
		"create\x00issue":                               "github__create_issue",
		strings.Repeat("storm warnings ", 100):          "weather__get_alerts",
		"storm warnings\n\n\n" + strings.Repeat(" ", 9): "weather__get_alerts",
	})
}

func FuzzFind(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 200 {
			f.Add(text)
		}
	}
	f.Add("make a branch, commit the files and open a pull request")
	f.Add("creat_isue")
	c := newCatalog(f, office)
	meaning := New(Options{Catalog: c, Meaning: meaningOf(vectorsOf(f, c, measuredModel, senseEncoder{}))})
	alone := New(Options{Catalog: c})
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []*Searcher{alone, meaning} {
			checkResult(t, text, s.Find(t.Context(), Query{Text: text, Limit: 50, Always: true, Explain: true}))
		}
		alone.Nearest("", text, 3)
	})
}
