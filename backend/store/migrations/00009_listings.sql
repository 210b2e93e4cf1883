-- +goose Up
-- The prompts, resources and resource templates that servers list.
CREATE TABLE listings (
    server      TEXT NOT NULL,
    kind        TEXT NOT NULL, -- member of the result: prompts, resources or resourceTemplates
    definitions TEXT NOT NULL, -- JSON array, as the server sent them
    PRIMARY KEY (server, kind)
) WITHOUT ROWID;

-- What stands for a server in URIs that clients are shown. Rows of removed servers
-- are kept, so that no slug is used again.
CREATE TABLE slugs (
    server INTEGER PRIMARY KEY, -- id of the server
    slug   TEXT NOT NULL UNIQUE
);
