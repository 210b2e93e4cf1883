-- +goose Up
-- The tokens of MCP clients that connect over HTTP.
CREATE TABLE client_tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    hash       BLOB    NOT NULL UNIQUE, -- SHA-256 of the token
    client     TEXT    NOT NULL,        -- id in the table of editors, or empty
    surface    TEXT    NOT NULL,        -- registry or server:NAME
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
