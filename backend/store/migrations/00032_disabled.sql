-- +goose Up
-- Whether a person has disabled a server: it keeps its settings and secrets, but is neither started nor shown to agents.
ALTER TABLE servers ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
