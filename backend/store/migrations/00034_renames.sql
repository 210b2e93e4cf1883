-- +goose Up
-- Servers that were renamed, until the new name is also in the files beside the database.
CREATE TABLE renames (
    id     INTEGER PRIMARY KEY,
    former TEXT NOT NULL,
    name   TEXT NOT NULL
);
