-- One sentence for every action. Times are milliseconds since 1970, UTC.

CREATE TABLE actions (
    seq      INTEGER PRIMARY KEY, -- the order in which actions were added
    id       TEXT NOT NULL UNIQUE,
    at       INTEGER NOT NULL,
    run_id   TEXT NOT NULL,
    client   TEXT NOT NULL,
    surface  TEXT NOT NULL,
    session  TEXT NOT NULL,
    tab      TEXT NOT NULL,
    site     TEXT NOT NULL,
    verb     TEXT NOT NULL,
    sentence TEXT NOT NULL,
    undo     TEXT NOT NULL        -- the exact inverse, or empty
);

CREATE INDEX actions_by_time ON actions (at);
