package proposals

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// market simulates a marketplace in which downloads and installations take some time.
type market struct {
	found     []federation.Result
	problem   string
	takes     time.Duration
	prepared  bool
	preparing bool
	order     installer.Order
	query     federation.Query
}

func (m *market) Search(_ context.Context, q federation.Query) (federation.Answer, error) {
	m.query = q
	return federation.Answer{
		Results: m.found, Sources: []federation.Report{{Source: "pypi", Progress: federation.Missing, Problem: m.problem}},
	}, nil
}

func (m *market) Results(ctx context.Context, q federation.Query, _ string) (federation.Answer, string, error) {
	answer, err := m.Search(ctx, q)
	return answer, "", err
}

func (m *market) Page(context.Context, string, string, int) (marketplace.Page, error) {
	return marketplace.Page{Listings: []listing.Listing{m.found[0].Listing}, Next: "more"}, nil
}

func (m *market) HasRegistry() bool { return true }

func (m *market) Plan(_ context.Context, c marketplace.Choice) (*plan.Plan, error) {
	p := &plan.Plan{ID: c.ID, Name: "weather", Unresolved: plan.File, Download: &plan.Download{Name: "x"}, Questions: []plan.Question{}}
	if m.prepared {
		p.Unresolved, p.Hash = "", "h"
	}
	return p, nil
}

func (m *market) Prepare(context.Context, marketplace.Choice) (installer.Progress, error) {
	if m.preparing {
		return installer.Progress{}, fault.New(fault.Busy, "it is being prepared already")
	}
	m.preparing = true
	return installer.Progress{ID: "prepare"}, nil
}

func (m *market) Install(_ context.Context, _ marketplace.Choice, o installer.Order) (installer.Progress, error) {
	m.order = o
	return installer.Progress{ID: "install"}, nil
}

func (m *market) Wait(ctx context.Context, id string) (installer.Result, error) {
	select {
	case <-time.After(m.takes):
		m.prepared, m.preparing = true, false
		return installer.Result{Progress: installer.Progress{ID: id, Waiting: true}}, nil
	case <-ctx.Done():
		return installer.Result{}, ctx.Err()
	}
}

type nothing struct{}

func (nothing) Get(string) (registry.Server, error) {
	return registry.Server{}, fault.New(fault.NotFound, "no")
}

func newProposals(m *market) *Proposals {
	return New(Options{Market: m, Registry: nothing{}, Policy: func() registry.Permission { return registry.Ask }})
}

func TestAnAgentDoesNotWaitForALongDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &market{takes: 10 * time.Minute}
		p := newProposals(m)
		began := time.Now()
		r, err := p.Propose(t.Context(), Proposal{Name: "official:io.example/weather"})
		if err != nil || r.Status != "preparing" || time.Since(began) != 40*time.Second || m.order.Hash != "" {
			t.Errorf("after %s: got %+v, %v", time.Since(began), r, err)
		}
		if r, err = p.Propose(t.Context(), Proposal{Name: "official:io.example/weather"}); err != nil || r.Status != "preparing" {
			t.Errorf("while it is downloaded: got %+v, %v", r, err)
		}
		m.prepared = true
		if r, err = p.Propose(t.Context(), Proposal{Name: "official:io.example/weather", Client: "agent"}); err != nil ||
			r.Status != "installing" {
			t.Errorf("while it is installed: got %+v, %v", r, err)
		}
		if m.order.Hash != "h" || !m.order.Unseen || m.order.ProposedBy != "agent" {
			t.Errorf("the order is %+v", m.order)
		}
		m.takes = time.Second
		if r, err = p.Propose(t.Context(), Proposal{Name: "official:io.example/weather"}); err != nil ||
			r.Status != "waiting_for_approval" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestOnlyEntriesOfTheOfficialRegistryHaveNamesWithoutASource(t *testing.T) {
	entry := listing.Listing{Source: listing.Official, Name: "io.example/weather"}
	m := &market{prepared: true, found: []federation.Result{
		{Listing: entry, IDs: []string{"official:io.example/weather", "npm:weather-mcp"}},
		{Listing: listing.Listing{Source: listing.PyPI, Name: "weather-mcp"}, IDs: []string{"pypi:weather-mcp"}},
	}}
	for _, row := range []struct{ source, name, id, problem string }{
		{"registry", "io.example/weather", "official:io.example/weather", ""},
		{"registry", "weather-mcp", "", "name the server by its id, as browse returns it: npm:weather-mcp, pypi:weather-mcp"},
		{"npm", "weather-mcp", "npm:weather-mcp", ""},
		{"", "pypi:weather-mcp", "pypi:weather-mcp", ""},
		{"registry", "weather", "", "by its id, as browse returns it: npm:weather-mcp, official:io.example/weather, pypi:weather-mcp"},
		{"registry", "Weather-Server", "", "official:io.example/weather"},
		{"registry", "rain", "", `no server named "rain"`},
		{"", "other:rain", "", `no server named "other:rain"`},
	} {
		r, err := newProposals(m).Propose(t.Context(), Proposal{Source: row.source, Name: row.name})
		if r.ID != row.id || (err == nil) != (row.problem == "") || err != nil && !strings.Contains(fault.MessageOf(err), row.problem) {
			t.Errorf("%s %s: got %+v, %v", row.source, row.name, r, err)
		}
	}
}

func TestBrowseIsShortAndNamesMissingSources(t *testing.T) {
	l := listing.Listing{
		Source: listing.Official, Name: "io.example/weather", Description: "Tells\nthe \u202eweather " + strings.Repeat("x", 500),
		Version: "1", Status: listing.Deprecated, Packages: []listing.Package{{Kind: listing.KindOCI, Identifier: "w/w:1"}},
		Remotes: []listing.Remote{{Type: "sse"}},
	}
	m := &market{found: []federation.Result{{Listing: l, IDs: []string{l.ID()}, Installed: true}}, problem: "It did not answer."}
	got, err := newProposals(m).Browse(t.Context(), Query{Text: "weather", Source: "registry", Limit: 1000})
	if err != nil || len(got.Missing) != 1 || got.Missing[0] != "pypi: It did not answer." || got.NextCursor != nil ||
		m.query.Limit != maxLimit || m.query.Source != "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	s := got.Servers[0]
	if !strings.HasPrefix(s.Description, "Tells the weather xxx") || len([]rune(s.Description)) != maxDescription || !s.Installed ||
		!s.Deprecated || s.Repository != nil {
		t.Errorf("got %+v", s)
	}
	if len(s.Packages) != 2 || s.Packages[0].Runtime != "docker" || s.Packages[1] != (Package{"io.example/weather", "sse", "1"}) {
		t.Errorf("got %+v", s.Packages)
	}
	if got, err = newProposals(m).Browse(t.Context(), Query{}); err != nil || got.NextCursor == nil || *got.NextCursor != "more" ||
		len(got.Servers) != 1 {
		t.Errorf("without a text: got %+v, %v", got, err)
	}
}
