package table

import "testing"

func TestReferencesAreOfKnownEditors(t *testing.T) {
	for id, style := range referenceStyles {
		e, ok := ByID(id)
		if !ok || e.ID != id {
			t.Errorf("no editor has the id %s", id)
			continue
		}
		if got := e.Reference("A_B"); got == style || got == "" {
			t.Errorf("%s refers to a variable as %q", id, got)
		}
	}
	if e, _ := ByID("claude-desktop"); e.Reference("A") != "" {
		t.Error("Claude Desktop does not replace references")
	}
}
