-- +goose Up
-- Named lists of tools across servers.
CREATE TABLE toolsets (
    name    TEXT PRIMARY KEY,
    toolset TEXT NOT NULL -- JSON
);

-- Which toolset the clients have equipped. The empty client stands for all that have no row of their own, the empty
-- toolset for none.
CREATE TABLE equipped (
    client  TEXT PRIMARY KEY,
    toolset TEXT NOT NULL
);
