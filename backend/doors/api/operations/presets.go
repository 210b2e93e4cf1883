package operations

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Presets holds the operations on saved arguments of tools and prompts.
type Presets struct {
	Inspector *inspector.Inspector
}

// Routes adds the operations with their handlers to a route table.
func (p *Presets) Routes(t *route.Table) {
	g := t.Group("tester")
	route.Add(g, route.Get("/api/presets", "List saved arguments"), p.list)
	route.Add(g, route.Post("/api/presets", "Save arguments of a tool or a prompt").Creates(), p.save)
	route.Add(g, route.Delete("/api/presets/{id}", "Delete saved arguments"), p.remove)
}

// preset is the API's view of saved arguments.
type preset struct {
	ID         int64           `json:"id" doc:"Unique identifier of the preset."`
	ServerName string          `json:"server_name"`
	Kind       string          `json:"kind" doc:"tool or prompt."`
	TargetName string          `json:"target_name" doc:"Name of the tool or prompt."`
	PresetName string          `json:"preset_name"`
	Payload    json.RawMessage `json:"payload" doc:"The arguments."`
	CreatedAt  string          `json:"created_at"`
	UpdatedAt  string          `json:"updated_at"`
}

func presetView(p inspector.Preset) preset {
	return preset{
		p.ID, p.Server, p.Kind, p.Target, p.Name, p.Payload,
		p.CreatedAt.Format(time.DateTime), p.UpdatedAt.Format(time.DateTime),
	}
}

type presetFilter struct {
	Server string `query:"server" doc:"Only presets for the server with this name."`
	Kind   string `query:"kind" doc:"Only presets of this kind: tool or prompt."`
	Target string `query:"target" doc:"Only presets for the tool or prompt with this name."`
}

func (p *Presets) list(ctx context.Context, in *presetFilter) (*route.Reply[listOf[preset]], error) {
	saved, err := p.Inspector.Presets(ctx, inspector.PresetFilter{Server: in.Server, Kind: in.Kind, Target: in.Target})
	if err != nil {
		return nil, err
	}
	out := listOf[preset]{Entries: []preset{}}
	for _, one := range saved {
		out.Entries = append(out.Entries, presetView(one))
	}
	return route.OK(out)
}

type presetFields struct {
	Server  string          `json:"server" doc:"Name of the server."`
	Kind    string          `json:"kind" enum:"tool,prompt"`
	Target  string          `json:"target" doc:"Name of the tool or prompt."`
	Preset  string          `json:"preset" doc:"Name of the preset. A preset with the same name is replaced."`
	Payload json.RawMessage `json:"payload" doc:"The arguments."`
}

type savePresetInput struct{ route.Object[presetFields] }

func (p *Presets) save(ctx context.Context, in *savePresetInput) (*route.Reply[preset], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	saved, err := p.Inspector.SavePreset(ctx, inspector.Preset{
		Server: body.Server, Kind: body.Kind, Target: body.Target, Name: body.Preset, Payload: body.Payload,
	})
	if err != nil {
		return nil, route.InvalidIsBadRequest(err)
	}
	return route.Created(presetView(saved))
}

type presetInput struct {
	ID string `path:"id" doc:"Unique identifier of the preset."`
}

func (p *Presets) remove(ctx context.Context, in *presetInput) (*route.Reply[done], error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, route.BadRequest("invalid id")
	}
	existed, err := p.Inspector.DeletePreset(ctx, id)
	if err != nil {
		return nil, err
	}
	return route.OK(done{existed})
}
