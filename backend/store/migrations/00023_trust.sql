-- +goose Up
-- The servers whose items are approved or held.
CREATE TABLE trust_servers (
    server TEXT    PRIMARY KEY,
    launch TEXT    NOT NULL, -- hash of the launch that is approved; empty until the items of a server of before are adopted
    form   TEXT    NOT NULL, -- JSON: this launch without credentials
    clean  INTEGER NOT NULL, -- 1: a person has approved what the scan finds clean of a proposed server
    since  INTEGER NOT NULL, -- when the first list was admitted; 0 before
    lists  TEXT    NOT NULL  -- JSON: kinds of lists that were admitted
) WITHOUT ROWID;

INSERT INTO trust_servers (server, launch, form, clean, since, lists)
    SELECT name, '', '{}', 0, 0, '[]' FROM servers;

-- What servers list: tools, prompts, resources, resource templates and instructions.
CREATE TABLE trust_items (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    server      TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    hash        TEXT    NOT NULL, -- of the latest definition
    approved    TEXT    NOT NULL, -- hash of the approved definition; empty for none
    launch      TEXT    NOT NULL, -- hash of the launch for which it was approved
    approved_by TEXT    NOT NULL,
    approved_at INTEGER NOT NULL,
    rejected    TEXT    NOT NULL, -- hash of the rejected definition; empty for none
    flips       INTEGER NOT NULL,
    verdict     TEXT    NOT NULL,
    points      REAL    NOT NULL,
    findings    TEXT    NOT NULL, -- JSON
    scanned     TEXT    NOT NULL, -- version of the scan
    attention   INTEGER NOT NULL, -- 1: a person has to look at it, or has rejected it
    listed      INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    latest      TEXT,             -- the latest definition, unless it is the approved one
    text        TEXT,             -- the approved definition
    UNIQUE (server, kind, name)
);

CREATE INDEX trust_items_attention ON trust_items (server) WHERE attention = 1;
