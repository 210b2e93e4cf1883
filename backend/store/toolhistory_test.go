package store

import (
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestTheHistoryOfAToolHasItsLastVersions(t *testing.T) {
	s, _ := openStore(t)
	previous := ""
	for i := range maxHistory + 10 {
		tool, _ := catalog.NewTool("s", fmt.Appendf(nil, `{"name":"x","description":"%d"}`, i))
		change := catalog.Change{Tool: "x", Kind: catalog.Updated, Previous: previous, Current: tool.Hash, Definition: tool.Definition}
		if err := s.Tools.ReplaceTools(t.Context(), "s", []*catalog.Tool{tool}, []catalog.Change{change}); err != nil {
			t.Fatal(err)
		}
		previous = tool.Hash
	}
	if err := s.Tools.ReplaceTools(t.Context(), "s", nil, []catalog.Change{
		{Tool: "x", Kind: catalog.Removed, Previous: previous},
	}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Tools.ToolHistory(t.Context(), "s", "x")
	if err != nil || len(got) != maxHistory {
		t.Fatal(len(got), err)
	}
	if last := got[0]; last.Kind != catalog.Removed || last.Previous != previous || last.Definition != nil ||
		last.Version != catalog.HashVersion || last.At.IsZero() {
		t.Errorf("got %+v", last)
	}
	if before := got[1]; before.Current != previous ||
		string(before.Definition) != fmt.Sprintf(`{"name":"x","description":"%d"}`, maxHistory+9) {
		t.Errorf("got %+v", before)
	}
	if other, err := s.Tools.ToolHistory(t.Context(), "t", "x"); err != nil || other != nil {
		t.Errorf("got %v, %v", other, err)
	}
}

func TestToolsAreSeenFirstAndChangedLast(t *testing.T) {
	s, _ := openStore(t)
	for i, server := range []string{"s", "s", "other"} {
		tool, _ := catalog.NewTool(server, fmt.Appendf(nil, `{"name":"x","description":"%d"}`, i))
		change := catalog.Change{Tool: "x", Kind: catalog.Updated, Current: tool.Hash, Definition: tool.Definition}
		if err := s.Tools.ReplaceTools(t.Context(), server, []*catalog.Tool{tool}, []catalog.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	past, err := s.Tools.ToolHistory(t.Context(), "s", "x")
	if err != nil {
		t.Fatal(err)
	}
	for server, n := range map[string]int{"": 2, "s": 1, "none": 0} {
		seen, err := s.Tools.ToolsSeen(t.Context(), server)
		if err != nil || len(seen) != n {
			t.Fatalf("%q: %v, %v", server, seen, err)
		}
		if got := seen[catalog.Key{Server: "s", Tool: "x"}]; n > 0 && (got.First != past[1].At || got.Changed != past[0].At) {
			t.Errorf("%q: %v, want those of %v", server, got, past)
		}
	}
}
