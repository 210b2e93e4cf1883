package inspector

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Preset is a set of arguments that a person keeps for a tool or a prompt.
type Preset struct {
	ID        int64
	Server    string
	Kind      string // tool or prompt
	Target    string // name of the tool or prompt
	Name      string
	Payload   json.RawMessage
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PresetFilter selects presets; an empty field selects all.
type PresetFilter struct{ Server, Kind, Target string }

// PresetStore keeps presets.
type PresetStore interface {
	Presets(ctx context.Context, f PresetFilter) ([]Preset, error)
	// SavePreset adds a preset, or replaces the payload of the one with the
	// same server, kind, target and name.
	SavePreset(ctx context.Context, p Preset) (Preset, error)
	// DeletePreset reports whether there was one with that id.
	DeletePreset(ctx context.Context, id int64) (bool, error)
}

// Presets returns presets, ordered by server, target and name.
func (t *Tester) Presets(ctx context.Context, f PresetFilter) ([]Preset, error) {
	return t.Kept.Presets(ctx, f)
}

// SavePreset keeps a preset; one of the same name for the same target is replaced.
func (t *Tester) SavePreset(ctx context.Context, p Preset) (Preset, error) {
	for _, field := range []struct{ name, value string }{{"server", p.Server}, {"target", p.Target}, {"preset", p.Name}} {
		if field.value == "" {
			return Preset{}, fault.New(fault.Invalid, "%s is required", field.name)
		}
	}
	if p.Kind != "tool" && p.Kind != "prompt" {
		return Preset{}, fault.New(fault.Invalid, `kind must be "tool" or "prompt"`)
	}
	if len(p.Payload) == 0 {
		p.Payload = json.RawMessage("{}")
	}
	return t.Kept.SavePreset(ctx, p)
}

// DeletePreset forgets a preset and reports whether there was one.
func (t *Tester) DeletePreset(ctx context.Context, id int64) (bool, error) {
	return t.Kept.DeletePreset(ctx, id)
}
