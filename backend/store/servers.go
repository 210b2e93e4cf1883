package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const serverColumns = `name, description, source, transport, command, args, env, tags,
	package_name, package_version, latest_version, repository, homepage,
	installed, enabled, keep_running, approved,
	health_status, health_checked, error_count, last_error, missing_variable, created_at, updated_at,
	headers, proposed_by, isolation, account, sandbox, grants, listed, deferred, disabled,
	cwd, start_timeout, call_timeout`

// Servers stores the configured servers.
type Servers struct{ db *database }

// Servers implements registry.Store.
func (s *Servers) Servers(ctx context.Context) ([]registry.Server, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT id, "+serverColumns+" FROM servers")
	if err != nil {
		return nil, fmt.Errorf("read servers: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []registry.Server
	for rows.Next() {
		server, err := scanServer(rows)
		if err != nil {
			return nil, fmt.Errorf("read servers: %w", err)
		}
		out = append(out, server)
	}
	return out, rows.Err()
}

func scanServer(rows *rows) (registry.Server, error) {
	var v registry.Server
	var args, env, tags, headers, grants string
	var checked, created, updated, start, call int64
	err := rows.Scan(&v.ID, &v.Name, &v.Description, &v.Source, &v.Transport, &v.Command, &args, &env, &tags,
		&v.Package.Name, &v.Package.Version, &v.Package.Latest, &v.Repository, &v.URL,
		&v.Installed, &v.AlwaysListed, &v.KeepRunning, &v.Approved,
		&v.Health.Status, &checked, &v.Health.Errors, &v.Health.LastError, &v.Health.MissingVariable, &created, &updated, &headers,
		&v.ProposedBy, &v.Isolation, &v.Account, &v.Sandbox, &grants, &v.Health.Listed, &v.Deferred, &v.Disabled,
		&v.Dir, &start, &call)
	if err != nil {
		return v, err
	}
	if err := errors.Join(json.Unmarshal([]byte(args), &v.Args), json.Unmarshal([]byte(env), &v.Env),
		json.Unmarshal([]byte(tags), &v.Tags), json.Unmarshal([]byte(headers), &v.Headers),
		json.Unmarshal([]byte(grants), &v.Grants)); err != nil {
		return v, fmt.Errorf("server %s: %w", v.Name, err)
	}
	v.Health.CheckedAt, v.CreatedAt, v.UpdatedAt = fromMillis(checked), fromMillis(created), fromMillis(updated)
	v.Timeouts = registry.Timeouts{Start: time.Duration(start) * time.Millisecond, Call: time.Duration(call) * time.Millisecond}
	return v, nil
}

func serverValues(v registry.Server) []any {
	return []any{
		v.Name, v.Description, v.Source, v.Transport, v.Command, toJSON(v.Args), toJSON(v.Env), toJSON(v.Tags),
		v.Package.Name, v.Package.Version, v.Package.Latest, v.Repository, v.URL,
		v.Installed, v.AlwaysListed, v.KeepRunning, v.Approved,
		v.Health.Status, toMillis(v.Health.CheckedAt), v.Health.Errors, v.Health.LastError, v.Health.MissingVariable,
		toMillis(v.CreatedAt), toMillis(v.UpdatedAt), toJSON(v.Headers), v.ProposedBy, v.Isolation, v.Account, v.Sandbox, toJSON(v.Grants),
		v.Health.Listed, v.Deferred, v.Disabled, v.Dir, v.Timeouts.Start.Milliseconds(), v.Timeouts.Call.Milliseconds(),
	}
}

// InsertServer implements registry.Store.
func (s *Servers) InsertServer(ctx context.Context, v registry.Server) (int64, error) {
	values := serverValues(v)
	marks := strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")
	res, err := s.db.write.ExecContext(ctx, "INSERT INTO servers ("+serverColumns+") VALUES ("+marks+")", values...)
	if err != nil {
		return 0, fmt.Errorf("insert server: %w", err)
	}
	return res.LastInsertId()
}

// UpdateServer implements registry.Store.
func (s *Servers) UpdateServer(ctx context.Context, v registry.Server) error {
	columns := strings.Split(serverColumns, ",")
	for i, c := range columns {
		columns[i] = strings.TrimSpace(c) + " = ?"
	}
	_, err := s.db.write.ExecContext(ctx, "UPDATE servers SET "+strings.Join(columns, ", ")+" WHERE id = ?",
		append(serverValues(v), v.ID)...)
	if err != nil {
		return fmt.Errorf("update server: %w", err)
	}
	return nil
}

// MatchServers implements registry.Store. A server matches if each word of the query is the beginning of a word in
// its name, its description or its tags.
func (s *Servers) MatchServers(ctx context.Context, query string) ([]int64, error) {
	var terms []string
	for _, word := range strings.FieldsFunc(query, notWord) {
		terms = append(terms, `"`+word+`"*`)
	}
	if len(terms) == 0 {
		return nil, nil
	}
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT rowid FROM servers_fts WHERE servers_fts MATCH ? ORDER BY bm25(servers_fts, 4, 1, 2)", strings.Join(terms, " "))
	if err != nil {
		return nil, fmt.Errorf("search servers: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("search servers: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// notWord reports whether r separates words. It returns true for all characters
// with a special meaning in full-text queries.
func notWord(r rune) bool {
	return r < 0x80 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
}

func toJSON(v any) string {
	data, _ := json.Marshal(v) // encoding maps, slices and structs of strings cannot fail
	return string(data)
}

// toMillis returns a time as it is stored in the database: in milliseconds since 1970, or 0 for the zero time.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Scrub implements registry.Store.
func (s *Servers) Scrub(ctx context.Context) error { return s.db.scrub(ctx) }

// Compact implements registry.Store.
func (s *Servers) Compact(ctx context.Context) error { return s.db.compact(ctx) }
