package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// lasting are the sources that a server keeps when it is added from a copy, because the marketplace and the importer
// recognize their servers by them.
var lasting = []string{plan.Source, "bundle"}

// Supplement describes the rows of a copy that AddFromCopy adds to the salvaged database, or offers to add.
type Supplement struct {
	Copy    string     `json:"file"` // path of the copy
	Taken   bool       `json:"taken"`
	Rows    []Supplied `json:"rows"`              // without tables for which the copy has nothing
	Servers []string   `json:"servers"`           // names of the servers among the rows
	Waiting []string   `json:"waiting,omitempty"` // names of those servers that wait for approval
}

// Supplied is the number of rows of a table in a Supplement.
type Supplied struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
}

// NewestUsable returns the newest copy of a database that can be used: it is intact, and its schema is not newer than
// this program. usable is "" if there is none. unusable has all copies that are newer than the usable one.
func NewestUsable(ctx context.Context, file string) (usable string, unusable []string) {
	all := Copies(file)
	for _, one := range slices.Backward(all) {
		if Inspect(ctx, one) == nil {
			return one, unusable
		}
		unusable = append(unusable, one)
	}
	return "", unusable
}

// AddFromCopy adds rows of a copy to a database that Salvage has made, if agree returns true for them. If there is
// nothing to add, it does not call agree.
//
// Rows are added only to tables that could not be salvaged completely: a row that is missing from any other table was
// deleted after the copy was made. Data that a person may have revoked since then is never added: approvals,
// remembered answers, links to secrets and tokens of clients. So an added server is confined, and waits for approval
// unless the salvaged approvals contain its launch.
func AddFromCopy(
	ctx context.Context, into, from string, saved []Salvaged, agree func(Supplement) (bool, error),
) (out Supplement, err error) {
	scratch := into + ".copy"
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(scratch + suffix)
		}
	}()
	servers, err := migrateCopy(ctx, from, scratch)
	if err != nil {
		return out, err
	}
	s, err := Open(ctx, into)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.db.write.db.ExecContext(ctx, "ATTACH ? AS copy", scratch); err != nil {
		return out, explain(scratch, err)
	}
	out.Copy, out.Rows, out.Servers = from, []Supplied{}, []string{}
	err = s.db.change(ctx, func(tx *sql.Tx) error {
		if err := s.supplement(ctx, tx, servers, saved, &out); err != nil {
			return fmt.Errorf("take rows from a copy: %w", err)
		}
		if len(out.Rows) == 0 {
			return nil
		}
		if out.Taken, err = agree(out); err == nil && !out.Taken {
			err = errNotTaken
		}
		return err
	})
	if errors.Is(err, errNotTaken) {
		err = nil
	}
	return out, err
}

var errNotTaken = errors.New("nothing is taken from the copy")

// migrateCopy duplicates a copy as the file scratch, and migrates the duplicate to the current schema. It returns the
// servers in the duplicate.
func migrateCopy(ctx context.Context, from, scratch string) (servers []registry.Server, err error) {
	if err := copyFile(from, scratch); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read the copy %s: %s", from, paths.Reason(err))
	}
	s, err := openAfter(ctx, scratch, func(context.Context, string) error { return nil })
	if err != nil {
		return nil, err
	}
	servers, err = s.Servers.Servers(ctx)
	return servers, errors.Join(err, s.Close())
}

