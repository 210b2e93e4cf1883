package registry

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// TransportFor returns the transport of a server: stdio, streamable-http or sse. name is the transport that a
// configuration states, in any of the words that clients use, such as "local", "http" or "streamableHttp". An unknown
// transport is a fault.Invalid.
//
// If name is empty, a server that has a command or no address is a stdio server. VS Code, too, runs the command of an
// entry that has both. Otherwise the server is remote, as it is if name is "remote" or "url". Its transport is then sse
// if the path of the address ends in /sse, by convention, and streamable-http for all other addresses.
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

// separators removes the dashes and underscores that clients write between the words of a transport.
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
