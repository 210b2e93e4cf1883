package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
)

func (s *server) presetRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/presets", "Kept arguments", s.presets)
	bodyRoute(api, http.MethodPost, "/api/presets", "Keep arguments for a tool or a prompt", s.savePreset)
	route(api, http.MethodDelete, "/api/presets/{id}", "Forget kept arguments", s.deletePreset)
}

// Preset is a set of kept arguments as the API shows it.
type Preset struct {
	ID         int64           `json:"id"`
	ServerName string          `json:"server_name"`
	Kind       string          `json:"kind"`
	TargetName string          `json:"target_name"`
	PresetName string          `json:"preset_name"`
	Payload    json.RawMessage `json:"payload"`
	CreatedAt  string          `json:"created_at"`
	UpdatedAt  string          `json:"updated_at"`
}

type presetInput struct {
	Server string `query:"server"`
	Kind   string `query:"kind"`
	Target string `query:"target"`
}

func (s *server) presets(ctx context.Context, in *presetInput) (*reply[listOf[Preset]], error) {
	kept, err := s.Inspector.Presets(ctx, inspector.PresetFilter{Server: in.Server, Kind: in.Kind, Target: in.Target})
	if err != nil {
		return nil, err
	}
	out := listOf[Preset]{Entries: []Preset{}}
	for _, p := range kept {
		out.Entries = append(out.Entries, presetView(p))
	}
	return ok(out)
}

func (s *server) savePreset(ctx context.Context, in *bodyInput) (*reply[Preset], error) {
	var body struct {
		Server  string          `json:"server"`
		Kind    string          `json:"kind"`
		Target  string          `json:"target"`
		Preset  string          `json:"preset"`
		Payload json.RawMessage `json:"payload"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	saved, err := s.Inspector.SavePreset(ctx, inspector.Preset{
		Server: body.Server, Kind: body.Kind, Target: body.Target, Name: body.Preset, Payload: body.Payload,
	})
	if fault.KindOf(err) == fault.Invalid {
		return nil, badRequest(fault.MessageOf(err))
	}
	if err != nil {
		return nil, err
	}
	return &reply[Preset]{Status: http.StatusCreated, Body: presetView(saved)}, nil
}

func (s *server) deletePreset(ctx context.Context, in *serverInput) (*reply[done], error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, badRequest("invalid id")
	}
	was, err := s.Inspector.DeletePreset(ctx, id)
	if err != nil {
		return nil, err
	}
	return ok(done{was})
}

func presetView(p inspector.Preset) Preset {
	return Preset{
		p.ID, p.Server, p.Kind, p.Target, p.Name, p.Payload,
		p.CreatedAt.Format(time.DateTime), p.UpdatedAt.Format(time.DateTime),
	}
}
