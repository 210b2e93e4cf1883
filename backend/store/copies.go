package store

import "path/filepath"

// CopiesOf returns the folder with the copies of a database.
func CopiesOf(file string) string { return filepath.Join(filepath.Dir(file), "backups", "database") }
