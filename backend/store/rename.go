package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// Renames gives servers other names.
type Renames struct{ db *database }

// renamed lists the columns that contain the name of a server and nothing else. The rows that a table has of an earlier
// server with the new name are deleted if inherits is false. The audit log stays as it was written.
var renamed = []struct {
	table, column string
	inherits      bool
}{
	{"tools", "server", false},
	{"tool_history", "server", true},
	{"tool_approvals", "server", false},
	{"trust_servers", "server", false},
	{"trust_items", "server", false},
	{"answers", "server", false},
	{"listings", "server", false},
	{"metrics", "server", false},
	{"presets", "server", false},
	{"learned", "server", false},
	{"secret_links", "server", false},
	{"secret_links", "owner", false},
	{"calls", "server", true},
	{"servers", "name", true},
}

// Rename changes the name of a server everywhere in the database, in one transaction. kept says where the copies of its
// secrets are kept that vault.Vault.Rename has made. Until Renamed, Pending returns the two names.
func (s *Renames) Rename(ctx context.Context, from, to string, kept map[string]string) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		r := renaming{ctx: ctx, tx: tx, from: from, to: to, hash: make(map[string]string)}
		for _, step := range []func() error{
			r.columns, func() error { return r.secrets(kept) }, r.references, r.hashes, r.toolsets, r.personas, r.texts,
		} {
			if err := step(); err != nil {
				return fmt.Errorf("rename server: %w", err)
			}
		}
		return r.run("INSERT INTO renames (former, name) VALUES (?1, ?2)")
	})
}

