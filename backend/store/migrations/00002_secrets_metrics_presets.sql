-- +goose Up
ALTER TABLE servers ADD COLUMN headers TEXT NOT NULL DEFAULT '{}'; -- JSON object; of a remote server

-- Numbers by which clients of the REST interface know tools.
ALTER TABLE tools ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
UPDATE tools SET id = (
    SELECT n FROM (SELECT server, name, row_number() OVER (ORDER BY server, position) AS n FROM tools) AS numbered
    WHERE numbered.server = tools.server AND numbered.name = tools.name
);

-- Names only: a value is in the keychain or in the sealed file.
CREATE TABLE secrets (
    server     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    kept       TEXT    NOT NULL, -- keychain, sealed or file; dropped: before it while the value has to go
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (server, name)
) WITHOUT ROWID;

-- Who may use a secret of another server. A link ends when the server that
-- uses it runs something else than when the person made it.
CREATE TABLE secret_links (
    server  TEXT NOT NULL, -- that uses it
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    runs    TEXT NOT NULL, -- hash of what the server ran then
    PRIMARY KEY (server, owner, name)
) WITHOUT ROWID;

-- What was called, over all time: clearing the log leaves it.
CREATE TABLE metrics (
    server    TEXT    NOT NULL,
    tool      TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    errors    INTEGER NOT NULL,
    latency   INTEGER NOT NULL, -- microseconds, of all calls together
    slowest   INTEGER NOT NULL, -- microseconds
    histogram TEXT    NOT NULL, -- JSON object: calls by bucket of latency
    last_at   INTEGER NOT NULL,
    PRIMARY KEY (server, tool)
) WITHOUT ROWID;
INSERT INTO metrics (server, tool, calls, errors, latency, slowest, histogram, last_at)
    SELECT server, tool, count(*), sum(outcome <> 'ok'), sum(latency), max(latency), '{}', max(at)
    FROM calls WHERE kind = 'call' AND outcome <> 'refused' AND server IN (SELECT name FROM servers)
    GROUP BY server, tool;

-- Each index lists its rows by id too: the newest page comes without sorting.
DROP INDEX calls_by_server;
CREATE INDEX calls_by_server ON calls (server);
CREATE INDEX calls_by_tool ON calls (tool);
CREATE INDEX calls_by_kind ON calls (kind);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_failed ON calls (id, outcome) WHERE outcome <> 'ok';

-- Arguments that a person keeps for a tool or a prompt.
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
