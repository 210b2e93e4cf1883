-- +goose Up
-- The copy of the registry of MCP servers: the latest version of each server.
CREATE TABLE mirror (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    version     TEXT    NOT NULL,
    status      TEXT    NOT NULL, -- active, deprecated or deleted
    round       INTEGER NOT NULL, -- the refresh that saw the entry last
    publisher   TEXT    NOT NULL, -- this column and the next four are searched
    short_name  TEXT    NOT NULL,
    title       TEXT    NOT NULL,
    description TEXT    NOT NULL,
    terms       TEXT    NOT NULL,
    hash        TEXT    NOT NULL, -- of what is searched
    listing     TEXT    NOT NULL  -- JSON
);

CREATE INDEX mirror_by_status ON mirror (status, round);

-- What is known of the copy, and how far a refresh has come. It has one row.
CREATE TABLE mirror_state (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL -- JSON
);

-- The vectors of what is searched of the copy.
CREATE TABLE mirror_vectors (
    model TEXT    NOT NULL,
    hash  TEXT    NOT NULL,
    scale REAL    NOT NULL,
    data  BLOB    NOT NULL, -- one signed byte for each dimension, to be multiplied by scale
    gone  INTEGER NOT NULL, -- time since which no entry has this hash; 0 while an entry has it
    PRIMARY KEY (model, hash)
);

-- Which addresses of remote servers answered.
CREATE TABLE probes (
    url    TEXT    NOT NULL PRIMARY KEY,
    at     INTEGER NOT NULL,
    answer TEXT    NOT NULL, -- ok, sign_in or failed
    detail TEXT    NOT NULL
) WITHOUT ROWID;
