-- +goose Up
-- What tools mean, by what made the vectors and by the hash of a tool's definition.
CREATE TABLE vectors (
    model TEXT    NOT NULL,
    hash  TEXT    NOT NULL,
    scale REAL    NOT NULL,
    data  BLOB    NOT NULL, -- a signed byte for each dimension; times scale
    gone  INTEGER NOT NULL, -- since when no tool has had the hash; 0 while one has
    PRIMARY KEY (model, hash)
);
