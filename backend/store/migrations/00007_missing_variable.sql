-- +goose Up
-- The environment variable without which a server does not start, as its last error says.
ALTER TABLE servers ADD COLUMN missing_variable TEXT NOT NULL DEFAULT '';
