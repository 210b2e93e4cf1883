-- +goose Up
-- Who called what with which outcome. Each entry names the hash of the one before it, so that a changed or a missing
-- entry shows.
CREATE TABLE audit (
    seq   INTEGER PRIMARY KEY,
    at    INTEGER NOT NULL, -- milliseconds
    entry TEXT    NOT NULL, -- JSON
    hash  TEXT    NOT NULL  -- SHA-256 of entry
);
CREATE INDEX audit_at ON audit (at);

-- The last entry that was deleted because of its age; no row if none was.
CREATE TABLE audit_anchor (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    seq  INTEGER NOT NULL,
    hash TEXT    NOT NULL
);

-- +goose StatementBegin
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are not changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
WHEN old.seq > coalesce((SELECT seq FROM audit_anchor), 0) BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are deleted only because of their age');
END;
-- +goose StatementEnd
