package federation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func npmListing(name, description string) listing.Listing {
	return listing.Listing{
		Source: listing.NPM, Name: name, Description: description, Version: "1.0.0", Status: listing.Active, Updated: now,
		Packages: []listing.Package{{Kind: listing.KindNPM, Identifier: name, Version: "1.0.0"}},
	}
}

func official(name, description string, packages ...listing.Package) listing.Listing {
	return listing.Listing{
		Source: listing.Official, Name: name, Description: description, Version: "1.0.0", Status: listing.Active, Updated: now,
		Verified: true, Packages: packages,
	}
}

// after returns a source that answers after some time, unless the search ends first.
func after(name string, wait time.Duration, err error, found ...listing.Listing) Source {
	return Source{Name: name, Search: func(ctx context.Context, _ string, _ int) ([]listing.Listing, error) {
		select {
		case <-time.After(wait):
			return found, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

func ids(a Answer) string {
	var out []string
	for _, r := range a.Results {
		out = append(out, strings.Join(r.IDs, "+"))
	}
	return strings.Join(out, " ")
}

func reports(a Answer) string {
	var out []string
	for _, r := range a.Sources {
		out = append(out, fmt.Sprintf("%s:%s:%d:%d", r.Source, r.Progress, r.Found, r.Elapsed))
	}
	return strings.Join(out, " ")
}

func TestAnswersComeAsSoonAsASourceHasSomething(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Sources: []Source{
			after("official", 3*time.Second, nil, official("io.github.a/postgres", "Postgres")),
			after("npm", 100*time.Millisecond, nil, npmListing("mcp-server-postgres", "Postgres")),
			after("pypi", time.Hour, nil),
		}})
		began := time.Now()
		var seen []string
		final := f.Search(t.Context(), Query{Text: "postgres"}, func(a Answer) {
			if a.Done {
				t.Error("a partial answer is done")
			}
			seen = append(seen, fmt.Sprintf("%s %s | %s", time.Since(began), ids(a), reports(a)))
		})
		if want := []string{
			"100ms npm:mcp-server-postgres | official:searching:0:0 npm:answered:1:100 pypi:searching:0:0",
			"3s official:io.github.a/postgres npm:mcp-server-postgres | official:answered:1:3000 npm:answered:1:100 pypi:searching:0:0",
		}; !slices.Equal(seen, want) {
			t.Errorf("got %q", seen)
		}
		if took := time.Since(began); took != Patience || !final.Done || len(final.Results) != 2 ||
			reports(final) != "official:answered:1:3000 npm:answered:1:100 pypi:missing:0:15000" ||
			!strings.Contains(final.Sources[2].Problem, "15 seconds") {
			t.Errorf("after %s: %s %+v", took, reports(final), final.Sources)
		}
	})
}

func TestADeadSourceHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan struct{})
		defer close(hung) // the synctest bubble ends only when all goroutines have ended
		f := New(Options{Sources: []Source{
			{Name: "deaf", Search: func(context.Context, string, int) ([]listing.Listing, error) { <-hung; return nil, nil }},
			after("npm", 0, nil, npmListing("mcp-x", "x")),
		}})
		began := time.Now()
		if a := f.Search(t.Context(), Query{Text: "x"}, nil); time.Since(began) != Patience || len(a.Results) != 1 ||
			a.Sources[0].Progress != Missing {
			t.Errorf("after %s: %+v", time.Since(began), a)
		}
	})
}

func TestTheAnswerSaysWhatIsMissingAndWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Sources: []Source{
			after("official", 0, fault.New(fault.Unavailable, "no registry is configured")),
			after("npm", 0, errors.New("secret path /x"), npmListing("mcp-x", "x")),
			after("pypi", 0, fmt.Errorf("x: %w", context.DeadlineExceeded)),
		}})
		a := f.Search(t.Context(), Query{Text: "x"}, nil)
		if reports(a) != "official:missing:0:0 npm:incomplete:1:0 pypi:missing:0:0" ||
			a.Sources[0].Problem != "no registry is configured" ||
			strings.Contains(a.Sources[1].Problem, "secret") || !strings.Contains(a.Sources[2].Problem, "15 seconds") ||
			len(a.Results) != 1 {
			t.Errorf("got %+v", a)
		}
	})
}

func TestWaitEndsTheSearchSoonAfterTheFirstResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Sources: []Source{
			after("official", 5*time.Second, nil, official("io.github.a/x", "x")),
			after("npm", 2*time.Second, nil, npmListing("mcp-x", "x")),
			after("pypi", 0, nil), // finds nothing
		}})
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		a := f.Search(ctx, Query{Text: "x", Wait: time.Second}, nil)
		cancel()
		if time.Since(began) != 3*time.Second || ids(a) != "npm:mcp-x" || a.Sources[0].Progress != Missing ||
			!strings.Contains(a.Sources[0].Problem, "slower") {
			t.Errorf("after %s: %s", time.Since(began), reports(a))
		}
		time.Sleep(3 * time.Second)
		if a = f.Search(t.Context(), Query{Text: "x", Wait: time.Second}, nil); time.Since(began) != 6*time.Second || len(a.Results) != 2 {
			t.Errorf("the second search took until %s: %s", time.Since(began), reports(a))
		}
	})
}

func TestACancelledSearchEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Sources: []Source{after("npm", time.Hour, nil)}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		if a := f.Search(ctx, Query{Text: "x"}, nil); time.Since(began) != time.Second || !a.Done {
			t.Errorf("after %s: %+v", time.Since(began), a)
		}
	})
}

