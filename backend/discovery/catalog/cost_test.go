package catalog

import "testing"

func TestOnlyTheNamesOfDeferredToolsAreLoaded(t *testing.T) {
	tools := []*Tool{{Server: "x", Name: "a", Tokens: 1000}, {Server: "x", Name: "b", Tokens: 3000}, {Server: "x", Name: "c"}}
	if got, want := CostOf(tools, 0), (Cost{Tools: 3, Tokens: 4000, Uncounted: 1, Share: 0.02}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := CostOf(tools, 4); got.Deferred != 0 {
		t.Errorf("fewer tools than the client defers: %+v", got)
	}
	got := CostOf(tools, 3)
	if names := NameTokens(tools); names < 6 || names > 40 || got.Loaded() != names || got.Deferred != 4000-names || got.Tokens != 4000 {
		t.Errorf("got %+v with %d tokens of names", got, names)
	}
	if got := CostOf([]*Tool{{Server: "x", Name: "a_very_long_name", Tokens: 1}}, 1); got.Deferred != 0 {
		t.Errorf("a definition that is shorter than its name: %+v", got)
	}
}
