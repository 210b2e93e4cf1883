package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
)

// Targets for discovery with manyTools tools that all have vectors.
const (
	manyTools         = 10_000
	encodedTools      = 300 // tools that are encoded to estimate the time for all
	targetWords       = 1   // ms per search on one core, median
	targetMeaning     = 10  // ms per search including encoding the query, on one core, 95th percentile
	targetSearchable  = 250 // ms from process start to the first result
	targetManyMemory  = 150 // MB
	targetEncoding    = 360 // s for all tools on one core
	indexTimeout      = 9 * time.Minute
	targetAgain       = 3  // s of CPU time for a start; it would be more if tools were encoded again
	targetChangedTool = 60 // ms for the first search after a change
	targetGrowth      = 30 // MB that discovery may add to the program file
)

// discovery measures the search over many tools.
func (b *bench) discovery(ctx context.Context) error {
	const folder = "discovery"
	servers, err := b.manyServers()
	if err != nil {
		return err
	}
	model := minilm.New()
	sample, took := encodeSome(model, servers)
	data := paths.Folder(b.scratch + "/" + folder)
	if err := stock(ctx, data, servers, sample); err != nil {
		return err
	}
	b.report.add(fmt.Sprintf("encode %d tools on one core", manyTools), took.Seconds()*manyTools/float64(len(sample)), "s", targetEncoding,
		"reckoned from %d tools in %.1f s", len(sample), took.Seconds())
	if err := b.startWithMany(ctx, folder); err != nil {
		return err
	}
	for _, provider := range []string{"none", "builtin"} {
		if err := b.searchMany(ctx, folder, provider, asked(servers, b.pick(100, 400))); err != nil {
			return err
		}
	}
	if err := b.report.addChangeOne(ctx, data, b.pick(5, 21)); err != nil {
		return err
	}
	return b.report.addGrowth(b.binary, b.against)
}

// encodeSome encodes a sample of tools from all servers and returns the total time.
func encodeSome(model *minilm.Encoder, servers [][]*catalog.Tool) ([]embedding.Vector, time.Duration) {
	all := slices.Concat(servers...)
	var texts []string
	for i := range encodedTools {
		texts = append(texts, embedding.Text(all[i*len(all)/encodedTools]))
	}
	model.Encode(texts[0], 64) // loads the weights
	var out []embedding.Vector
	began := time.Now()
	for _, text := range texts {
		out = append(out, embedding.Round(model.Encode(text, 64)))
	}
	return out, time.Since(began)
}

