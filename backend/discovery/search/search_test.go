package search

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// tools returns a small catalog, and a searcher that ranks its tools by words alone.
func tools(t *testing.T) (*Searcher, *catalog.Catalog) {
	t.Helper()
	bus := &events.Bus{}
	c := catalogtest.Open(t, bus, map[string][]json.RawMessage{
		"github": catalogtest.Definitions(
			`{"name":"create_issue","description":"Create a new issue in a repository","inputSchema":{"properties":{"title":{"description":"of the issue"}}}}`,
			`{"name":"list_issues","description":"List the issues of a repository"}`,
			`{"name":"getPullRequest","description":"Get a pull request"}`,
		),
		"files": catalogtest.Definitions(`{"name":"read_text_file","description":"Read the contents of a file from disk as text"}`,
			`{"name":"list_directory","description":"List what is in a directory"}`),
		"weather": catalogtest.Definitions(`{"name":"forecast","description":"Weather of the coming days for a city","inputSchema":"odd"}`),
	})
	return New(Options{Catalog: c, Bus: bus}), c
}

func TestTheBestToolRanksFirst(t *testing.T) {
	s, _ := tools(t)
	for query, want := range map[string]string{
		"open a new issue about the login bug": "github__create_issue",
		"show me all issues":                   "github__list_issues",
		"load a text file":                     "files__read_text_file",
		"what will the weather be in Oslo":     "weather__forecast",
		"create_issue":                         "github__create_issue",
		"createIssue":                          "github__create_issue",
		"get pull request":                     "github__getPullRequest",
		"please get the pull request of Ann":   "github__getPullRequest",
		"getPullRequest":                       "github__getPullRequest",
	} {
		r := s.Find(t.Context(), Query{Text: query, Limit: 3})
		if !r.Found || r.Hits[0].Tool.Proxied() != want {
			t.Errorf("%q: got %+v, want %s", query, r.Hits, want)
		}
		if r.TopScore < 0 || r.TopScore > 1 {
			t.Errorf("%q: the score %f is outside 0 to 1", query, r.TopScore)
		}
	}
}

func TestUnsuitableQueriesFindNothing(t *testing.T) {
	s, _ := tools(t)
	for _, query := range []string{"xyzzy plugh", "", "a", "the of and", "🙂", "transfer bitcoin between wallets safely"} {
		if r := s.Find(t.Context(), Query{Text: query, Limit: 3}); r.Found || len(r.Hits) != 0 {
			t.Errorf("%q: got %+v", query, r)
		}
	}
}

func TestAlwaysReturnsHitsThatDoNotFit(t *testing.T) {
	s, _ := tools(t)
	const far = "transfer bitcoin between wallets safely after lunch with a passport, an umbrella, seven sandwiches, " +
		"warm socks, sunglasses, binoculars, a tent, batteries and a repository"
	if r := s.Find(t.Context(), Query{Text: far, Limit: 3}); r.Found || len(r.Hits) != 0 || r.TopScore == 0 {
		t.Errorf("without Always: got %+v", r)
	}
	r := s.Find(t.Context(), Query{Text: far, Limit: 3, Always: true, Explain: true})
	if r.Found || r.Confidence != "" || len(r.Hits) == 0 || r.Hits[0].Score != r.TopScore || len(r.Hits[0].Why) == 0 {
		t.Errorf("with Always: got %+v", r)
	}
}

func TestAnExactNameHasHighConfidence(t *testing.T) {
	s, _ := tools(t)
	r := s.Find(t.Context(), Query{Text: "create_issue", Limit: 5})
	if r.Confidence != High || r.TopScore < 0.9999 {
		t.Errorf("got confidence %s and score %f, want high and almost 1", r.Confidence, r.TopScore)
	}
}

func TestOnlyAllowedToolsAreFound(t *testing.T) {
	s, _ := tools(t)
	r := s.Find(t.Context(), Query{Text: "list issues", Limit: 5, Allow: func(tool *catalog.Tool) bool { return tool.Server != "github" }})
	for _, hit := range r.Hits {
		if hit.Tool.Server == "github" {
			t.Errorf("%s is found although it is not allowed", hit.Tool.Proxied())
		}
	}
}

func TestNewToolsAreFoundImmediately(t *testing.T) {
	s, c := tools(t)
	s.Find(t.Context(), Query{Text: "x", Limit: 1})
	if _, err := c.Replace(t.Context(), "new", []json.RawMessage{
		json.RawMessage(`{"name":"frobnicate","description":"Frobnicates a widget"}`),
	}); err != nil {
		t.Fatal(err)
	}
	if r := s.Find(t.Context(), Query{Text: "frobnicate widgets", Limit: 1}); !r.Found || r.Hits[0].Tool.Server != "new" {
		t.Errorf("got %+v", r)
	}
}

func TestNearestReturnsOtherToolsOfTheServer(t *testing.T) {
	s, _ := tools(t)
	var names []string
	for _, tool := range s.Nearest("github", "create_issue", 3) {
		names = append(names, tool.Proxied())
	}
	if got := strings.Join(names, " "); got != "github__list_issues" {
		t.Errorf("got %s, want github__list_issues", got)
	}
}

func TestTextsAreSplitIntoWords(t *testing.T) {
	for text, want := range map[string]string{
		"createIssue":          "create issue createissue",
		"list_files-ofBoxes/x": "list files of boxes ofboxes",
		"queries HTTPServer":   "queries http server httpserver",
		"getIDs of URLs":       "get ids getids of urls",
		"v2Users s3Bucket":     "v2 users v2users s3 bucket s3bucket",
		"größe 2x 日本語":         "größe 2x 日本 本語",
		"MySQL GitHub":         "my sql mysql git hub github",
		"aB getPullRequest":    "ab get pull request",
		"日 x \xff":             "日",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNearestFindsMisspelledNames(t *testing.T) {
	s, _ := tools(t)
	for name, want := range map[string]string{
		"forcast": "weather__forecast", "creat_isue": "github__create_issue", "Forecst": "weather__forecast",
	} {
		near := s.Nearest("", name, 3)
		if len(near) == 0 || near[0].Proxied() != want {
			t.Errorf("%s: got %v, want %s", name, near, want)
		}
	}
	if near := s.Nearest("", "zzzzqqqq", 3); len(near) != 0 {
		t.Errorf("a nonsense name is near %s", near[0].Proxied())
	}
}

func TestTheClosestToolsAreShownIfNothingFits(t *testing.T) {
	s, _ := tools(t)
	r := s.Find(t.Context(), Query{
		Text:  "purple giraffes knit warm woollen jumpers, dance waltzes, bake sourdough bread, polish marble statues near one repository",
		Limit: 1, Explain: true,
	})
	if r.Found || len(r.Hits) != 0 || len(r.Closest) == 0 || len(r.Closest) > maxClosest || r.Closest[0].Score != r.TopScore ||
		r.Closest[0].Why == nil {
		t.Errorf("got %+v", r)
	}
	if r := s.Find(t.Context(), Query{Text: "create_issue", Limit: 5}); !r.Found || r.Closest != nil {
		t.Errorf("a search with hits has closest tools, too: %+v", r)
	}
}
