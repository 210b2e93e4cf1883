package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// How long is waited for others: for a program that has a file open, which
// Windows does not let anybody replace, and for one that holds its lock.
const (
	patience = 2 * time.Second
	pause    = 50 * time.Millisecond
	lockAge  = 10 * time.Second // a lock that is older was left behind
	tempAge  = 10 * time.Minute
)

// Disk replaces files. The zero value is ready.
type Disk struct {
	Sync   func(*os.File) error             // nil: brings what was written to the disk
	Rename func(from, to string) error      // nil: os.Rename
	Busy   func(error) bool                 // whether to try again; nil: as the system says it
	Before func(path string) (proceed bool) // called just before the file is replaced; tests only
}

// Put gives a file another content, and makes its folders where they are
// missing, closed to others. It is a fault.Conflict when the file is not as f
// says any more, fault.Busy when another program holds it, and fault.Denied
// when f is not writable; then nothing was changed.
func (d Disk) Put(ctx context.Context, f File, data []byte) (err error) {
	if err := f.Writable(); err != nil {
		return err
	}
	made := f.Folders()
	defer func() {
		if err != nil {
			RemoveFolders(made)
		}
	}()
	if err := makeFolders(made); err != nil {
		return unwritable(f, err)
	}
	sweep(f.Target)
	temp, err := d.write(f, data)
	if err != nil {
		return unwritable(f, err)
	}
	defer func() { _ = os.Remove(temp) }()
	if err := d.replace(ctx, f, func() error { return d.rename(temp, f.Target) }); err != nil {
		return err
	}
	return confirm(f, HashOf(data))
}

// Remove takes a file away, with the errors of Put. A link to it stays.
func (d Disk) Remove(ctx context.Context, f File) error {
	if err := f.Writable(); err != nil {
		return err
	}
	if err := d.replace(ctx, f, func() error { return os.Remove(f.Target) }); err != nil {
		return err
	}
	return confirm(f, "")
}

// replace acts on a file that nobody holds and that is as it was.
func (d Disk) replace(ctx context.Context, f File, act func() error) error {
	if err := AwaitLock(ctx, f.Target); err != nil {
		return err
	}
	if err := confirm(f, f.Hash); err != nil {
		return err
	}
	if d.Before != nil && !d.Before(f.Target) {
		return fault.New(fault.Failed, "stopped")
	}
	if err := d.insist(ctx, act); err != nil {
		return unwritable(f, err)
	}
	return d.syncFolder(filepath.Dir(f.Target))
}

// insist tries until nobody is in the way, or for as long as we are patient.
func (d Disk) insist(ctx context.Context, act func() error) error {
	busy := d.Busy
	if busy == nil {
		busy = inUse
	}
	for end := time.Now().Add(patience); ; {
		err := act()
		if err == nil || !busy(err) || time.Now().After(end) || sleep(ctx, pause) != nil {
			return err
		}
	}
}

func (d Disk) rename(from, to string) error {
	if d.Rename != nil {
		return d.Rename(from, to)
	}
	return os.Rename(from, to)
}

// confirm reports a file that is not, or not any more, what it has to be.
func confirm(f File, hash string) error {
	now, err := Look(f.Path)
	if err != nil {
		return err
	}
	if now.Hash != hash || now.Target != f.Target {
		return fault.New(fault.Conflict, "%s was changed by another program at the same moment", f.Path)
	}
	return nil
}

func unwritable(f File, err error) error {
	switch {
	case fault.KindOf(err) != fault.Internal:
		return err
	case inUse(err):
		return fault.Wrap(err, fault.Busy, "another program has %s open", f.Path)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Denied, "%s cannot be written: permission denied", f.Path)
	}
	return fault.Wrap(err, fault.Failed, "%s cannot be written", f.Path)
}

// AwaitLock waits until the lock that some editors put beside their file, a
// folder named like it with .lock, is gone or was left behind. It is a
// fault.Busy when that takes too long.
func AwaitLock(ctx context.Context, target string) error {
	for end := time.Now().Add(patience); ; {
		info, err := os.Stat(target + ".lock")
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) > lockAge {
			return nil
		}
		if time.Now().After(end) || sleep(ctx, pause) != nil {
			return fault.New(fault.Busy, "another program is writing %s; try again in a moment", target)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write puts a content into a file beside the target, with its mode and owner.
func (d Disk) write(f File, data []byte) (path string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(f.Target), tempName(f.Target)+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = keepOwner(temp, f.info, filepath.Dir(f.Target))
	}
	if err == nil {
		err = temp.Chmod(f.Mode) // after the owner, whose change takes bits away
	}
	if err == nil {
		err = d.sync(temp)
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		_ = os.Remove(temp.Name())
		return "", fmt.Errorf("write beside: %w", err)
	}
	return temp.Name(), nil
}

// sync brings a file or folder to the disk.
func (d Disk) sync(f *os.File) error {
	if d.Sync != nil {
		return d.Sync(f)
	}
	return f.Sync()
}

// SyncAll brings files to the disk all at once: a journal takes many as fast as
// one.
func (d Disk) SyncAll(paths ...string) error {
	failed := make(chan error, len(paths))
	for _, path := range paths {
		go func() { failed <- d.syncPath(path) }()
	}
	var err error
	for range paths {
		err = errors.Join(err, <-failed)
	}
	return err
}

func (d Disk) syncPath(path string) error {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return errors.Join(err, d.syncFolder(path))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}

func makeFolders(missing []string) error {
	for _, folder := range missing {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := giveFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFolders removes folders that are empty, the last first.
func RemoveFolders(folders []string) {
	for _, folder := range slices.Backward(folders) {
		if os.Remove(folder) != nil {
			return
		}
	}
}

func tempName(target string) string { return "." + filepath.Base(target) + ".discover-" }

// sweep removes what a writer that died has left beside a file.
func sweep(target string) {
	folder := filepath.Dir(target)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), tempName(target))
		if !ours || !entry.Type().IsRegular() {
			continue
		}
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		info, gone := entry.Info()
		if err != nil || gone != nil {
			continue
		}
		if time.Since(info.ModTime()) > tempAge || process.StartOf(pid) == "" {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
