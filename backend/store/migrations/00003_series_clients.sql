-- +goose Up
-- Calls over time, by server, tool or client, are counted from this alone.
CREATE INDEX calls_over_time ON calls (at, outcome, server, tool, client) WHERE kind = 'call';

-- MCP clients that have been here, by the names they gave themselves.
CREATE TABLE clients (
    name          TEXT    NOT NULL PRIMARY KEY,
    version       TEXT    NOT NULL,
    first_seen    INTEGER NOT NULL,
    last_seen     INTEGER NOT NULL,
    listed_tokens INTEGER NOT NULL,
    whole_tokens  INTEGER NOT NULL  -- had it had all servers directly
) WITHOUT ROWID;
