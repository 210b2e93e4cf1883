package search

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

func TestASuccessorRanksBeforeADeprecatedTool(t *testing.T) {
	bus := &events.Bus{}
	c := catalogtest.Open(t, bus, map[string][]json.RawMessage{"files": catalogtest.Definitions(
		`{"name":"read_file","description":"Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead."}`,
		`{"name":"read_text_file","description":"Read the complete contents of a file from the file system as text."}`,
		`{"name":"copy_page","description":"[Deprecated] Copy a page of the wiki"}`,
		`{"name":"find_packages","description":"Find packages that are outdated or deprecated"}`,
	)})
	s := New(Options{Catalog: c, Bus: bus})
	for query, want := range map[string]string{
		"read a file":                   "read_text_file",
		"read file":                     "read_text_file",
		"read_file":                     "read_file", // named exactly
		"files__read_file":              "read_file",
		"please call read_file":         "read_file",
		"copy a page":                   "copy_page", // nothing else fits
		"find outdated packages":        "find_packages",
		"the deprecated tool read file": "read_file",
	} {
		result := s.Find(t.Context(), Query{Text: query, Limit: 3, Explain: true})
		if len(result.Hits) == 0 || result.Hits[0].Tool.Name != want {
			t.Errorf("%s: got %v, want %s", query, result.Hits, want)
		}
	}
}
