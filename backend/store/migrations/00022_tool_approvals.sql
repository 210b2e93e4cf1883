-- +goose Up
-- Tools whose calls a person has approved for good.
CREATE TABLE tool_approvals (
    server     TEXT    NOT NULL,
    tool       TEXT    NOT NULL, -- as its server lists it
    hash       TEXT    NOT NULL, -- of its definition and of how the server was started then
    created_at INTEGER NOT NULL,
    PRIMARY KEY (server, tool)
) WITHOUT ROWID;
