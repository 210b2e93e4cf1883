-- +goose Up
-- The account that a server uses, as a person calls it.
ALTER TABLE servers ADD COLUMN account TEXT NOT NULL DEFAULT '';
