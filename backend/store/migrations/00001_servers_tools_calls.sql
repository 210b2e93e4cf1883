-- +goose Up
CREATE TABLE servers (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT    NOT NULL UNIQUE,
    description     TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    transport       TEXT    NOT NULL,
    command         TEXT    NOT NULL,
    args            TEXT    NOT NULL, -- JSON array
    env             TEXT    NOT NULL, -- JSON object
    tags            TEXT    NOT NULL, -- JSON array
    package_name    TEXT    NOT NULL,
    package_version TEXT    NOT NULL,
    latest_version  TEXT    NOT NULL,
    repository      TEXT    NOT NULL,
    homepage        TEXT    NOT NULL,
    installed       INTEGER NOT NULL,
    enabled         INTEGER NOT NULL,
    keep_running    INTEGER NOT NULL,
    approved        INTEGER NOT NULL,
    health_status   TEXT    NOT NULL,
    health_checked  INTEGER NOT NULL, -- milliseconds since 1970, 0 for never; like all times in this database
    error_count     INTEGER NOT NULL,
    last_error      TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
);

CREATE VIRTUAL TABLE servers_fts USING fts5(
    name, description, tags, content='servers', content_rowid='id'
);

-- +goose StatementBegin
CREATE TRIGGER servers_fts_insert AFTER INSERT ON servers BEGIN
    INSERT INTO servers_fts(rowid, name, description, tags) VALUES (new.id, new.name, new.description, new.tags);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER servers_fts_delete AFTER DELETE ON servers BEGIN
    INSERT INTO servers_fts(servers_fts, rowid, name, description, tags)
    VALUES ('delete', old.id, old.name, old.description, old.tags);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER servers_fts_update AFTER UPDATE OF name, description, tags ON servers BEGIN
    INSERT INTO servers_fts(servers_fts, rowid, name, description, tags)
    VALUES ('delete', old.id, old.name, old.description, old.tags);
    INSERT INTO servers_fts(rowid, name, description, tags) VALUES (new.id, new.name, new.description, new.tags);
END;
-- +goose StatementEnd

-- Tools refer to their servers by name: the catalog has no ids of servers.
CREATE TABLE tools (
    server     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    position   INTEGER NOT NULL, -- in the server's tools/list
    definition TEXT    NOT NULL, -- byte for byte as in tools/list
    hash       TEXT    NOT NULL,
    tokens     INTEGER NOT NULL, -- 0 until counted
    PRIMARY KEY (server, name)
) WITHOUT ROWID;

CREATE TABLE calls (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    client   TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    server   TEXT    NOT NULL,
    tool     TEXT    NOT NULL,
    args     TEXT    NOT NULL,
    response TEXT    NOT NULL,
    outcome  TEXT    NOT NULL,
    latency  INTEGER NOT NULL -- microseconds
);

CREATE INDEX calls_by_server ON calls (server, tool);

-- Session tools: the tools that find_tool added to the list of a session.
CREATE TABLE lenses (
    session TEXT    NOT NULL PRIMARY KEY,
    lent    TEXT    NOT NULL, -- JSON array of [server, tool]
    seen    INTEGER NOT NULL
) WITHOUT ROWID;
