package corrections_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

// running is the tool list of a running server.
type running []json.RawMessage

func (r running) Describe(string) (upstream.Description, bool) {
	return upstream.Description{Tools: r}, r != nil
}

func TestItemsThatClientsWouldRefuseAreFoundInAllLists(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	bus := &events.Bus{}
	tools, err := catalog.Open(t.Context(), db.Tools, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	lists, err := features.Open(t.Context(), db.Features, bus)
	if err != nil {
		t.Fatal(err)
	}
	raw := func(texts ...string) (all []json.RawMessage) {
		for _, text := range texts {
			all = append(all, json.RawMessage(text))
		}
		return all
	}
	sent := raw(`{"name":"fine","inputSchema":{"type":"object"}}`, `{"name":"a","title":null,"inputSchema":{}}`, `{"title":"no name"}`)
	if _, err := tools.Replace(t.Context(), "s", sent); err != nil {
		t.Fatal(err)
	}
	for kind, definitions := range map[features.Kind][]json.RawMessage{
		features.Prompts:   raw(`{"name":"p","arguments":null}`, `{"name":null}`, `{"name":"fine"}`),
		features.Resources: raw(`{"uri":"a:b"}`, `{"name":"r"}`, `null`),
		features.Templates: raw(`{"uriTemplate":"a:{b}","name":"t","mimeType":null}`),
	} {
		if _, err := lists.Replace(t.Context(), "s", kind, definitions); err != nil {
			t.Fatal(err)
		}
	}
	stopped := []string{
		"tool a false title is null; left out, inputSchema.type is missing; shown as the text \"object\"",
		"prompt p false arguments is null; left out", "prompt  true name is null",
		"resource a:b false name is missing; shown as the text \"a:b\"", "resource r true uri is missing", "resource  true is null",
		"resource template a:{b} false mimeType is null; left out",
	}
	for _, row := range []struct {
		running running
		want    []string
	}{
		{nil, stopped},
		{sent, slices.Insert(slices.Clone(stopped), 1, "tool  true name is missing")},
	} {
		var got []string
		for _, c := range (corrections.Reader{Tools: tools, Features: lists, Running: row.running}).Of("s") {
			got = append(got, fmt.Sprintf("%s %s %t %s", c.Kind, c.Name, c.LeftOut, strings.Join(c.Changes, ", ")))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
		}
	}
}
