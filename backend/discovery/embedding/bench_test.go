package embedding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/store"
)

// BenchmarkStart measures the time in which a starting hub loads the stored
// vectors of ten thousand tools, and the memory they take.
func BenchmarkStart(b *testing.B) {
	const tools, dimensions = 10_000, 384
	bus, log := &events.Bus{}, slog.New(slog.DiscardHandler)
	kept, err := store.Open(b.Context(), b.TempDir()+"/discover.db")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	known, err := catalog.Open(b.Context(), kept.Tools, bus, log)
	if err != nil {
		b.Fatal(err)
	}
	definitions := make([]json.RawMessage, tools)
	for i := range definitions {
		definitions[i] = fmt.Appendf(nil, `{"name":"tool_%d","description":"Does the thing with that number for its user."}`, i)
	}
	if _, err := known.Replace(b.Context(), "many", definitions); err != nil {
		b.Fatal(err)
	}
	o := embedding.Options{
		Settings: settings.Search{Provider: settings.ProviderBuiltin, Threads: 1},
		Builtin:  embedding.Builtin{Encoder: &words{}, Model: "some-model", Dimensions: dimensions},
		Catalog:  known, Store: kept.ToolVectors, Bus: bus, Log: log,
	}
	made := make([]embedding.Made, tools)
	for i, t := range known.Snapshot().Tools {
		made[i] = embedding.Made{Hash: t.Hash, Vector: embedding.Vector{Scale: 1, Values: make([]int8, dimensions)}}
	}
	if err := kept.ToolVectors.KeepVectors(b.Context(), embedding.New(o).Vectors().Model(), made); err != nil {
		b.Fatal(err)
	}
	changed := make(chan struct{}, 1)
	defer events.Signal[embedding.Changed](bus, changed)()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var x *embedding.Index
	for b.Loop() {
		x = embedding.New(o)
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		<-changed
		cancel()
		<-ended
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if x.Vectors().Len() != tools {
		b.Fatalf("got %d vectors, want %d", x.Vectors().Len(), tools)
	}
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)), "B-kept")
}
