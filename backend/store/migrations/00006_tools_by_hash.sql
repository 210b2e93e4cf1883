-- +goose Up
-- Vectors refer to the hash of a tool. Without an index, SQLite would have to read the
-- definition, which precedes the hash in each row.
CREATE INDEX tools_by_hash ON tools (hash);
