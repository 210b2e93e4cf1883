package features_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// memory is a Store in memory. A deleted list stays in it as nil.
type memory map[string][]json.RawMessage

func (m memory) Features(context.Context) ([]features.List, error) { return nil, nil }

func (m memory) SetFeatures(_ context.Context, l features.List) error {
	m[l.Server+" "+string(l.Kind)] = l.Definitions
	return nil
}

func TestAnEmptyListIsKnownUntilItsServerIsForgotten(t *testing.T) {
	stored, bus := memory{}, &events.Bus{}
	changes, stop := events.Subscribe[features.Changed](bus, 10)
	defer stop()
	l, err := features.Open(t.Context(), stored, bus)
	if err != nil {
		t.Fatal(err)
	}
	if l.Of("s", features.Prompts) != nil {
		t.Error("a list that was never sent is known")
	}
	if changed, err := l.Replace(t.Context(), "s", features.Prompts, nil); changed || err != nil {
		t.Errorf("the first list is empty: changed %v, %v", changed, err)
	}
	if l.Of("s", features.Prompts) == nil || stored["s prompts"] == nil {
		t.Error("an empty list is not known")
	}
	one := []json.RawMessage{json.RawMessage(`{}`)}
	for _, kind := range []features.Kind{features.Introduction, features.Resources} {
		if changed, err := l.Replace(t.Context(), "s", kind, one); !changed || err != nil {
			t.Errorf("%s: changed %v, %v", kind, changed, err)
		}
	}
	if err := l.Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	for what, definitions := range stored {
		if definitions != nil {
			t.Errorf("%s is still stored", what)
		}
	}
	if l.Of("s", features.Prompts) != nil || l.Of("s", features.Introduction) != nil {
		t.Error("lists of a forgotten server are known")
	}
	if n := len(changes); n != 4 { // two lists were added and removed
		t.Errorf("%d changes were published, want 4", n)
	}
}
