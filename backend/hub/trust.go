package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/trust/examiner"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// openTrust opens the store of approvals. From then on, the store decides which definitions of tools, prompts,
// resources and templates clients can see.
func (h *Hub) openTrust(ctx context.Context, config settings.Settings) (err error) {
	s := &h.servers
	rules := examiner.New(h.discovery.catalog, s.registry, h.discovery.builtin.Encoder, h.options.Version)
	s.trust, err = quarantine.Open(ctx, quarantine.Options{
		Store: h.store.Trust, Servers: s.registry, Scanner: rules, Classifier: rules, Bus: h.bus, Log: h.log,
		Rules: func() quarantine.Rules {
			return quarantine.Rules{Quiet: h.settings.State().Settings.Trust.Changes == "clean", Agents: h.agentsMay().Alone()}
		},
		Known: func(server string, kind quarantine.Kind) []json.RawMessage {
			tools := func() (definitions []json.RawMessage) {
				for _, t := range h.discovery.catalog.Snapshot().Of(server) {
					definitions = append(definitions, t.Definition)
				}
				return definitions
			}
			return quarantine.Known(kind, tools, func(list features.Kind) []json.RawMessage { return s.features.Of(server, list) })
		},
		Reapply: func(ctx context.Context, server string, kind quarantine.Kind) error {
			if kind == quarantine.Tool {
				return h.discovery.catalog.Reapply(ctx, server)
			}
			return s.features.Reapply(ctx, server, quarantine.ListOf(kind))
		},
		Record: s.recordTrust,
	})
	if err != nil {
		return err
	}
	h.discovery.catalog.Guard(quarantine.Tools{Keeper: s.trust})
	s.features.Guard(quarantine.Lists{Keeper: s.trust})
	return nil
}

// recordTrust stores a decision in the journal and in the audit log.
func (s *servers) recordTrust(e quarantine.Event) {
	r := journal.Record{
		At: time.Now(), Kind: journal.Trust, Server: e.Server, Tool: cmp.Or(e.Name, string(e.Kind)), Response: e.Text,
		Outcome: journal.OK, Code: string(e.State),
	}
	if e.Person {
		r.Client, r.Road = "dashboard", audit.REST
	}
	if e.State != quarantine.Approved {
		r.Outcome = journal.Refused
	}
	s.journal.Record(r, nil, nil, nil)
}

// recordWidened stores in the journal and in the audit log that a person has allowed a server more. text continues a
// sentence that begins with the person.
func (s *servers) recordWidened(server, text string) {
	s.journal.Record(journal.Record{
		At: time.Now(), Kind: journal.Trust, Client: "dashboard", Road: audit.REST, Server: server, Tool: "server", Outcome: journal.OK,
		Code: text, Response: "A person has " + text,
	}, nil, nil, nil)
}

// newScreen returns the screen, which checks calls and their results according to the current settings.
func (h *Hub) newScreen() *screen.Screen {
	return screen.New(screen.Options{
		Settings: func() settings.Trust { return h.settings.State().Settings.Trust }, Bus: h.bus,
		Record: func(e screen.Event) {
			r := journal.Record{
				At: time.Now(), Kind: journal.Trust, Server: e.Server, Tool: e.Tool, Client: e.Client, Session: e.Session, Response: e.Text,
				Outcome: journal.OK,
			}
			if e.Refused {
				r.Outcome = journal.Refused
			}
			h.servers.journal.Record(r, nil, nil, nil)
		},
	})
}
