package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/market/persona"
)

// Personas stores the active personas.
type Personas struct{ db *database }

// Personas implements persona.Store.
func (s *Personas) Personas(ctx context.Context) ([]persona.ActivePersona, error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT name, persona FROM personas ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("read personas: %w", err)
	}
	defer func() { _ = found.Close() }()
	var out []persona.ActivePersona
	for found.Next() {
		var name string
		var text sql.RawBytes
		if err := found.Scan(&name, &text); err != nil {
			return nil, fmt.Errorf("read personas: %w", err)
		}
		var a persona.ActivePersona
		_ = json.Unmarshal(text, &a) // a damaged persona can still be deactivated
		a.Name = name
		out = append(out, a)
	}
	return out, found.Err()
}

// SavePersona implements persona.Store.
func (s *Personas) SavePersona(ctx context.Context, a persona.ActivePersona) error {
	if _, err := s.db.write.ExecContext(ctx, "INSERT OR REPLACE INTO personas (name, persona) VALUES (?, ?)",
		a.Name, toJSON(a)); err != nil {
		return fmt.Errorf("store persona: %w", err)
	}
	return nil
}

// DeletePersona implements persona.Store.
func (s *Personas) DeletePersona(ctx context.Context, name string) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM personas WHERE name = ?", name); err != nil {
		return fmt.Errorf("delete persona: %w", err)
	}
	return nil
}
