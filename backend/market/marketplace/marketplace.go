// Package marketplace connects the packages that search for servers and install them. It searches all sources, shows
// one server, turns a choice into a plan, and installs it:
//
// official ── mirror ─┐
// npm ────────────────┼─ federation ── Choice ── plan ── installer
// pypi ───────────────┘
//
// It sends no request to the network until a caller searches, opens a server or installs one.
package marketplace

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/probe"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
)

// Options are the dependencies of a Marketplace.
type Options struct {
	Official  *official.Client
	Mirror    *mirror.Mirror // copy of Official
	NPM       *npm.Source
	PyPI      *pypi.Source
	Prober    *probe.Prober
	Installer *installer.Installer
	Installs  installer.Store
	// Updatable returns the IDs of installed listings that have a newer version; nil means none.
	Updatable func(ctx context.Context) map[string]bool
	Bus       *events.Bus
}

// Marketplace finds and installs servers. Its methods may be called concurrently.
type Marketplace struct {
	options    Options
	federation *federation.Federation

	mu   sync.Mutex
	kept map[version]kept // details of servers from which plans are made
}

// version identifies a version of a listing; an empty number means the latest one.
type version struct{ id, number string }

type kept struct {
	at      time.Time
	details federation.Details
}

const (
	// currentFor is how long the details of a server are reused, so that a plan does not change while a person
	// answers its questions.
	currentFor = 10 * time.Minute
	maxKept    = 50
	// probeTime limits how long Details waits for the addresses of a remote server.
	probeTime = 4 * time.Second
)

// New returns a marketplace.
func New(o Options) *Marketplace {
	m := &Marketplace{options: o, kept: make(map[version]kept)}
	m.federation = federation.New(federation.Options{
		Sources: []federation.Source{
			{Name: listing.Official, Search: o.Mirror.Search, Get: m.entry},
			{Name: listing.NPM, Search: o.NPM.Search, Get: o.NPM.Get},
			{Name: listing.PyPI, Search: o.PyPI.Search, Get: o.PyPI.Get},
		},
		Installed: m.installed, Updatable: o.Updatable,
	})
	return m
}

// Run drops kept answers and details when the copy of the registry changes, until ctx ends.
func (m *Marketplace) Run(ctx context.Context) error {
	changes := make(chan struct{}, 1)
	defer events.Signal[mirror.Refreshed](m.options.Bus, changes)()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
			m.federation.Forget()
			m.mu.Lock()
			clear(m.kept)
			m.mu.Unlock()
		}
	}
}

// Search searches all sources that a query selects.
func (m *Marketplace) Search(ctx context.Context, q federation.Query) (federation.Answer, error) {
	answer := m.federation.Search(ctx, q, nil)
	listings := make([]listing.Listing, len(answer.Results))
	for i := range answer.Results {
		r := &answer.Results[i]
		r.Remotes = slices.Clone(r.Remotes) // the federation may reuse the answer
		listings[i] = r.Listing
	}
	return answer, m.options.Prober.Known(ctx, listings)
}

// entry returns an entry of the official registry: from the copy, or if the copy does not have it, from the registry.
func (m *Marketplace) entry(ctx context.Context, name string) (listing.Details, error) {
	l, ok, err := m.options.Mirror.Lookup(ctx, name)
	if err != nil {
		return listing.Details{}, err
	}
	if !ok {
		e, err := m.options.Official.Version(ctx, name, official.LatestVersion)
		if err != nil {
			return listing.Details{}, err
		}
		l = e.Listing
	}
	return listing.Details{Listing: l, Server: true}, nil
}

// installed returns the IDs of the installed listings.
func (m *Marketplace) installed(ctx context.Context) map[string]bool {
	out := make(map[string]bool)
	installs, err := m.options.Installs.Installs(ctx, 0)
	if err != nil {
		return out // a search works without the IDs
	}
	for _, i := range installs {
		out[i.Listing.ID()] = true
	}
	return out
}

// Servers returns the identifiers of the servers that were installed from listings with these IDs.
func (m *Marketplace) Servers(ctx context.Context, listings []string) []int64 {
	out := []int64{}
	installs, err := m.options.Installs.Installs(ctx, 0)
	if err != nil {
		return out // details are useful without the identifiers
	}
	for _, i := range installs {
		if slices.Contains(listings, i.Listing.ID()) {
			out = append(out, i.Server)
		}
	}
	return out
}

