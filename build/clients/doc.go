// Package clients answers whether real AI clients connect through the entry that we write: each one pinned beside this
// file is given a home folder of its own, registered by our command line, and asked what it sees. It is tests alone, of
// the tag clients; make test-editors installs the clients and runs them. None of them is logged in anywhere, and none
// reaches more than this machine.
package clients
