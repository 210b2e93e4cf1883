// Package plan turns a listing and a person's answers into a server: the command, arguments, variables, address and
// headers with which it is started or reached. A plan lists missing answers, the downloads with their sources, and
// the risks of the server. This package starts, downloads and stores nothing.
//
// A listing is hostile input. Its names become arguments only if they are valid names, its options of npx, uvx and
// docker only if they are known to be harmless, and its texts never refer to secrets or to the user's environment.
// Nothing is passed to a shell. A missing answer is never guessed.
package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
)

// Request describes an installation that a person wants.
type Request struct {
	Listing listing.Listing
	Option  string // ID of one of the listing's options; empty for the preferred one
	Name    string // name of the server; empty for one derived from the listing's name
	// Answers are the answers by the names of their questions. Only a repeated question may have several. An empty
	// answer omits an optional value that has a default.
	Answers map[string][]string
	// Former are the answers that were given for another version. Answers to questions that this version does not ask
	// are ignored.
	Former map[string][]string
	// Stored has the names of the server's secrets that the keychain already has. They answer the questions about
	// these secrets, unless Answers does.
	Stored map[string]bool
	// SecretsLater means that a person enters the required secrets after the server was configured, so that their
	// questions need no answers. The configuration refers to these secrets.
	SecretsLater bool
	// Sandbox is the sandbox level of an installed server; empty for the default level of new servers.
	Sandbox string

	// The following fields describe the package of Option or, if Option is empty, the only package of the listing.

	// Release is the answer of the package registry about the version to install. It is needed if the listing names
	// no version, or one that changes, such as latest. It is ignored if the listing names another version.
	Release listing.Release
	Digest  string         // digest of a container image whose tag may later refer to another image, such as sha256:…
	Bundle  *bundle.Bundle // downloaded bundle of an option of kind mcpb, or nil
}

// Answer returns the answers to a question: those in Answers, otherwise those in Former.
func (r *Request) Answer(name string) []string {
	if given, answered := r.Answers[name]; answered {
		return given
	}
	return r.Former[name]
}

// Machine describes the machine on which the server will run.
type Machine struct {
	OS       string // linux, darwin or windows
	Home     string // the user's home folder
	Packages string // folder for programs, each installed for one server
	Bundles  string // folder into which bundles are unpacked
	Programs prerequisites.Report
	// Registry returns the address from which the user's package manager downloads a package, and "" if it is not
	// known. Registry may be nil.
	Registry func(kind listing.Kind, name string) string
}

// Plan describes how a listing becomes a server. Its JSON is shown to a person before the approval: it contains the
// exact configuration, with references in place of secrets.
type Plan struct {
	ID      string   `json:"id"` // ID of the listing
	Version string   `json:"version,omitempty"`
	Option  Option   `json:"option"`
	Options []Option `json:"options" nullable:"false"` // all options of the listing, the preferred one first

	Name    string            `json:"name"` // name of the server
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Server  registry.Server   `json:"-"`

	Download  *Download  `json:"download,omitempty"` // nil if nothing needs to be downloaded
	Steps     []Step     `json:"steps,omitempty"`    // commands that run once, before the first start
	Secrets   []Secret   `json:"secrets,omitempty"`  // values to store in the keychain
	Questions []Question `json:"questions" nullable:"false"`

	Unresolved string   `json:"unresolved,omitempty"` // the fact that the plan still lacks: Version, Digest or File
	Problem    string   `json:"problem,omitempty"`    // a sentence that says why the option cannot be installed
	Notes      []string `json:"notes,omitempty"`      // sentences for the person who approves the plan

	Needs   prerequisites.Requirement `json:"needs"`
	Missing string                    `json:"missing,omitempty"` // a sentence that names the program to install first
	Product string                    `json:"product,omitempty"` // the product that includes the program of the option, such as Node.js
	// Install describes how to install the missing program.
	Install *prerequisites.Install `json:"install,omitempty"`

	Risk risk.Assessment `json:"risk"`
	Hash string          `json:"hash"` // hash of everything that is run, downloaded and stored, except for values of secrets

	values map[string]string // values of secrets, by name
}

// The values of Plan.Unresolved, each with the field of Request that resolves it.
const (
	Version = "version" // Request.Release
	Digest  = "digest"  // Request.Digest
	File    = "file"    // Request.Bundle
)

// Download is a file or package that is downloaded.
type Download struct {
	Kind    listing.Kind `json:"kind"`
	Name    string       `json:"name"`
	Version string       `json:"version,omitempty"`
	From    string       `json:"from,omitempty"` // address of the package registry or file; empty if the user's package manager decides
	SHA256  string       `json:"sha256,omitempty"`
}

