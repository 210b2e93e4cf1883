package jsonrpc

import "slices"

// versions are the MCP versions that this program speaks, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Version returns the MCP version with which a server answers a client that asks
// for a version: the same one if it is supported, and otherwise the newest.
func Version(asked string) string {
	if slices.Contains(versions, asked) {
		return asked
	}
	return versions[0]
}
