package quarantine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// Tools is a catalog.Gate that admits the approved tools of servers.
type Tools struct{ Keeper *Keeper }

// Admit implements catalog.Gate.
func (t Tools) Admit(ctx context.Context, server string, listed []json.RawMessage) ([]json.RawMessage, error) {
	return t.Keeper.Admit(ctx, server, Tool, listed)
}

// Admitted implements catalog.Gate.
func (t Tools) Admitted(ctx context.Context, server string) ([]json.RawMessage, error) {
	return t.Keeper.options.Store.ApprovedTexts(ctx, server, Tool)
}

// Withheld implements catalog.Gate.
func (t Tools) Withheld(ctx context.Context, server string) (definitions []json.RawMessage, err error) {
	if !slices.Contains(t.Keeper.Withholding(), server) {
		return nil, nil
	}
	items, err := t.Keeper.Items(ctx, server)
	for _, i := range items {
		if i.Kind == Tool && i.withheld() {
			definitions = append(definitions, i.Latest)
		}
	}
	return definitions, err
}

// Withholding returns the names of the servers that list a tool of which agents could use an earlier definition, and
// whose present definition is held.
func (k *Keeper) Withholding() (servers []string) {
	for name, h := range k.view.Load().servers {
		for _, item := range h.items {
			if item.Kind == Tool && item.withheld() {
				servers = append(servers, name)
				break
			}
		}
	}
	return servers
}

// withheld reports whether an item is listed and held although a definition of it was approved or rejected.
func (i *Item) withheld() bool {
	return i.Listed && i.Held() && (i.Approved != (Hash{}) || i.Rejected != (Hash{}))
}

// AcceptTool approves, on behalf of a person, a definition of a tool that is held only because it has changed. A tool
// that is held for another reason needs a decision about that reason; the error says so.
func (k *Keeper) AcceptTool(ctx context.Context, server, tool string, definition json.RawMessage) error {
	return k.decideOn(ctx, server, func(f *file) ([]Kind, error) {
		item := f.items[key{Tool, tool}]
		switch {
		case item == nil || item.Hash != HashOf(Tool, definition):
			return nil, fault.New(fault.Conflict, "%s has changed since it was shown, and nothing was decided; look at it again",
				subject(server, Tool, tool))
		case !item.Held():
			return nil, nil
		case item.State != Altered || item.Reason != Modified || !item.Clean():
			return nil, refusal(server, Tool, tool, item.State, item.Reason)
		}
		f.decided(item, approve(*item, f.hash, k.options.Now()), "Approved by a person")
		return []Kind{Tool}, nil
	})
}

// Lists is a features.Gate that admits the approved prompts, resources, templates and instructions of servers.
// Instructions are a member of a server's introduction, which is its answer to initialize or server/discover.
type Lists struct{ Keeper *Keeper }

var kindOf = map[features.Kind]Kind{
	features.Prompts: Prompt, features.Resources: Resource, features.Templates: Template, features.Introduction: Instructions,
}

// ListOf returns the kind of list that contains the items of a kind, or "" for tools.
func ListOf(kind Kind) features.Kind {
	for in, of := range kindOf {
		if of == kind {
			return in
		}
	}
	return ""
}

// Admit implements features.Gate.
func (l Lists) Admit(ctx context.Context, listed features.List) ([]json.RawMessage, error) {
	kind := kindOf[listed.Kind]
	if kind != Instructions {
		return l.Keeper.Admit(ctx, listed.Server, kind, listed.Definitions)
	}
	approved, err := l.Keeper.Admit(ctx, listed.Server, kind, instructionsOf(listed.Definitions))
	return l.Keeper.introducing(listed.Server, listed.Definitions, approved), err
}

// Admitted implements features.Gate.
func (l Lists) Admitted(ctx context.Context, kept features.List) ([]json.RawMessage, error) {
	approved, err := l.Keeper.options.Store.ApprovedTexts(ctx, kept.Server, kindOf[kept.Kind])
	if kept.Kind == features.Introduction {
		approved = l.Keeper.introducing(kept.Server, kept.Definitions, approved)
	}
	return approved, err
}

// instructionsOf returns the instructions in a server's introductions, as a list of at most
// one. A server has one introduction for each era of MCP; the first one with instructions
// counts for all.
func instructionsOf(introductions []json.RawMessage) []json.RawMessage {
	for _, one := range introductions {
		if text := jsonrpc.Get(one, "instructions"); text != nil && string(text) != `""` {
			return []json.RawMessage{text}
		}
	}
	return nil
}

// introducing returns the introductions of a server with the approved instructions in place
// of their own, or without instructions if none are approved, and with the serverInfo that
// clients are shown.
func (k *Keeper) introducing(server string, introductions, approved []json.RawMessage) []json.RawMessage {
	out := introductions[:0:0]
	for _, one := range introductions {
		one = jsonrpc.Delete(one, "instructions")
		if len(approved) > 0 {
			one = jsonrpc.Set(one, "instructions", approved[0])
		}
		if info := jsonrpc.Get(one, "serverInfo"); info != nil {
			if shown := k.presented(server, info); !bytes.Equal(shown, info) {
				one = jsonrpc.Set(one, "serverInfo", shown)
			}
		}
		out = append(out, one)
	}
	return out
}

// Known returns the definitions of a kind that the hub has stored for a server. The function
// tools returns those in the catalog, and list those in a list of package features.
func Known(kind Kind, tools func() []json.RawMessage, list func(features.Kind) []json.RawMessage) []json.RawMessage {
	switch kind {
	case Tool:
		return tools()
	case Instructions:
		return instructionsOf(list(features.Introduction))
	}
	return list(ListOf(kind))
}