// Image returns the reference for pulling a container image.
func (d Download) Image() string {
	if digest.MatchString(d.Version) {
		return d.Name + "@" + d.Version // Podman does not accept a tag together with a digest
	}
	return d.Name + ":" + cmp.Or(d.Version, "latest")
}

// Step is a command that is run once.
type Step struct {
	Command []string `json:"command" nullable:"false"`
	Why     string   `json:"why"`
}

// Secret is a value to store in the keychain.
type Secret struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`        // the text in the configuration that is replaced by the value
	Where     string `json:"where"`            // tells a person which part of the configuration contains Reference
	Stored    bool   `json:"stored,omitempty"` // the keychain already has the value, or gets it later
	// Visible means that other programs on this computer can see the value while the server runs, because the server
	// accepts it only as an argument.
	Visible bool `json:"visible,omitempty"`
}

// Values returns the values of secrets by name, except for those that the keychain already has.
func (p *Plan) Values() map[string]string { return maps.Clone(p.values) }

// Unanswered returns the questions that must be answered before the server can be installed.
func (p *Plan) Unanswered() []Question {
	var out []Question
	for _, q := range p.Questions {
		if q.Missing {
			out = append(out, q)
		}
	}
	return out
}

// Check returns an error that says what the plan still lacks, and nil if it can be carried out. A missing program is
// no error: it can be installed in the meantime.
func (p *Plan) Check() error {
	switch missing := p.Unanswered(); {
	case p.Problem != "":
		return fault.New(fault.Invalid, "%s cannot be installed: %s", p.ID, p.Problem)
	case len(missing) > 0:
		var needs []string
		for _, q := range missing {
			needs = append(needs, fmt.Sprintf("%s (%s)", q.Name, strings.TrimSuffix(q.Why, ".")))
		}
		return fault.New(fault.Invalid, "%s needs answers: %s", p.ID, strings.Join(needs, "; "))
	case p.Unresolved != "":
		return fault.New(fault.Unavailable, "%s cannot be installed yet: its %s is not known", p.ID, p.Unresolved)
	}
	return nil
}

// Make returns the plan for a request. The error is a fault: the listing is withdrawn or has nothing to install, or
// the request contains an invalid name, or an option or answers that the listing does not have. The plan itself
// describes all other obstacles.
func Make(r Request, m Machine) (*Plan, error) {
	if r.Listing.Status == listing.Deleted {
		return nil, fault.New(fault.NotFound, "%s was withdrawn by its publisher", safetext.Visible(r.Listing.ID()))
	}
	if r.Name != "" {
		if err := registry.CheckName(r.Name); err != nil {
			return nil, err
		}
	}
	all := candidates(&r.Listing)
	if len(all) == 0 {
		return nil, fault.New(fault.NotFound, "%s names no package and no address; see its web page", safetext.Visible(r.Listing.ID()))
	}
	for i := range all {
		about := r
		if all[i].id != r.Option && (r.Option != "" || len(all) > 1) {
			about.Release, about.Digest, about.Bundle = listing.Release{}, "", nil
		}
		all[i].plan = build(about, m, all[i])
	}
	rank(all)
	options := make([]Option, len(all))
	chosen := -1
	for i, c := range all {
		options[i] = c.plan.Option
		if r.Option == c.id || r.Option == "" && i == 0 {
			chosen = i
		}
	}
	if chosen < 0 {
		var ids []string
		for _, o := range options {
			ids = append(ids, o.ID)
		}
		return nil, fault.New(fault.NotFound, "%s has no option %q; it has %s", safetext.Visible(r.Listing.ID()), r.Option,
			strings.Join(ids, ", "))
	}
	p := all[chosen].plan
	p.Options = options
	if err := p.checkAnswers(r.Answers); err != nil {
		return nil, err
	}
	p.finish(r)
	return p, nil
}

// checkAnswers returns an error if there are answers without a question.
func (p *Plan) checkAnswers(answers map[string][]string) error {
	var known, unknown []string
	for _, q := range p.Questions {
		known = append(known, q.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, safetext.Visible(name))
		}
	}
	if len(unknown) == 0 || p.Unresolved == File { // the file will add questions
		return nil
	}
	return fault.New(fault.Invalid, "%s does not ask for %s; it asks for %s", p.ID, strings.Join(unknown, ", "),
		cmp.Or(strings.Join(known, ", "), "nothing"))
}