// Details returns a version of a server by its ID, and probes its addresses. An empty version means the latest one.
func (m *Marketplace) Details(ctx context.Context, id, number string) (federation.Details, error) {
	d, err := m.details(ctx, id, number)
	if err != nil || len(d.Remotes) == 0 {
		return d, err
	}
	d.Remotes = slices.Clone(d.Remotes)
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return d, m.options.Prober.Probe(limited, []listing.Listing{d.Listing})
}

// details is Details without the probe.
func (m *Marketplace) details(ctx context.Context, id, number string) (federation.Details, error) {
	key := version{id, number}
	m.mu.Lock()
	k, ok := m.kept[key]
	m.mu.Unlock()
	if ok && time.Since(k.at) < currentFor {
		return k.details, nil
	}
	d, err := m.federation.Get(ctx, id)
	if err == nil && number != "" && number != d.Version {
		err = m.setVersion(ctx, &d, number)
	}
	if err != nil {
		return federation.Details{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= maxKept {
		clear(m.kept)
	}
	m.kept[key] = kept{time.Now(), d}
	return d, nil
}

// Latest returns the latest version of a listing from its source.
func (m *Marketplace) Latest(ctx context.Context, id string) (listing.Listing, error) {
	d, err := m.federation.Get(ctx, id)
	return d.Listing, err
}

// setVersion replaces the latest version of a server by another one.
func (m *Marketplace) setVersion(ctx context.Context, d *federation.Details, number string) error {
	if d.Source == listing.Official {
		e, err := m.options.Official.Version(ctx, d.Name, number)
		if err == nil {
			d.Listing = e.Listing
		}
		return err
	}
	if len(d.Packages) == 0 {
		return fault.New(fault.NotFound, "%s names no package", safetext.Visible(d.ID()))
	}
	d.Packages = slices.Clone(d.Packages)
	d.Version, d.Packages[0].Version = number, number // the plan rejects an invalid version
	return nil
}

// Choice is a server to install, with the user's choices.
type Choice struct {
	ID      string              `json:"id" doc:"Identifier of the listing, SOURCE:NAME, such as npm:@scope/name."`
	Version string              `json:"version,omitempty" doc:"Version of the listing; the latest one by default."`
	Option  string              `json:"option,omitempty" doc:"Identifier of one of the plan's options; the preferred one by default."`
	Name    string              `json:"name,omitempty" doc:"Name of the server; by default one that is made from the listing's name."`
	Answers map[string][]string `json:"answers,omitempty" doc:"Maps names of the plan's questions to their answers. Only a repeated question may have several. An empty answer omits an optional value that has a default."`
	// SecretsLater is plan.Request.SecretsLater. It is set for agents, which do not know the secrets.
	SecretsLater bool `json:"-"`
}

// Request returns the request for the plan of a choice.
func (m *Marketplace) Request(ctx context.Context, c Choice) (plan.Request, error) {
	d, err := m.details(ctx, c.ID, c.Version)
	if err != nil {
		return plan.Request{}, err
	}
	return plan.Request{Listing: d.Listing, Option: c.Option, Name: c.Name, Answers: c.Answers, SecretsLater: c.SecretsLater}, nil
}

// Plan returns the plan for a choice; see installer.Installer.Plan.
func (m *Marketplace) Plan(ctx context.Context, c Choice) (*plan.Plan, error) {
	r, err := m.Request(ctx, c)
	if err != nil {
		return nil, err
	}
	return m.options.Installer.Plan(ctx, r)
}

// Prepare starts the download that is needed before the plan of a choice is complete; see
// installer.Installer.Prepare.
func (m *Marketplace) Prepare(ctx context.Context, c Choice) (installer.Progress, error) {
	r, err := m.Request(ctx, c)
	if err != nil {
		return installer.Progress{}, err
	}
	return m.options.Installer.Prepare(r)
}

// Install starts the installation of a choice. It replaces o.Request with the request for c.
func (m *Marketplace) Install(ctx context.Context, c Choice, o installer.Order) (installer.Progress, error) {
	var err error
	if o.Request, err = m.Request(ctx, c); err != nil {
		return installer.Progress{}, err
	}
	return m.options.Installer.Install(o)
}

// Wait waits for the end of a job; see installer.Installer.Wait.
func (m *Marketplace) Wait(ctx context.Context, id string) (installer.Result, error) {
	return m.options.Installer.Wait(ctx, id)
}
