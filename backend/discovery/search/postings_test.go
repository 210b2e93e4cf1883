package search

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// manyTools returns a catalog that is large enough to be indexed by several
// goroutines.
func manyTools(t *testing.T) *catalog.Catalog {
	t.Helper()
	verbs, things := []string{"create", "list", "close", "merge", "export"}, []string{
		"issue", "branch", "invoice", "page", "alert", "ticket", "café",
	}
	servers := make(map[string][]json.RawMessage)
	for server := range 3 {
		var definitions []json.RawMessage
		for i := range 2 * minPerWorker {
			verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
			definitions = append(definitions,
				fmt.Appendf(nil,
					`{"name":"%s_%s_%d","description":"Can %s any %s of project%d.","inputSchema":{"properties":{"%sId%d":{"description":"which %s"}}}}`,
					verb, thing, i, verb, thing, i%(97+server), thing, i%13, thing))
		}
		servers[fmt.Sprint("server", server)] = definitions
	}
	return catalogtest.Open(t, &events.Bus{}, servers)
}

func TestRankingsDoNotDependOnTheNumberOfProcessors(t *testing.T) {
	c := manyTools(t)
	queries := []string{"merge a branch of project7", "list tickets", "exprt invoices", "café", "alert id 5 on server2", "close_page_38"}
	ranked := func(processors int) (out []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		s := New(Options{Catalog: c, Bus: &events.Bus{}})
		for _, query := range queries {
			for _, hit := range s.Find(t.Context(), Query{Text: query, Limit: maxHits, Always: true}).Hits {
				out = append(out, fmt.Sprint(query, ": ", hit.Tool.Proxied(), " ", hit.Score))
			}
		}
		return out
	}
	one := ranked(1)
	if len(one) < len(queries)*10 {
		t.Fatalf("got only %d hits: %v", len(one), one)
	}
	for _, processors := range []int{2, 3, 5} {
		if several := ranked(processors); !slices.Equal(one, several) {
			t.Errorf("with %d processors, the ranking is\n%v\nwith one, it is\n%v", processors, several, one)
		}
	}
}
