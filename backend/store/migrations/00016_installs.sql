-- +goose Up
-- Which servers were installed from which listings: one row for each version that a server has had.
CREATE TABLE installs (
    id      INTEGER PRIMARY KEY,
    server  INTEGER NOT NULL, -- id of the server
    listing TEXT    NOT NULL, -- its id, such as npm:@scope/name
    current INTEGER NOT NULL, -- 1 for the version that the server has now, otherwise 0
    at      INTEGER NOT NULL,
    install TEXT    NOT NULL  -- JSON
);

CREATE UNIQUE INDEX installs_current ON installs (server) WHERE current = 1;
CREATE INDEX installs_by_server ON installs (server, id);

-- +goose StatementBegin
CREATE TRIGGER installs_of_removed_servers AFTER DELETE ON servers BEGIN
    DELETE FROM installs WHERE server = old.id;
END;
-- +goose StatementEnd
