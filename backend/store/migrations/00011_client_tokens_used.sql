-- +goose Up
ALTER TABLE client_tokens ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0; -- when a request last showed the token; 0 if none did
