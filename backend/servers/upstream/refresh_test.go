package upstream_test

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestToolsOfAServerThatDoesNotAnnounceChangesAreListedAgain(t *testing.T) {
	b := start(t, settings.Limits{RefreshTools: time.Second})
	s := b.add("s", "-silent")
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	changes, stop := events.Subscribe[catalog.ToolsChanged](b.bus, 8)
	defer stop()
	if _, err := b.call(s, "grow", `{"name":"more","text":"A tool"}`); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-changes:
		if e.Server != "s" || len(e.Changes) != 1 || e.Changes[0].Tool != "more" || e.Changes[0].Kind != catalog.Added ||
			e.Summary.Unchanged == 0 {
			t.Errorf("got %+v", e)
		}
	case <-time.After(time.Minute):
		t.Fatal("the tools were not listed again")
	}
	if _, err := b.ListTools(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got := b.Discoveries.All(); len(got) != 1 || got[0].Server != "s" || got[0].Read < 3 || got[0].Err != nil || got[0].Took <= 0 ||
		got[0].Tools == 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAServerThatFailsDoesNotHideTheToolsOfOthers(t *testing.T) {
	b := start(t, settings.Limits{})
	b.RetryAfter(time.Millisecond)
	good, bad := b.add("good"), b.add("bad", "-crash", "no luck")
	waiting := b.add("waiting")
	waiting.Approved = false
	got := b.Discover(t.Context(), []registry.Server{bad, good, waiting})
	if got[1].Server != "good" || got[1].Err != nil || got[1].Tools == 0 || got[1].Failed != 0 {
		t.Errorf("got %+v", got[1])
	}
	if got[2].Err == nil || got[2].Failed != 1 {
		t.Errorf("a server without approval was tried %d times, %v", got[2].Failed, got[2].Err)
	}
	if got[0].Err == nil || got[0].Failed != 4 {
		t.Errorf("a server that fails was tried %d times, %v", got[0].Failed, got[0].Err)
	}
}
