package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/store"
)

// databaseFiles are the endings of the files of a database.
var databaseFiles = []string{"", "-wal", "-shm"}

// repaired is the output of doctor --repair --json.
type repaired struct {
	Status string           `json:"status"`
	File   string           `json:"file,omitempty"` // the damaged database
	Saved  []store.Salvaged `json:"saved,omitempty"`
}

// repair moves a damaged database aside and puts a new one with its readable
// rows in its place. A database that is intact, or cannot be checked, is not
// touched.
func (d doctorCommand) repair(ctx context.Context) error {
	lock, err := instance.Acquire(d.folder)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	file := d.folder.Database()
	switch err := store.Inspect(ctx, file); {
	case err == nil:
		return d.respond(repaired{Status: "intact"}, "The database is intact; nothing to repair.\n")
	case !store.Damaged(err):
		return err
	}
	stamp := time.Now().Format("20060102-150405")
	aside, next := file+".damaged-"+stamp, file+".repaired-"+stamp
	saved, err := store.Salvage(ctx, file, next)
	if err == nil {
		err = move(file, aside)
	}
	if err == nil {
		err = move(next, file)
	}
	if err != nil {
		for _, suffix := range databaseFiles {
			_ = os.Remove(next + suffix)
		}
		return err
	}
	return d.respond(repaired{"set aside", aside, saved}, "Moved the damaged database to %s.\n%s", aside, summary(saved))
}

func move(from, to string) error {
	for _, suffix := range databaseFiles {
		if err := paths.Replace(from+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "could not move the database aside: %s", paths.Reason(err))
		}
	}
	return nil
}

// salvagedNames names the rows of the tables that users know.
var salvagedNames = []struct{ table, one, many string }{
	{"servers", "server", "servers"},
	{"secrets", "secret", "secrets"},
	{"tools", "tool", "tools"},
	{"learned", "learned tool", "learned tools"},
	{"presets", "preset", "presets"},
	{"answers", "remembered answer", "remembered answers"},
	{"calls", "log entry", "log entries"},
}

// summary tells how much of a damaged database was saved.
func summary(saved []store.Salvaged) string {
	var parts, lost []string
	for _, name := range salvagedNames {
		for _, one := range saved {
			if one.Table != name.table {
				continue
			}
			parts = append(parts, counted(one.Rows, name.one, name.many))
			if !one.Complete {
				lost = append(lost, name.many)
			}
		}
	}
	text := "Saved from it: " + strings.Join(parts, ", ") + ".\n"
	if len(lost) > 0 {
		text += fmt.Sprintf("Some %s could not be read.\n", strings.Join(lost, ", "))
	}
	return text
}
