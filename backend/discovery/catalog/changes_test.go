package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestChangesOfAListAreAnnouncedByTool(t *testing.T) {
	c, _, bus, _ := open(t)
	changed, stop := events.Subscribe[catalog.ToolsChanged](bus, 8)
	defer stop()
	hash := func(tool string) string {
		found, _ := c.Snapshot().Lookup("a", tool)
		return found.Hash
	}
	replace(t, c, "a", `{"name":"x"}`, `{"name":"y","description":"1"}`, `{"name":"z"}`)
	before := map[string]string{"x": hash("x"), "y": hash("y"), "z": hash("z")}
	replace(t, c, "a", `{"name":"x"}`, `{"name":"y","description":"1"}`, `{"name":"z"}`)                 // the same list
	replace(t, c, "a", `{"name":"x","_meta":{}}`, `{"name":"y","description":"1"}`, `{"name":"z"}`)      // the hash ignores _meta
	replace(t, c, "a", `{"name":"w"}`, `{"name":"x"}`, `{"description":"2","name":"y"}`, `{"name":"x"}`) // added, same, updated; z removed
	if err := c.Forget(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	stop()
	var got []string
	for e := range changed {
		got = append(got, fmt.Sprint(e.Server, e.Summary))
		for _, change := range e.Changes {
			if change.Kind != catalog.Added && change.Previous == "" ||
				change.Kind != catalog.Removed && (change.Current == "" || change.Definition == nil) || change.Previous == change.Current ||
				e.At.IsZero() {
				t.Errorf("got %+v", change)
			}
			if change.Kind == catalog.Updated && change.Previous != before[change.Tool] {
				t.Errorf("the hash of %s was %s, not %s", change.Tool, before[change.Tool], change.Previous)
			}
			got = append(got, fmt.Sprint(change.Tool, " ", change.Kind))
		}
	}
	want := "[a{3 0 0 0} x added y added z added a{1 1 1 1} w added y updated z removed a{0 0 3 0} w removed x removed y removed]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
}

func TestToolsAreLookedUpByServerAndName(t *testing.T) {
	c, _, _, _ := open(t)
	replace(t, c, "a.b", `{"name":"x"}`)
	replace(t, c, "c", `{"name":"x"}`)
	for _, server := range []string{"a.b", "c"} {
		if tool, ok := c.Snapshot().Lookup(server, "x"); !ok || tool.Server != server {
			t.Errorf("%s: got %v, %v", server, tool, ok)
		}
	}
	if _, ok := c.Snapshot().Lookup("c", "y"); ok {
		t.Error("an unknown name was found")
	}
	if !c.Snapshot().Known("c") || c.Snapshot().Known("d") {
		t.Error("the known servers are wrong")
	}
	if got := c.Reads(); got != (catalog.Reads{Hits: 3, Misses: 2}) || got.Rate() != 0.6 ||
		(catalog.Reads{}).Rate() != 0 {
		t.Errorf("got %+v", got)
	}
}

// holding is a gate that holds the definitions that contain the word held.
type holding struct{ listed []json.RawMessage }

func (g *holding) Admit(_ context.Context, _ string, listed []json.RawMessage) ([]json.RawMessage, error) {
	g.listed = listed
	return g.of(false), nil
}

func (g *holding) Admitted(context.Context, string) ([]json.RawMessage, error) {
	return g.of(false), nil
}

func (g *holding) Withheld(context.Context, string) ([]json.RawMessage, error) {
	return g.of(true), nil
}

func (g *holding) of(held bool) (out []json.RawMessage) {
	for _, definition := range g.listed {
		if strings.Contains(string(definition), "held") == held {
			out = append(out, definition)
		}
	}
	return out
}

func TestAHeldChangeIsNoRemoval(t *testing.T) {
	c, _, bus, _ := open(t)
	gate := &holding{}
	c.Guard(gate)
	changed, stop := events.Subscribe[catalog.ToolsChanged](bus, 8)
	defer stop()
	replace(t, c, "a", `{"name":"x"}`, `{"name":"new","description":"held"}`)
	id := c.Snapshot().Tools[0].ID
	x := catalog.Key{Server: "a", Tool: "x"}
	if !replace(t, c, "a", `{"name":"x","description":"held"}`, `{"name":"new","description":"held"}`) {
		t.Error("a held change is reported as no change")
	}
	now := c.Snapshot()
	if held, ok := now.Withheld(x); !ok || held.Description != "held" || len(now.Tools) != 0 {
		t.Errorf("got %+v, and %d tools", held, len(now.Tools))
	}
	if _, ok := now.Withheld(catalog.Key{Server: "a", Tool: "new"}); ok {
		t.Error("a tool that no agent could use is withheld")
	}
	if replace(t, c, "a", `{"name":"x","description":"held"}`) {
		t.Error("the same list is reported as a change")
	}
	replace(t, c, "a", `{"name":"x","description":"2"}`)
	if tool, ok := c.Snapshot().Lookup("a", "x"); !ok || tool.ID != id {
		t.Errorf("got %+v, want the ID %d", tool, id)
	}
	replace(t, c, "a", `{"name":"x","description":"held"}`)
	if err := c.Forget(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	stop()
	var got []string
	for e := range changed {
		for _, change := range e.Changes {
			got = append(got, string(change.Kind))
		}
	}
	if want := "added updated updated updated removed"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