// Pending returns the former and the new names of the servers for which Renamed was not called, in the order of Rename. The
// new name of a deleted server is empty.
func (s *Renames) Pending(ctx context.Context) (names [][2]string, err error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT former, name FROM renames ORDER BY id")
	if err != nil {
		return nil, fmt.Errorf("read renames: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var pair [2]string
		if err := rows.Scan(&pair[0], &pair[1]); err != nil {
			return nil, fmt.Errorf("read renames: %w", err)
		}
		names = append(names, pair)
	}
	return names, rows.Err()
}

// Renamed records that the new name of a server is in all files beside the database, or that they no longer contain the
// server, if to is empty.
func (s *Renames) Renamed(ctx context.Context, from, to string) error {
	_, err := s.db.write.ExecContext(ctx, "DELETE FROM renames WHERE former = ? AND name = ?", from, to)
	return err
}

// renaming is the change of one name.
type renaming struct {
	ctx      context.Context
	tx       *sql.Tx
	from, to string
	hash     map[string]string // the new hashes of tools, by the former ones
}

// run executes a statement whose first parameters are the former and the new name.
func (r renaming) run(statement string, more ...any) error {
	_, err := r.tx.ExecContext(r.ctx, statement, append([]any{r.from, r.to}, more...)...)
	return err
}

func (r renaming) columns() error {
	for _, c := range renamed {
		if !c.inherits {
			if err := r.run("DELETE FROM " + c.table + " WHERE " + c.column + " = ?2 AND ?1 <> ''"); err != nil {
				return err
			}
		}
		if err := r.run("UPDATE " + c.table + " SET " + c.column + " = ?2 WHERE " + c.column + " = ?1"); err != nil {
			return err
		}
	}
	return nil
}

// secrets gives the records of the copies to the new name and drops the former ones.
func (r renaming) secrets(kept map[string]string) error {
	for name, place := range kept {
		err := r.run(`INSERT OR REPLACE INTO secrets (server, name, kept, updated_at, destination, prints)
			SELECT ?2, name, ?4, updated_at, destination, NULL FROM secrets WHERE server = ?1 AND name = ?3`, name, place)
		if err != nil {
			return err
		}
	}
	return r.run("UPDATE secrets SET kept = '" + dropped + "' || kept, updated_at = 0 WHERE server = ?1 AND ?2 <> '' AND kept NOT LIKE '" +
		dropped + "%'")
}

// references changes the references of all servers to the secrets of the renamed one. What was decided about a launch
// that contains such a reference holds for the launch with the new one.
func (r renaming) references() error {
	before, err := r.launches()
	if err != nil {
		return err
	}
	reference := func(name string) string { return strings.TrimSuffix(launch.Reference(name+"/"), "}") }
	for _, column := range []string{
		"servers.command", "servers.args", "servers.env", "servers.headers", "servers.homepage", "installs.install", "leftovers.leftover",
	} {
		table, column, _ := strings.Cut(column, ".")
		statement := "UPDATE " + table + " SET " + column + " = replace(" + column + ", ?1, ?2) WHERE instr(" + column + ", ?1) > 0"
		if _, err := r.tx.ExecContext(r.ctx, statement, reference(r.from), reference(r.to)); err != nil {
			return err
		}
	}
	after, err := r.launches()
	if err != nil {
		return err
	}
	for name, was := range before {
		now := after[name]
		if now == was {
			continue
		}
		for _, statement := range []string{
			"UPDATE secret_links SET runs = ?2 WHERE runs = ?1 AND server = ?3",
			"UPDATE answers SET launch = ?2 WHERE launch = ?1 AND server = ?3",
			"UPDATE tool_approvals SET hash = replace(hash, '/' || ?1, '/' || ?2) WHERE server = ?3",
		} {
			if _, err := r.tx.ExecContext(r.ctx, statement, was, now, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// launches returns the hash of the launch of each server, by its present name.
func (r renaming) launches() (map[string]string, error) {
	found, err := r.tx.QueryContext(r.ctx, "SELECT id, "+serverColumns+" FROM servers")
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	hashes := make(map[string]string)
	for found.Next() {
		s, err := scanServer(&rows{Rows: found})
		if err != nil {
			return nil, err
		}
		hashes[s.Name] = launch.Of(s).Hash()
	}
	return hashes, found.Err()
}

// rehash returns the hash that a definition of a tool has with the new name, if hash is the one that it had with the
// former name, and otherwise hash.
func (r renaming) rehash(definition []byte, hash string) string {
	was, ok := catalog.NewTool(r.from, definition)
	if now, _ := catalog.NewTool(r.to, definition); ok && was.Hash == hash {
		return now.Hash
	}
	return hash
}

// hashes changes the hashes of tools, which cover the names of their servers.
func (r renaming) hashes() error {
	for _, from := range []string{
		"SELECT definition, hash FROM tools WHERE server = ?", "SELECT definition, current FROM tool_history WHERE server = ?",
	} {
		found, err := r.tx.QueryContext(r.ctx, from, r.to)
		if err != nil {
			return err
		}
		for found.Next() {
			var definition []byte
			var hash string
			if err := found.Scan(&definition, &hash); err != nil {
				_ = found.Close()
				return err
			}
			r.hash[hash] = r.rehash(definition, hash)
		}
		if err := found.Close(); err != nil {
			return err
		}
	}
	for was, now := range r.hash {
		if was == now {
			continue
		}
		for _, statement := range []string{
			"UPDATE tools SET hash = ?2 WHERE hash = ?1 AND server = ?3",
			"UPDATE tool_history SET current = ?2 WHERE current = ?1 AND server = ?3",
			"UPDATE tool_history SET previous = ?2 WHERE previous = ?1 AND server = ?3",
			"UPDATE tool_approvals SET hash = ?2 || substr(hash, length(?1) + 1) WHERE server = ?3 AND hash LIKE ?1 || '%'",
			"UPDATE OR REPLACE vectors SET hash = ?2 WHERE hash = ?1 AND ?3 <> ''",
		} {
			if _, err := r.tx.ExecContext(r.ctx, statement, was, now, r.to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r renaming) toolsets() error {
	return r.toolReferences(func(one *toolset.Reference) {
		now := r.hash[one.Hash]
		if now == "" {
			now = r.rehash(one.Pinned, one.Hash)
		}
		one.Server, one.Hash = r.to, now
	})
}

// toolReferences changes the references of all toolsets to tools of the server.
func (r renaming) toolReferences(change func(*toolset.Reference)) error {
	return r.documents("toolsets", "toolset", func(text []byte) any {
		var t toolset.Toolset
		if json.Unmarshal(text, &t) != nil {
			return nil
		}
		changed := false
		for i := range t.Tools {
			if t.Tools[i].Server == r.from {
				change(&t.Tools[i])
				changed = true
			}
		}
		if !changed {
			return nil
		}
		return t
	})
}

func (r renaming) personas() error {
	return r.documents("personas", "persona", func(text []byte) any {
		var a persona.ActivePersona
		if json.Unmarshal(text, &a) != nil {
			return nil
		}
		changed := false
		for i, one := range a.Servers {
			if one.Name == r.from {
				a.Servers[i].Name, changed = r.to, true
			}
		}
		if !changed {
			return nil
		}
		return a
	})
}

// documents replaces each JSON text in a table by the JSON of what edit returns for it, unless that is nil.
func (r renaming) documents(table, column string, edit func(text []byte) any) error {
	found, err := r.tx.QueryContext(r.ctx, "SELECT name, "+column+" FROM "+table)
	if err != nil {
		return err
	}
	texts := make(map[string]string)
	for found.Next() {
		var name string
		var text []byte
		if err := found.Scan(&name, &text); err != nil {
			_ = found.Close()
			return err
		}
		if changed := edit(text); changed != nil {
			texts[name] = toJSON(changed)
		}
	}
	if err := found.Close(); err != nil {
		return err
	}
	for name, text := range texts {
		if _, err := r.tx.ExecContext(r.ctx, "UPDATE "+table+" SET "+column+" = ? WHERE name = ?", text, name); err != nil {
			return err
		}
	}
	return nil
}

// texts changes the names in the tools of sessions, in the surfaces of tokens and in the notes of installations.
func (r renaming) texts() error {
	for _, statement := range []string{
		`UPDATE lenses SET lent = (SELECT json_group_array(CASE WHEN json_extract(value, '$[0]') = ?1
			THEN json_array(?2, json_extract(value, '$[1]')) ELSE json(value) END) FROM json_each(lent))
			WHERE EXISTS (SELECT 1 FROM json_each(lent) WHERE json_extract(value, '$[0]') = ?1)`,
		"UPDATE client_tokens SET surface = 'server:' || ?2 WHERE surface = 'server:' || ?1",
		"UPDATE leftovers SET leftover = json_set(leftover, '$.server', ?2) WHERE json_extract(leftover, '$.server') = ?1",
	} {
		if err := r.run(statement); err != nil {
			return err
		}
	}
	return nil
}
