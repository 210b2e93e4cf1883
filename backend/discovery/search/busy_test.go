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

// While servers come and go, what is there all the time is found all the time.
func TestManySearchWhileToolsAndVectorsChange(t *testing.T) {
	const searchers, rounds = 200, 5
	c := listed(t, office)
	some := and(nil)
	delete(some, "mail")
	snapshots := []*embedding.Vectors{
		nil, vectorsOf(t, listed(t, nil), measuredModel, thinker{}), vectorsOf(t, c, measuredModel, thinker{}),
		vectorsOf(t, listed(t, some), measuredModel, thinker{}), vectorsOf(t, c, "something-else", thinker{}),
	}
	var vectors atomic.Pointer[embedding.Vectors]
	means := thinks(nil)
	means.vectors = vectors.Load
	s := New(Options{Catalog: c, Bus: &events.Bus{}, Meaning: means, Learned: learned{"": {{Server: "slack", Tool: "get_users", Strength: 0.1}}}})

	over, stirred := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stirred)
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
					"create_issue": "github__create_issue", "storm warnings of a region": "weather__get_alerts", "send_email": "mail__send_email",
				} {
					r := s.Find(t.Context(), Query{Text: query, Limit: 3, Explain: true})
					if !r.Found || r.Hits[0].Tool.Proxied() != want {
						t.Errorf("%q: %s", query, found(r.Hits))
					}
				}
				s.Nearest("", "creat_isue", 2)
			}
		})
	}
	all.Wait()
	close(over)
	<-stirred
}

// A ranking is of one snapshot, whatever comes after.
func TestASearchWithinASearchSeesWhatIsThereNow(t *testing.T) {
	c := listed(t, office)
	s := New(Options{Catalog: c})
	fresh := ""
	r := s.Find(t.Context(), Query{Text: "storm warnings", Limit: 3, Allow: func(*catalog.Tool) bool {
		if fresh == "" {
			fresh = "new"
			if _, err := c.Replace(t.Context(), fresh, definitions("storm_warnings: Storm warnings of a region")); err != nil {
				t.Error(err)
			}
			sought(t, s, map[string]string{"storm_warnings": "new__storm_warnings"})
		}
		return true
	}})
	if !r.Found || r.Hits[0].Tool.Proxied() != "weather__get_alerts" {
		t.Errorf("got %s", found(r.Hits))
	}
	sought(t, s, map[string]string{"storm_warnings": "new__storm_warnings"})
	if err := c.Forget(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	sought(t, s, map[string]string{"storm_warnings": "weather__get_alerts"})
}

func TestStepsAreRankedOverOneSnapshot(t *testing.T) {
	c := listed(t, and(map[string]string{"aaa": office["github"], "zzz": office["slack"]}))
	vectors := vectorsOf(t, c, measuredModel, thinker{})
	s := New(Options{Catalog: c, Meaning: thinks(vectors)})
	const query = "list the members of the workspace, create a branch and list the pods"
	once := sync.Once{}
	ask := Query{Text: query, Limit: 50, Always: true, Explain: true}
	want := found(s.Find(t.Context(), ask).Hits)
	ask.Allow = func(*catalog.Tool) bool {
		once.Do(func() {
			for server := range and(nil) {
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
	sane(t, query, r)
	if got := found(r.Hits); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
