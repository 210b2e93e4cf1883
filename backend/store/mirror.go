package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
)

// Mirror stores the copy of the official registry.
type Mirror struct{ db *database }

// MirrorState implements mirror.Store.
func (s *Mirror) MirrorState(ctx context.Context) (mirror.State, error) {
	var text string
	var state mirror.State
	err := s.db.read.QueryRowContext(ctx, "SELECT state FROM mirror_state").Scan(&text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return state, fmt.Errorf("read the state of the registry's copy: %w", err)
	}
	if json.Unmarshal([]byte(text), &state) != nil {
		return mirror.State{}, nil // missing or damaged: the mirror reads the registry again
	}
	return state, nil
}

// ChangeMirror implements mirror.Store.
func (s *Mirror) ChangeMirror(ctx context.Context, c mirror.Change) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		if err := changeMirror(ctx, tx, c); err != nil {
			return fmt.Errorf("store the registry's copy: %w", err)
		}
		return nil
	})
}

func changeMirror(ctx context.Context, tx *sql.Tx, c mirror.Change) error {
	if c.Reset {
		if _, err := tx.ExecContext(ctx, "DELETE FROM mirror"); err != nil {
			return err
		}
	}
	if err := putMirror(ctx, tx, c); err != nil {
		return err
	}
	const remove = "UPDATE mirror SET status = 'deleted' WHERE "
	for _, name := range c.Gone {
		if _, err := tx.ExecContext(ctx, remove+"name = ?", name); err != nil {
			return err
		}
	}
	if c.Unseen {
		if _, err := tx.ExecContext(ctx, remove+"status <> 'deleted' AND round <> ?", c.State.Round); err != nil {
			return err
		}
	}
	if c.Prune {
		_, err := tx.ExecContext(ctx, "DELETE FROM mirror WHERE status = 'deleted' AND name NOT IN (SELECT value FROM json_each(?))",
			toJSON(append([]string{}, c.Keep...)))
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO mirror_state (id, state) VALUES (1, ?)", toJSON(c.State))
	return err
}

// putMirror adds entries, or replaces those with the same names.
func putMirror(ctx context.Context, tx *sql.Tx, c mirror.Change) error {
	const columns = "version, status, round, publisher, short_name, title, description, terms, hash, listing"
	if len(c.Put) == 0 {
		return nil
	}
	update, err := tx.PrepareContext(ctx, "UPDATE mirror SET ("+columns+") = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE name = ?")
	if err != nil {
		return err
	}
	defer func() { _ = update.Close() }()
	insert, err := tx.PrepareContext(ctx, "INSERT INTO mirror ("+columns+", name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	for _, p := range c.Put {
		l, d := p.Listing, p.Document
		values := []any{
			l.Version, string(l.Status), c.State.Round, d.Publisher, d.Name, d.Title, d.Description, d.Terms, d.Hash, toJSON(l), l.Name,
		}
		result, err := update.ExecContext(ctx, values...)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil {
			return err
		} else if n == 0 && l.Status != listing.Deleted {
			if _, err := insert.ExecContext(ctx, values...); err != nil {
				return err
			}
		}
	}
	return nil
}

// MirrorVersions implements mirror.Store.
func (s *Mirror) MirrorVersions(ctx context.Context, names []string) (map[string]string, error) {
	out := make(map[string]string)
	err := s.eachMirror(ctx, func(r *rows) error {
		var name, version string
		if err := r.Scan(&name, &version); err != nil {
			return err
		}
		out[name] = version
		return nil
	}, "SELECT name, version FROM mirror WHERE name IN (SELECT value FROM json_each(?))", toJSON(names))
	return out, err
}

// CountMirror implements mirror.Store.
func (s *Mirror) CountMirror(ctx context.Context, round int64) (all, unseen int, err error) {
	err = s.db.read.QueryRowContext(ctx,
		"SELECT count(*), coalesce(sum(round <> ?), 0) FROM mirror WHERE status IN ('active', 'deprecated')", round).Scan(&all, &unseen)
	if err != nil {
		return 0, 0, fmt.Errorf("count the registry's copy: %w", err)
	}
	return all, unseen, nil
}

// MirrorDocuments implements mirror.Store.
func (s *Mirror) MirrorDocuments(ctx context.Context, visit func(id int64, d mirror.Document)) error {
	return s.eachMirror(ctx, func(r *rows) error {
		var id int64
		var d mirror.Document
		if err := r.Scan(&id, &d.Publisher, &d.Name, &d.Title, &d.Description, &d.Terms, &d.Hash); err != nil {
			return err
		}
		visit(id, d)
		return nil
	}, "SELECT id, publisher, short_name, title, description, terms, hash FROM mirror WHERE +status <> 'deleted' ORDER BY id")
}

// MirrorListing implements mirror.Store.
func (s *Mirror) MirrorListing(ctx context.Context, name string) (l listing.Listing, ok bool, err error) {
	found, err := s.mirrorListings(ctx, "WHERE name = ?", name)
	if err != nil || len(found) == 0 {
		return l, false, err
	}
	return found[0], true, nil
}

// MirrorByID implements mirror.Store. It omits entries that were deleted meanwhile.
func (s *Mirror) MirrorByID(ctx context.Context, ids []int64) ([]listing.Listing, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.mirrorListings(ctx, "JOIN json_each(?) AS wanted ON mirror.id = wanted.value WHERE status <> 'deleted' ORDER BY wanted.key",
		toJSON(ids))
}

// MirrorPage implements mirror.Store.
func (s *Mirror) MirrorPage(ctx context.Context, after string, limit int) ([]listing.Listing, error) {
	return s.mirrorListings(ctx, "WHERE name > ? AND +status <> 'deleted' ORDER BY name LIMIT ?", after, limit)
}

// mirrorListings returns the listings that a condition selects. It sets their status from the column status, which
// may be newer than the stored listing.
func (s *Mirror) mirrorListings(ctx context.Context, condition string, args ...any) ([]listing.Listing, error) {
	var out []listing.Listing
	err := s.eachMirror(ctx, func(r *rows) error {
		var status string
		var text sql.RawBytes
		if err := r.Scan(&status, &text); err != nil {
			return err
		}
		var l listing.Listing
		if json.Unmarshal(text, &l) == nil { // otherwise it is damaged; the next full refresh replaces it
			l.Status = listing.Status(status)
			out = append(out, l)
		}
		return nil
	}, "SELECT status, listing FROM mirror "+condition, args...)
	return out, err
}

func (s *Mirror) eachMirror(ctx context.Context, visit func(*rows) error, query string, args ...any) error {
	found, err := s.db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read the registry's copy: %w", err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		if err := visit(found); err != nil {
			return fmt.Errorf("read the registry's copy: %w", err)
		}
	}
	return found.Err()
}
