// Package backend_test checks the structure of the source tree: which packages exist,
// and which of them may import which.
package backend_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agent-discover/agent-discover/"

// wings are the groups of packages from the lowest to the highest. A package
// imports only from its own wing and from lower ones. The packages in testing
// are outside this order: they may import any wing, and only tests import them.
var wings = []string{
	"base", "protocol", "discovery", "servers", "trust", "calls", "editors", "market", "doors", "store", "hub", "cli", "cmd",
}

// allowed lists what each package may import from backend. A new package or a new import needs a line here. If the
// purpose of an import is not obvious, a comment says what the imported package does.
var allowed = map[string][]string{
	"base/events":     {},
	"base/netreach":   {},
	"base/spelling":   {},
	"base/fault":      {},
	"base/peercred":   {},
	"base/process":    {"base/lazyregexp", "base/safetext"},              // safetext cleans the names of other programs
	"base/program":    {"base/fault", "base/lazyregexp", "base/process"}, // process defines the environment in which a program is looked up
	"base/jsonscan":   {},
	"base/lazyregexp": {},
	"base/loosejson":  {},
	"base/safetext":   {},
	"base/textdiff":   {},
	"base/tokens":     {},
	"base/words":      {},
	"base/version":    {},
	"base/autostart":  {"base/fault", "base/paths"},
	"base/browser":    {"base/process", "base/program"},
	"base/paths":      {"base/fault"},
	"base/pathname":   {},
	"base/samename":   {},
	"base/pattern":    {},
	"base/settings":   {"base/events", "base/fault", "base/paths", "base/pattern", "base/spelling"},
	"base/instance":   {"base/fault", "base/paths", "base/process", "base/program"},

	"protocol/jsonrpc":      {"base/jsonscan"},
	"protocol/schemacompat": {"base/jsonscan", "base/safetext"},
	"protocol/schemacheck":  {"protocol/jsonrpc"},
	"protocol/mcpshape":     {"base/jsonscan", "base/safetext", "protocol/jsonrpc"},
	"protocol/mcphttp": {
		// mcpheader provides the headers that repeat parts of a message
		"base/fault", "base/netreach", "base/safetext", // netreach says in errors whether a proxy is used
		"protocol/jsonrpc", "protocol/mcpheader", "protocol/mcpversion",
	},
	"protocol/mcpversion":    {"protocol/jsonrpc"},
	"protocol/inputrequired": {"base/jsonscan", "protocol/jsonrpc"},
	"protocol/mcpheader": {
		// mcpversion reads the version in _meta and defines the error code of a mismatch
		"base/jsonscan",
		"protocol/jsonrpc", "protocol/mcpversion",
	},

	"discovery/minilm":  {},
	"discovery/lexicon": {},
	// samename finds tools whose names look the same
	"discovery/catalog":   {"base/events", "base/jsonscan", "base/samename", "base/tokens"},
	"discovery/learning":  {"base/events", "base/fault", "discovery/catalog"},
	"discovery/embedding": {"base/events", "base/fault", "base/safetext", "base/settings", "discovery/catalog"},
	"discovery/search": {
		// package lexicon finds English words for queries in other languages
		"base/events", "base/spelling",
		"discovery/catalog", "discovery/embedding", "discovery/learning", "discovery/lexicon",
	},
	"discovery/findreply": {"base/safetext", "base/tokens", "discovery/catalog", "discovery/search"},
	"discovery/eval": {
		// discovery/search is the search that is measured
		"base/events", "base/fault", "base/settings",
		"discovery/catalog", "discovery/embedding", "discovery/minilm", "discovery/search",
	},

	"servers/features": {"base/events"},
	"servers/registry": {"base/events", "base/fault", "base/safetext", "base/spelling"},
	"servers/vault": {
		"base/events", "base/fault", "base/paths",
		"servers/keychain", "servers/launch", "servers/redact", "servers/sealed",
	},
	"servers/oauth": {
		// mcphttp defines the interface through which requests are authorized
		// process reports which program uses a port
		"base/events", "base/fault", "base/netreach", "base/paths", "base/process", "base/safetext",
		"protocol/mcphttp",
		"servers/launch",
	},
	"servers/upstream": {
		// pathname converts a client's folder to a URI
		"base/events", "base/fault", "base/lazyregexp", "base/pathname", "base/paths", "base/process", "base/program", "base/safetext",
		"base/settings",
		"protocol/inputrequired", "protocol/jsonrpc", "protocol/mcpheader", "protocol/mcphttp", "protocol/mcpversion",
		"servers/features", "servers/launch", "servers/redact", "servers/registry", "servers/secretscan",
	},
	"servers/lifecycle":       {"base/fault", "discovery/catalog", "servers/launch", "servers/registry"},
	"servers/risk":            {"base/lazyregexp", "base/program", "base/safetext", "servers/launch", "servers/registry"},
	"servers/secretmigration": {"base/fault", "servers/launch", "servers/registry", "servers/vault"},
	"servers/firststart": {
		// mcphttp defines the error of a start that needs a sign-in; package upstream announces when servers are paused
		"base/events", "base/fault",
		"protocol/mcphttp",
		"servers/registry", "servers/upstream",
	},
	"servers/corrections": {
		// package upstream returns what running servers list
		"protocol/jsonrpc", "protocol/mcpshape",
		"discovery/catalog",
		"servers/features", "servers/upstream",
	},
	"servers/readiness": {"base/fault", "base/words", "servers/registry"},
	"servers/setup": {
		// package catalog receives the tools of an import
		"base/fault", "base/pathname", "base/paths",
		"discovery/catalog",
		"servers/intake", "servers/registry",
	},
	"servers/secretscan": {"base/lazyregexp"},
	// package secretscan finds credentials in a launch
	"servers/launch":   {"base/fault", "base/lazyregexp", "servers/registry", "servers/secretscan"},
	"servers/redact":   {"servers/launch", "servers/secretscan"},
	"servers/keychain": {"base/fault"},
	"servers/sealed":   {"base/fault", "base/paths", "servers/keychain"},
	"servers/intake": {
		// package netreach recognizes addresses of this machine
		"base/fault", "base/netreach", "base/safetext", "base/samename",
		"servers/launch", "servers/registry", "servers/secretmigration", "servers/secretscan", "servers/vault",
	},

	"trust/normalize": {},
	"trust/injection": {},
	"trust/scan": {
		// package secretscan recognizes credentials
		"base/jsonscan", "base/lazyregexp", "base/safetext",
		"servers/secretscan",
		"trust/injection", "trust/normalize",
	},
	"trust/classifier": {"discovery/minilm", "trust/scan"}, // minilm computes the vectors that are the input of the classifier
	"trust/evaluation": {"base/fault", "trust/classifier", "trust/scan"},
	"trust/confinement": {
		// package netreach keeps names of hosts from leading to this machine; package program runs bubblewrap as a trial;
		// package upstream defines the type Launch
		"base/fault", "base/netreach", "base/process", "base/program",
		"servers/upstream",
	},
	"trust/sandbox": {
		// package launch reports which variables are credentials
		"base/events", "base/fault", "base/lazyregexp", "base/paths", "base/process", "base/program", "base/safetext",
		"servers/launch", "servers/registry", "servers/upstream",
		"trust/confinement",
	},
	"trust/difference": {"base/safetext", "base/textdiff"},
	"trust/quarantine": {
		// samename finds names that look the same; package features defines the lists that are guarded; package scan
		// defines the verdicts
		"base/events", "base/fault", "base/samename",
		"protocol/jsonrpc",
		"servers/features", "servers/launch", "servers/registry", "servers/secretscan",
		"trust/scan",
	},
	"trust/examiner": {
		// package catalog holds the tools of other servers; package registry reports which servers run the same program
		"discovery/catalog",
		"servers/registry",
		"trust/classifier", "trust/quarantine", "trust/scan",
	},

	"calls/audit": {"base/paths"}, // paths replaces a file as a whole
	"calls/journal": {
		// package redact redacts records; package upstream publishes the notifications that are recorded
		"base/events", "base/jsonscan", "base/safetext",
		"protocol/jsonrpc",
		"servers/redact", "servers/upstream",
		"calls/audit",
	},
	"calls/call": {
		// mcpversion defines the eras of the protocol, in which a server may introduce itself differently; package
		// features holds the prompts that servers list; package launch returns the hash of a server's launch, so that an
		// approval ends when the launch changes
		"base/events", "base/fault",
		"protocol/jsonrpc", "protocol/mcpshape", "protocol/mcpversion", "protocol/schemacheck",
		"discovery/catalog",
		"servers/features", "servers/launch", "servers/registry", "servers/upstream",
		"trust/quarantine",
		"calls/journal", "calls/resolve", "calls/rules", "calls/screen",
	},
	"calls/rules": {
		// package catalog holds the tools to which rules apply; package tokens counts the tokens of tools with an override
		"base/fault", "base/pattern", "base/settings", "base/tokens",
		"protocol/jsonrpc",
		"discovery/catalog",
	},
	"calls/inspector": {
		"base/events", "base/fault",
		"protocol/jsonrpc",
		"servers/launch", "servers/redact", "servers/registry", "servers/upstream",
		"calls/audit", "calls/call", "calls/journal", "calls/rules",
	},
	"calls/toolset": {
		"base/events", "base/fault", "base/safetext", "base/textdiff", "base/tokens",
		"protocol/jsonrpc",
		"discovery/catalog",
		"servers/registry",
	},
	"calls/screen": {
		// package settings says what happens to each finding; package secretscan defines the text that replaces a
		// credential
		"base/events", "base/fault", "base/jsonscan", "base/pattern", "base/settings",
		"protocol/jsonrpc",
		"servers/secretscan",
		"trust/scan",
	},
	"calls/resolve": {"base/fault", "base/safetext", "protocol/schemacheck", "discovery/catalog", "servers/registry", "calls/rules"},

	"editors/configedit": {"base/fault", "base/jsonscan"},
	"editors/bundle":     {"base/fault", "base/paths", "servers/launch"}, // launch defines the references that replace secret answers
	"editors/atomicfile": {"base/fault", "base/paths", "base/process"},   // process reports whether the owner of a leftover file has ended
	"editors/table": {
		// package registry decides which transport an address has, package launch which command is this program's
		"base/fault", "base/pathname", "base/paths",
		"servers/launch", "servers/registry",
		"editors/configedit",
	},
	"editors/configdiff": {
		// package redact redacts diffs
		"base/safetext", "base/textdiff",
		"servers/launch", "servers/redact", "servers/secretscan",
		"editors/configedit", "editors/table",
	},
	"editors/registration": {
		// package registration is the only package that changes files outside the data folder
		"base/events", "base/fault", "base/pathname", "base/paths", "base/process", "base/safetext",
		"editors/atomicfile", "editors/configdiff", "editors/configedit", "editors/table",
	},
	"editors/importer": {
		// package registration removes imported entries from editors' files
		"base/fault", "base/lazyregexp", "base/pathname", "base/program", "base/safetext",
		"servers/intake", "servers/launch", "servers/registry", "servers/risk", "servers/secretscan", "servers/vault",
		"editors/bundle", "editors/configedit", "editors/registration", "editors/table",
	},
	"editors/doctor": {
		"base/safetext", "base/tokens",
		"protocol/schemacompat",
		"discovery/catalog",
		"servers/corrections", "servers/registry",
		"editors/importer", "editors/registration", "editors/table",
	},
	"editors/onboarding": {
		"base/fault", "base/paths", "base/safetext", "base/words",
		"discovery/catalog", "discovery/search",
		"servers/readiness", "servers/registry",
		"editors/importer", "editors/registration",
	},

	"market/listing": {},
	"market/backup": {
		// package setup defines what of a server a person reviews
		"base/fault", "base/paths", "base/settings",
		"discovery/catalog", "discovery/learning",
		"servers/intake", "servers/launch", "servers/registry", "servers/secretmigration", "servers/setup", "servers/vault",
		"calls/rules", "calls/toolset",
		"market/persona",
	},
	"market/syncfolder": {
		// package setup defines what of a server a person reviews
		"base/fault", "base/pathname", "base/paths", "base/samename", "base/settings",
		"discovery/catalog",
		"servers/launch", "servers/registry", "servers/secretmigration", "servers/setup", "servers/vault",
		"calls/rules", "calls/toolset",
		"market/backup", "market/persona",
	},
	"market/persona": {
		// package bundle reads archives; package importer parses servers in the format of any client; package resolve
		// parses names of tools
		"base/fault", "base/paths", "base/safetext",
		"servers/intake", "servers/launch", "servers/registry",
		"calls/resolve", "calls/toolset",
		"editors/bundle", "editors/importer",
	},
	"market/proposals": {
		"base/fault", "base/safetext",
		"servers/registry",
		"market/federation", "market/installer", "market/listing", "market/marketplace", "market/plan",
	},
	"market/fetch":  {"base/fault", "base/netreach", "base/paths", "base/safetext"}, // paths explains why a download cannot be stored
	"market/signs":  {},
	"market/readme": {"base/lazyregexp", "base/safetext", "servers/secretscan", "market/listing"}, // secretscan recognizes credentials
	"market/npm": {
		// mcphttp reads the proxies and certificate authorities of an environment
		"base/fault", "base/process", "base/program", "base/safetext",
		"protocol/mcphttp",
		"market/fetch", "market/listing", "market/readme", "market/signs",
	},
	"market/pypi": {
		// mcphttp reads the proxies and certificate authorities of an environment
		"base/fault", "base/lazyregexp", "base/process", "base/program", "base/safetext",
		"protocol/mcphttp",
		"market/fetch", "market/listing", "market/readme", "market/signs",
	},
	"market/federation": {
		// package search ranks results by words, as it ranks tools; package mirror converts listings to tools for this
		// ranking
		"base/fault", "base/safetext",
		"discovery/catalog", "discovery/search",
		"market/listing", "market/mirror",
	},
	"market/prerequisites": {
		// package program knows the product that includes a program; package subprocess asks programs for their versions
		"base/process", "base/program", "base/safetext",
		"market/subprocess",
	},
	"market/official": {"base/fault", "base/safetext", "market/fetch", "market/listing"},
	"market/probe": {
		// packages mcpversion and mcpheader are needed for the first request in either era of the protocol
		"base/netreach", "base/safetext",
		"protocol/jsonrpc", "protocol/mcpheader", "protocol/mcpversion",
		"market/listing",
	},
	"market/mirror": {
		// discovery/search searches servers as it searches tools
		"base/events", "base/fault", "base/settings",
		"discovery/catalog", "discovery/embedding", "discovery/search",
		"market/listing", "market/official",
	},
	"market/installer": {
		// package catalog holds the tools that a new server must list; mcphttp defines the error of a server that needs a
		// sign-in; package subprocess runs programs and reports their output
		"base/events", "base/fault", "base/paths", "base/process", "base/safetext",
		"protocol/mcphttp",
		"discovery/catalog",
		"servers/intake", "servers/launch", "servers/registry", "servers/secretscan", "servers/vault",
		"editors/bundle",
		"market/listing", "market/plan", "market/prerequisites", "market/subprocess",
	},
	"market/marketplace": {
		// package marketplace combines the packages of its wing for the packages of the wing doors
		"base/events", "base/fault", "base/safetext",
		"market/federation", "market/installer", "market/listing", "market/mirror", "market/npm", "market/official", "market/plan",
		"market/probe", "market/pypi",
	},
	"market/oci": {"base/fault", "base/process", "base/safetext", "market/subprocess"}, // subprocess runs skopeo and docker
	"market/updates": {
		// package journal holds the recorded calls that are replayed; package inspector generates the names of private
		// copies of servers
		"base/events", "base/fault", "base/safetext",
		"protocol/jsonrpc", "protocol/mcphttp",
		"discovery/catalog",
		"servers/launch", "servers/redact", "servers/registry", "servers/secretscan", "servers/upstream",
		"calls/inspector", "calls/journal",
		"market/installer", "market/listing", "market/plan",
	},
	"market/plan": {
		// package process reports which variables configure this program; package program returns the names of
		// interpreters; package bundle reads manifests
		"base/fault", "base/lazyregexp", "base/process", "base/program", "base/safetext",
		"servers/launch", "servers/registry", "servers/risk", "servers/secretscan",
		"editors/bundle",
		"market/listing", "market/prerequisites",
	},
	"market/downloads": {
		// package sandbox defines how the packages of confined servers are installed; package upstream reports which
		// servers run
		"base/events", "base/fault", "base/paths", "base/process",
		"servers/launch", "servers/redact", "servers/registry", "servers/upstream",
		"trust/sandbox",
		"market/packagemanager", "market/subprocess",
	},
	"market/packagemanager": {
		// package sandbox limits what package managers may access; package upstream defines the type Launch
		"base/fault", "base/paths", "base/process", "base/program", "base/safetext",
		"servers/registry", "servers/upstream",
		"trust/sandbox",
		"market/pypi", "market/subprocess", // pypi compares names of packages
	},
	"market/preview": {
		// package redact keeps credentials in command lines out of the output of package managers; package sandbox limits
		// what package managers may access
		"base/fault", "base/paths", "base/process", "base/safetext",
		"servers/launch", "servers/redact", "servers/registry", "servers/upstream",
		"trust/sandbox",
		"market/listing", "market/packagemanager",
	},
	"market/subprocess": {"base/process", "base/program", "servers/secretscan", "servers/upstream"}, // upstream defines the type Launch

	"doors/gateway": {
		// mcphttp defines the error of a request that needs a sign-in; package registration defines the name of the
		// hub's entry; package words defines the name of the command line
		"base/events", "base/fault", "base/loosejson", "base/safetext", "base/words",
		"protocol/inputrequired", "protocol/jsonrpc", "protocol/mcphttp", "protocol/mcpshape", "protocol/mcpversion",
		"protocol/schemacompat",
		"discovery/catalog", "discovery/learning", "discovery/search",
		"servers/features", "servers/intake", "servers/lifecycle", "servers/readiness", "servers/registry", "servers/setup",
		"servers/upstream",
		"calls/call", "calls/resolve", "calls/rules", "calls/toolset",
		"editors/registration", "editors/table",
		"doors/gateway/answer", "doors/gateway/arguments", "doors/gateway/danger", "doors/gateway/finding",
		"doors/gateway/inventory", "doors/gateway/meta", "doors/gateway/registrytool", "doors/gateway/roster",
		"doors/gateway/toolsetview", "doors/longresult", "doors/names", "doors/pendinginput", "doors/surfaces",
	},
	"doors/gateway/answer": {
		// package upstream reports whether a call failed because a server did not start
		"base/fault",
		"protocol/jsonrpc", "protocol/mcpversion",
		"servers/upstream",
	},
	"doors/gateway/arguments": {"base/fault", "base/loosejson"},
	"doors/gateway/danger":    {"protocol/jsonrpc", "discovery/catalog"},
	"doors/gateway/inventory": {
		// package names reports which tools are only for the views of MCP Apps
		"discovery/catalog",
		"servers/registry",
		"calls/rules",
		"doors/names",
	},
	"doors/gateway/finding": {
		"base/fault", "base/words",
		"discovery/catalog", "discovery/findreply", "discovery/learning", "discovery/search",
		"servers/readiness", "servers/registry",
		"calls/resolve",
		"doors/gateway/arguments", "doors/gateway/danger", "doors/gateway/inventory",
	},
	"doors/gateway/roster": {
		"base/tokens",
		"discovery/catalog",
		"servers/registry",
		"calls/rules",
		"doors/gateway/danger", "doors/gateway/inventory",
	},
	"doors/gateway/toolsetview": {
		// package upstream grants the leases that keep a server running while a changed tool is called
		"base/fault",
		"protocol/jsonrpc",
		"discovery/catalog", "discovery/search",
		"servers/registry", "servers/upstream",
		"calls/call", "calls/resolve", "calls/toolset",
		"doors/gateway/answer", "doors/gateway/arguments", "doors/gateway/danger", "doors/gateway/finding",
		"doors/gateway/inventory", "doors/surfaces",
	},
	"doors/gateway/registrytool": {
		// package upstream reports whether a call failed because a server did not start
		"base/fault",
		"protocol/jsonrpc",
		"discovery/catalog", "discovery/findreply",
		"servers/intake", "servers/lifecycle", "servers/registry", "servers/setup", "servers/upstream",
		"calls/call", "calls/resolve",
		"doors/gateway/answer", "doors/gateway/arguments", "doors/gateway/finding", "doors/gateway/inventory",
		"doors/gateway/roster", "doors/gateway/toolsetview", "doors/surfaces",
	},
	"doors/gateway/meta": {
		"base/fault", "base/loosejson", "base/spelling", "base/tokens",
		"protocol/jsonrpc",
		"discovery/catalog", "discovery/findreply", "discovery/search",
		"servers/registry",
		"calls/call", "calls/resolve",
		"doors/gateway/answer", "doors/gateway/arguments", "doors/gateway/danger", "doors/gateway/finding",
		"doors/gateway/inventory", "doors/gateway/roster", "doors/gateway/toolsetview", "doors/surfaces",
	},
	"doors/surfaces":     {"base/fault", "protocol/jsonrpc"},
	"doors/names":        {"base/jsonscan", "protocol/jsonrpc"},
	"doors/pendinginput": {"protocol/inputrequired"},
	"doors/longresult":   {"base/fault", "protocol/jsonrpc"},
	"doors/credentials": {
		// package instance generates tokens; package table lists the clients that a token may name
		"base/events", "base/fault", "base/instance", "base/safetext",
		"editors/table",
		"doors/surfaces",
	},
	"doors/endpoint": {
		// package instance generates session ids
		"base/fault", "base/instance",
		"protocol/jsonrpc", "protocol/mcpheader", "protocol/mcpversion",
		"doors/gateway", "doors/surfaces",
	},
	"doors/companion": {
		// package toolset checks the name of a toolset that a project names
		"base/fault", "base/instance", "base/paths", "base/process", "base/version",
		"protocol/jsonrpc", "protocol/mcpversion",
		"calls/toolset",
		"doors/answercache", "doors/surfaces",
	},
	"doors/answercache": {"base/paths"},
	"doors/api": {
		// package api composes the packages below it
		"base/events", "base/instance", "base/settings",
		"discovery/catalog", "discovery/embedding", "discovery/learning",
		"servers/corrections", "servers/intake", "servers/lifecycle", "servers/oauth", "servers/readiness", "servers/registry",
		"servers/secretmigration", "servers/setup", "servers/upstream", "servers/vault",
		"trust/quarantine", "trust/sandbox",
		"calls/audit", "calls/call", "calls/inspector", "calls/journal", "calls/rules", "calls/screen", "calls/toolset",
		"editors/doctor", "editors/importer", "editors/onboarding", "editors/registration",
		"market/backup", "market/downloads", "market/installer", "market/marketplace", "market/mirror", "market/persona",
		"market/prerequisites", "market/preview", "market/syncfolder", "market/updates",
		"doors/api/guard", "doors/api/openapi", "doors/api/operations", "doors/api/push", "doors/api/route", "doors/api/static",
		"doors/credentials", "doors/endpoint", "doors/gateway",
	},
	"doors/api/route":   {"base/fault", "base/safetext"},
	"doors/api/static":  {"doors/api/route"}, // route builds the answer to a path that does not exist
	"doors/api/openapi": {"doors/api/route", "doors/api/static"},
	"doors/api/guard": {
		// peercred reports which user opened a connection; package route defines the body of an error
		"base/fault", "base/instance", "base/paths", "base/peercred", "base/words",
		"doors/api/route", "doors/credentials",
	},
	"doors/api/operations": {
		// package search returns hits with their reasons; package table lists the editors that a setting may name
		"base/fault", "base/instance", "base/loosejson", "base/process", "base/program", "base/settings", "base/tokens",
		"protocol/jsonrpc", "protocol/mcpshape",
		"discovery/catalog", "discovery/embedding", "discovery/learning", "discovery/search",
		"servers/corrections", "servers/intake", "servers/launch", "servers/lifecycle", "servers/oauth", "servers/readiness",
		"servers/registry", "servers/risk", "servers/secretmigration", "servers/secretscan", "servers/setup", "servers/upstream",
		"servers/vault",
		"trust/difference", "trust/quarantine", "trust/sandbox",
		"calls/audit", "calls/inspector", "calls/journal", "calls/resolve", "calls/rules", "calls/screen", "calls/toolset",
		"editors/doctor", "editors/importer", "editors/onboarding", "editors/registration", "editors/table",
		"market/backup", "market/federation", "market/installer", "market/listing", "market/marketplace", "market/mirror",
		"market/persona", "market/plan", "market/prerequisites", "market/preview", "market/syncfolder", "market/updates",
		"doors/api/guard", "doors/api/route", "doors/credentials", "doors/gateway", "doors/gateway/finding", "doors/surfaces",
	},
	"doors/api/push": {
		// package operations defines the objects that messages and REST responses contain
		"base/events", "base/fault", "base/settings",
		"protocol/jsonrpc",
		"discovery/catalog", "discovery/learning",
		"servers/firststart", "servers/oauth", "servers/registry", "servers/upstream", "servers/vault",
		"trust/quarantine", "trust/sandbox",
		"calls/call", "calls/inspector", "calls/journal", "calls/screen", "calls/toolset",
		"editors/registration",
		"market/downloads", "market/installer", "market/mirror", "market/updates",
		"doors/api/guard", "doors/api/operations", "doors/credentials", "doors/gateway",
	},

	// store implements the Store interface of every package that stores data.
	"store": {
		// package plan reports which servers come from the marketplace; package gateway defines the history of clients
		// and the tools of sessions
		"base/fault", "base/paths", "base/safetext",
		"discovery/catalog", "discovery/embedding", "discovery/learning",
		"servers/features", "servers/launch", "servers/registry", "servers/setup", "servers/vault", // launch hashes launches
		"trust/quarantine",
		"calls/audit", "calls/inspector", "calls/journal", "calls/rules", "calls/toolset",
		"market/installer", "market/listing", "market/mirror", "market/persona", "market/plan", "market/updates",
		"doors/credentials", "doors/gateway",
	},

	// hub composes everything.
	"hub": {
		// atomicfile and configedit change the settings in a file that people edit, too; mcphttp defines the
		// authorization of requests; pendinginput generates a key that the hub stores
		"base/events", "base/fault", "base/instance", "base/netreach", "base/pathname", "base/paths", "base/process", "base/program",
		"base/settings",
		"protocol/mcphttp",
		"discovery/catalog", "discovery/embedding", "discovery/learning", "discovery/minilm", "discovery/search",
		"servers/corrections", "servers/features", "servers/firststart", "servers/intake", "servers/launch", "servers/lifecycle",
		"servers/oauth", "servers/readiness", "servers/redact", "servers/registry", "servers/secretmigration", "servers/setup",
		"servers/upstream", "servers/vault",
		"trust/examiner", "trust/quarantine", "trust/sandbox",
		"calls/audit", "calls/call", "calls/inspector", "calls/journal", "calls/rules", "calls/screen", "calls/toolset",
		"editors/atomicfile", "editors/configedit", "editors/doctor", "editors/importer", "editors/onboarding", "editors/registration",
		"editors/table",
		"market/backup", "market/downloads", "market/fetch", "market/installer", "market/listing", "market/marketplace", "market/mirror",
		"market/npm", "market/oci", "market/official", "market/persona", "market/plan", "market/prerequisites", "market/preview",
		"market/probe", "market/proposals", "market/pypi", "market/syncfolder", "market/updates",
		"doors/api", "doors/api/guard", "doors/api/operations", "doors/companion", "doors/credentials", "doors/endpoint",
		"doors/gateway", "doors/gateway/danger", "doors/gateway/registrytool", "doors/pendinginput",
		"store",
	},

	// cli is a client of the hub; it also starts one (serve) and works without one (eval, doctor).
	"cli": {
		// Package audit verifies an export without a hub. Package journal defines the kinds that completion offers.
		// Packages registry and risk describe to a person the server that is to be added. The packages of the wing
		// market define what the market commands print. The packages of the wing trust judge the tools in a file without
		// a hub. Package confinement confines this program before it becomes the program of a server. Packages catalog and
		// resolve are needed for the names of a toolset's tools. Package keychain lists the values that purge deletes.
		"base/autostart", "base/browser", "base/fault", "base/instance", "base/paths", "base/process", "base/program", "base/safetext",
		"base/settings", "base/spelling", "base/textdiff", "base/tokens", "base/version", "base/words",
		"protocol/jsonrpc",
		"discovery/catalog", "discovery/eval", "discovery/minilm",
		"servers/keychain", "servers/launch", "servers/redact", "servers/registry", "servers/risk", "servers/secretscan", "servers/setup",
		"trust/classifier", "trust/confinement", "trust/evaluation", "trust/quarantine", "trust/sandbox", "trust/scan",
		"calls/audit", "calls/journal", "calls/resolve", "calls/toolset",
		"editors/doctor", "editors/importer", "editors/onboarding", "editors/registration", "editors/table",
		"market/backup", "market/federation", "market/installer", "market/listing", "market/marketplace", "market/persona",
		"market/plan", "market/prerequisites", "market/syncfolder", "market/updates",
		"doors/api/operations", "doors/companion", "doors/gateway", "doors/surfaces",
		"store",
		"hub",
	},

	"cmd/agent-discover": {"base/version", "cli"},

	"testing/catalogtest": {"base/events", "discovery/catalog"},
	"testing/freeze":      {},
	"testing/porttest":    {},
	"testing/keyringtest": {"testing/freeze"}, // freeze makes a keyring hang
	"testing/markettest":  {},
	"testing/mcptest":     {"testing/reference"},           // reference locates the repository
	"testing/oidctest":    {"testing/mcptest"},             // mcptest locates npm packages
	"testing/programtest": {"base/instance", "base/paths"}, // programtest runs the program and finds its hub
	"testing/reference":   {},
	"testing/hubtest": {
		"base/instance", "base/paths",
		"calls/journal",
		"discovery/minilm",
		"doors/api/operations", "doors/companion",
		"hub",
		"testing/mcptest", "testing/programtest", "testing/reference",
	},
}

