package quarantine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// view holds what Refuse needs: the held items of each server. It is immutable.
type view struct{ servers map[string]*heldServer }

// heldServer is the part of a view about one server.
type heldServer struct {
	Server
	updated time.Time // UpdatedAt of the configuration whose launch was last compared; zero for none
	// expected is the hash of a launch that a person is about to configure; see Expect.
	expected  string
	revoked   bool // the launch that was last compared is not the approved one
	items     map[key]*Item
	passed    map[key]bool // if revoked, the approved items that are not in items
	resources heldResources
}

// attention reports whether the launch of a server is revoked, or an item of it is held or
// warns. If h is nil, it returns false.
func (h *heldServer) attention() bool { return h != nil && (h.revoked || len(h.items) > 0) }

// key identifies an item of a server.
type key struct {
	kind Kind
	name string
}

// newView returns the view of stored servers and their items that need attention.
func newView(servers []Server, items []Item) *view {
	v := &view{servers: make(map[string]*heldServer, len(servers))}
	of := make(map[string][]*Item)
	for i := range items {
		of[items[i].Server] = append(of[items[i].Server], &items[i])
	}
	for _, s := range servers {
		v.servers[s.Name] = newHeldServer(s, time.Time{}, false, of[s.Name])
	}
	return v
}

// newHeldServer returns the part of a view about a server with some of its items. It keeps
// no texts.
func newHeldServer(s Server, updated time.Time, revoked bool, items []*Item) *heldServer {
	h := &heldServer{Server: s, updated: updated, revoked: revoked, items: make(map[key]*Item), passed: make(map[key]bool)}
	var held, others []*Item
	for _, item := range items {
		k := key{item.Kind, item.Name}
		if !item.Held() && !item.Warns() {
			h.passed[k] = true
			others = append(others, item)
			continue
		}
		kept := *item
		kept.Latest, kept.ApprovedText = nil, nil
		h.items[k] = &kept
		if kept.Held() {
			held = append(held, &kept)
		}
	}
	h.resources = newHeldResources(held, others)
	if !revoked {
		h.passed = nil // not needed: everything that is not held is approved
	}
	return h
}

// with returns a copy of the view in which h replaces the part about its server.
func (v *view) with(h *heldServer) *view {
	servers := maps.Clone(v.servers)
	servers[h.Name] = h
	return &view{servers}
}

// Refuse returns an error if a request to a server concerns an item that is held, and nil if
// the request may be sent. It reads one immutable snapshot.
func (k *Keeper) Refuse(server registry.Server, method string, params json.RawMessage) error {
	kind, ok := subjects[method]
	if !ok {
		return nil
	}
	h := k.view.Load().servers[server.Name]
	if h == nil {
		return nil
	}
	switch method {
	case "completion/complete":
		ref := jsonrpc.Get(params, "ref")
		if kind = Prompt; jsonrpc.GetString(ref, "type") == "ref/resource" {
			kind = Template
		}
		return h.refuse(server, kind, ref)
	case "tools/call": // package call has made sure that params contain one name
		return h.refuseItem(server, Tool, jsonrpc.GetString(params, "name"))
	}
	return h.refuse(server, kind, params)
}

// RefuseTool is like Refuse for a call of a tool.
func (k *Keeper) RefuseTool(server registry.Server, tool string) error {
	if h := k.view.Load().servers[server.Name]; h != nil {
		return h.refuseItem(server, Tool, tool)
	}
	return nil
}

// RefuseStart returns an error if a server must not be started or reached, because the launch
// of its configuration is not the approved one. It returns nil for a server without an approved
// launch, such as one that was added a moment ago.
func (k *Keeper) RefuseStart(server registry.Server) error {
	h := k.view.Load().servers[server.Name]
	if h == nil || !h.relaunched(server) {
		return nil
	}
	var fields []string
	for _, change := range h.Form.Changes(LaunchOf(server)) {
		fields = append(fields, change.Field)
	}
	return &fault.Error{Kind: fault.Denied, Code: fault.CodeHeld, Message: fmt.Sprintf(
		"server %q is not started (%s), because its configuration (%s) has changed since the user approved it; only the user may allow "+
			"the change: ask them to review it on the page Approvals, or in a terminal with: agent-discover trust list %s",
		h.Name, fault.CodeHeld, strings.Join(fields, ", "), h.Name)}
}

// relaunched reports whether the launch of a configuration of the server differs from
// the approved one.
func (h *heldServer) relaunched(server registry.Server) bool {
	if h.updated.Equal(server.UpdatedAt) || h.Launch == "" {
		return h.revoked
	}
	hash := LaunchOf(server).Hash() // Run has not compared it yet
	return hash != h.Launch && hash != h.expected
}

