-- +goose Up
-- Vectors are kept by the hash of a tool. In the table it stands behind the definition, which would have to be read.
CREATE INDEX tools_by_hash ON tools (hash);
