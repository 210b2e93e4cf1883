package federation

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// find searches listings, each of which is in a separate source.
func find(t *testing.T, q Query, installed []string, all ...listing.Listing) Answer {
	t.Helper()
	o := Options{Now: clock, Installed: func(context.Context) map[string]bool {
		out := make(map[string]bool)
		for _, id := range installed {
			out[id] = true
		}
		return out
	}}
	for i, l := range all {
		o.Sources = append(o.Sources, Source{
			Name: strconv.Itoa(i), Search: func(context.Context, string, int) ([]listing.Listing, error) {
				return []listing.Listing{l}, nil
			},
		})
	}
	return New(o).Search(t.Context(), q, nil)
}

func TestAnEntryStandsForItsPackage(t *testing.T) {
	entry := official("io.github.a/weather", "Weather",
		listing.Package{Kind: listing.KindNPM, Identifier: "@a/weather-mcp", Env: []listing.Field{{Name: "KEY"}}},
		listing.Package{Kind: listing.KindPyPI, Identifier: "Weather_MCP"})
	own := npmListing("@a/weather-mcp", "The weather")
	own.License, own.Downloads, own.Published, own.Keywords = "MIT", 500, now.Add(-time.Hour), []string{"mcp"}
	python := listing.Listing{
		Source: listing.PyPI, Name: "weather-mcp", Status: listing.Active,
		Packages: []listing.Package{{Kind: listing.KindPyPI, Identifier: "weather-mcp"}},
	}
	a := find(t, Query{Text: "weather"}, []string{"npm:@a/weather-mcp"}, own, python, entry, npmListing("weather-mcp", "Another"))
	if got := ids(a); got != "official:io.github.a/weather+npm:@a/weather-mcp+pypi:weather-mcp npm:weather-mcp" {
		t.Fatalf("got %q", got)
	}
	if r := a.Results[0]; r.License != "MIT" || r.Downloads != 500 || !r.Published.Equal(own.Published) || !r.Installed ||
		len(r.Packages) != 2 || len(r.Packages[0].Env) != 1 || r.Description != "Weather" || a.Results[1].Installed {
		t.Errorf("got %+v", r)
	}
}

func TestTheBestOfSeveralEntriesStandsForAPackage(t *testing.T) {
	p := listing.Package{Kind: listing.KindNPM, Identifier: "x-mcp"}
	old, deprecated, unverified, deleted := official("io.github.a/old", "x", p), official("io.github.a/deprecated", "x", p),
		official("io.github.a/unverified", "x", p), official("io.github.a/deleted", "x", p)
	old.Updated, deprecated.Status, unverified.Verified, deleted.Status = now.Add(-time.Hour), listing.Deprecated, false, listing.Deleted
	a := find(t, Query{Text: "x"}, nil, npmListing("x-mcp", "x"), deprecated, unverified, deleted, old, official("io.github.a/new", "x", p))
	var with []string
	for _, r := range a.Results {
		if len(r.IDs) > 1 {
			with = append(with, r.Name)
		}
	}
	if !slices.Equal(with, []string{"io.github.a/new"}) || a.Total != 4 || strings.Contains(ids(a), "deleted") ||
		strings.Contains(" "+ids(a), " npm:") {
		t.Errorf("got %q", ids(a))
	}
	if a = find(t, Query{Text: "x"}, nil, npmListing("x-mcp", "x"), deleted); ids(a) != "npm:x-mcp" {
		t.Errorf("with a deleted entry: got %q", ids(a))
	}
}

func TestAnIDIsThereOnceWithItsNewestVersion(t *testing.T) {
	older := official("io.github.a/x", "old")
	older.Updated, older.Version = now.Add(-time.Hour), "0.9.0"
	for _, all := range [][]listing.Listing{{older, official("io.github.a/x", "new")}, {official("io.github.a/x", "new"), older}} {
		if a := find(t, Query{Text: "x"}, nil, all...); len(a.Results) != 1 || a.Results[0].Version != "1.0.0" {
			t.Errorf("got %+v", a.Results)
		}
	}
}

