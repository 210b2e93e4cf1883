-- +goose Up
-- Embedding vectors of tools, by embedding model and by the hash of the tool's definition.
CREATE TABLE vectors (
    model TEXT    NOT NULL,
    hash  TEXT    NOT NULL,
    scale REAL    NOT NULL,
    data  BLOB    NOT NULL, -- one signed byte for each dimension, to be multiplied by scale
    gone  INTEGER NOT NULL, -- time since which no tool has this hash; 0 while a tool has it
    PRIMARY KEY (model, hash)
);
