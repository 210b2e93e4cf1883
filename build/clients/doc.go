// Package clients tests that real AI clients connect to the hub through the entry that agent-discover writes into their
// configuration. Each test gives a client, whose version package.json pins, a new home folder, registers it with the
// command line, and checks which servers and tools the client lists, and what it sends to a stub of its model. The
// tests have the build tag clients; make test-editors installs the clients and runs the tests. The clients are not
// signed in, and they cannot reach other machines.
package clients