// startWithMany measures the time to the first result and the memory of a hub with many tools.
func (b *bench) startWithMany(ctx context.Context, folder string) error {
	var found, held, spent []float64
	peak := int64(0)
	for range b.pick(2, 7) {
		began := time.Now()
		h, err := b.startHub(ctx, b.binary, folder)
		if err != nil {
			return err
		}
		if err = h.firstHit(ctx); err == nil {
			found = append(found, ms(time.Since(began)))
			if len(held) < b.pick(1, 3) {
				held = append(held, megabytes(memoryAtRest(h.pid())))
			}
			spent = append(spent, cpuTime(h.pid()).Seconds())
			_, most := memory(h.pid())
			peak = max(peak, most)
			var s vectorStatus
			if s, err = h.vectors(ctx); err == nil && (s.Ready != manyTools || s.Working) {
				err = fmt.Errorf("%d of %d tools have vectors, and encoding goes on: %t", s.Ready, manyTools, s.Working)
			}
		}
		if err := errors.Join(err, h.stop(ctx)); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("hub with %d stored tools and vectors: ", manyTools)
	b.report.addTimes(name+"find_tool has a hit", found, "ms", targetSearchable)
	b.report.addTimes(name+"memory at rest, after a find_tool", held, "MB", targetManyMemory)
	b.report.addTimes(name+"processor until then", spent, "s", targetAgain)
	b.report.add(name+"memory at most on the way", megabytes(peak), "MB", 0, "")
	return nil
}

// indexed waits until every tool has a vector and the hub has judged every definition, which it does in the background.
func (h *hub) indexed(ctx context.Context) error {
	var s vectorStatus
	for until := time.Now().Add(indexTimeout); time.Now().Before(until); time.Sleep(settle) {
		var err error
		s, err = h.vectors(ctx)
		if err != nil {
			return err
		}
		if s.Tools > 0 && s.Ready == s.Tools && !s.Working {
			return h.rests(until)
		}
	}
	return fmt.Errorf("only %d of %d vectors were computed in time", s.Ready, s.Tools)
}

// rests waits until the hub uses hardly any processor time, and returns an error if that does not happen before
// until.
func (h *hub) rests(until time.Time) error {
	for before := cpuTime(h.pid()); time.Now().Before(until); {
		time.Sleep(time.Second)
		now := cpuTime(h.pid())
		if now-before < 50*time.Millisecond {
			return nil
		}
		before = now
	}
	return errors.New("the hub works longer than expected")
}

// vectorStatus is the state of the vectors in a hub: the number of tools that agents can find, the number of those with
// a vector, and whether the hub is computing more.
type vectorStatus struct {
	Tools, Ready int
	Working      bool
}

func (h *hub) vectors(ctx context.Context) (s vectorStatus, err error) {
	err = h.api.Do(ctx, http.MethodGet, "/api/search/status", nil, &s)
	return s, err
}

// searchMany queries a hub that runs on one core. It reports the search times that the hub returns and the times of the
// requests over REST.
func (b *bench) searchMany(ctx context.Context, folder, provider string, queries []string) (err error) {
	h, err := b.startHub(ctx, b.binary, folder, "GOMAXPROCS=1", "AGENT_DISCOVER_EMBEDDING_PROVIDER="+provider)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop(ctx)) }()
	if err := h.firstHit(ctx); err != nil {
		return err
	}
	var inside []float64
	at := 0
	whole, err := repeat(len(queries), func() error {
		var found struct{ MS float64 }
		err := h.api.Do(ctx, http.MethodPost, "/api/find", map[string]string{"query": queries[at]}, &found)
		at++
		inside = append(inside, found.MS)
		return err
	})
	if err != nil {
		return err
	}
	b.report.addSearches(provider, inside, whole)
	return nil
}

func (r *report) addSearches(provider string, inside []float64, whole []time.Duration) {
	slices.Sort(inside)
	median, p95 := at(inside, 0.5), at(inside, 0.95)
	over := fmt.Sprintf("over REST: median %.2f, p95 %.2f", ms(at(whole, 0.5)), ms(at(whole, 0.95)))
	if provider == "none" {
		r.add(fmt.Sprintf("search %d tools by words, one core", manyTools), median, "ms", targetWords,
			"median of %d, p95 %.2f; %s", len(inside), p95, over)
		return
	}
	r.add(fmt.Sprintf("search %d tools by words and meaning, one core, p95", manyTools), p95, "ms", targetMeaning,
		"of %d, median %.2f; %s", len(inside), median, over)
}

// addGrowth reports by how much the program file is larger than an older one.
func (r *report) addGrowth(binary, against string) error {
	now, err := os.Stat(binary)
	if err != nil {
		return err
	}
	if against == "" {
		r.add("size of the program", megabytes(now.Size()), "MB", 0, "with -against an older one, its growth")
		return nil
	}
	before, err := os.Stat(against)
	if err != nil {
		return err
	}
	r.add("growth of the program", megabytes(now.Size()-before.Size()), "MB", targetGrowth, "now %.1f MB", megabytes(now.Size()))
	return nil
}

// asked generates distinct queries from the descriptions of tools; every fourth has a typing mistake.
func asked(servers [][]*catalog.Tool, n int) []string {
	all := slices.Concat(servers...)
	var out []string
	for i := range n {
		t := all[(i*2*len(all)/n+i)%len(all)]
		words := strings.Fields(strings.ReplaceAll(t.Name, "_", " ") + " " + t.Description)
		words = words[:min(len(words), 3+i%10)]
		if last := words[len(words)-1]; i%4 == 0 && len(last) > 5 {
			words[len(words)-1] = last[:2] + last[3:]
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}
