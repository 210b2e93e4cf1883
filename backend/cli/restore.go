package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/store"
)

// databaseCopy is a copy of the database in the output of restore --json.
type databaseCopy struct {
	Name string    `json:"name"`
	Path string    `json:"path"`
	At   time.Time `json:"at"`
	Size int64     `json:"size"`
}

func (c setupCommands) restore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore [COPY]",
		Short: "List the copies of the database, or go back to one",
		Long: `Without COPY, list the copies of the database, which the hub makes every day on which the
database has changed, and before an update changes its schema. COPY is the name of one of
them, or "newest".

The database is moved aside, not deleted. Everything is then as it was when the copy was
made: servers, rules of trust, toolsets, logs and approvals, also those that you have
revoked since. Settings, secrets and sign-ins stay as they are. The hub must be stopped,
and you are asked on the terminal.`,
		Example: "  agent-discover restore\n  agent-discover stop\n  agent-discover restore newest",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			copies := c.databaseCopies()
			if len(args) == 0 {
				return c.listCopies(copies)
			}
			chosen, err := chooseCopy(copies, args[0])
			if err != nil {
				return err
			}
			return c.goBack(cmd.Context(), chosen)
		},
	}
}

// databaseCopies returns the copies of the database, the newest first.
func (c setupCommands) databaseCopies() []databaseCopy {
	copies := []databaseCopy{}
	for _, path := range slices.Backward(store.Copies(c.p.folder.Database())) {
		if info, err := os.Stat(path); err == nil {
			copies = append(copies, databaseCopy{filepath.Base(path), path, info.ModTime().UTC(), info.Size()})
		}
	}
	return copies
}

func (c setupCommands) listCopies(copies []databaseCopy) error {
	if c.p.json {
		return c.p.printJSON(copies)
	}
	if len(copies) == 0 {
		c.p.printf("There is no copy of the database yet. The hub makes the first one a minute after its start.\n")
		return nil
	}
	table := c.p.table("COPY", "MADE", "SIZE")
	for _, one := range copies {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d kB\n", one.Name, copiedWhen(one.Path, time.Now()), (one.Size+1023)>>10)
	}
	_ = table.Flush()
	c.p.printf("To go back to one, stop the hub, then: agent-discover restore COPY\n")
	return nil
}

func chooseCopy(copies []databaseCopy, name string) (databaseCopy, error) {
	if name == "newest" && len(copies) > 0 {
		return copies[0], nil
	}
	i := slices.IndexFunc(copies, func(one databaseCopy) bool { return one.Name == name || one.Path == name })
	if i < 0 {
		return databaseCopy{}, fault.New(fault.NotFound, "there is no copy %q; see: agent-discover restore", name)
	}
	return copies[i], nil
}

// goBack replaces the database with a copy, if the person at the terminal agrees.
func (c setupCommands) goBack(ctx context.Context, chosen databaseCopy) error {
	lock, err := instance.Acquire(c.p.folder)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	if err := store.Inspect(ctx, chosen.Path); err != nil {
		return fault.Wrap(err, fault.KindOf(err), "the copy cannot be used: %s; choose another one: agent-discover restore", fault.MessageOf(err))
	}
	yes, err := c.p.askPerson(ctx, fmt.Sprintf("Everything will be as it was in %s, %s. What you have added since is lost, and approvals that\n"+
		"you have revoked and servers that you have removed since come back. audit verify will report that newer entries are missing. The present database\n"+
		"is moved aside.\n",
		chosen.Name, copiedWhen(chosen.Path, time.Now())), "Go back to this copy?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied, "nobody can be asked here whether to go back to a copy; run the command in a terminal")
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "nothing was changed")
	}
	file, stamp := c.p.folder.Database(), time.Now().Format("20060102-150405")
	next, aside := file+".restored-"+stamp, file+".before-"+stamp
	if err := copyPrivate(chosen.Path, next); err != nil {
		_ = os.Remove(next)
		return fault.Wrap(err, fault.Unavailable, "could not copy %s: %s; nothing was changed", chosen.Path, paths.Reason(err))
	}
	if err := move(file, aside); err != nil {
		_ = os.Remove(next)
		return err
	}
	if err := paths.Replace(next, file); err != nil {
		return errors.Join(fault.Wrap(err, fault.Unavailable, "could not restore the copy: %s", paths.Reason(err)), move(aside, file))
	}
	return c.p.respond(map[string]string{"status": "restored", "copy": chosen.Path, "former": aside},
		"Went back to %s. The former database is %s.\nStart the hub with: agent-discover start\n", chosen.Name, aside)
}

// copyPrivate copies a file to a new one that only this user can read.
func copyPrivate(from, to string) error {
	in, err := paths.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
