package search

import (
	"strings"
	"testing"
)

func TestAllToolsOfASentenceOfStepsAreAmongTheFirstFive(t *testing.T) {
	c := listed(t, office)
	for name, means := range map[string]Meaning{"words": nil, "meaning": thinks(vectorsOf(t, c, measuredModel, thinker{}))} {
		s := New(Options{Catalog: c, Meaning: means})
		for query, want := range map[string]string{
			"make a branch, commit the files and open a pull request":              "create_branch push_files create_pull_request",
			"list the events of the day, then send an email to the guests":         "list_events send_email",
			"describe the columns of the table and run SQL against the database":   "describe_table run_query",
			"in GitHub, create an issue, create a branch and get the pull request": "create_issue create_branch getPullRequest",
			"List the pods; post a message to the channel afterwards.":             "get_pods post_message",
		} {
			r := s.Find(t.Context(), Query{Text: query, Limit: 5})
			for _, tool := range strings.Fields(want) {
				if !strings.Contains(" "+found(r.Hits)+" ", "__"+tool+" ") {
					t.Errorf("%s, %q: no %s in %s", name, query, tool, found(r.Hits))
				}
			}
		}
	}
}

func TestASentenceThatAsksForOneThingHasNoSteps(t *testing.T) {
	s := New(Options{Catalog: listed(t, office)})
	x, _ := s.current()
	for _, query := range []string{
		"search for restaurants and cafés near the station", "list issues and pull requests", "a city and its weather, please",
		"read the text and the numbers of a file", "and", "and, then; also!", "create an issue", "weather, rain, wind and sun",
		"salt and pepper", "rename file a.txt and b.txt", "merge the pull request and its reviews",
		// More than five things are a list, not steps.
		strings.Repeat("create an issue, ", 6),
	} {
		if steps := x.steps(query); len(steps) > 0 {
			t.Errorf("%q is cut into %q", query, steps)
		}
	}
	got := strings.Join(x.steps("In GitHub, create an issue about it, with a title, then list the branches"), " | ")
	if want := "In GitHub, create an issue about it, with a title | In GitHub, list the branches"; got != want {
		t.Errorf("steps are %q", got)
	}
}

func TestANameAmongStepsIsStillFirst(t *testing.T) {
	s := New(Options{Catalog: listed(t, office)})
	sought(t, s, map[string]string{
		"create a branch, commit the files and call merge_pull_request": "github__merge_pull_request",
		"list the channels and then use mcp__slack__get_users":          "slack__get_users",
	})
}

func TestStepsOfServersTheSentenceSpeaksOfComeFirst(t *testing.T) {
	s := New(Options{Catalog: listed(t, and(map[string]string{
		"workshop": "create_issue: Create a new issue in a repository\nlist_issues: List the issues of a repository\ncreate_branch: Create a branch in a repository",
	}))})
	r := s.Find(t.Context(), Query{Text: "create a branch and create a new issue, all of it in the workshop", Limit: 6})
	got := found(r.Hits)
	for _, tool := range []string{"create_issue", "create_branch"} {
		if first := strings.Index(got, tool); !strings.HasSuffix(got[:max(first, 0)], "workshop__") {
			t.Errorf("%s of another comes first: %s", tool, got)
		}
	}
}

func TestAmongAFewToolsOneIsEnoughForAWordToBeginAStep(t *testing.T) {
	few := map[string]string{"git": "stage_all: Stage everything that changed\nwrite_commit: Commit what is staged"}
	x, _ := New(Options{Catalog: listed(t, few)}).current()
	if steps := x.steps("stage the files and commit the lot"); len(steps) != 2 {
		t.Errorf("steps are %q", steps)
	}
}
