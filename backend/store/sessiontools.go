package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// sessionToolsLife is how long the session tools of a session are kept after the last SaveSessionTools.
const sessionToolsLife = 7 * 24 * time.Hour

// SessionTools stores the session tools: tools that find_tool has added to the tool list of a session.
type SessionTools struct{ db *database }

// SessionTools implements gateway.SessionToolStore. The tools are in the table lenses, whose column lent is a JSON
// array of pairs of server and tool.
func (s *SessionTools) SessionTools(ctx context.Context, session string) ([]catalog.Key, error) {
	var text string
	err := s.db.read.QueryRowContext(ctx, "SELECT lent FROM lenses WHERE session = ?", session).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read session tools: %w", err)
	}
	var pairs [][2]string
	if err := json.Unmarshal([]byte(text), &pairs); err != nil {
		return nil, fmt.Errorf("read session tools: %w", err)
	}
	keys := make([]catalog.Key, len(pairs))
	for i, p := range pairs {
		keys[i] = catalog.Key{Server: p[0], Tool: p[1]}
	}
	return keys, nil
}

// SaveSessionTools implements gateway.SessionToolStore. It also deletes the tools of each session for which it was
// last called more than sessionToolsLife ago. It does not wait for locks of other programs, so that it does not
// delay the answer to an agent.
func (s *SessionTools) SaveSessionTools(ctx context.Context, session string, tools []catalog.Key) error {
	pairs := make([][2]string, len(tools))
	for i, k := range tools {
		pairs[i] = [2]string{k.Server, k.Tool}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		return fmt.Errorf("save session tools: %w", err)
	}
	now := time.Now()
	return s.db.write.impatient().change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM lenses WHERE seen < ?", now.Add(-sessionToolsLife).UnixMilli()); err != nil {
			return fmt.Errorf("delete old session tools: %w", err)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO lenses (session, lent, seen) VALUES (?, ?, ?)
			ON CONFLICT (session) DO UPDATE SET lent = excluded.lent, seen = excluded.seen`, session, string(text), now.UnixMilli())
		if err != nil {
			return fmt.Errorf("save session tools: %w", err)
		}
		return nil
	})
}

// ForgetSessionTools implements gateway.SessionToolStore.
func (s *SessionTools) ForgetSessionTools(ctx context.Context, server string) error {
	_, err := s.db.write.ExecContext(ctx, `UPDATE lenses SET lent = (
			SELECT coalesce(json_group_array(json(value)), '[]') FROM json_each(lent) WHERE json_extract(value, '$[0]') <> ?1
		) WHERE EXISTS (SELECT 1 FROM json_each(lent) WHERE json_extract(value, '$[0]') = ?1)`, server)
	if err != nil {
		return fmt.Errorf("delete session tools of a server: %w", err)
	}
	return nil
}
