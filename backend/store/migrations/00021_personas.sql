-- +goose Up
-- Active personas, with the servers and toolsets that their activation has added.
CREATE TABLE personas (
    name    TEXT PRIMARY KEY,
    persona TEXT NOT NULL -- JSON
);
