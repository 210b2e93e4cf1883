-- +goose Up
-- How the definitions of tools have changed.
CREATE TABLE tool_history (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL, -- milliseconds
    server     TEXT    NOT NULL,
    tool       TEXT    NOT NULL,
    change     TEXT    NOT NULL, -- added, updated or removed
    previous   TEXT    NOT NULL, -- hash before the change
    current    TEXT    NOT NULL, -- hash after the change
    version    INTEGER NOT NULL, -- of the hashes
    definition TEXT    NOT NULL  -- after the change; empty if the tool was removed
);
CREATE INDEX tool_history_by_tool ON tool_history (server, tool, id);
CREATE INDEX tool_history_by_hash ON tool_history (current);
