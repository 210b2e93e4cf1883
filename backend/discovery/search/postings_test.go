package search

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// shelf is a store that keeps nothing.
type shelf struct{}

func (shelf) Tools(context.Context) ([]*catalog.Tool, error)              { return nil, nil }
func (shelf) ReplaceTools(context.Context, string, []*catalog.Tool) error { return nil }
func (shelf) SetTokens(context.Context, map[catalog.Key]int) error        { return nil }

// manyTools is a catalog that is worth more than one processor.
func manyTools(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), shelf{}, &events.Bus{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	verbs, things := []string{"create", "list", "close", "merge", "export"}, []string{"issue", "branch", "invoice", "page", "alert", "ticket", "café"}
	for server := range 3 {
		var definitions []json.RawMessage
		for i := range 2 * minShare {
			verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
			definitions = append(definitions, fmt.Appendf(nil, `{"name":"%s_%s_%d","description":"Can %s any %s of project%d.","inputSchema":{"properties":{"%sId%d":{"description":"which %s"}}}}`,
				verb, thing, i, verb, thing, i%(97+server), thing, i%13, thing))
		}
		if _, err := c.Replace(t.Context(), fmt.Sprint("server", server), definitions); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestARankingDoesNotDependOnTheNumberOfProcessors(t *testing.T) {
	c := manyTools(t)
	queries := []string{"merge a branch of project7", "list tickets", "exprt invoices", "café", "alert id 5 on server2", "close_page_38"}
	ranked := func(processors int) (out []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		s := New(Options{Catalog: c, Bus: &events.Bus{}})
		for _, query := range queries {
			for _, hit := range s.Find(t.Context(), Query{Text: query, Limit: considered, Always: true}).Hits {
				out = append(out, fmt.Sprint(query, ": ", hit.Tool.Proxied(), " ", hit.Score))
			}
		}
		return out
	}
	one := ranked(1)
	if len(one) < len(queries)*10 {
		t.Fatalf("only %d hits: %v", len(one), one)
	}
	for _, processors := range []int{2, 3, 5} {
		if several := ranked(processors); !slices.Equal(one, several) {
			t.Errorf("%d processors rank\n%v\none ranks\n%v", processors, several, one)
		}
	}
}
