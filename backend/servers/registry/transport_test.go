package registry

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestATransportThatIsNotStatedFollowsFromTheCommandAndTheAddress(t *testing.T) {
	for _, row := range []struct{ command, address, want string }{
		{"", "", "stdio"},
		{"run", "", "stdio"},
		{"run", "https://h/sse", "stdio"},
		{"", "https://h/mcp", "streamable-http"},
		{"", "https://h/sse", "sse"},
		{"", "https://h/base/sse//", "sse"},
		{"", "https://h/sse?a=b", "sse"},
		{"", "https://h/sse/#part", "sse"},
		{"", "https://h:${PORT}/sse", "sse"},
		{"", "${BASE}/sse", "sse"},
		{"", "https://sse/", "streamable-http"},
		{"", "https://h/mcp?at=/sse", "streamable-http"},
		{"", "https://h/mcp#/sse", "streamable-http"},
		{"", "https://h/notsse", "streamable-http"},
	} {
		if got, err := TransportFor("", row.command, row.address); got != row.want || err != nil {
			t.Errorf("%q, %q: got %q, %v; want %q", row.command, row.address, got, err, row.want)
		}
	}
}

func TestAStatedTransportIsReadInEverySpelling(t *testing.T) {
	for name, want := range map[string]string{
		"stdio": "stdio", "STDIO": "stdio", "sse": "sse", "SSE": "sse", "http": "streamable-http", "streamable": "streamable-http",
		"streamable-http": "streamable-http", "streamable_http": "streamable-http", "streamableHttp": "streamable-http",
		"local": "stdio", "remote": "sse", "url": "sse",
	} {
		if got, err := TransportFor(name, "", "https://h/sse"); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"htp", "-", "websocket", strings.Repeat("long", 1000)} {
		_, err := TransportFor(name, "run", "")
		if says := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid || len(says) > 200 ||
			!strings.Contains(says, "use stdio, streamable-http or sse") {
			t.Errorf("%.40s: %v", name, err)
		}
	}
}
