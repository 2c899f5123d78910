package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"echo-companion/backend/echo"
)

// scripts are the schema changes, numbered from 1. One that was released is never changed.
//
//go:embed migrations/*.sql
var scripts embed.FS

// migrate brings the schema up to date, each change in a transaction of its own.
func migrate(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(scripts, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("list schema changes: %w", err)
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if version > len(names) {
		return echo.Errorf(echo.CodeStorage,
			"The chat database was written by a newer version of Echo (schema %d, this one knows %d). Start that version, or update this one.", version, len(names))
	}
	for i, name := range names {
		if number := i + 1; number > version {
			if err := apply(ctx, db, name, number); err != nil {
				return fmt.Errorf("apply %s: %w", name, err)
			}
		}
	}
	return nil
}

// apply runs one script and records its number.
func apply(ctx context.Context, db *sql.DB, name string, number int) (err error) {
	if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d-", number)) {
		return fmt.Errorf("schema change %d is missing", number)
	}
	script, err := scripts.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // err says what went wrong
		}
	}()
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(number)); err != nil {
		return err
	}
	return tx.Commit()
}
