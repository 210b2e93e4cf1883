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

// databaseFiles are the suffixes of the files of an SQLite database.
var databaseFiles = []string{"", "-wal", "-shm"}

// repaired is the output of doctor --repair --json.
type repaired struct {
	Status   string            `json:"status"`
	File     string            `json:"file,omitempty"` // the damaged database
	Saved    []store.Salvaged  `json:"saved,omitempty"`
	Copy     *store.Supplement `json:"copy,omitempty"`            // unsaved rows in the newest usable copy
	Unusable []string          `json:"unusable_copies,omitempty"` // newer copies that cannot be used
}

// repair moves a damaged database aside and replaces it with a new one that contains the rows that
// can still be read and, if a person agrees, rows of a copy. It does not touch a database that is
// intact or cannot be checked.
func (d doctorCommand) repair(ctx context.Context, from copyChoice) error {
	lock, err := instance.Acquire(d.p.folder)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	file := d.p.folder.Database()
	switch err := store.Inspect(ctx, file); {
	case err == nil:
		return d.p.respond(repaired{Status: "intact"}, "The database is intact; nothing to repair.\n")
	case !store.Damaged(err):
		return err
	}
	stamp := time.Now().Format("20060102-150405")
	next := file + ".repaired-" + stamp
	done := repaired{Status: "set aside", File: file + ".damaged-" + stamp}
	done.Saved, err = store.Salvage(ctx, file, next)
	if err == nil && !from.no {
		err = d.supplement(ctx, next, from, &done)
	}
	if err == nil {
		err = move(file, done.File)
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
	return d.p.respond(done, "Moved the damaged database to %s.\nSaved from it: %s", done.File, done.summary())
}

func move(from, to string) error {
	for _, suffix := range databaseFiles {
		if err := paths.Replace(from+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "could not move the database aside: %s", paths.Reason(err))
		}
	}
	return nil
}

// rowNames lists the tables whose rows are reported to users, with the singular and plural for a row.
var rowNames = []struct{ table, one, many string }{
	{"servers", "server", "servers"},
	{"secrets", "secret", "secrets"},
	{"tools", "tool", "tools"},
	{"toolsets", "toolset", "toolsets"},
	{"equipped", "choice of a toolset", "choices of toolsets"},
	{"personas", "persona", "personas"},
	{"learned", "learned tool", "learned tools"},
	{"presets", "preset", "presets"},
	{"answers", "remembered answer", "remembered answers"},
	{"calls", "log entry", "log entries"},
}

// summary describes how much of a damaged database was saved, and from where.
func (r repaired) summary() string {
	var parts, lost []string
	for _, name := range rowNames {
		for _, one := range r.Saved {
			if one.Table != name.table {
				continue
			}
			if one.Rows > 0 || name.table == "servers" {
				parts = append(parts, counted(one.Rows, name.one, name.many))
			}
			if !one.Complete {
				lost = append(lost, name.many)
			}
		}
	}
	text := strings.Join(parts, ", ") + ".\n"
	if len(lost) > 0 {
		text += fmt.Sprintf("Some %s could not be read.\n", strings.Join(lost, ", "))
	}
	if r.Copy != nil && r.Copy.Taken {
		text += fmt.Sprintf("Taken from %s: %s.\n", r.Copy.Copy, contents(*r.Copy))
	}
	if r.Copy != nil && r.Copy.Taken && len(r.Copy.Waiting) > 0 {
		text += fmt.Sprintf("%s for your approval; to read what each would run and approve it: agent-discover servers approve NAME\n",
			counted(len(r.Copy.Waiting), "server waits", "servers wait"))
	}
	return text
}
