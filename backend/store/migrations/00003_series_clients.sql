-- +goose Up
-- This index has all columns that counting calls over time needs.
CREATE INDEX calls_over_time ON calls (at, outcome, server, tool, client) WHERE kind = 'call';

-- MCP clients that were connected, by the names from their initialize requests.
CREATE TABLE clients (
    name          TEXT    NOT NULL PRIMARY KEY,
    version       TEXT    NOT NULL,
    first_seen    INTEGER NOT NULL,
    last_seen     INTEGER NOT NULL,
    listed_tokens INTEGER NOT NULL,
    whole_tokens  INTEGER NOT NULL  -- of the tools of all servers, as if the client were connected to each directly
) WITHOUT ROWID;
