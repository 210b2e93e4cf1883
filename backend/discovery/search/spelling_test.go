package search_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// TestOnlyMisspelledWordsAreCorrected searches for words that are one or two letters away from a word of a tool. Only those
// that are not real words are corrected.
func TestOnlyMisspelledWordsAreCorrected(t *testing.T) {
	bus := &events.Bus{}
	c := catalogtest.Open(t, bus, map[string][]json.RawMessage{"home": catalogtest.Definitions(
		`{"name":"holder","description":"Show who has a lock"}`,
		`{"name":"directory","description":"Show a directory"}`, `{"name":"store","description":"Show the store"}`,
		`{"name":"open","description":"Open a door"}`, `{"name":"files","description":"Count files"}`,
		`{"name":"grading","description":"Describe the grading"}`, `{"name":"clipping","description":"Keep a clipping"}`,
		`{"name":"meal","description":"Plan a meal"}`, `{"name":"screenshot","description":"Take a picture of the screen"}`,
	)})
	s := search.New(search.Options{Catalog: c, Bus: bus, Spelled: minilm.Knows})
	for query, want := range map[string]string{
		"direcotry": "directory", "screnshot": "screenshot", "stoer": "store", "hodler": "holder",
		"opend": "open", "filess": "files", "gracing": "", "flipping": "", "zipping": "", "graidng": "grading",
		"folder": "", "folders": "", "stove": "", "stories": "", "metal": "", "seal": "", "sealing": "",
	} {
		got := ""
		if r := s.Find(t.Context(), search.Query{Text: query, Limit: 1}); len(r.Hits) > 0 {
			got = r.Hits[0].Tool.Name
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}