// homes lists the only folders that may import an external package, and why.
var homes = []struct {
	prefix string
	in     []string
	why    string
}{
	{"github.com/wailsapp/wails", []string{"app", "."}, "the hub must run where there is no desktop"},
	{"github.com/getlantern/systray", []string{"app/tray"}, "it takes the main thread and needs a desktop"},
	{"database/sql", []string{"backend/store", "build/eval"}, "SQL is used in one place; a baseline searches with it"},
	{"modernc.org/sqlite", []string{"backend/store", "build/eval"}, "SQLite is used in one place; a baseline searches with it"},
	{"github.com/blevesearch/bleve", []string{"build/eval"}, "another program searches with it; used for comparison"},
	{"github.com/blevesearch/snowballstem", []string{"backend/discovery/search"}, "words are stemmed in one place"},
	{"github.com/pressly/goose", []string{"backend/store"}, "one place changes the schema"},
	{"github.com/zalando/go-keyring", []string{"backend/servers/keychain"}, "the keychain is used in one place"},
	{
		"github.com/godbus/dbus", []string{
			"backend/servers/keychain", "backend/testing/keyringtest", "app", "app/tray", "app/desktoptest", "build/bench",
		}, "it reads the keychain without prompting, ends an operation that hangs, and queries the desktop",
	},
	{"filippo.io/age", []string{"backend/servers/sealed"}, "values are encrypted in one place"},
	{
		"github.com/coder/websocket", []string{
			"backend/doors/api/push", "backend/cli", "backend/testing/hubtest", "build/bench", "app/tray",
		}, "one package sends events to clients; the tray and commands that watch receive them",
	},
	{
		module + "build/icons",
		[]string{"app", "app/tray", "build/icons/generate", "build/icons/generate/stamp"},
		"icons are for graphical programs",
	},
	{"text/template", nil, "a program that links it keeps every method of every type, which costs each companion megabytes"},
	{"html/template", nil, "it links text/template"},
	{
		"github.com/danielgtaylor/huma",
		[]string{"backend/doors/api/route", "backend/doors/api/openapi"},
		"REST operations are declared in one place and described in another",
	},
	{
		"github.com/tailscale/hujson",
		[]string{"backend/servers/setup", "backend/editors/configedit"},
		"files that people write by hand are read in two places",
	},
	{
		"github.com/pelletier/go-toml/v2",
		[]string{"backend/editors/configedit", "backend/market/packagemanager", "backend/market/pypi"},
		"other programs' files are parsed in one place; pypi reads the settings of uv, packagemanager its lock files",
	},
	{
		"go.yaml.in/yaml/v3", []string{
			"backend/base/settings", "backend/editors/configedit", "backend/editors/table", "backend/market/persona",
		}, "config.yaml, other programs' files, the table of editors and personas are each read in one place",
	},
	{"github.com/spf13/cobra", []string{"backend/cli"}, "there is one command line"},
	{"golang.org/x/term", []string{"backend/cli"}, "hidden input needs a terminal"},
	{
		"github.com/modelcontextprotocol/go-sdk",
		[]string{"build/demo", "backend/servers/oauth", "backend/testing/hubtest", "backend/testing/oidctest"},
		"typed results drop unknown fields: proxied traffic never passes through them; oauth reads metadata with them, and tests have " +
			"clients and servers",
	},
}

