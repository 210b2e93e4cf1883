// Package soak tests that the hub loses nothing while servers misbehave. Many sessions call servers of legacy and
// modern versions of MCP that crash, hang, write floods and garbage, change their tools, ask before they answer, and
// end HTTP sessions and streams. Each call has a unique value, which its answer must contain and which the servers
// record. In the end, each call must have exactly one answer, its own, and must not have run twice, and no process,
// descriptor or goroutine may be left. make soak runs the test for ten minutes; go test for some seconds.
package soak
