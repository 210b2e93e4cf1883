package search

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

func TestConcurrentSearchesFindToolsThatDoNotChange(t *testing.T) {
	const searchers, rounds = 200, 5
	c := newCatalog(t, office)
	some := officeWith(nil)
	delete(some, "mail")
	snapshots := []*embedding.Vectors{
		nil, vectorsOf(t, newCatalog(t, nil), measuredModel, senseEncoder{}), vectorsOf(t, c, measuredModel, senseEncoder{}),
		vectorsOf(t, newCatalog(t, some), measuredModel, senseEncoder{}), vectorsOf(t, c, "something-else", senseEncoder{}),
	}
	var vectors atomic.Pointer[embedding.Vectors]
	meaning := meaningOf(nil)
	meaning.vectors = vectors.Load
	s := New(Options{
		Catalog: c, Bus: &events.Bus{}, Meaning: meaning, Learned: fakeLearned{"": {{Server: "slack", Tool: "get_users", Strength: 0.1}}},
	})

	over, changed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(changed)
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			default:
			}
			vectors.Store(snapshots[i%len(snapshots)])
			name := fmt.Sprintf("guest%d", i%3)
			var err error
			if i%2 == 0 {
				_, err = c.Replace(t.Context(), name, definitions(fmt.Sprintf("visit_%d: Come for tea\nleave_%d: Go home", i, i)))
			} else {
				err = c.Forget(t.Context(), name)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}()
	var all sync.WaitGroup
	for range searchers {
		all.Go(func() {
			for range rounds {
				for query, want := range map[string]string{
					"create_issue": "github__create_issue", "storm warnings of a region": "weather__get_alerts",
					"send_email": "mail__send_email",
				} {
					r := s.Find(t.Context(), Query{Text: query, Limit: 3, Explain: true})
					if !r.Found || r.Hits[0].Tool.Proxied() != want {
						t.Errorf("%q: %s", query, names(r.Hits))
					}
				}
				s.Nearest("", "creat_isue", 2)
			}
		})
	}
	all.Wait()
	close(over)
	<-changed
}

func TestANestedSearchUsesThePresentCatalog(t *testing.T) {
	c := newCatalog(t, office)
	s := New(Options{Catalog: c})
	fresh := ""
	r := s.Find(t.Context(), Query{Text: "storm warnings", Limit: 3, Allow: func(*catalog.Tool) bool {
		if fresh == "" {
			fresh = "new"
			if _, err := c.Replace(t.Context(), fresh, definitions("storm_warnings: Storm warnings of a region")); err != nil {
				t.Error(err)
			}
			expectBest(t, s, map[string]string{"storm_warnings": "new__storm_warnings"})
		}
		return true
	}})
	if !r.Found || r.Hits[0].Tool.Proxied() != "weather__get_alerts" {
		t.Errorf("got %s", names(r.Hits))
	}
	expectBest(t, s, map[string]string{"storm_warnings": "new__storm_warnings"})
	if err := c.Forget(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	expectBest(t, s, map[string]string{"storm_warnings": "weather__get_alerts"})
}

func TestStepsAreRankedOverOneSnapshot(t *testing.T) {
	c := newCatalog(t, officeWith(map[string]string{"aaa": office["github"], "zzz": office["slack"]}))
	vectors := vectorsOf(t, c, measuredModel, senseEncoder{})
	s := New(Options{Catalog: c, Meaning: meaningOf(vectors)})
	const query = "list the members of the workspace, create a branch and list the pods"
	once := sync.Once{}
	ask := Query{Text: query, Limit: 50, Always: true, Explain: true}
	want := names(s.Find(t.Context(), ask).Hits)
	ask.Allow = func(*catalog.Tool) bool {
		once.Do(func() {
			for server := range officeWith(nil) {
				if err := c.Forget(t.Context(), server); err != nil {
					t.Error(err)
				}
			}
			if _, err := c.Replace(t.Context(), "aaa", definitions("only: List the pods")); err != nil {
				t.Error(err)
			}
		})
		return true
	}
	r := s.Find(t.Context(), ask)
	checkResult(t, query, r)
	if got := names(r.Hits); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
