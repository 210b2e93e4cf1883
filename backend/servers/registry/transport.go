package registry

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// TransportFor returns the transport of a server: stdio, streamable-http or sse. name is the transport that a
// configuration states, in any word that clients use, such as "local", "http", "streamableHttp" or "remote", which does not
// tell one remote transport from the other. If name is empty, a server with a command, or without an address, is a stdio
// server; VS Code, too, runs the command of an entry that has both. The other servers are remote; an address whose path
// ends in /sse means SSE by convention. The error for an unknown name is a fault.Invalid.
func TransportFor(name, command, address string) (string, error) {
	remote := "streamable-http"
	if endsInSSE(address) {
		remote = "sse"
	}
	if name != "" {
		switch separators.Replace(strings.ToLower(name)) {
		case "stdio", "local":
			return "stdio", nil
		case "http", "streamable", "streamablehttp":
			return "streamable-http", nil
		case "sse":
			return "sse", nil
		case "remote", "url":
			return remote, nil
		}
		return "", fault.New(fault.Invalid, "unknown transport %q: use stdio, streamable-http or sse", safetext.Clip(name, 40))
	}
	if command != "" || address == "" {
		return "stdio", nil
	}
	return remote, nil
}

// separators removes what some spellings of a transport have between words.
var separators = strings.NewReplacer("-", "", "_", "")

// endsInSSE reports whether the path of an address ends in /sse. The address may contain references such as ${PORT},
// with which it cannot be parsed as a URL.
func endsInSSE(address string) bool {
	if _, rest, absolute := strings.Cut(address, "://"); absolute {
		address = rest
	}
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end]
	}
	return strings.HasSuffix(strings.TrimRight(address, "/"), "/sse")
}
