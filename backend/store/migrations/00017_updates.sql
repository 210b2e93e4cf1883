-- +goose Up
-- What installations and updates that have not ended are making. It is removed at the next start of the hub if they do
-- not end.
CREATE TABLE leftovers (
    id       INTEGER PRIMARY KEY,
    leftover TEXT NOT NULL -- JSON
);

-- Which versions of installed servers are available: the result of the last check of each.
CREATE TABLE updates (
    server INTEGER PRIMARY KEY, -- its id
    latest TEXT NOT NULL        -- JSON
);

-- +goose StatementBegin
CREATE TRIGGER updates_of_removed_servers AFTER DELETE ON servers BEGIN
    DELETE FROM updates WHERE server = old.id;
END;
-- +goose StatementEnd
