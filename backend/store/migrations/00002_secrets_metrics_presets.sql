-- +goose Up
ALTER TABLE servers ADD COLUMN headers TEXT NOT NULL DEFAULT '{}'; -- JSON object; of remote servers only

-- Ids of tools in the REST interface.
ALTER TABLE tools ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
UPDATE tools SET id = (
    SELECT n FROM (SELECT server, name, row_number() OVER (ORDER BY server, position) AS n FROM tools) AS numbered
    WHERE numbered.server = tools.server AND numbered.name = tools.name
);

-- Names of secrets. Their values are in the keychain or in encrypted files.
CREATE TABLE secrets (
    server     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    kept       TEXT    NOT NULL, -- keychain, sealed or file; with the prefix dropped: while the value of a deleted secret is not removed yet
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (server, name)
) WITHOUT ROWID;

-- Which servers may use a secret of another server. A link is valid only while
-- the server runs the same program as when a person made the link.
CREATE TABLE secret_links (
    server  TEXT NOT NULL, -- the server that uses the secret
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    runs    TEXT NOT NULL, -- hash of what that server ran when the link was made
    PRIMARY KEY (server, owner, name)
) WITHOUT ROWID;

-- The sums of all calls of each tool. Deleting calls does not change them.
CREATE TABLE metrics (
    server    TEXT    NOT NULL,
    tool      TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    errors    INTEGER NOT NULL,
    latency   INTEGER NOT NULL, -- microseconds, sum over all calls
    slowest   INTEGER NOT NULL, -- microseconds
    histogram TEXT    NOT NULL, -- JSON object: number of calls by latency bucket
    last_at   INTEGER NOT NULL,
    PRIMARY KEY (server, tool)
) WITHOUT ROWID;
INSERT INTO metrics (server, tool, calls, errors, latency, slowest, histogram, last_at)
    SELECT server, tool, count(*), sum(outcome <> 'ok'), sum(latency), max(latency), '{}', max(at)
    FROM calls WHERE kind = 'call' AND outcome <> 'refused' AND server IN (SELECT name FROM servers)
    GROUP BY server, tool;

-- Rows with equal keys are in the order of their ids in each index, so that the
-- newest page is read without sorting.
DROP INDEX calls_by_server;
CREATE INDEX calls_by_server ON calls (server);
CREATE INDEX calls_by_tool ON calls (tool);
CREATE INDEX calls_by_kind ON calls (kind);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_failed ON calls (id, outcome) WHERE outcome <> 'ok';

-- Saved arguments for tools and prompts.
CREATE TABLE presets (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    server     TEXT    NOT NULL,
    kind       TEXT    NOT NULL, -- tool or prompt
    target     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    payload    TEXT    NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (server, kind, target, name)
);
