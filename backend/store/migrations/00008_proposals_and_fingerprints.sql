-- +goose Up
ALTER TABLE servers ADD COLUMN proposed_by TEXT NOT NULL DEFAULT ''; -- the client whose agent proposed the server

-- Where a server's own secrets may go: the origin of a remote server, or local.
-- It is empty until the first use.
ALTER TABLE secrets ADD COLUMN destination TEXT NOT NULL DEFAULT '';
-- Encrypted fingerprints, by which a secret is recognised in texts.
ALTER TABLE secrets ADD COLUMN prints BLOB;
