package store

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

func vectorsOf(t *testing.T, s *Store, model string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	err := s.ToolVectors.Vectors(t.Context(), model, func(hash string, scale float32, data []byte) { got[hash] = fmt.Sprint(scale, data) })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func keepVectors(t *testing.T, s *Store, model string, hashes ...string) {
	t.Helper()
	var made []embedding.Made
	for _, hash := range hashes {
		made = append(made, embedding.Made{Hash: hash, Vector: embedding.Vector{Scale: 1, Values: []int8{1}}})
	}
	if err := s.ToolVectors.KeepVectors(t.Context(), model, made); err != nil {
		t.Fatal(err)
	}
}

func TestVectorsAreReadByModel(t *testing.T) {
	s, _ := openStore(t)
	odd := embedding.Vector{Scale: math.Nextafter32(0.1, 1), Values: []int8{-128, -1, 0, 127}}
	keepVectors(t, s, "m", "a", "b")
	keepVectors(t, s, "other", "a")
	if err := s.ToolVectors.KeepVectors(t.Context(), "m", []embedding.Made{{Hash: "a", Vector: odd}}); err != nil {
		t.Fatal(err)
	}
	got := vectorsOf(t, s, "m")
	if len(got) != 2 || got["a"] != fmt.Sprint(odd.Scale, []byte{128, 255, 0, 127}) || got["b"] != "1 [1]" {
		t.Errorf("got %v", got)
	}
	if got := vectorsOf(t, s, "none"); len(got) != 0 {
		t.Errorf("vectors of another model: %v", got)
	}
}

func TestVectorsAreDeletedSomeTimeAfterTheirTools(t *testing.T) {
	s, _ := openStore(t)
	tool, _ := catalog.NewTool("srv", json.RawMessage(`{"name":"x"}`))
	keepVectors(t, s, "m", tool.Hash, "gone")
	keepVectors(t, s, "old", tool.Hash, "gone")
	for _, step := range []struct {
		hours int
		tools []*catalog.Tool
		left  []string
	}{
		{0, []*catalog.Tool{tool}, []string{tool.Hash, "gone"}},
		{71, nil, []string{tool.Hash, "gone"}},
		{73, nil, []string{tool.Hash}},
		{100, []*catalog.Tool{tool}, []string{tool.Hash}},
		{150, nil, []string{tool.Hash}}, // unused again since hour 150; it was used at hour 100
		{221, nil, []string{tool.Hash}},
		{223, nil, nil},
	} {
		if err := s.Tools.ReplaceTools(t.Context(), "srv", step.tools, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.ToolVectors.TidyVectors(t.Context(), "m", began.Add(time.Duration(step.hours)*time.Hour), 72*time.Hour); err != nil {
			t.Fatal(err)
		}
		var got []string
		for hash := range vectorsOf(t, s, "m") {
			got = append(got, hash)
		}
		slices.Sort(got)
		if slices.Sort(step.left); !slices.Equal(got, step.left) {
			t.Errorf("after %d hours: got %q, want %q", step.hours, got, step.left)
		}
	}
	if got := vectorsOf(t, s, "old"); len(got) != 0 {
		t.Errorf("vectors of another model: %v", got)
	}
}

// BenchmarkVectors reads ten thousand vectors with the dimensions of the
// builtin model.
func BenchmarkVectors(b *testing.B) {
	s, err := Open(b.Context(), b.TempDir()+"/discover.db")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for batch := range 100 {
		made := make([]embedding.Made, 100)
		for i := range made {
			made[i] = embedding.Made{Hash: fmt.Sprintf("%064d", 100*batch+i), Vector: embedding.Vector{Scale: 1, Values: make([]int8, 384)}}
		}
		if err := s.ToolVectors.KeepVectors(b.Context(), "builtin/some-model/text1", made); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		if err := s.ToolVectors.Vectors(b.Context(), "builtin/some-model/text1", func(string, float32, []byte) { n++ }); err != nil ||
			n != 10_000 {
			b.Fatal(n, err)
		}
	}
}
