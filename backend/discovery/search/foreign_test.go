package search

import (
	"slices"
	"strings"
	"testing"
)

func TestQueriesInOtherLanguagesFindTools(t *testing.T) {
	s, _ := tools(t)
	for query, want := range map[string]string{
		"Erstelle ein neues Problem im Repository": "github__create_issue",
		"Wettervorhersage für morgen in Oslo":      "weather__forecast",
		"Lis le texte d'un fichier sur le disque":  "files__read_text_file",
		"Qué tiempo hace en Sevilla":               "weather__forecast",
		"Покажи список задач в репозитории":        "github__list_issues",
		"读取文件内容":                                   "files__read_text_file",
		"新しい課題を作成":                                 "github__create_issue",
		"디렉터리 목록 보기":                               "files__list_directory",
	} {
		r := s.Find(t.Context(), Query{Text: query, Limit: 3})
		if !r.Found || r.Hits[0].Tool.Proxied() != want {
			t.Errorf("%q, read as %q: got %+v, want %s", query, r.ReadAs, r.Hits, want)
		}
		if r.Evidence.missingNames > 0 {
			t.Errorf("%q: capitals count as names", query)
		}
		if r.Evidence.missing > 0.5 {
			t.Errorf("%q: foreign words count as missing: %.2f", query, r.Evidence.missing)
		}
	}
}

func TestEnglishQueriesAreSearchedAsTheyAre(t *testing.T) {
	s, _ := tools(t)
	r := s.Find(t.Context(), Query{Text: "open a new issue about the login bug", Limit: 1})
	if r.ReadAs != nil {
		t.Errorf("read as %q", r.ReadAs)
	}
}

func TestTheReadingIsReportedWithoutAMatch(t *testing.T) {
	s, _ := tools(t)
	if r := s.Find(t.Context(), Query{Text: "Überweise Geld auf mein Konto", Limit: 1}); !slices.Contains(r.ReadAs, "money") {
		t.Errorf("read as %q", r.ReadAs)
	}
}

func TestMeaningIsThatOfTheEnglishWords(t *testing.T) {
	for query, want := range map[string]string{
		"Lösche den Branch in GitLab": "delete branch gitlab",
		"delete the branch in GitLab": "delete the branch in GitLab",
	} {
		if got := askedFor(query).meaning; got != want {
			t.Errorf("%q: the model is given %q, want %q", query, got, want)
		}
	}
	if got := askedFor("Lösche den Branch").words; !strings.HasPrefix(got, "Lösche den Branch ") {
		t.Errorf("the query is replaced by %q", got)
	}
}

func TestReasonsOfAForeignQueryNameEnglishWords(t *testing.T) {
	s, _ := tools(t)
	if got, want := why(t, s, "Wettervorhersage für Oslo"), "name[forecast] server[weather] description[weather]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
