package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Inspect checks a whole database file. If the file is damaged or cannot be
// read, it returns a fault with advice. It changes nothing and may be used
// while a hub is running. A missing file is not an error.
func Inspect(ctx context.Context, file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := open(file, "ro", 1, "busy_timeout(1000)")
	if err != nil {
		return err
	}
	var verdict string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = damage(verdict)
	}
	if err != nil {
		err = explainOpen(file, err)
	}
	return errors.Join(err, db.Close())
}
