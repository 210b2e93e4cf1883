package gateway

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestNotificationsBeforeRunWaitForIt(t *testing.T) {
	g := newGateway(t)
	events.Publish(g.bus, upstream.Announced{Server: "s", Method: "notifications/resources/updated"})
	if n := len(g.feed.early.notices); n != 1 {
		t.Errorf("%d notifications wait for Run", n)
	}
	go func() { _ = g.Run(t.Context()) }()
	g.feed.settle(t.Context())
	if n := len(g.feed.early.notices); n != 0 {
		t.Errorf("%d notifications were not delivered", n)
	}
}