func TestAnswersAreKeptForAMinuteUnlessTheyFailed(t *testing.T) {
	at, calls := now, make(map[string]int)
	source := func(name string, err error) Source {
		return Source{Name: name, Search: func(_ context.Context, text string, _ int) ([]listing.Listing, error) {
			calls[name+" "+text]++
			return []listing.Listing{npmListing(name+"-mcp", "x")}, err
		}}
	}
	f := New(Options{Now: func() time.Time { return at }, Sources: []Source{source("a", nil)}})
	bad := New(Options{Now: func() time.Time { return at }, Sources: []Source{source("b", errors.New("x"))}})
	for _, text := range []string{"x", " X ", "x"} {
		f.Search(t.Context(), Query{Text: text}, nil)
		bad.Search(t.Context(), Query{Text: text}, nil)
		bad.Search(t.Context(), Query{Text: text}, nil) // before failedFor has passed
		at = at.Add(failedFor)
	}
	if calls["a x"] != 1 || calls["a X"] != 0 || calls["b x"] != 2 || calls["b X"] != 1 {
		t.Errorf("got %v", calls)
	}
	at = at.Add(currentFor)
	f.Search(t.Context(), Query{Text: "x"}, nil)
	f.Forget()
	f.Search(t.Context(), Query{Text: "x"}, nil)
	if calls["a x"] != 3 {
		t.Errorf("later: got %v", calls)
	}
}

func TestFiltersSelectResultsAndSources(t *testing.T) {
	remote := official("io.github.a/slack-remote", "Chat in Slack")
	remote.Remotes = []listing.Remote{{Type: "streamable-http", URL: "https://x.example"}}
	asked := make(chan string, 20)
	source := func(name string, found ...listing.Listing) Source {
		return Source{Name: name, Search: func(context.Context, string, int) ([]listing.Listing, error) {
			asked <- name
			return found, nil
		}}
	}
	f := New(Options{Now: clock, Sources: []Source{
		source("official", remote, official("io.github.a/postgres", "SQL", listing.Package{Kind: listing.KindOCI, Identifier: "x/y:1"})),
		source("npm", npmListing("mcp-server-postgres", "Postgres database"), npmListing("mcp-slack", "Slack chat")),
	}})
	for want, q := range map[string]Query{
		"npm:mcp-server-postgres npm:mcp-slack":           {Source: "npm"},
		"official:io.github.a/slack-remote":               {Runtime: Remote},
		"official:io.github.a/postgres":                   {Runtime: "oci"},
		"npm:mcp-slack":                                   {Runtime: "npm", Category: "communication"},
		"npm:mcp-slack official:io.github.a/slack-remote": {Category: "communication"},
		"":                         {Category: "communication", Runtime: "oci"},
		"npm:mcp-server-postgres ": {Runtime: "npm", Limit: 1},
	} {
		a := f.Search(t.Context(), q, nil)
		got := strings.Fields(ids(a))
		slices.Sort(got)
		if wanted := strings.Fields(want); !slices.Equal(got, wanted) {
			t.Errorf("%+v: got %q", q, got)
		}
		if q.Limit == 1 && a.Total != 2 {
			t.Errorf("%+v: the total is %d", q, a.Total)
		}
	}
	close(asked)
	if n := len(slices.Collect(func(yield func(string) bool) {
		for name := range asked {
			if name == "official" && !yield(name) {
				return
			}
		}
	})); n != 1 {
		t.Errorf("the official registry was asked %d times", n)
	}
}

func TestASearchCanBeAskedForAgainUntilItIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		slow := after("npm", 3*time.Second, nil, npmListing("mcp-server-postgres", "Postgres"))
		wait := slow.Search
		slow.Search = func(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
			asked++
			return wait(ctx, text, limit)
		}
		f := New(Options{Sources: []Source{
			after("official", time.Second, nil, official("io.github.a/postgres", "Postgres")), slow, after("pypi", time.Hour, nil),
		}})
		began := time.Now()
		var seen []string
		for done := false; !done; {
			a := f.Search(t.Context(), Query{Text: "postgres", Within: 2 * time.Second}, nil)
			done = a.Done
			var progress []string
			for _, r := range a.Sources {
				progress = append(progress, string(r.Progress))
			}
			seen = append(seen, fmt.Sprintf("%s %s | %s", time.Since(began), ids(a), strings.Join(progress, " ")))
		}
		last := seen[len(seen)-1]
		if len(seen) < 3 || seen[0] != "2s official:io.github.a/postgres | answered searching searching" ||
			seen[1] != "4s official:io.github.a/postgres npm:mcp-server-postgres | answered answered searching" ||
			last != "15s official:io.github.a/postgres npm:mcp-server-postgres | answered answered missing" || asked != 1 {
			t.Errorf("npm was asked %d times: %s", asked, strings.Join(seen, "\n"))
		}
	})
}

func TestACancelledSearchDoesNotEndThatOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Sources: []Source{after("npm", 2*time.Second, nil, npmListing("mcp-server-postgres", "Postgres"))}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		go f.Search(ctx, Query{Text: "postgres"}, nil)
		synctest.Wait()
		if a := f.Search(t.Context(), Query{Text: "postgres"}, nil); len(a.Results) != 1 {
			t.Errorf("got %+v", a)
		}
	})
}

func TestResultsSayWhetherThereIsANewerVersion(t *testing.T) {
	f := New(Options{
		Sources:   []Source{after("npm", 0, nil, npmListing("mcp-server-postgres", "Postgres"), npmListing("mcp-server-sqlite", "SQLite"))},
		Updatable: func(context.Context) map[string]bool { return map[string]bool{"npm:mcp-server-sqlite": true} },
	})
	for _, r := range f.Search(t.Context(), Query{Text: "mcp"}, nil).Results {
		if r.Updatable != (r.Name == "mcp-server-sqlite") {
			t.Errorf("got %+v", r)
		}
	}
}
