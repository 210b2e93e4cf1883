package inspector

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Preset is a set of arguments that a person has saved for a tool or a prompt.
type Preset struct {
	ID        int64
	Server    string
	Kind      string // tool or prompt
	Target    string // name of the tool or prompt
	Name      string
	Payload   json.RawMessage // the arguments, a JSON object
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PresetFilter selects presets. An empty field matches every preset.
type PresetFilter struct{ Server, Kind, Target string }

// PresetStore keeps presets.
type PresetStore interface {
	Presets(ctx context.Context, f PresetFilter) ([]Preset, error)
	// SavePreset adds a preset, or replaces the payload of the preset with the
	// same server, kind, target and name.
	SavePreset(ctx context.Context, p Preset) (Preset, error)
	// DeletePreset reports whether a preset with that id existed.
	DeletePreset(ctx context.Context, id int64) (bool, error)
}

// Presets returns presets, ordered by server, target and name.
func (i *Inspector) Presets(ctx context.Context, f PresetFilter) ([]Preset, error) {
	return i.presets.Presets(ctx, f)
}

// SavePreset adds a preset, or replaces the payload of the preset with the same
// server, kind, target and name. An empty payload and null become {}.
func (i *Inspector) SavePreset(ctx context.Context, p Preset) (Preset, error) {
	for _, field := range []struct{ name, value string }{{"server", p.Server}, {"target", p.Target}, {"preset", p.Name}} {
		if field.value == "" {
			return Preset{}, fault.New(fault.Invalid, "%s is required", field.name)
		}
	}
	if p.Kind != "tool" && p.Kind != "prompt" {
		return Preset{}, fault.New(fault.Invalid, `kind must be "tool" or "prompt"`)
	}
	if len(p.Payload) == 0 || string(p.Payload) == "null" {
		p.Payload = json.RawMessage("{}")
	}
	return i.presets.SavePreset(ctx, p)
}

// DeletePreset deletes a preset and reports whether it existed.
func (i *Inspector) DeletePreset(ctx context.Context, id int64) (bool, error) {
	return i.presets.DeletePreset(ctx, id)
}
