package store

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

func learnedOf(t *testing.T, s *Store) learning.Kept {
	t.Helper()
	kept, err := s.Learning.Learned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept.Pairs {
		kept.Pairs[i].Last = kept.Pairs[i].Last.UTC()
	}
	return kept
}

func TestLearnedPairsAreReadAsStored(t *testing.T) {
	s, file := openStore(t)
	if kept := learnedOf(t, s); len(kept.Pairs) != 0 || kept.LastID != 0 || kept.Switch != nil {
		t.Errorf("an empty database has %+v", kept)
	}
	at := time.UnixMilli(1790000000123).UTC()
	one := learning.Pair{
		ID: 3, Query: "read \u202e'; DROP TABLE learned", Tool: catalog.Key{Server: "s", Tool: "t"}, Times: 2, Failed: 1, Last: at,
	}
	two := learning.Pair{ID: 7, Query: "read mail", Tool: catalog.Key{Server: "s", Tool: "u"}, Times: 1, Last: at}
	if err := s.Learning.KeepLearned(t.Context(), []learning.Pair{one, two}, nil); err != nil {
		t.Fatal(err)
	}
	one.Times, one.Last = 3, at.Add(time.Hour)
	if err := s.Learning.KeepLearned(t.Context(), []learning.Pair{one}, []int64{7, 99}); err != nil {
		t.Fatal(err)
	}
	for _, set := range []learning.Switch{{On: true}, {Configured: true}} {
		if err := s.Learning.KeepLearningSwitch(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	want := learning.Kept{Pairs: []learning.Pair{one}, LastID: 7, Switch: &learning.Switch{Configured: true}}
	if kept := learnedOf(t, again); !reflect.DeepEqual(kept, want) {
		t.Errorf("got %+v, want %+v", kept, want)
	}
}

func TestErasedPairsAreRemovedFromTheFiles(t *testing.T) {
	s, file := openStore(t)
	var pairs []learning.Pair
	for i := range 300 {
		pairs = append(pairs, learning.Pair{
			ID: int64(i + 1), Query: fmt.Sprint("marker-of-mine ", i), Tool: catalog.Key{Server: "s", Tool: "t"}, Times: 1, Last: began,
		})
	}
	if err := s.Learning.KeepLearned(t.Context(), pairs, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Learning.EraseLearned(t.Context(), []int64{}); err != nil || len(learnedOf(t, s).Pairs) != 300 {
		t.Errorf("after erasing none: %d pairs are left, %v", len(learnedOf(t, s).Pairs), err)
	}
	if err := s.Learning.EraseLearned(t.Context(), []int64{2}); err != nil || len(learnedOf(t, s).Pairs) != 299 {
		t.Errorf("after erasing one: %d pairs are left, %v", len(learnedOf(t, s).Pairs), err)
	}
	if err := s.Learning.EraseLearned(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if kept := learnedOf(t, s); len(kept.Pairs) != 0 || kept.LastID != 300 {
		t.Errorf("after erasing all: %+v is left", kept)
	}
	for _, name := range []string{file, file + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "marker-of-mine") {
			t.Errorf("%s still contains a query", name)
		}
	}
}