func TestImportsFollowTheTable(t *testing.T) {
	visitGo(t, "..", func(file, dir string, imports []string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imported := range imports {
			checkHome(t, file, dir, imported)
			if pkg, ok := strings.CutPrefix(imported, module+"backend/"); ok {
				checkImport(t, file, strings.TrimPrefix(dir, "backend/"), pkg)
			}
			if strings.HasPrefix(imported, module+"app") && inBackend(dir) {
				t.Errorf("%s imports %s: backend must not need a desktop", file, imported)
			}
		}
	})
}

func TestTableHasNoImportThatNoPackageNeeds(t *testing.T) {
	needed := make(map[string]bool)
	visitGo(t, ".", func(file, dir string, imports []string) {
		for _, imported := range imports {
			if pkg, ok := strings.CutPrefix(imported, module+"backend/"); ok && !strings.HasSuffix(file, "_test.go") {
				needed[dir+" "+pkg] = true
			}
		}
	})
	for dir, pkgs := range allowed {
		for _, pkg := range pkgs {
			if !needed[dir+" "+pkg] {
				t.Errorf("the table lets backend/%s import %s, but it does not", dir, pkg)
			}
		}
	}
}

func TestTableListsEveryPackage(t *testing.T) {
	seen := make(map[string]bool)
	visitGo(t, ".", func(file, dir string, _ []string) {
		if !strings.HasSuffix(file, "_test.go") { // the scenarios have only test files, so they need no line in allowed
			seen[dir] = true
		}
	})
	delete(seen, ".") // the folder of this test
	for dir := range seen {
		if _, ok := allowed[dir]; !ok {
			t.Errorf("package backend/%s is not in the table: add what it may import", dir)
		}
	}
	for dir := range allowed {
		if !seen[dir] {
			t.Errorf("the table lists backend/%s, which does not exist", dir)
		}
	}
}

