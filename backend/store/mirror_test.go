package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
)

func entry(name, version string, status listing.Status) mirror.Stored {
	return mirror.Stored{
		Listing: listing.Listing{
			Source: listing.Official, Name: name, Version: version, Status: status, Description: "d " + name,
			Packages: []listing.Package{{Kind: listing.KindNPM, Identifier: "p"}},
		},
		Document: mirror.Document{Publisher: "pub", Name: name, Title: "t", Description: "d " + name, Terms: "p", Hash: "hash of " + name},
	}
}

// mirrored looks up the entries a, b, c and d in the copy of the registry. It returns the names,
// versions and statuses of those that exist.
func mirrored(t *testing.T, s *Store) string {
	t.Helper()
	var out []string
	for _, name := range []string{"a", "b", "c", "d"} {
		l, ok, err := s.Mirror.MirrorListing(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			out = append(out, fmt.Sprintf("%s@%s:%s", name, l.Version, l.Status))
		}
	}
	return strings.Join(out, " ")
}

func TestTheRegistrysCopyChangesAsTold(t *testing.T) {
	s, _ := openStore(t)
	for i, step := range []struct {
		change mirror.Change
		want   string
	}{
		{
			mirror.Change{
				Put: []mirror.Stored{
					entry("a", "1", listing.Active), entry("b", "1", listing.Deprecated), entry("d", "1", listing.Deleted),
				},
			}, "a@1:active b@1:deprecated",
		},
		{
			mirror.Change{
				Put: []mirror.Stored{entry("a", "2", listing.Active), entry("c", "1", listing.Active)},
			}, "a@2:active b@1:deprecated c@1:active",
		},
		{mirror.Change{Gone: []string{"c", "nothing"}}, "a@2:active b@1:deprecated c@1:deleted"},
		{mirror.Change{Put: []mirror.Stored{entry("b", "2", listing.Deleted)}}, "a@2:active b@2:deleted c@1:deleted"},
		{mirror.Change{Prune: true, Keep: []string{"b"}}, "a@2:active b@2:deleted"},
		{mirror.Change{Put: []mirror.Stored{entry("c", "3", listing.Active)}, Unseen: true}, "a@2:deleted b@2:deleted c@3:active"},
		{mirror.Change{Prune: true}, "c@3:active"},
		{mirror.Change{Reset: true, Put: []mirror.Stored{entry("a", "9", listing.Active)}}, "a@9:active"},
	} {
		step.change.State = mirror.State{Round: int64(i + 1), Cursor: fmt.Sprint(i), Began: time.Unix(int64(i), 0).UTC()}
		if err := s.Mirror.ChangeMirror(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		if got := mirrored(t, s); got != step.want {
			t.Errorf("step %d: got %s, want %s", i, got, step.want)
		}
		if state, err := s.Mirror.MirrorState(t.Context()); err != nil || !reflect.DeepEqual(state, step.change.State) {
			t.Errorf("step %d: got %+v, %v", i, state, err)
		}
	}
}

func TestTheRegistrysCopyIsRead(t *testing.T) {
	s, _ := openStore(t)
	if state, err := s.Mirror.MirrorState(t.Context()); err != nil || state != (mirror.State{}) {
		t.Errorf("empty: got %+v, %v", state, err)
	}
	all := []mirror.Stored{entry("c", "1", listing.Active), entry("a", "2", listing.Deprecated), entry("b", "3", listing.Active)}
	if err := s.Mirror.ChangeMirror(t.Context(), mirror.Change{State: mirror.State{Round: 7}, Put: all}); err != nil {
		t.Fatal(err)
	}
	if err := s.Mirror.ChangeMirror(t.Context(), mirror.Change{
		State: mirror.State{Round: 8}, Put: all[:1], Gone: []string{"b"},
	}); err != nil {
		t.Fatal(err)
	}
	var ids []int64
	err := s.Mirror.MirrorDocuments(t.Context(), func(id int64, d mirror.Document) {
		if d != all[len(ids)].Document {
			t.Errorf("got %+v", d)
		}
		ids = append(ids, id)
	})
	if err != nil || len(ids) != 2 {
		t.Fatalf("%d documents, %v", len(ids), err)
	}
	found, err := s.Mirror.MirrorByID(t.Context(), []int64{ids[1], 99, ids[0]})
	if err != nil || len(found) != 2 || !reflect.DeepEqual(found[0], all[1].Listing) || !reflect.DeepEqual(found[1], all[0].Listing) {
		t.Errorf("got %+v, %v", found, err)
	}
	page, err := s.Mirror.MirrorPage(t.Context(), "a", 10)
	if err != nil || len(page) != 1 || page[0].Name != "c" {
		t.Errorf("got %+v, %v", page, err)
	}
	versions, err := s.Mirror.MirrorVersions(t.Context(), []string{"a", "b", "x"})
	if err != nil || !reflect.DeepEqual(versions, map[string]string{"a": "2", "b": "3"}) {
		t.Errorf("got %v, %v", versions, err)
	}
	if all, unseen, err := s.Mirror.CountMirror(t.Context(), 8); all != 2 || unseen != 1 || err != nil {
		t.Errorf("got %d, %d, %v", all, unseen, err)
	}
}

func TestVectorsOfTheCopyAreApartFromThoseOfTools(t *testing.T) {
	s, _ := openStore(t)
	if err := s.Mirror.ChangeMirror(t.Context(), mirror.Change{Put: []mirror.Stored{entry("a", "1", listing.Active)}}); err != nil {
		t.Fatal(err)
	}
	own := s.MirrorVectors
	made := []embedding.Made{
		{Hash: "hash of a", Vector: embedding.Vector{Scale: 1, Values: []int8{1, -2}}},
		{Hash: "unused", Vector: embedding.Vector{Scale: 1, Values: []int8{3, 4}}},
	}
	if err := own.KeepVectors(t.Context(), "m", made); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, at := range []time.Time{now, now.Add(2 * time.Hour)} {
		for _, v := range []embedding.Store{s.ToolVectors, own} {
			if err := v.TidyVectors(t.Context(), "m", at, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
	}
	count := func(v embedding.Store) (hashes string) {
		if err := v.Vectors(t.Context(), "m",
			func(hash string, _ float32, data []byte) { hashes += hash + string(rune('0'+data[0])) }); err != nil {
			t.Fatal(err)
		}
		return hashes
	}
	if got := count(own); got != "hash of a1" {
		t.Errorf("of the copy: %s", got)
	}
	if got := count(s.ToolVectors); got != "" {
		t.Errorf("of tools: %s", got)
	}
}

func TestProbesAreRemembered(t *testing.T) {
	s, _ := openStore(t)
	at := time.UnixMilli(1790000000123).UTC()
	want := map[string]listing.Probe{
		"https://a.example.com": {At: at, Answer: "ok"}, "https://b.example.com": {At: at, Answer: "failed", Detail: "no answer"},
	}
	for url, p := range want {
		for _, answer := range []string{"sign_in", p.Answer} {
			p.Answer = answer
			if err := s.Probes.SaveProbe(t.Context(), url, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := s.Probes.Probes(t.Context(), []string{"https://a.example.com", "https://b.example.com", "https://c.example.com"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTheRegistrysCopyIsNotSalvaged(t *testing.T) {
	s, file := openStore(t)
	if err := s.Mirror.ChangeMirror(t.Context(), mirror.Change{
		Put: []mirror.Stored{entry("a", "1", listing.Active)}, State: mirror.State{URL: "https://registry.example.com"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	saved, tables := salvage(t, file)
	if got := mirrored(t, saved); got != "" {
		t.Errorf("got %s", got)
	}
	if state, err := saved.Mirror.MirrorState(t.Context()); err != nil || state != (mirror.State{}) {
		t.Errorf("the state claims that it is complete: %+v, %v", state, err)
	}
	for table := range tables {
		if strings.HasPrefix(table, "mirror") || table == "probes" {
			t.Errorf("%s was salvaged", table)
		}
	}
}
