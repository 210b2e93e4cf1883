package servers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// listed waits until the hub has n servers, and returns them.
func listed(t *testing.T, h *hub.Hub, n int) []map[string]any {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < hubtest.Deadline; <-tick.C {
		var servers []map[string]any
		hubtest.Do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		if len(servers) == n {
			return servers
		}
	}
	t.Fatalf("the hub did not list %d servers in time", n)
	return nil
}
