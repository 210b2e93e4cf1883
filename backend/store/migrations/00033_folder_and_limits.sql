-- +goose Up
-- The folder in which a server starts, and the time limits of its own in milliseconds; empty and 0 for those of the hub.
ALTER TABLE servers ADD COLUMN cwd TEXT NOT NULL DEFAULT '';
ALTER TABLE servers ADD COLUMN start_timeout INTEGER NOT NULL DEFAULT 0;
ALTER TABLE servers ADD COLUMN call_timeout INTEGER NOT NULL DEFAULT 0;
