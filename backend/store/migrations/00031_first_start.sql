-- +goose Up
-- Whether a server has started since it was added, so that its lists are known, and whether it waits with that for a call.
ALTER TABLE servers ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE servers ADD COLUMN deferred INTEGER NOT NULL DEFAULT 0;
UPDATE servers SET listed = 1 WHERE name IN (SELECT server FROM tools);
