package upstream_test

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestAnAlwaysListedServerThatDiesIsStartedAgain(t *testing.T) {
	b := start(t, settings.Limits{IdleStop: 5 * time.Second}) // the manager looks for dead servers every second
	s, err := b.servers.Update(t.Context(), b.add("s").Name, func(v *registry.Server) { v.AlwaysListed = true })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.call(s, "die", `{"text":"gone","code":3}`); err == nil {
		t.Fatal("the server lives")
	}
	for _, running := range []bool{true, false, true} { // the third is the new start
		b.await(upstream.StateChanged{Name: "s", Running: running})
	}
	if h := b.health("s"); h.Errors != 0 || h.Status != "healthy" {
		t.Errorf("the health is %+v", h)
	}
}
