package search

import (
	"strings"
	"testing"
)

func TestTheToolsOfAllStepsAreAmongTheFirstFive(t *testing.T) {
	c := newCatalog(t, office)
	for name, meaning := range map[string]Meaning{"words": nil, "meaning": meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))} {
		s := New(Options{Catalog: c, Meaning: meaning})
		for query, want := range map[string]string{
			"make a branch, commit the files and open a pull request":              "create_branch push_files create_pull_request",
			"list the events of the day, then send an email to the guests":         "list_events send_email",
			"describe the columns of the table and run SQL against the database":   "describe_table run_query",
			"in GitHub, create an issue, create a branch and get the pull request": "create_issue create_branch getPullRequest",
			"List the pods; post a message to the channel afterwards.":             "get_pods post_message",
		} {
			r := s.Find(t.Context(), Query{Text: query, Limit: 5})
			for _, tool := range strings.Fields(want) {
				if !strings.Contains(" "+names(r.Hits)+" ", "__"+tool+" ") {
					t.Errorf("%s, %q: no %s in %s", name, query, tool, names(r.Hits))
				}
			}
		}
	}
}

func TestQueriesForOneThingHaveNoSteps(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	x, _ := s.current()
	for _, query := range []string{
		"search for restaurants and cafés near the station", "list issues and pull requests", "a city and its weather, please",
		"read the text and the numbers of a file", "and", "and, then; also!", "create an issue", "weather, rain, wind and sun",
		"salt and pepper", "rename file a.txt and b.txt", "merge the pull request and its reviews",
		// More than five steps are not ranked on their own.
		strings.Repeat("create an issue, ", 6),
	} {
		if steps := x.steps(query); len(steps) > 0 {
			t.Errorf("%q has the steps %q, want none", query, steps)
		}
	}
	got := strings.Join(x.steps("In GitHub, create an issue about it, with a title, then list the branches"), " | ")
	if want := "In GitHub, create an issue about it, with a title | In GitHub, list the branches"; got != want {
		t.Errorf("got the steps %q, want %q", got, want)
	}
}

func TestANamedToolRanksAboveSteps(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	expectBest(t, s, map[string]string{
		"create a branch, commit the files and call merge_pull_request": "github__merge_pull_request",
		"list the channels and then use mcp__slack__get_users":          "slack__get_users",
	})
}

func TestStepsPreferServersThatTheQueryMentions(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, officeWith(map[string]string{
		"workshop": "create_issue: Create a new issue in a repository\nlist_issues: List the issues of a repository\n" +
			"create_branch: Create a branch in a repository",
	}))})
	r := s.Find(t.Context(), Query{Text: "create a branch and create a new issue, all of it in the workshop", Limit: 6})
	got := names(r.Hits)
	for _, tool := range []string{"create_issue", "create_branch"} {
		if first := strings.Index(got, tool); !strings.HasSuffix(got[:max(first, 0)], "workshop__") {
			t.Errorf("%s of another server ranks first: %s", tool, got)
		}
	}
}

func TestInASmallCatalogOneDescriptionDefinesAStep(t *testing.T) {
	few := map[string]string{"git": "stage_all: Stage everything that changed\nwrite_commit: Commit what is staged"}
	x, _ := New(Options{Catalog: newCatalog(t, few)}).current()
	if steps := x.steps("stage the files and commit the lot"); len(steps) != 2 {
		t.Errorf("got the steps %q, want two", steps)
	}
}
