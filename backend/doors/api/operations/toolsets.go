package operations

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Toolsets holds the operations on toolsets: named lists of tools across servers.
type Toolsets struct {
	Keeper  *toolset.Keeper
	Policy  *rules.Current
	Catalog *catalog.Catalog
}

// Routes adds the operations with their handlers to a route table.
func (o *Toolsets) Routes(table *route.Table) {
	g := table.Group("toolsets")
	route.Add(g, route.Get("/api/toolsets",
		"List toolsets with the states of their tools, and the toolset that each client has equipped"), o.list)
	route.Add(g, route.Post("/api/toolsets", "Create a toolset; its tools are pinned to their current definitions").Creates(), o.create)
	route.Add(g, route.Post("/api/toolsets/import", "Create a toolset from an exported file").Creates(), o.importFile)
	route.Add(g, route.Post("/api/toolsets/unequip", "Unequip a client, so that it uses no toolset"), o.unequip)
	route.Add(g, route.Get("/api/toolsets/{name}", "Retrieve a toolset"), o.get)
	route.Add(g, route.Put("/api/toolsets/{name}",
		"Replace the description, tools and notes of a toolset; tools that are already in the toolset keep their pins"), o.update)
	route.Add(g, route.Delete("/api/toolsets/{name}",
		"Delete a toolset and revoke the tokens of clients that are shown only this toolset"), o.remove)
	route.Add(g, route.Post("/api/toolsets/{name}/approve", "Approve a toolset that an agent has built"), o.approve)
	route.Add(g, route.Post("/api/toolsets/{name}/pin", "Accept the current definitions of tools that have changed"), o.pin)
	route.Add(g, route.Post("/api/toolsets/{name}/note",
		"Set the note of a tool, and discard the note that an agent has proposed for the tool"), o.note)
	route.Add(g, route.Post("/api/toolsets/{name}/equip",
		"Equip a client with a toolset: the client lists the toolset's tools in place of those of always listed servers"), o.equip)
	route.Add(g, route.Get("/api/toolsets/{name}/export",
		"Export a toolset as a file, without the definitions of its tools").Returns(exportedToolset{}), o.export)
}

// ToolsetList lists all toolsets, and which clients use them.
type ToolsetList struct {
	Toolsets []ToolsetView     `json:"toolsets" nullable:"false" doc:"The toolsets, sorted by name."`
	Equipped map[string]string `json:"equipped" doc:"Maps clients to the names of their toolsets. A client is the identifier of an editor, or token:ID with the identifier of a token; the empty key stands for all other clients. An empty name means no toolset."`
}

// ToolsetView is a toolset with the states of its tools.
type ToolsetView struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Approved    bool          `json:"approved" doc:"Whether clients may use the toolset. A toolset that an agent has built must first be approved by a person."`
	ProposedBy  string        `json:"proposed_by,omitempty" doc:"Name of the client whose agent has built the toolset."`
	EquipFor    *string       `json:"equip_for,omitempty" doc:"Client that is equipped with the toolset when a person approves it; missing for none."`
	Hash        string        `json:"hash" doc:"Hash of all parts of the toolset that an approval covers."`
	Tokens      int           `json:"tokens" doc:"Number of tokens of the tool definitions that a client of this toolset lists (o200k_base)."`
	Tools       []ToolsetTool `json:"tools" nullable:"false" doc:"The tools, in the order in which clients list them."`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
}

// ToolsetTool is a tool of a toolset, with its state.
type ToolsetTool struct {
	Server      string         `json:"server"`
	Tool        string         `json:"tool"`
	State       toolset.State  `json:"state" enum:"ready,drifted,missing,waiting" doc:"ready: clients can call the tool. drifted: its definition differs from the one that a person has accepted or is held, so calls are refused. missing: its server was removed or no longer lists the tool. waiting: its server waits for approval, is disabled or is incomplete, or the tool itself waits for approval."`
	Held        string         `json:"held,omitempty" doc:"Why the current definition of a drifted or waiting tool is held for all clients until a person approves it; missing if it is not. To pin the tool also approves a definition that is held only because it has changed."`
	Disabled    string         `json:"disabled,omitempty" doc:"Why the configuration forbids calls of the tool, for people; clients then do not list it."`
	DisabledBy  string         `json:"disabled_by,omitempty" doc:"The same in a few words, such as: disabled by rule 0."`
	Description string         `json:"description" doc:"Description in the definition that a person has accepted or, if that is unknown, in the current definition."`
	Tokens      int            `json:"tokens" doc:"Number of tokens of the tool's definition; 0 if clients do not list the tool."`
	Note        string         `json:"note,omitempty" doc:"Note that the hub appends to the description of the tool."`
	Proposed    string         `json:"proposed_note,omitempty" doc:"Note that an agent has proposed and that a person has neither accepted nor discarded yet."`
	ProposedBy  string         `json:"proposed_note_by,omitempty"`
	Drift       *toolset.Drift `json:"drift,omitempty" doc:"How the current definition of a drifted tool differs from the accepted one, word by word."`
}

