// Package examiner applies the rules of package scan and the trained classifier to everything
// that a server lists, in comparison with the tools of the other servers.
package examiner

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Servers are the configured servers.
type Servers interface {
	Get(name string) (registry.Server, error)
	List() []registry.Server
}

// Encoder computes the vectors of sentences. Release frees its memory, which the next call of
// Encode allocates again.
type Encoder interface {
	classifier.Encoder
	Release()
}

// Examiner implements quarantine.Scanner with the rules alone, and quarantine.Classifier
// with the rules and the classifier. It is safe for concurrent use.
type Examiner struct {
	catalog *catalog.Catalog
	servers Servers
	version string

	mu      sync.Mutex // one server is classified at a time, so that the encoder's memory can be released
	encoder Encoder
	vectors *classifier.Vectors
}

// New returns an examiner, whose classifier uses one core and the vectors of e. version is
// the version of the program, because the rules change only with it.
func New(tools *catalog.Catalog, servers Servers, e Encoder, version string) *Examiner {
	return &Examiner{catalog: tools, servers: servers, version: version, encoder: e, vectors: classifier.NewVectors(e, 1)}
}

// Version implements quarantine.Scanner.
func (e *Examiner) Version() string { return e.version }

// Scan implements quarantine.Scanner.
func (e *Examiner) Scan(server string, texts []quarantine.Text) []quarantine.Judgement {
	return judgements(scan.Scan(serverOf(server, texts), e.peers(server), scan.Options{}))
}

// Classify implements quarantine.Classifier.
func (e *Examiner) Classify(ctx context.Context, server string, texts []quarantine.Text) ([]quarantine.Judgement, error) {
	results := scan.Scan(serverOf(server, texts), e.peers(server), scan.Options{Sentences: true})
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.encoder.Release()
	if err := e.vectors.Raise(ctx, results); err != nil {
		return nil, err
	}
	return judgements(results), nil
}

// serverOf converts the texts of a server to the form that package scan reads.
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
				Rule: f.Rule, Points: f.Points, Verdict: f.Verdict, Field: f.Field, Start: f.Start, End: f.End, Text: f.Text,
				Reason: f.Reason,
			})
		}
	}
	return out
}

// peers returns the tools of the other servers, except for servers that run the same program
// for another account or folder. The tools of these are expected to be the same.
func (e *Examiner) peers(server string) (peers []scan.Server) {
	own, err := e.servers.Get(server)
	same := make(map[string]bool)
	for _, other := range e.servers.List() {
		same[other.Name] = other.Name == server || err == nil && own.SameProgram(other)
	}
	for _, t := range e.catalog.Snapshot().Tools {
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
