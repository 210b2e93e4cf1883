package catalog_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

func namesOf(tools []*catalog.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

func TestTwinsAreToolsOfOneServer(t *testing.T) {
	snapshot := catalogtest.Open(t, new(events.Bus), map[string][]json.RawMessage{
		"one": catalogtest.Definitions(`{"name":"read"}`, `{"name":"wipe"}`, `{"name":"Wipe"}`, `{"name":"wipe\u200b"}`),
		"two": catalogtest.Definitions(`{"name":"WIPE"}`, `{"name":"wiped"}`),
	}).Snapshot()
	for _, row := range []struct {
		server, tool string
		twins, alike []string
	}{
		{"one", "read", nil, []string{"read"}},
		{"one", "wipe", []string{"wipe", "Wipe", "wipe\u200b"}, []string{"wipe", "Wipe", "wipe\u200b"}},
		{"one", "wipe\u200b", []string{"wipe", "Wipe", "wipe\u200b"}, []string{"wipe", "Wipe", "wipe\u200b"}},
		{"one", "WIPE", nil, []string{"wipe", "Wipe", "wipe\u200b"}},
		{"two", "WIPE", nil, []string{"WIPE"}},
		{"two", " ｗipe", nil, []string{"WIPE"}},
		{"two", "", nil, nil},
		{"none", "wipe", nil, nil},
	} {
		if got := namesOf(snapshot.Twins(row.server, row.tool)); !slices.Equal(got, row.twins) {
			t.Errorf("twins of %s %q: %q", row.server, row.tool, got)
		}
		if got := namesOf(snapshot.Alike(row.server, row.tool)); !slices.Equal(got, row.alike) {
			t.Errorf("alike to %s %q: %q", row.server, row.tool, got)
		}
	}
}
