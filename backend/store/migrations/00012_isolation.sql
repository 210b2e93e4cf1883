-- +goose Up
-- Whether all clients share a server, or each session of a client has its own.
ALTER TABLE servers ADD COLUMN isolation TEXT NOT NULL DEFAULT 'shared';
