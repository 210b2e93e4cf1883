package hub

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// openTrust opens what is approved, and makes the catalog and the listings have nothing
// else.
func (h *Hub) openTrust(ctx context.Context, config settings.Settings) (err error) {
	s := &h.servers
	rules := scanner{h.discovery.catalog, s.registry, h.options.Version}
	s.trust, err = quarantine.Open(ctx, quarantine.Options{
		Store: h.store.Trust, Servers: s.registry, Scanner: rules, Classifier: newClassifier(rules), Bus: h.bus, Log: h.log,
		Rules: func() quarantine.Rules {
			return quarantine.Rules{Quiet: h.settings.State().Settings.Trust.Changes == "clean", Agents: h.agentsMay() == "allow"}
		},
		Known: func(server string, kind quarantine.Kind) []json.RawMessage {
			return quarantine.Known(kind, func() []json.RawMessage { return h.discovery.knownTools(server) }, func(list features.Kind) []json.RawMessage {
				return s.listings.Of(server, list)
			})
		},
		Reapply: func(ctx context.Context, server string, kind quarantine.Kind) error {
			if kind == quarantine.Tool {
				return h.discovery.catalog.Reapply(ctx, server)
			}
			return s.listings.Reapply(ctx, server, quarantine.ListOf(kind))
		},
		Record: s.recordTrust,
	})
	if err != nil {
		return err
	}
	h.discovery.catalog.Guard(quarantine.Tools{Keeper: s.trust})
	s.listings.Guard(quarantine.Lists{Keeper: s.trust})
	return nil
}

// knownTools returns the definitions of a server's tools that the catalog has; nil without
// any.
func (d *discovery) knownTools(server string) (definitions []json.RawMessage) {
	for _, t := range d.catalog.Snapshot().Of(server) {
		definitions = append(definitions, t.Definition)
	}
	return definitions
}

// recordTrust stores a decision in the journal and in the audit log.
func (s *servers) recordTrust(e quarantine.Event) {
	r := journal.Record{At: time.Now(), Kind: journal.Trust, Server: e.Server, Tool: e.Name, Response: e.Text, Outcome: journal.OK, Code: string(e.State)}
	if r.Tool == "" {
		r.Tool = string(e.Kind)
	}
	if e.Person {
		r.Client, r.Road = "dashboard", audit.REST
	}
	if e.State != quarantine.Approved {
		r.Outcome = journal.Refused
	}
	s.journal.Record(r, nil, nil, nil)
}

// scanner judges texts of servers by the rules of package scan.
type scanner struct {
	catalog *catalog.Catalog
	servers *registry.Registry
	version string // of the program
}

// Version implements quarantine.Scanner.
func (s scanner) Version() string { return s.version }

// Scan implements quarantine.Scanner.
func (s scanner) Scan(server string, texts []quarantine.Text) []quarantine.Judgement {
	return judgements(scan.Scan(serverOf(server, texts), s.peers(server), scan.Options{}))
}

// serverOf returns everything that a server lists in the form that package scan reads.
func serverOf(server string, texts []quarantine.Text) scan.Server {
	of := scan.Server{Name: server, Items: make([]scan.Item, len(texts))}
	for i, text := range texts {
		of.Items[i] = scan.Item{Kind: scan.Kind(text.Kind), Name: text.Name, JSON: text.JSON}
	}
	return of
}

func judgements(results []scan.Result) []quarantine.Judgement {
	out := make([]quarantine.Judgement, len(results))
	for i, r := range results {
		out[i] = quarantine.Judgement{Verdict: r.Verdict, Points: r.Points}
		for _, f := range r.Findings {
			out[i].Findings = append(out[i].Findings, quarantine.Finding{
				Rule: f.Rule, Points: f.Points, Verdict: f.Verdict, Field: f.Field, Start: f.Start, End: f.End, Text: f.Text, Reason: f.Reason,
			})
		}
	}
	return out
}

// trainedScanner is a quarantine.Classifier: the rules of a scanner together with the trained
// classifier.
type trainedScanner struct {
	scanner
	mu      *sync.Mutex // one server at a time, so that the encoder's memory can be released
	encoder *minilm.Encoder
	vectors *classifier.Vectors
}

// newClassifier returns a classifier, which uses one core.
func newClassifier(s scanner) trainedScanner {
	encoder := minilm.New()
	return trainedScanner{scanner: s, mu: &sync.Mutex{}, encoder: encoder, vectors: classifier.NewVectors(encoder, 1)}
}

// Classify implements quarantine.Classifier.
func (c trainedScanner) Classify(ctx context.Context, server string, texts []quarantine.Text) ([]quarantine.Judgement, error) {
	results := scan.Scan(serverOf(server, texts), c.peers(server), scan.Options{Sentences: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.encoder.Release()
	if err := c.vectors.Raise(ctx, results); err != nil {
		return nil, err
	}
	return judgements(results), nil
}

// peers returns the tools of the other servers, without those that run the same program for
// another account or folder: they have the same tools for a good reason.
func (s scanner) peers(server string) (peers []scan.Server) {
	own, err := s.servers.Get(server)
	same := make(map[string]bool)
	for _, other := range s.servers.List() {
		same[other.Name] = other.Name == server || err == nil && sameProgram(own, other)
	}
	for _, t := range s.catalog.Snapshot().Tools {
		if same[t.Server] {
			continue
		}
		if n := len(peers); n == 0 || peers[n-1].Name != t.Server {
			peers = append(peers, scan.Server{Name: t.Server})
		}
		last := &peers[len(peers)-1]
		last.Items = append(last.Items, scan.Item{Kind: scan.Tool, Name: t.Name, JSON: t.Definition})
	}
	return peers
}

// sameProgram reports whether two servers run the same package or program, or are at the
// same address.
func sameProgram(a, b registry.Server) bool {
	switch {
	case a.Package.Name != "" && b.Package.Name != "":
		return a.Package.Name == b.Package.Name
	case a.Endpoint() != "" || b.Endpoint() != "":
		return a.Endpoint() == b.Endpoint()
	}
	return a.Command == b.Command && programOf(a.Args) == programOf(b.Args)
}

// programOf returns the first argument that may name a package, an image or a script.
func programOf(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") && !slices.Contains([]string{"run", "exec", "tool", "dlx", "x"}, arg) {
			return arg
		}
	}
	return ""
}

// newScreen returns what judges calls and their results by the present settings.
func (h *Hub) newScreen() *screen.Screen {
	return screen.New(screen.Options{
		Settings: func() settings.Trust { return h.settings.State().Settings.Trust }, Bus: h.bus,
		Record: func(e screen.Event) {
			r := journal.Record{
				At: time.Now(), Kind: journal.Trust, Server: e.Server, Tool: e.Tool, Client: e.Client, Session: e.Session, Response: e.Text, Outcome: journal.OK,
			}
			if e.Refused {
				r.Outcome = journal.Refused
			}
			h.servers.journal.Record(r, nil, nil, nil)
		},
	})
}
