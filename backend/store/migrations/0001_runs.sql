-- Every call that agents made, grouped into runs. Times are milliseconds since 1970, UTC.

CREATE TABLE runs (
    id         TEXT PRIMARY KEY,
    session    TEXT NOT NULL,
    client     TEXT NOT NULL,
    surface    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    calls      INTEGER NOT NULL,
    failures   INTEGER NOT NULL,
    outcome    TEXT NOT NULL,    -- the worst of its entries: ok, refused or failed
    bytes      INTEGER NOT NULL  -- what its entries hold, to know how many runs to forget
) WITHOUT ROWID;

CREATE INDEX runs_by_start ON runs (started_at, id);
CREATE INDEX runs_by_end ON runs (last_at, id);

CREATE TABLE entries (
    seq          INTEGER PRIMARY KEY, -- the order in which calls were recorded
    id           TEXT NOT NULL UNIQUE,
    run_id       TEXT NOT NULL,       -- no foreign key: a forgotten run goes at once, its entries in steps
    at           INTEGER NOT NULL,
    verb         TEXT NOT NULL,
    tab          TEXT NOT NULL,
    site         TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    code         TEXT NOT NULL,
    duration_ms  INTEGER NOT NULL,
    input        TEXT NOT NULL,       -- JSON, or empty
    input_cut    INTEGER NOT NULL,
    input_bytes  INTEGER NOT NULL,
    output       TEXT NOT NULL,       -- JSON, or empty
    output_cut   INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    protocol     TEXT NOT NULL        -- JSON object of counts by method, or empty
);

CREATE INDEX entries_by_run ON entries (run_id, at, seq);

CREATE TABLE run_sites (
    run_id TEXT NOT NULL,
    site   TEXT NOT NULL,
    seq    INTEGER NOT NULL, -- of the entry that met the site first
    PRIMARY KEY (run_id, site)
) WITHOUT ROWID;

CREATE INDEX run_sites_by_site ON run_sites (site, run_id);

-- Runs that are forgotten already and whose entries are still being removed.
CREATE TABLE doomed_runs (
    run_id  TEXT PRIMARY KEY,
    last_at INTEGER NOT NULL
) WITHOUT ROWID;
