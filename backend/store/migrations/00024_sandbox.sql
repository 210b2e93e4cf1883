-- +goose Up
-- How the processes of a server are confined, and what a person allows beyond that.
ALTER TABLE servers ADD COLUMN sandbox TEXT NOT NULL DEFAULT 'off';
ALTER TABLE servers ADD COLUMN grants TEXT NOT NULL DEFAULT '{}';