func (o *Toolsets) view(t toolset.Toolset) ToolsetView {
	view := ToolsetView{
		Name: t.Name, Description: t.Description, Approved: t.Approved, ProposedBy: t.ProposedBy, EquipFor: t.EquipFor, Hash: t.Hash(),
		Tools: []ToolsetTool{}, CreatedAt: t.Created, UpdatedAt: t.Updated,
	}
	for _, e := range o.Keeper.Entries(t) {
		one := ToolsetTool{
			Server: e.Server, Tool: e.Tool, State: e.State, Note: e.Note, Proposed: e.Proposed, ProposedBy: e.ProposedBy, Drift: e.Drift(),
			Held: o.Keeper.WhyHeld(e),
		}
		if pinned, ok := catalog.Restore(e.Server, e.Pinned, e.Hash, 0); ok {
			one.Description = pinned.Description
		} else if e.Present != nil {
			one.Description = e.Present.Description
		}
		if e.Present != nil {
			if err := o.Policy.Get().Refusal("", e.Server, e.Tool, o.Catalog.Snapshot()); err != nil {
				one.Disabled, one.DisabledBy = fault.MessageOf(err), o.Policy.Get().Disabled(e.Server, e.Tool, o.Catalog.Snapshot())
			}
		}
		if one.Disabled == "" {
			one.Tokens = e.Tokens()
			view.Tokens += one.Tokens
		}
		view.Tools = append(view.Tools, one)
	}
	return view
}

func (o *Toolsets) list(context.Context, *struct{}) (*route.Reply[ToolsetList], error) {
	out := ToolsetList{Toolsets: []ToolsetView{}, Equipped: o.Keeper.AllEquipped()}
	for _, t := range o.Keeper.List() {
		out.Toolsets = append(out.Toolsets, o.view(t))
	}
	return route.OK(out)
}

// ToolsetInput contains the name of a toolset in a path. It is exported because huma ignores embedded structs of
// unexported types.
type ToolsetInput struct {
	Name string `path:"name"`
}

func (o *Toolsets) get(_ context.Context, in *ToolsetInput) (*route.Reply[ToolsetView], error) {
	t, err := o.Keeper.Get(in.Name)
	if err != nil {
		return nil, err
	}
	return route.OK(o.view(t))
}

type toolsetReference struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Note   string `json:"note,omitempty" maxLength:"500"`
}

type toolsetFields struct {
	Name        string             `json:"name" doc:"Name of the toolset: 2 to 50 lower-case letters, digits and hyphens."`
	Description string             `json:"description,omitempty" maxLength:"200"`
	Tools       []toolsetReference `json:"tools" nullable:"false" maxItems:"100" doc:"The tools, from 1 to 100, in the order in which clients list them."`
}

func (f toolsetFields) references() []toolset.Reference {
	out := make([]toolset.Reference, len(f.Tools))
	for i, t := range f.Tools {
		out[i] = toolset.Reference{Server: t.Server, Tool: t.Tool, Note: t.Note}
	}
	return out
}

type createToolsetInput struct{ route.Object[toolsetFields] }

func (o *Toolsets) create(ctx context.Context, in *createToolsetInput) (*route.Reply[ToolsetView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	t, err := o.Keeper.Create(ctx, toolset.Toolset{Name: body.Name, Description: body.Description, Tools: body.references()})
	if err != nil {
		return nil, err
	}
	return route.Created(o.view(t))
}

type updateToolsetFields struct {
	Description string             `json:"description,omitempty" maxLength:"200"`
	Tools       []toolsetReference `json:"tools" nullable:"false" maxItems:"100" doc:"The tools, from 1 to 100, in the order in which clients list them."`
}

type updateToolsetInput struct {
	ToolsetInput
	route.Object[updateToolsetFields]
}

func (o *Toolsets) update(ctx context.Context, in *updateToolsetInput) (*route.Reply[ToolsetView], error) {
	if _, err := o.Keeper.Get(in.Name); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return o.reply(o.Keeper.Update(ctx, in.Name, body.Description, toolsetFields{Tools: body.Tools}.references()))
}

// reply returns the response to a change of a toolset: the API's view of the toolset, or err.
func (o *Toolsets) reply(t toolset.Toolset, err error) (*route.Reply[ToolsetView], error) {
	if err != nil {
		return nil, err
	}
	return route.OK(o.view(t))
}

func (o *Toolsets) remove(ctx context.Context, in *ToolsetInput) (*route.Reply[map[string]string], error) {
	if err := o.Keeper.Delete(ctx, in.Name); err != nil {
		return nil, err
	}
	return statusOnly("deleted")
}

type approveToolsetFields struct {
	Hash string `json:"hash" doc:"Hash of the toolset that the person has reviewed."`
}

type approveToolsetInput struct {
	ToolsetInput
	route.Object[approveToolsetFields]
}

func (o *Toolsets) approve(ctx context.Context, in *approveToolsetInput) (*route.Reply[ToolsetView], error) {
	if _, err := o.Keeper.Get(in.Name); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx,
		"only a person can approve toolsets; use the dashboard, or a terminal: agent-discover toolset approve %s", in.Name); err != nil {
		return nil, err
	}
	return o.reply(o.Keeper.Approve(ctx, in.Name, body.Hash))
}
