package store

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step of the schema, NNNN_name.sql.
type migration struct {
	version int
	name    string
	sql     string
}

// migrate runs the steps in files/migrations that the database has not had, in order, each whole or not at all.
func migrate(g *gorm.DB, files fs.FS) error {
	steps, err := readMigrations(files)
	if err != nil {
		return err
	}
	const table = `CREATE TABLE IF NOT EXISTS schema_version (
		version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`
	if err := g.Exec(table).Error; err != nil {
		return fmt.Errorf("making the version table: %w", err)
	}
	var version int
	if err := g.Raw("SELECT coalesce(max(version), 0) FROM schema_version").Scan(&version).Error; err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(steps) {
		return fmt.Errorf("it was written by a newer Kuang (schema %d, this one knows %d)", version, len(steps))
	}
	for _, m := range steps[version:] {
		err := g.Transaction(func(tx *gorm.DB) error {
			// Straight to the driver: gorm would take a question mark in a comment for a parameter.
			if _, err := tx.Statement.ConnPool.ExecContext(tx.Statement.Context, m.sql); err != nil {
				return err
			}
			return tx.Exec("INSERT INTO schema_version (version, name) VALUES (?, ?)", m.version, m.name).Error
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// readMigrations lists the steps. Step n has the number n: a gap or a number used twice is an error.
func readMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("listing migrations: %w", err)
	}
	slices.Sort(names)
	steps := make([]migration, 0, len(names))
	for i, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		sql, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, fmt.Errorf("reading migration %s: %w", name, err)
		}
		steps = append(steps, migration{version: i + 1, name: name, sql: string(sql)})
	}
	return steps, nil
}
