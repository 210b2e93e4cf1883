package toolset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// State is the state of a tool of a toolset.
type State string

// The states of a tool in a toolset.
const (
	Ready   State = "ready"
	Drifted State = "drifted" // its definition is not the accepted one any more, or is held
	Missing State = "missing" // its server was removed, or does not list it any more
	Waiting State = "waiting" // its server cannot be used (see registry.Server.Usable), or Entry.Pending
)

// Entry is a tool of a toolset, its state, and its current definition.
type Entry struct {
	Reference
	State   State
	Present *catalog.Tool // the current definition; nil if the server does not list the tool
	Held    bool          // Present is held until a person approves it, for whatever client
	Pending bool          // a person has approved no definition of the tool yet, and Present is nil
}

// Entries returns the tools of a toolset in their order.
func (k *Keeper) Entries(t Toolset) []Entry {
	snapshot := k.options.Catalog.Snapshot()
	entries := make([]Entry, len(t.Tools))
	for i, r := range t.Tools {
		entries[i] = k.entry(snapshot, r)
	}
	return entries
}

func (k *Keeper) entry(snapshot *catalog.Snapshot, r Reference) Entry {
	e := Entry{Reference: r, State: Missing}
	server, err := k.options.Registry.Get(r.Server)
	if err != nil {
		return e
	}
	if present, ok := snapshot.Lookup(r.Server, r.Tool); ok {
		e.Present = present
	} else {
		e.Present, e.Held = snapshot.Withheld(r.Key())
		e.Pending = !e.Held && k.options.Held(r.Key()) != nil
	}
	switch {
	case server.Usable() != nil, e.Pending:
		e.State = Waiting
	case e.Present == nil:
	case e.Held, e.Present.Hash != r.Hash:
		e.State = Drifted
	default:
		e.State = Ready
	}
	return e
}

// Shown returns the tools of an approved toolset as clients list them, with notes in their descriptions. A drifted
// tool is listed as it was accepted, so that a changed description reaches no model before a person has read it.
// The function as returns a tool as the client sees it, or nil if the client may not use it. If as is nil, only the
// notes are added.
func (k *Keeper) Shown(name string, as func(*catalog.Tool) *catalog.Tool) []*catalog.Tool {
	t, err := k.usable(name)
	if err != nil {
		return nil
	}
	var out []*catalog.Tool
	for _, e := range k.Entries(t) {
		if tool := e.Shown(as); tool != nil {
			out = append(out, tool)
		}
	}
	return out
}

// Shown returns the tool as clients list it, or nil if they do not list it. See Keeper.Shown for the parameter as.
func (e Entry) Shown(as func(*catalog.Tool) *catalog.Tool) *catalog.Tool {
	tool := e.Present
	switch {
	case e.State == Drifted && len(e.Pinned) > 0:
		var ok bool
		if tool, ok = catalog.Restore(e.Server, e.Pinned, e.Hash, tokens.Known(string(e.Pinned))); !ok {
			return nil
		}
	case e.State != Ready:
		return nil
	}
	if as != nil {
		tool = as(tool)
	}
	if tool == nil || e.Note == "" {
		return tool
	}
	noted := *tool
	noted.Description = strings.TrimSpace(tool.Description + "\n\nNote: " + e.Note)
	noted.Definition = jsonrpc.Set(tool.Definition, "description", jsonrpc.Quote(noted.Description))
	sum := sha256.Sum256([]byte(tool.Hash + "\n" + e.Note))
	noted.Hash = hex.EncodeToString(sum[:])
	if noted.Tokens > 0 {
		noted.Tokens = tokens.Known(string(noted.Definition))
	}
	return &noted
}

// Tokens returns the number of tokens of the definition that clients list, or 0 if they list none. It counts a definition
// that the catalog has not counted yet, as directly after the server was added.
func (e Entry) Tokens() int {
	switch tool := e.Shown(nil); {
	case tool == nil:
		return 0
	case tool.Tokens == 0:
		return tokens.Known(string(tool.Definition))
	default:
		return tool.Tokens
	}
}

// Serves reports whether a toolset is approved and has accepted tools of a server that is usable itself.
func (k *Keeper) Serves(name, server string) bool {
	t, err := k.usable(name)
	if err != nil || !t.has(server) {
		return false
	}
	s, err := k.options.Registry.Get(server)
	return err == nil && s.Usable() == nil
}

// Admit returns an error unless a tool may be called through a toolset.
func (k *Keeper) Admit(name string, tool catalog.Key) error {
	t, err := k.usable(name)
	if err != nil {
		return err
	}
	at := t.index(tool)
	if at < 0 {
		return fault.New(fault.Denied, "the toolset %q does not have the tool %s.%s", name, tool.Server, tool.Tool)
	}
	switch e := k.entry(k.options.Catalog.Snapshot(), t.Tools[at]); e.State {
	case Ready:
		return nil
	case Drifted:
		if e.Present.Hash == e.Hash {
			return nil // only held: package call refuses it and knows the reason
		}
		return drifted(name, e.Reference)
	case Waiting:
		server, err := k.options.Registry.Get(tool.Server)
		if err == nil {
			err = server.Usable()
		}
		if err == nil {
			err = k.options.Held(tool)
		}
		if err != nil {
			return err
		}
	}
	return fault.New(fault.NotFound, "the tool %s.%s of the toolset %q is missing: its server was removed or does not list it any more",
		tool.Server, tool.Tool, name)
}

func drifted(name string, r Reference) error {
	return &fault.Error{
		Kind: fault.Denied, Code: fault.CodeDrifted,
		Message: fmt.Sprintf(
			"the tool %s has changed since a person added it to the toolset %q; ask the user to read the change and pin the tool again, "+
				"in the dashboard or with: agent-discover toolset pin %[2]s %[1]s", r.Qualified(), name,
		),
	}
}

// usable returns a toolset, or an error if it does not exist or is not approved.
func (k *Keeper) usable(name string) (Toolset, error) {
	t, err := k.Get(name)
	if err == nil && !t.Approved {
		err = fault.New(fault.Denied, "the toolset %q waits for a person's approval: ask the user to approve it in the dashboard", name)
	}
	return t, err
}

// Usable returns an error unless clients may use a toolset.
func (k *Keeper) Usable(name string) error {
	_, err := k.usable(name)
	return err
}
