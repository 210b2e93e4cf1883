-- +goose Up
-- What was called after which query. Queries are covered and cut before they
-- come here.
CREATE TABLE learned (
    id     INTEGER PRIMARY KEY AUTOINCREMENT, -- an id is never given twice
    query  TEXT    NOT NULL,
    server TEXT    NOT NULL,
    tool   TEXT    NOT NULL,
    times  INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    last   INTEGER NOT NULL
);

-- Whether a person has switched learning on or off: one row, or none.
CREATE TABLE learning_switch (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    is_on      INTEGER NOT NULL,
    configured INTEGER NOT NULL -- what config.yaml said then
);
