package atomicfile

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	// defaultRest is how long a file must be unchanged before its content is used.
	defaultRest = 250 * time.Millisecond
	// patience is how long to wait for a file that keeps changing, in multiples of Disk.Rest.
	patience = 8
	// doubt is how long a file must be unchanged if it is empty or cannot be parsed, in multiples
	// of Disk.Rest: another program may have truncated it and not written it yet.
	doubt = 4
)

func (d Disk) rest() time.Duration {
	if d.Rest > 0 {
		return d.Rest
	}
	return defaultRest
}

// ReadAtRest reads a file that no other program is writing. It reads the file again while a program
// has it open for writing, where the system can tell, and until the file has been unchanged for a
// moment. This moment is longer if the file is empty or check returns an error, because many
// programs truncate a file before they write it. check may be nil. The error is one of those of
// Read, or a fault.Busy when the file is still being written after two seconds. A file that is at
// rest and fails the check is not an error.
func (d Disk) ReadAtRest(ctx context.Context, path string, check func(data []byte) error) (File, error) {
	begin := time.Now()
	var last File
	var since time.Time // when last was first seen
	for {
		f, err := Read(path)
		if err != nil || !f.Exists {
			return f, err
		}
		now := time.Now()
		if since.IsZero() || f.Hash != last.Hash || f.state() != last.state() {
			last, since = f, now
		}
		needed := d.rest()
		if len(bytes.TrimLeft(f.Data, " \t\r\n")) == 0 || check != nil && check(f.Data) != nil {
			needed *= doubt
		}
		quiet := max(now.Sub(f.ModTime()), now.Sub(since)) // the clock of the file system may be ahead
		if quiet >= needed && !openForWriting(f.Target) && f.isCurrent() {
			return f, nil
		}
		if now.Sub(begin) > patience*d.rest() || sleep(ctx, d.rest()/10) != nil {
			return File{}, fault.New(fault.Busy, "another program is writing %s; try again in a moment", path)
		}
	}
}

// isCurrent reports whether the file is still in the state in which it was read. A program that had
// the file open for writing at that time may have written more since, and closed the file.
func (f File) isCurrent() bool {
	now, err := Stat(f.Path)
	return err == nil && now.Target == f.Target && now.state() == f.state()
}

// state is like Fingerprint, but includes the inode change time (ctime).
func (f File) state() string { return fmt.Sprint(f.Fingerprint(), statusTime(f.info)) }

// awaitRest waits until f has been unchanged for the duration of d.rest. It takes the current time
// from temp, which was just written, because the clock of the file system may differ from that of
// this machine.
func (d Disk) awaitRest(ctx context.Context, f File, temp string) error {
	if !f.Exists {
		return nil
	}
	clock := d.Clock
	if clock == nil {
		clock = func(temp string) (time.Time, error) { f, err := Stat(temp); return f.ModTime(), err }
	}
	fresh, err := clock(temp)
	if err != nil {
		return err
	}
	age := fresh.Sub(f.ModTime())
	if age < 0 { // the file's time is in the future
		age = 0
	}
	if wait := d.rest() - age; wait > 0 && sleep(ctx, wait) != nil {
		return fault.New(fault.Busy, "another program is writing %s; try again in a moment", f.Path)
	}
	return nil
}
