// Package listing defines listings: servers that can be installed, as the registries of MCP servers and of packages
// describe them. Sources produce listings, the mirror stores them, and package plan turns one into a configured
// server. The fields follow the server.json of the official MCP registry.
//
// All texts of a listing come from unknown publishers. Show them as data; never treat them as instructions, commands
// or markup.
package listing

import (
	"strings"
	"time"
)

// The sources of listings.
const (
	Official = "official"
	NPM      = "npm"
	PyPI     = "pypi"
)

// Status is the state of a listing in its source.
type Status string

const (
	Active     Status = "active"
	Deprecated Status = "deprecated" // still works; the publisher advises against it
	Deleted    Status = "deleted"    // withdrawn; never offered
)

// Listing is one version of a server in a source.
type Listing struct {
	Source      string    `json:"source"`
	Name        string    `json:"name"` // unique in its source, such as io.github.user/weather
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description"`
	Version     string    `json:"version"`
	Repository  string    `json:"repository,omitempty"` // an https URL
	Website     string    `json:"website,omitempty"`    // an https URL
	License     string    `json:"license,omitempty"`    // an SPDX expression, if the source knows it
	Published   time.Time `json:"published,omitzero"`
	Updated     time.Time `json:"updated,omitzero"`
	Status      Status    `json:"status"`
	Message     string    `json:"message,omitempty"`   // the publisher's reason for the status
	Verified    bool      `json:"verified"`            // the source has checked that the publisher owns the namespace of the name
	Downloads   int64     `json:"downloads,omitempty"` // in the last month
	Keywords    []string  `json:"keywords,omitempty"`
	Packages    []Package `json:"packages,omitempty"`
	Remotes     []Remote  `json:"remotes,omitempty"`
}

// Details are a listing with the facts that only a request for this server returns.
type Details struct {
	Listing
	Readme string `json:"readme,omitempty"` // Markdown, which may contain HTML; not trusted, so display it without running scripts
	// Server reports whether the package appears to be an MCP server, and Signs are the reasons, each a short text.
	Server bool     `json:"server"`
	Signs  []string `json:"signs,omitempty"`
}

// Release is a version of a package, with the facts that its registry offers without a download.
type Release struct {
	Version    string
	Program    string // see Package.Program
	Requires   string // see Package.Requires
	Deprecated string // the publisher's message; empty for a version that is not deprecated
}

// Origin says where a version of a package comes from, as its registry tells it.
type Origin struct {
	Published  time.Time // of this version; zero if it is not known
	First      time.Time // publication of the first version; zero if it is not known
	Publishers []string  // accounts that may publish versions; empty if they are not known
	Author     string    // the author that the package names, which nobody checks; "" if it names none
	Deprecated string    // the publisher's message; "" for a version that is not deprecated
	Known      []string  // identifiers of the vulnerabilities of this version that the registry lists
}

// ID identifies a listing among all sources: SOURCE:NAME.
func (l *Listing) ID() string { return l.Source + ":" + l.Name }

// SplitID returns the parts of an ID, and false if one of them is missing.
func SplitID(id string) (source, name string, ok bool) {
	source, name, ok = strings.Cut(id, ":")
	return source, name, ok && source != "" && name != ""
}

// Kind is the kind of registry from which a package is downloaded.
type Kind string

const (
	KindNPM   Kind = "npm"
	KindPyPI  Kind = "pypi"
	KindOCI   Kind = "oci"   // a container image
	KindNuGet Kind = "nuget" // a .NET tool
	KindMCPB  Kind = "mcpb"  // a bundle, downloaded from a URL
	KindCargo Kind = "cargo"
)

// runtimes are the names of runtimes in the original product, whose clients this hub still serves.
var runtimes = map[Kind]string{KindNPM: "node", KindPyPI: "python", KindOCI: "docker", KindNuGet: "dotnet"}

// Runtime returns the name of the runtime for packages of this kind that clients of the original product expect.
func (k Kind) Runtime() string {
	if word := runtimes[k]; word != "" {
		return word
	}
	return string(k)
}

// Package is a program that can be downloaded and started as a server.
type Package struct {
	Kind       Kind   `json:"kind"`
	BaseURL    string `json:"base_url,omitempty"` // address of the registry, if it is not the default one
	Identifier string `json:"identifier"`         // a name; for oci an image reference, for mcpb a URL
	Version    string `json:"version,omitempty"`  // for oci, the version is part of the identifier
	SHA256     string `json:"sha256,omitempty"`   // of the file, in hex
	Runtime    string `json:"runtime,omitempty"`  // the publisher's hint: npx, uvx, docker or dnx
	// name of the program to start in an npm or PyPI package, if npx or uvx would not find it by the package's name
	Program   string     `json:"program,omitempty"`
	Before    []Argument `json:"before,omitempty"` // arguments for the runtime
	Arguments []Argument `json:"arguments,omitempty"`
	Env       []Field    `json:"env,omitempty"`
	Transport Remote     `json:"transport"` // how to connect to the program once it runs
	// Requires is the range of versions of Node.js or Python that the package needs, such as >=18.
	Requires string `json:"requires,omitempty"`
}

// Remote is a way to connect to a server: over stdio, or at a URL.
type Remote struct {
	Type      string           `json:"type"`              // stdio, streamable-http or sse
	URL       string           `json:"url,omitempty"`     // may contain {variables}
	Headers   []Field          `json:"headers,omitempty"` // sent with each request
	Variables map[string]Input `json:"variables,omitempty"`
	Probe     *Probe           `json:"probe,omitempty"` // nil if the address has not been tried
}

// Probe is the result of a request to the address of a remote server.
type Probe struct {
	At     time.Time `json:"at"`
	Answer string    `json:"answer"` // "ok", "sign_in" or "failed"
	Detail string    `json:"detail,omitempty"`
}

// Input is a value that a server needs.
type Input struct {
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Secret      bool     `json:"secret,omitempty"`
	Format      string   `json:"format,omitempty"` // string (also if empty), number, boolean or filepath
	Value       string   `json:"value,omitempty"`  // fixed, so that the user is not asked for it; may contain {variables}
	Default     string   `json:"default,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"` // an example
	Choices     []string `json:"choices,omitempty"`     // the only allowed values, if not empty
	From        string   `json:"from,omitempty"`        // FromReadme, or empty if the publisher has declared the input
}

// FromReadme marks an input that was found in the README of a package. It may be wrong, and the README may omit other
// inputs.
const FromReadme = "readme"

// Field is a named input: an environment variable or a header. Variables are the variables in its value.
type Field struct {
	Name string `json:"name"`
	Input
	Variables map[string]Input `json:"variables,omitempty"`
}

// Argument is an argument of a program.
type Argument struct {
	Input
	Named     bool             `json:"named,omitempty"` // the argument is Name followed by the value
	Name      string           `json:"name,omitempty"`  // of a named argument, with its dashes; it may have no value
	Hint      string           `json:"hint,omitempty"`  // describes the value of a positional argument
	Repeated  bool             `json:"repeated,omitempty"`
	Variables map[string]Input `json:"variables,omitempty"`
}