// subjects maps the methods whose requests concern an item to the kind of the item; see Refuse for completion/complete.
var subjects = map[string]Kind{
	"tools/call": Tool, "prompts/get": Prompt, "completion/complete": Prompt,
	"resources/read": Resource, "resources/subscribe": Resource,
}

// refuse checks every name that a server may read in the params: readers of JSON disagree which
// one counts if a member is repeated or its name is written in another letter case.
func (h *heldServer) refuse(server registry.Server, kind Kind, params json.RawMessage) (err error) {
	member := "uri"
	if kind == Prompt {
		member = "name"
	}
	jsonrpc.Each(params, func(name string, value json.RawMessage) {
		if text, ok := jsonrpc.String(value); ok && err == nil && strings.EqualFold(name, member) {
			err = h.refuseItem(server, kind, text)
		}
	})
	return err
}

func (h *heldServer) refuseItem(server registry.Server, kind Kind, name string) error {
	revoked, passed := h.relaunched(server), h.passed
	if item := h.items[key{kind, name}]; item != nil {
		if item.Held() {
			return refusal(h.Name, kind, name, item.State, item.Reason)
		}
		return nil
	}
	var variant *Item
	switch kind {
	case Template: // a completion may name a resource
		variant = cmp.Or(h.resources.template(name), h.resources.resource(name))
	case Resource:
		if variant = h.resources.resource(name); variant == nil && !revoked {
			variant = h.resources.source(name)
		}
	}
	switch {
	case variant == nil:
	case variant.Kind == Template:
		return refusal(h.Name, Template, variant.Name, variant.State, variant.Reason)
	default:
		return refusal(h.Name, Resource, name, variant.State, variant.Reason)
	}
	if revoked && !passed[key{kind, name}] {
		return refusal(h.Name, kind, name, Pending, Relaunch)
	}
	return nil
}

// refusal returns the error of a request that concerns a held item. Apart from the name,
// which the caller knows, the error contains no text of the server.
func refusal(server string, kind Kind, name string, state State, reason Reason) error {
	return &fault.Error{Kind: fault.Denied, Code: fault.CodeHeld, Message: fmt.Sprintf(
		"%s cannot be used (%s), because %s; only the user may allow it: ask them to review it on the page Approvals, or in a terminal "+
			"with: agent-discover trust list %s",
		subject(server, kind, name), fault.CodeHeld, Explain(state, reason), server)}
}

// subject returns the words for an item in a message, such as: tool "a" of server "b".
func subject(server string, kind Kind, name string) string {
	noun := map[Kind]string{Tool: "tool", Prompt: "prompt", Resource: "resource", Template: "resource template"}[kind]
	if kind == Instructions {
		return fmt.Sprintf("the text with which server %q introduces itself", server)
	}
	return fmt.Sprintf("%s %q of server %q", noun, name, server)
}

// Explain returns why an item is held, as the end of a sentence.
func Explain(state State, reason Reason) string {
	switch {
	case state == Blocked:
		return "the scan has found signs of an attack in its definition"
	case state == Rejected:
		return "the user has rejected it"
	case reason == Relaunch:
		return "its server is started in another way than when the user approved it"
	case state == Altered:
		return "its definition has changed since it was approved"
	case reason == Proposed:
		return "its server was proposed by an agent or came with a persona, and the user has not approved it yet"
	case reason == Alike:
		return "its name differs from another one of its server only in case, width, spaces or characters that cannot be seen, " +
			"and the user has not approved it yet"
	case reason == Found:
		return "the scan has found something suspicious in its definition"
	}
	return "its server has added it, and the user has not approved it yet"
}

// Counts are the numbers of items that need a person's attention.
type Counts struct {
	Waiting int `json:"waiting" doc:"Number of held items that wait for a person's decision."`
	Warned  int `json:"warned" doc:"Number of items in use that a person should review, because the scan warns of them or their definitions change back and forth."`
}

// Counts returns how many items of all servers need a person's attention. A server
// whose launch has changed counts as one item if none of its items waits.
func (k *Keeper) Counts() (c Counts) {
	for _, h := range k.view.Load().servers {
		launch := h.revoked
		for _, item := range h.items {
			if item.Waits() {
				c.Waiting++
				launch = false
			} else if item.Warns() {
				c.Warned++
			}
		}
		if launch {
			c.Waiting++
		}
	}
	return c
}

// Waiting returns how many items of a server wait for a person's decision.
func (k *Keeper) Waiting(server string) (n int) {
	if h := k.view.Load().servers[server]; h != nil {
		for _, item := range h.items {
			if item.Waits() {
				n++
			}
		}
	}
	return n
}

// Revoked returns the names of the servers whose launch is not the approved one, sorted.
func (k *Keeper) Revoked() (names []string) {
	for name, h := range k.view.Load().servers {
		if h.revoked {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
