package finding

import (
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
)

func TestShownToolsAreRememberedUpToALimit(t *testing.T) {
	var m shownTools
	tool := func(i int) *catalog.Tool { return &catalog.Tool{Server: "s", Name: fmt.Sprint(i), Hash: "a"} }
	for i := range maxShown + 10 {
		m.mark(tool(i), findreply.NameShown)
		m.mark(tool(i), findreply.NameShown)
	}
	m.mark(tool(50), findreply.DescriptionShown)
	m.mark(tool(50), findreply.NameShown)
	for i, want := range map[int]findreply.Shown{
		0: findreply.NotShown, 9: findreply.NotShown, 10: findreply.NameShown, 50: findreply.DescriptionShown, maxShown +
			9: findreply.NameShown,
	} {
		if got := m.of(tool(i)); got != want {
			t.Errorf("tool %d: got %v, want %v", i, got, want)
		}
	}
	if len(m.tools) != maxShown || len(m.order) != maxShown {
		t.Errorf("%d tools are remembered in %d places", len(m.tools), len(m.order))
	}
}

func TestAChangedToolCountsAsNotShown(t *testing.T) {
	var m shownTools
	tool, changed := &catalog.Tool{Server: "s", Name: "t", Hash: "a"}, &catalog.Tool{Server: "s", Name: "t", Hash: "b"}
	m.mark(tool, findreply.DescriptionShown)
	if got := m.of(changed); got != findreply.NotShown {
		t.Errorf("changed tool: got %v", got)
	}
	m.mark(changed, findreply.NameShown)
	if got := m.of(changed); got != findreply.NameShown {
		t.Errorf("changed tool, shown again: got %v", got)
	}
	if got := m.of(tool); got != findreply.NotShown {
		t.Errorf("the definition before the change: got %v", got)
	}
}
