package operations

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/difference"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// Trust holds the operations that list, approve and reject the tools, prompts, resources and instructions of servers.
type Trust struct {
	Registry *registry.Registry
	Keeper   *quarantine.Keeper
}

// Routes adds the operations with their handlers to a route table.
func (o *Trust) Routes(t *route.Table) {
	g := t.Group("trust")
	route.Add(g, route.Get("/api/trust", "List held tools, prompts, resources and instructions, which need a person's decision"), o.list)
	route.Add(g, route.Get("/api/trust/items/{id}",
		"Retrieve an item with its latest and approved definitions, their differences and the findings of the scan"), o.get)
	route.Add(g, route.Post("/api/trust/items/{id}/approve", "Approve the definition of an item"), o.approve)
	route.Add(g, route.Post("/api/trust/items/{id}/reject", "Reject the definition of an item"), o.reject)
	route.Add(g, route.Post("/api/trust/servers/{id}/approve",
		"Approve the launch of a server, and those of its held items in which the scan finds nothing"), o.approveClean)
}

// TrustList lists the items that need a person's decision, or all items of one server.
type TrustList struct {
	quarantine.Counts
	Servers []TrustServer `json:"servers" nullable:"false" doc:"The servers to which the items belong, and servers that are not started because their configuration has changed."`
	Items   []TrustItem   `json:"items" nullable:"false" doc:"The items, sorted by server, kind and position in the server's list."`
}

// TrustServer describes a server that has items in a TrustList or is not started because its launch has changed.
type TrustServer struct {
	ID            int64                     `json:"id" doc:"Identifier of the server."`
	Name          string                    `json:"name"`
	ProposedBy    string                    `json:"proposed_by,omitempty" doc:"Name of the client whose agent proposed the server, as the client reports it."`
	Waiting       int                       `json:"waiting" doc:"Number of the server's items that wait for a decision."`
	Clean         int                       `json:"clean" doc:"Number of the server's waiting items that can be approved together, because the scan finds nothing in them."`
	LaunchHash    string                    `json:"launch_hash" doc:"Hash of the launch, that is, of all parts of the configuration that determine what runs when the server starts. Send it with an approval, so that the approval fails if the configuration has changed."`
	LaunchChanges []quarantine.LaunchChange `json:"launch_changes,omitempty" doc:"How the launch of the server differs from the launch for which its items were approved; missing if it does not differ."`
}

// TrustItem is a tool, prompt, resource, resource template or instructions of a server, without the definition.
type TrustItem struct {
	ID         int64                `json:"id"`
	Server     string               `json:"server"`
	Kind       quarantine.Kind      `json:"kind" enum:"tool,prompt,resource,template,instructions"`
	Name       string               `json:"name" doc:"Name of a tool or prompt, URI of a resource, URI template of a template; empty for instructions."`
	State      quarantine.State     `json:"state" enum:"approved,pending,changed,blocked,rejected" doc:"State of the item; only approved items reach agents. pending: nobody has approved the item. changed: its definition differs from the approved one. blocked: the scan has found signs of an attack. rejected: a person has rejected the definition."`
	Reason     quarantine.Reason    `json:"reason,omitempty" enum:"new,proposed,launch,changed,scan,rejected,alike" doc:"Why the item is held. new: the server added it after its items were approved. proposed: an agent proposed the server. launch: the server is started in another way than before. changed: the definition has changed. scan: the scan has found something suspicious. rejected: a person has rejected it. alike: its name is easily confused with that of another item of the server."`
	Why        string               `json:"why,omitempty" doc:"Why the item is held, as the end of a sentence, for people."`
	Waits      bool                 `json:"waits" doc:"Whether the item is held until a person decides."`
	Warns      bool                 `json:"warns" doc:"Whether the item is in use, but a person should review it."`
	Listed     bool                 `json:"listed" doc:"Whether the server currently lists the item."`
	Hash       string               `json:"hash" doc:"Hash of the latest definition of the item. Send it with a decision, so that the decision fails if the definition has changed."`
	Verdict    quarantine.Verdict   `json:"verdict" enum:"none,note,warn,block" doc:"Verdict of the scan on the latest definition."`
	Points     float64              `json:"points"`
	Findings   []quarantine.Finding `json:"findings" nullable:"false" doc:"Findings of the scan, most suspicious first."`
	Flips      int                  `json:"flips,omitempty" doc:"How often the definition has changed and changed back since a person last reviewed the item."`
	Since      string               `json:"since" doc:"When the item entered its state, in UTC (RFC 3339)."`
	ApprovedBy quarantine.By        `json:"approved_by,omitempty" enum:"person,scan,existing" doc:"How the approved definition was approved: person (by a person), scan (together with the server, because the scan found nothing that forbids it), or existing (the item was in use before the hub held items)."`
	ApprovedAt string               `json:"approved_at,omitempty"`
}

