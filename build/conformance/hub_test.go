//go:build linux

package main

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// hub is a running hub in a home of its own.
type hub struct{ *programtest.Home }

func newHub(t *testing.T) hub {
	t.Helper()
	h := hub{programtest.NewHome(t)}
	h.Serve()
	return h
}

// relayed returns the URL of a relay that forwards to /mcp/SERVER and adds the hub's token, because the suite sends
// none.
func (h hub) relayed(t *testing.T, server string) string {
	t.Helper()
	info := h.RunningHub()
	target, err := url.Parse("http://" + info.Address() + "/mcp/" + server)
	if err != nil {
		t.Fatal(err)
	}
	relay := httptest.NewServer(newRelay(target, "Bearer "+info.Token))
	t.Cleanup(func() {
		relay.CloseClientConnections()
		relay.Close()
	})
	return relay.URL + "/"
}

// adapted returns the URL of an adapter for a companion that shows one server.
func (h hub) adapted(t *testing.T, server string) string {
	t.Helper()
	return adapted(t, []string{h.Program, "mcp", "--surface", "server:" + server}, h.Env)
}
