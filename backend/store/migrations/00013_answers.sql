-- +goose Up
-- Answers of a person to questions of servers that are given again without asking.
CREATE TABLE answers (
    id         TEXT    NOT NULL PRIMARY KEY,
    server     TEXT    NOT NULL,
    launch     TEXT    NOT NULL, -- hash of how the server was started then
    mode       TEXT    NOT NULL, -- form, url or sampling
    question   TEXT    NOT NULL, -- hash of the question, or empty for all of the mode
    action     TEXT    NOT NULL, -- accept or decline
    message    TEXT    NOT NULL,
    content    BLOB    NOT NULL, -- encrypted values of a form, or empty
    created_at INTEGER NOT NULL,
    UNIQUE (server, mode, question)
) WITHOUT ROWID;