// TrustDetail is an item with its latest and its approved definition.
type TrustDetail struct {
	TrustItem
	Definition string              `json:"definition" doc:"The latest definition of the item as JSON. Invisible characters are shown as U+XXXX."`
	Approved   string              `json:"approved_definition,omitempty" doc:"The approved definition of the item as JSON, with invisible characters shown as U+XXXX; missing if there is none."`
	Changes    []difference.Change `json:"changes" nullable:"false" doc:"How the latest definition differs from the approved one."`
}

func newTrustItem(i quarantine.Item) TrustItem {
	out := TrustItem{
		ID: i.ID, Server: i.Server, Kind: i.Kind, Name: i.Name, State: i.State, Reason: i.Reason, Waits: i.Waits(), Warns: i.Warns(),
		Listed: i.Listed, Hash: i.Hash.String(), Verdict: i.Verdict, Points: i.Points,
		Findings: append([]quarantine.Finding{}, i.Findings...), Flips: i.Flips, Since: Timestamp(i.Since), ApprovedBy: i.By,
	}
	if i.Held() {
		out.Why = quarantine.Explain(i.State, i.Reason)
	}
	if !i.At.IsZero() {
		out.ApprovedAt = Timestamp(i.At)
	}
	return out
}

type trustListInput struct {
	Server string `query:"server" doc:"Only items of the server with this name."`
	All    string `query:"all" enum:"true,false" doc:"If true, the response also includes the items of this server that need no decision."`
}

func (o *Trust) list(ctx context.Context, in *trustListInput) (*route.Reply[TrustList], error) {
	out := TrustList{Counts: o.Keeper.Counts(), Servers: []TrustServer{}, Items: []TrustItem{}}
	if in.All == "true" && in.Server == "" {
		return nil, fault.New(fault.Invalid, "all needs server: the name of a server")
	}
	items, err := o.Keeper.Attention(ctx)
	if in.All == "true" {
		items, err = o.Keeper.Items(ctx, in.Server)
	}
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if in.Server == "" || i.Server == in.Server {
			o.add(&out, i)
		}
	}
	for _, name := range o.Keeper.Revoked() { // such a server may have no item that needs a decision
		if in.Server == "" || name == in.Server {
			o.server(&out, name)
		}
	}
	return route.OK(out)
}

// server returns the entry of a server in list, and adds it if it is missing. It returns nil if the server was
// removed.
func (o *Trust) server(list *TrustList, name string) *TrustServer {
	if i := slices.IndexFunc(list.Servers, func(s TrustServer) bool { return s.Name == name }); i >= 0 {
		return &list.Servers[i]
	}
	v, err := o.Registry.Get(name)
	if err != nil {
		return nil
	}
	list.Servers = append(list.Servers,
		TrustServer{
			ID: v.ID, Name: name, ProposedBy: v.ProposedBy, LaunchHash: lifecycle.LaunchHash(v), LaunchChanges: o.Keeper.Relaunched(name),
		})
	return &list.Servers[len(list.Servers)-1]
}