func TestNoWingImportsAHigherOne(t *testing.T) {
	for dir, imports := range allowed {
		for _, imported := range imports {
			if _, ok := allowed[imported]; !ok {
				t.Errorf("backend/%s may import backend/%s, which is not in the table", dir, imported)
			}
			switch from, to := level(dir), level(imported); {
			case from >= 0 && to < 0:
				t.Errorf("backend/%s may not import backend/%s, which is for tests", dir, imported)
			case from >= 0 && from < to:
				t.Errorf("backend/%s may not import backend/%s: its wing is higher", dir, imported)
			}
		}
	}
}

func TestPackageNamesAreUnique(t *testing.T) {
	seen := make(map[string]string)
	for dir := range allowed {
		if other, ok := seen[path.Base(dir)]; ok {
			t.Errorf("backend/%s and backend/%s have the same name", dir, other)
		}
		seen[path.Base(dir)] = dir
	}
}

// level returns the position of a package's wing in wings; -1 for the test
// packages.
func level(dir string) int {
	wing, _, _ := strings.Cut(dir, "/")
	return slices.Index(wings, wing)
}

func inBackend(dir string) bool { return strings.HasPrefix(dir, "backend/") }

// checkImport checks that file, which is in backend/dir, may import backend/imported. Programs outside backend may
// import any package.
func checkImport(t *testing.T, file, dir, imported string) {
	t.Helper()
	if may, ok := allowed[dir]; ok && !slices.Contains(may, imported) {
		t.Errorf("%s imports backend/%s, which the table does not allow", file, imported)
	}
}

func checkHome(t *testing.T, file, dir, imported string) {
	t.Helper()
	for _, home := range homes {
		if (imported == home.prefix || strings.HasPrefix(imported, home.prefix+"/")) && !slices.Contains(home.in, dir) {
			t.Errorf("%s imports %s, which only %v may import: %s", file, imported, home.in, home.why)
		}
	}
}

// visitGo calls visit for every Go file under root with the file and its folder,
// both slash-separated and relative to root, and the paths that it imports.
func visitGo(t *testing.T, root string, visit func(file, dir string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || name == "coverage" ||
				strings.HasPrefix(name, ".") && name != "." && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, name)
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		visit(relative, path.Dir(relative), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