func TestResultsAreRankedByRelevanceThenTrust(t *testing.T) {
	known, unknown, old := npmListing("postgres-a", "Query Postgres"), npmListing("postgres-b", "Query Postgres"), npmListing("postgres-c",
		"Query Postgres")
	known.Downloads, unknown.Downloads = 200_000, 500
	old.Downloads, old.Status = 200_000, listing.Deprecated
	popular := npmListing("weather", "The weather of tomorrow")
	popular.Downloads, popular.Verified, popular.Published = 5_000_000, true, now.AddDate(-3, 0, 0)
	a := find(t, Query{Text: "query postgres"}, nil, popular, old, unknown, known)
	if got := ids(a); got != "npm:postgres-a npm:postgres-b npm:postgres-c" {
		t.Errorf("got %q", got)
	}
	for _, r := range a.Results {
		if r.Score <= 0 || r.Score > 1 {
			t.Errorf("%s: the score is %f", r.Name, r.Score)
		}
	}
	if got := ids(find(t, Query{}, nil, popular, old, unknown, known)); got != "npm:weather npm:postgres-a npm:postgres-b npm:postgres-c" {
		t.Errorf("without a text: got %q", got)
	}
	if got := ids(find(t, Query{Text: "query postgres"}, []string{"npm:postgres-b"}, npmListing("postgres-b", "Query Postgres"),
		npmListing("postgres-a", "Query Postgres"))); !strings.HasPrefix(got, "npm:postgres-b ") {
		t.Errorf("with an installed one: got %q", got)
	}
}

func TestResultsWithoutAWordOfTheTextCountOnlyIfNoOtherFits(t *testing.T) {
	postgres, beds, rooms := npmListing("postgres", "Query tables"), npmListing("beds", "Hotels"), npmListing("rooms", "Hotels and hostels")
	for text, want := range map[string]string{
		"query postgres": "npm:postgres", "somewhere to sleep": "npm:beds npm:postgres npm:rooms", "": "npm:beds npm:postgres npm:rooms",
	} {
		if got := ids(find(t, Query{Text: text}, nil, postgres, beds, rooms)); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestTheOrderDoesNotDependOnTheArrival(t *testing.T) {
	all := []listing.Listing{
		official("io.github.a/x", "Files", listing.Package{Kind: listing.KindNPM, Identifier: "b"}),
		official("io.github.b/x", "Files", listing.Package{Kind: listing.KindNPM, Identifier: "b"}), npmListing("a", "Files"),
		npmListing("b", "Files"), npmListing("c", "Files"), npmListing("d", "Other"), npmListing("a", "Files 2"),
	}
	var want string
	for range 30 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		data, err := json.Marshal(find(t, Query{Text: "files"}, nil, all...).Results)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(data)
		}
		if string(data) != want {
			t.Fatalf("got\n%s\nand\n%s", data, want)
		}
	}
}

func TestHostileTextsAreOnlyText(t *testing.T) {
	odd := npmListing("$(id);rm -rf ~", "<script>alert(1)</script> \u202e `${x}` ../../etc \x00")
	odd.Keywords, odd.Packages = []string{"'; DROP TABLE", "\u0000"}, nil
	a := find(t, Query{Text: "script $(id) ../.. \u202e \x00 " + strings.Repeat("long ", 5000)}, nil, odd, npmListing("", "no name"),
		listing.Listing{Name: "no source"}, official("no-namespace", ""), official("", ""))
	if a.Total != 1 || !slices.ContainsFunc(a.Results,
		func(r Result) bool { return r.Name == odd.Name && r.Description == odd.Description }) {
		t.Errorf("got %+v", a.Results)
	}
}

func TestCategoriesAreRecognized(t *testing.T) {
	for want, l := range map[string]listing.Listing{
		"databases":     {Name: "io.github.a/postgres", Description: "Query data"},
		"communication": {Name: "slack-mcp", Description: "Chat"},
		"":              {Name: "io.github.xyz/abc", Description: "Something else"},
		"files":         {Name: "x", Keywords: []string{"pdf"}, Description: "Reads a document from the web"},
	} {
		got := categoriesOf(&l)
		if want == "" && len(got) != 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%s: got %q, want %q", l.Name, got, want)
		}
	}
	if all := Categories(); len(all) < 10 || !slices.Contains(all, "databases") {
		t.Errorf("got %q", all)
	}
}
