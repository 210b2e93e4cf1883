-- +goose Up
-- Which tools were called after which query. Queries are redacted and cut before they
-- are stored.
CREATE TABLE learned (
    id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused
    query  TEXT    NOT NULL,
    server TEXT    NOT NULL,
    tool   TEXT    NOT NULL,
    times  INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    last   INTEGER NOT NULL
);

-- Whether a person has turned learning on or off: one row, or none.
CREATE TABLE learning_switch (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    is_on      INTEGER NOT NULL,
    configured INTEGER NOT NULL -- the setting in config.yaml at that time
);
