package store

import (
	"net/url"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// source is the data source name of path with every pragma that Kuang sets.
func source(path string) string {
	pragmas := url.Values{
		// WAL lets another process (the doctor, a backup) read while Kuang writes.
		"_journal_mode": {"WAL"},
		// With WAL, NORMAL means: what a finished transaction wrote is in the operating system's hands, so that
		// killing Kuang at any moment loses nothing of it. Only a power cut may take the last transactions, and
		// leaves a whole database even then. FULL would flush the disk at every call of every agent.
		"_synchronous": {"NORMAL"},
		// Milliseconds to wait for another process that has the file locked.
		"_busy_timeout": {"5000"},
		// Freed pages are given back by Prune in steps; this only works from the first table on.
		"_auto_vacuum": {"incremental"},
		// A transaction takes the write lock at its start, so that it never fails half way because of a second one.
		"_txlock": {"immediate"},
	}
	return address(path, pragmas)
}

// readOnlySource is the data source name of path for a connection that changes nothing and makes no file.
func readOnlySource(path string) string {
	return address(path, url.Values{"mode": {"ro"}, "_busy_timeout": {"5000"}})
}

func address(path string, options url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options.Encode()
}

// connect opens a data source. SQLite has one writer at a time, and Kuang's transactions are short, so there is one
// connection: queries wait their turn in Go, in order and bounded by their context, and not in SQLite's retry loop.
// The price is that a query must be read to its end at once; nothing may hold rows open while it waits for a client.
func connect(source string) (*gorm.DB, error) {
	g, err := gorm.Open(sqlite.Open(source), &gorm.Config{
		Logger: logger.Discard, // errors are returned; standard output is not gorm's to write to
		// A single statement is atomic without a transaction of its own.
		SkipDefaultTransaction: true,
	})
	if err != nil {
		return nil, err
	}
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	return g, nil
}

func disconnect(g *gorm.DB) error {
	pool, err := g.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}