// add adds an item to list and counts it in the entry of its server. It omits items of removed servers.
func (o *Trust) add(list *TrustList, i quarantine.Item) {
	server := o.server(list, i.Server)
	if server == nil {
		return
	}
	if i.Waits() {
		server.Waiting++
		if i.Clean() {
			server.Clean++
		}
	}
	list.Items = append(list.Items, newTrustItem(i))
}

// TrustItemInput contains the id of an item in a path. It is exported because huma ignores embedded structs of
// unexported types.
type TrustItemInput struct {
	ID int64 `path:"id" doc:"Identifier of the item."`
}

func (o *Trust) get(ctx context.Context, in *TrustItemInput) (*route.Reply[TrustDetail], error) {
	i, err := o.Keeper.Item(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return route.OK(newTrustDetail(i))
}

func newTrustDetail(i quarantine.Item) TrustDetail {
	detail := TrustDetail{TrustItem: newTrustItem(i), Definition: readable(i.Latest), Changes: []difference.Change{}}
	if i.Approved != (quarantine.Hash{}) {
		detail.Approved = readable(i.ApprovedText)
		detail.Changes = difference.Of(i.ApprovedText, i.Latest)
	}
	return detail
}

// readable returns indented JSON in which invisible characters, escaped ones included, are written as U+XXXX.
func readable(raw json.RawMessage) string {
	var value any
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil || encoder.Encode(value) != nil {
		return difference.Visible(string(raw))
	}
	return difference.Visible(strings.TrimSuffix(out.String(), "\n"))
}

type trustDecision struct {
	Hash      string `json:"hash" doc:"Hash of the definition that the person has reviewed."`
	Confirmed bool   `json:"confirmed,omitempty" doc:"Whether the person has seen the findings of the scan for a blocked item, and approves the item nevertheless. Without this confirmation, the request fails with the code confirmation_required."`
}

type trustDecisionInput struct {
	TrustItemInput
	route.Object[trustDecision]
}

func (o *Trust) approve(ctx context.Context, in *trustDecisionInput) (*route.Reply[TrustDetail], error) {
	return o.decide(ctx, in, o.Keeper.Approve, "approve")
}

func (o *Trust) reject(ctx context.Context, in *trustDecisionInput) (*route.Reply[TrustDetail], error) {
	return o.decide(ctx, in, o.Keeper.Reject, "reject")
}

func (o *Trust) decide(ctx context.Context, in *trustDecisionInput, do func(context.Context, int64, quarantine.Decision) error,
	verb string,
) (*route.Reply[TrustDetail], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := onlyPerson(ctx, verb); err != nil {
		return nil, err
	}
	if err := do(ctx, in.ID, quarantine.Decision{Hash: body.Hash, Confirmed: body.Confirmed}); err != nil {
		return nil, err
	}
	return o.get(ctx, &in.TrustItemInput)
}

func onlyPerson(ctx context.Context, verb string) error {
	return guard.RequirePerson(ctx,
		"only a person can %s what servers list; use the page Approvals, or a terminal: agent-discover trust %s", verb, verb)
}

// TrustApproval is the result of approving the clean items of a server.
type TrustApproval struct {
	Approved int `json:"approved" doc:"Number of items that were approved."`
	Waiting  int `json:"waiting" doc:"Number of items that still wait, because the scan has found something in them."`
}

type trustServerDecision struct {
	LaunchHash string `json:"launch_hash" doc:"The launch_hash of the configuration that the person has reviewed."`
}

type trustServerInput struct {
	ServerInput
	route.Object[trustServerDecision]
}

func (o *Trust) approveClean(ctx context.Context, in *trustServerInput) (*route.Reply[TrustApproval], error) {
	v, err := lookup(o.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := onlyPerson(ctx, "approve"); err != nil {
		return nil, err
	}
	approved, waiting, err := o.Keeper.ApproveClean(ctx, v.Name, body.LaunchHash)
	if err != nil {
		return nil, err
	}
	return route.OK(TrustApproval{approved, waiting})
}
