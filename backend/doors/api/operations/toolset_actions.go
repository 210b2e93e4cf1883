package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

type pinnedTool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash" doc:"Hash of the current definition that the person has reviewed, from the member drift of the tool."`
}

type pinFields struct {
	Tools []pinnedTool `json:"tools" nullable:"false"`
}

type pinInput struct {
	ToolsetInput
	route.Object[pinFields]
}

func (o *Toolsets) pin(ctx context.Context, in *pinInput) (*route.Reply[ToolsetView], error) {
	if _, err := o.Keeper.Get(in.Name); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx,
		"only a person can pin tools that have changed; use the dashboard, or a terminal: agent-discover toolset pin %s", in.Name); err != nil {
		return nil, err
	}
	keys, shown := []catalog.Key{}, make(map[catalog.Key]string)
	for _, t := range body.Tools {
		key := catalog.Key{Server: t.Server, Tool: t.Tool}
		keys, shown[key] = append(keys, key), t.Hash
	}
	return o.reply(o.Keeper.Pin(ctx, in.Name, keys, shown))
}

type noteFields struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Note   string `json:"note" maxLength:"500" doc:"Text of the note; empty to remove the note."`
}

type noteInput struct {
	ToolsetInput
	route.Object[noteFields]
}

func (o *Toolsets) note(ctx context.Context, in *noteInput) (*route.Reply[ToolsetView], error) {
	if _, err := o.Keeper.Get(in.Name); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx, "only a person can set notes, because models read them; use the dashboard"); err != nil {
		return nil, err
	}
	return o.reply(o.Keeper.Note(ctx, in.Name, catalog.Key{Server: body.Server, Tool: body.Tool}, body.Note))
}

type equipFields struct {
	Client string `json:"client,omitempty" doc:"The client: the identifier of an editor, or token:ID with the identifier of a token. If missing, all clients without a toolset of their own."`
}

type equipInput struct {
	ToolsetInput
	route.OptionalObject[equipFields]
}

func (o *Toolsets) equip(ctx context.Context, in *equipInput) (*route.Reply[ToolsetView], error) {
	t, err := o.Keeper.Get(in.Name)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return o.reply(t, o.Keeper.Equip(ctx, body.Client, in.Name))
}

type unequipInput struct {
	route.OptionalObject[equipFields]
}

func (o *Toolsets) unequip(ctx context.Context, in *unequipInput) (*route.Reply[map[string]string], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	had, err := o.Keeper.Unequip(ctx, body.Client)
	if err != nil {
		return nil, err
	}
	if !had {
		return statusOnly("none_equipped")
	}
	return statusOnly("unequipped")
}

// exportedToolset describes the first members of an exported file.
type exportedToolset struct {
	Format  string `json:"format" enum:"agent-discover-toolset"`
	Version int    `json:"version"`
	Name    string `json:"name"`
}

func (o *Toolsets) export(_ context.Context, in *ToolsetInput) (*route.Raw, error) {
	data, err := o.Keeper.Export(in.Name)
	if err != nil {
		return nil, err
	}
	return route.RawJSON(data)
}

type importToolsetFields struct {
	File string `json:"file" doc:"Content of the exported file."`
	Name string `json:"name,omitempty" doc:"Name of the toolset; the name in the file by default."`
}

type importToolsetInput struct {
	route.Object[importToolsetFields]
}

func (o *Toolsets) importFile(ctx context.Context, in *importToolsetInput) (*route.Reply[ToolsetView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	t, err := o.Keeper.Import(ctx, []byte(body.File), body.Name)
	if err != nil {
		return nil, err
	}
	return route.Created(o.view(t))
}
