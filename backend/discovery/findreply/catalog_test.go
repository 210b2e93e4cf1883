package findreply_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

func all(*catalog.Tool) bool             { return true }
func none(*catalog.Tool) findreply.Shown { return findreply.NotShown }

// searcher returns a searcher that ranks the tools of servers by words alone.
func searcher(t *testing.T, servers map[string][]json.RawMessage) *search.Searcher {
	t.Helper()
	c := catalogtest.Open(t, &events.Bus{}, servers)
	return search.New(search.Options{Catalog: c, Bus: &events.Bus{}})
}

// recorded returns the tools of real servers, and queries for them.
func recorded(t *testing.T) (map[string][]json.RawMessage, []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "catalog"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tool lists, %v", err)
	}
	servers := make(map[string][]json.RawMessage)
	for _, file := range files {
		var server struct{ Tools []json.RawMessage }
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &server)
		}
		if err != nil {
			t.Fatal(err)
		}
		servers[strings.TrimSuffix(filepath.Base(file), ".json")] = server.Tools
	}
	f, err := os.Open(reference.Path(t, "bench", "catalog-dev", "queries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var queries []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var q struct{ Query string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		queries = append(queries, q.Query)
	}
	return servers, queries
}

// generated returns tools of many sizes, and queries for them. Each call
// returns the same.
func generated() (map[string][]json.RawMessage, []string) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from string) string {
		words := strings.Fields(from)
		return words[random.IntN(len(words))]
	}
	const nouns = "issue branch file message record ticket page table invoice calendar deployment repository customer dashboard"
	const verbs = "create list delete update search export archive assign merge rename"
	text := func(words int) string {
		var b strings.Builder
		for i := range words {
			b.WriteString(pick(nouns + " " + verbs + " the a of with when to its given identifier workspace optional"))
			b.WriteString([]string{" ", " ", ". ", ", ", " "}[i%5])
		}
		return b.String()
	}
	servers, queries := make(map[string][]json.RawMessage), []string{}
	for i := range 40 {
		name := fmt.Sprintf("%s-%d", pick(nouns), i)
		for j := range 12 {
			properties, required := make(map[string]any), []string{}
			for k := range random.IntN(6) {
				argument := fmt.Sprintf("%s_%d", pick(nouns), k)
				properties[argument] = map[string]any{"type": "string", "description": text(random.IntN(30))}
				required = append(required, argument)
			}
			tool, _ := json.Marshal(map[string]any{
				"name": fmt.Sprintf("%s_%s_%d", pick(verbs), pick(nouns), j), "description": text(5 + random.IntN(300)),
				"inputSchema": map[string]any{"type": "object", "properties": properties, "required": required},
			})
			servers[name] = append(servers[name], tool)
		}
		queries = append(queries, pick(verbs)+" a "+pick(nouns)+" in the "+pick(nouns), pick(verbs)+" "+pick(nouns))
	}
	return servers, queries
}

// costs holds the sizes of replies in tokens, counted and estimated.
type costs struct {
	counted   []int
	estimated []int
}

func (c *costs) add(t *testing.T, reply any) {
	t.Helper()
	text, err := findreply.Text(reply)
	if err != nil {
		t.Fatal(err)
	}
	c.counted, c.estimated = append(c.counted, tokens.Count(text)), append(c.estimated, tokens.Estimate(text))
}

// check fails if more than 5 % of the replies exceed the limit, if more than 2
// % cost more than estimated, or if the estimates are more than 20 % too high
// in total.
func (c *costs) check(t *testing.T, name string, limit int) {
	t.Helper()
	low, sum, estimated := 0, 0, 0
	for i, n := range c.counted {
		if sum, estimated = sum+n, estimated+c.estimated[i]; n > c.estimated[i] {
			low++
		}
	}
	sorted := slices.Sorted(slices.Values(c.counted))
	at := func(share int) int { return sorted[len(sorted)*share/100] }
	t.Logf("%s: %d replies, p50 %d, p95 %d, max %d tokens; estimated %d %%, too low %d times", name, len(sorted), at(50), at(95),
		sorted[len(sorted)-1], 100*estimated/sum, low)
	if at(95) > limit {
		t.Errorf("%s: p95 is %d tokens, want at most %d", name, at(95), limit)
	}
	if 100*low > 2*len(sorted) || 100*estimated > 120*sum {
		t.Errorf("%s: the estimate is too low for %d of %d replies, and %d %% of the count in total", name, low, len(sorted),
			100*estimated/sum)
	}
}

func TestRepliesForRealToolsAreSmall(t *testing.T) {
	servers, queries := recorded(t)
	small(t, searcher(t, servers), queries)
}

func TestRepliesForToolsOfAllSizesAreSmall(t *testing.T) {
	servers, queries := generated()
	small(t, searcher(t, servers), queries)
}

// small checks the sizes of the replies to queries.
func small(t *testing.T, s *search.Searcher, queries []string) {
	t.Helper()
	var one, batch costs
	shortened, kept := 0, 0
	for _, query := range queries {
		result := s.Find(t.Context(), search.Query{Text: query, Limit: 1 + findreply.DefaultOthers})
		if !result.Found {
			continue
		}
		reply := findreply.ForQuery(result, findreply.Options{MaxOthers: findreply.DefaultOthers, Listed: all, Shown: none})
		one.add(t, reply)
		if kept += len(reply.OtherMatches); len(reply.Text) < len(result.Hits[0].Tool.Description) {
			shortened++
		}
		batch.add(t, map[string]any{
			"results": []any{findreply.ForIntent(query, result, findreply.Options{MaxOthers: findreply.MaxBatchOthers, Shown: none})},
		})
	}
	t.Logf("%d of %d descriptions are cut; replies have %.1f other matches on average",
		shortened, len(one.counted), float64(kept)/float64(len(one.counted)))
	one.check(t, "find_tool", 250)
	batch.check(t, "find_tools", 120)
}