// supplement adds the rows of the attached copy, and records in out what it has added.
func (s *Store) supplement(ctx context.Context, tx *sql.Tx, servers []registry.Server, saved []Salvaged, out *Supplement) error {
	incomplete := make(map[string]bool)
	for _, table := range saved {
		incomplete[table.Table] = !table.Complete
	}
	if incomplete["servers"] {
		if err := s.supplementServers(ctx, tx, servers, out); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"CREATE TEMP TABLE ids (old INTEGER PRIMARY KEY, new INTEGER)", // server ids: in the copy and in the database
		"INSERT INTO temp.ids SELECT c.id, m.id FROM copy.servers AS c JOIN main.servers AS m ON m.name = c.name",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for _, rule := range supplements {
		if !incomplete[rule.table] {
			continue
		}
		done, err := tx.ExecContext(ctx, rule.statement())
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n > 0 {
			out.Rows = append(out.Rows, Supplied{rule.table, int(n)})
		}
	}
	return nil
}

// supplementServers adds the servers of the copy whose names do not exist in the database.
func (s *Store) supplementServers(ctx context.Context, tx *sql.Tx, servers []registry.Server, out *Supplement) error {
	present, err := s.Servers.Servers(ctx)
	if err != nil {
		return err
	}
	known, err := s.Trust.TrustServers(ctx)
	if err != nil {
		return err
	}
	names, ids := make(map[string]bool), make(map[int64]bool)
	for _, one := range present {
		names[one.Name], ids[one.ID] = true, true
	}
	for _, one := range servers {
		if names[one.Name] {
			continue
		}
		one = one.Guarded()
		one.Approved = one.Approved && slices.ContainsFunc(known, func(k quarantine.Server) bool {
			return k.Name == one.Name && k.Launch == quarantine.LaunchOf(one).Hash()
		})
		one.Health = registry.Health{Status: "unknown"} // the lists of the server are not known yet
		if !one.Approved {
			out.Waiting = append(out.Waiting, one.Name)
			if !slices.Contains(lasting, one.Source) {
				one.Source = registry.FromCopy
			}
		}
		id := sql.NullInt64{Int64: one.ID, Valid: !ids[one.ID]}
		values := append([]any{id}, serverValues(one)...)
		marks := "?" + strings.Repeat(", ?", len(values)-1)
		if _, err := tx.ExecContext(ctx, "INSERT INTO main.servers (id, "+serverColumns+") VALUES ("+marks+")", values...); err != nil {
			return err
		}
		out.Servers = append(out.Servers, one.Name)
	}
	if n := len(out.Servers); n > 0 {
		out.Rows = append(out.Rows, Supplied{"servers", n})
	}
	return nil
}

// supplements are the tables, besides servers, for which rows are taken from a copy. The other tables contain logs,
// data that a person may have revoked, and data that can be listed, fetched or computed again.
var supplements = []supplementRule{
	{
		table: "slugs", columns: "server, slug", keys: []string{"slug"},
		values: "coalesce(ids.new, c.server), c.slug", join: "LEFT JOIN temp.ids ON old = c.server",
		where: `coalesce(ids.new, c.server) NOT IN (SELECT server FROM main.slugs)
			AND (ids.new IS NOT NULL OR c.server NOT IN (SELECT id FROM main.servers))`,
	},
	{
		table: "installs", columns: "server, listing, current, at, install",
		values: "ids.new, c.listing, c.current, c.at, c.install", join: "JOIN temp.ids ON old = c.server",
		where: "ids.new NOT IN (SELECT server FROM main.installs)",
	},
	{ // deleted secrets are left out, because their values may have been set again since the copy was made
		table: "secrets", columns: "server, name, kept, updated_at, destination, prints", keys: []string{"server", "name"},
		where: "c.kept NOT LIKE '" + dropped + "%' AND " + ofServer,
	},
	{
		table: "presets", columns: "server, kind, target, name, payload, created_at, updated_at",
		keys: []string{"server", "kind", "target", "name"}, where: ofServer,
	},
	{ // a toolset that an agent has proposed waits for approval
		table: "toolsets", columns: "name, toolset", keys: []string{"name"}, where: "json_valid(c.toolset)",
		values: `c.name, CASE coalesce(json_extract(c.toolset, '$.proposed_by'), '') WHEN '' THEN c.toolset
			ELSE json_set(c.toolset, '$.approved', json('false')) END`,
	},
	{
		table: "equipped", columns: "client, toolset", keys: []string{"client"},
		where: "c.toolset IN (SELECT '' UNION ALL SELECT name FROM main.toolsets)",
	},
	{ // only personas whose servers have the same ids in the database as in the copy
		table: "personas", columns: "name, persona", keys: []string{"name"},
		where: `CASE WHEN json_valid(c.persona) THEN NOT EXISTS (SELECT 1 FROM json_each(c.persona, '$.servers') AS s
			LEFT JOIN temp.ids ON old = json_extract(s.value, '$.id') WHERE new IS NOT old) END`,
	},
	{table: "learned", columns: "query, server, tool, times, failed, last", keys: []string{"query", "server", "tool"}, where: ofServer},
	{table: "learning_switch", columns: "one, is_on, configured", keys: []string{"one"}},
	{
		table: "metrics", columns: "server, tool, calls, errors, latency, slowest, histogram, last_at",
		keys: []string{"server", "tool"}, where: ofServer,
	},
	{table: "clients", columns: "name, version, first_seen, last_seen, listed_tokens, whole_tokens", keys: []string{"name"}},
}

// ofServer selects the rows of servers that exist in the database.
const ofServer = "c.server IN (SELECT name FROM main.servers)"

// supplementRule selects rows of a table in a copy; c is the alias of that table.
type supplementRule struct {
	table, columns string
	values         string   // SQL expressions for the columns; empty to copy the columns unchanged
	keys           []string // rows are added only if the database has none with the same keys
	join, where    string
}

func (r supplementRule) statement() string {
	values, conditions := cmp.Or(r.values, "c."+strings.ReplaceAll(r.columns, ", ", ", c.")), []string{}
	if r.where != "" {
		conditions = append(conditions, r.where)
	}
	if len(r.keys) > 0 {
		same := make([]string, len(r.keys))
		for i, key := range r.keys {
			same[i] = "m." + key + " = c." + key
		}
		conditions = append(conditions, "NOT EXISTS (SELECT 1 FROM main."+r.table+" AS m WHERE "+strings.Join(same, " AND ")+")")
	}
	return "INSERT INTO main." + r.table + " (" + r.columns + ") SELECT " + values + " FROM copy." + r.table + " AS c " + r.join +
		" WHERE " + strings.Join(conditions, " AND ")
}
