package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/npm"
)

// Targets for a search in three registries, one of which never answers.
const (
	foundEach      = 60
	targetFirst    = 1000 // ms from the first answer of a registry to the first results
	targetSearched = 15.5 // s until the last answer, which names the registry that did not answer
)

// federation measures how soon a search in several registries shows its first results: npm over HTTP on loopback, a
// copy of the official registry that answers at once, and a registry that never does.
func (b *bench) federation(ctx context.Context) error {
	registry := &slowRegistry{results: madeUpResults()}
	server := httptest.NewServer(registry)
	defer server.Close()
	home := filepath.Join(b.scratch, "federation")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	env := process.Env{"HOME=" + home, "PATH=", "npm_config_registry=" + server.URL}
	source := npm.New(npm.Options{Environment: func(context.Context) process.Env { return env }})
	f := federation.New(federation.Options{Sources: []federation.Source{
		{Name: listing.Official, Search: madeUpEntries},
		{Name: listing.NPM, Search: source.Search},
		{Name: "dead", Search: func(ctx context.Context, _ string, _ int) ([]listing.Listing, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	}})
	var first, both []float64
	for i := range b.pick(20, 200) {
		searching, cancel := context.WithCancel(ctx)
		began, answers := time.Now(), 0
		registry.begin()
		f.Search(searching, federation.Query{Text: fmt.Sprintf("%s %s %d", verbs[i%10], objects[i/10%10], i)}, func(a federation.Answer) {
			if answers++; answers == 1 {
				first = append(first, ms(time.Since(began)))
				return
			}
			both = append(both, ms(time.Since(registry.sent())))
			cancel()
		})
		cancel()
	}
	if len(both) == 0 {
		return fmt.Errorf("npm has not answered")
	}
	name := fmt.Sprintf("federated search, %d results of each registry: ", foundEach)
	b.report.addTimes(name+"from the first answer to its results", first, "ms", targetFirst)
	b.report.addTimes(name+"from npm's answer to the results of both", both, "ms", targetFirst)
	began := time.Now()
	if a := f.Search(ctx, federation.Query{Text: "create issue"}, nil); !a.Done || len(a.Results) == 0 ||
		a.Sources[2].Progress != federation.Missing {
		return fmt.Errorf("the last answer is %+v", a.Sources)
	}
	b.report.add("federated search with a registry that never answers", time.Since(began).Seconds(), "s", targetSearched, "")
	return nil
}

// slowRegistry answers searches as npm's registry does, and records the time of the last answer.
type slowRegistry struct {
	results []byte
	mu      sync.Mutex
	last    time.Time
}

func (r *slowRegistry) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Time{}
}

func (r *slowRegistry) sent() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

func (r *slowRegistry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(20 * time.Millisecond) // so that the copy of the official registry answers first
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(r.results) // the client may have hung up
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Now()
}

func madeUpResults() []byte {
	type object = map[string]any
	var all []object
	for i := range foundEach {
		all = append(all, object{"package": object{
			"name":    fmt.Sprintf("mcp-server-%s-%s-%d", verbs[i%10], objects[i/10%10], i),
			"version": "1.0.0", "keywords": []string{"mcp-server"}, "description": madeUpTool(i)["description"],
			"date": "2026-01-01T00:00:00.000Z",
		}})
	}
	data, _ := json.Marshal(object{"objects": all, "total": len(all)}) // cannot fail: texts and maps only
	return data
}

// madeUpEntries replaces the search in the copy of the official registry. Half of its entries offer packages that
// madeUpResults also contains.
func madeUpEntries(context.Context, string, int) ([]listing.Listing, error) {
	var out []listing.Listing
	for i := range foundEach {
		out = append(out, listing.Listing{
			Source: listing.Official, Name: fmt.Sprintf("io.github.bench/%s-%d", objects[i%10], i), Version: "1.0.0",
			Status: listing.Active, Verified: true,
			Description: fmt.Sprint(madeUpTool(2 * i)["description"]),
			Packages: []listing.Package{
				{Kind: listing.KindNPM, Identifier: fmt.Sprintf("mcp-server-%s-%s-%d", verbs[2*i%10], objects[2*i/10%10], 2*i)},
			},
		})
	}
	return out, nil
}
