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

const (
	busyTimeout = 2 * time.Second // how long to wait for a file that another program has open or locked
	retryPause  = 50 * time.Millisecond
	maxLockAge  = 10 * time.Second // an older lock is ignored: its program has crashed
	maxTempAge  = 10 * time.Minute // an older temporary file is removed
)

// Disk replaces files. The zero value uses the operating system; the fields
// replace single operations in tests.
type Disk struct {
	Sync   func(*os.File) error        // nil: File.Sync
	Rename func(from, to string) error // nil: os.Rename
	Busy   func(error) bool            // whether to retry after an error; nil: when the file is in use
}

// Replace gives a file new content. It creates missing folders, readable by the
// user only. The error is a fault.Conflict when the file no longer matches f, a
// fault.Busy when another program holds its lock or has it open, and a
// fault.Denied when f cannot be written. After an error the file is unchanged,
// unless another program wrote it at the same moment.
func (d Disk) Replace(ctx context.Context, f File, data []byte) (err error) {
	if err := f.CheckWritable(); err != nil {
		return err
	}
	made := f.MissingFolders()
	defer func() {
		if err != nil {
			RemoveEmptyFolders(made)
		}
	}()
	if err := makeFolders(made); err != nil {
		return unwritable(f, err)
	}
	removeAbandoned(f.Target)
	temp, err := d.writeTemp(f, data)
	if err != nil {
		return unwritable(f, err)
	}
	defer func() { _ = os.Remove(temp) }()
	if err := d.commit(ctx, f, func() error { return d.rename(temp, f.Target) }); err != nil {
		return err
	}
	return checkHash(f, HashOf(data))
}

// Remove deletes a file, with the same errors as Replace. Symbolic links to
// the file are kept.
func (d Disk) Remove(ctx context.Context, f File) error {
	if err := f.CheckWritable(); err != nil {
		return err
	}
	if err := d.commit(ctx, f, func() error { return os.Remove(f.Target) }); err != nil {
		return err
	}
	return checkHash(f, "")
}

// commit waits until no program holds the lock of the file, and calls act if
// the file still matches f.
func (d Disk) commit(ctx context.Context, f File, act func() error) error {
	if err := WaitForLock(ctx, f.Target); err != nil {
		return err
	}
	if err := checkHash(f, f.Hash); err != nil {
		return err
	}
	if err := d.retry(ctx, act); err != nil {
		return unwritable(f, err)
	}
	return d.syncFolder(filepath.Dir(f.Target))
}

// retry repeats act while it fails because the file is in use, until
// busyTimeout.
func (d Disk) retry(ctx context.Context, act func() error) error {
	busy := d.Busy
	if busy == nil {
		busy = inUse
	}
	for end := time.Now().Add(busyTimeout); ; {
		err := act()
		if err == nil || !busy(err) || time.Now().After(end) || sleep(ctx, retryPause) != nil {
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

// checkHash returns a fault.Conflict when the file has another hash, or when
// its links lead to another file.
func checkHash(f File, hash string) error {
	now, err := Read(f.Path)
	if err != nil {
		return err
	}
	if now.Hash != hash || now.Target != f.Target {
		return fault.New(fault.Conflict, "%s was changed by another program at the same moment; try again", f.Path)
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
	return fault.Wrap(err, fault.Failed, "%s cannot be written: %s", f.Path, reason(err))
}

// WaitForLock waits until no editor holds the lock of a file: a folder with the
// name of the file and the suffix .lock. A lock older than ten seconds is
// ignored. The error is a fault.Busy after two seconds.
func WaitForLock(ctx context.Context, target string) error {
	for end := time.Now().Add(busyTimeout); ; {
		info, err := os.Stat(target + ".lock")
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) > maxLockAge {
			return nil
		}
		if time.Now().After(end) || sleep(ctx, retryPause) != nil {
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

// writeTemp writes data to a new file in the folder of the target, with the
// mode and owner of the target.
func (d Disk) writeTemp(f File, data []byte) (path string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(f.Target), tempName(f.Target)+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = keepOwner(temp, f.info, filepath.Dir(f.Target))
	}
	if err == nil {
		err = temp.Chmod(f.Mode) // after Chown, which clears the setuid and setgid bits
	}
	if err == nil {
		err = d.sync(temp)
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		_ = os.Remove(temp.Name())
		return "", fmt.Errorf("write temporary file: %w", err)
	}
	return temp.Name(), nil
}

// sync flushes a file or folder to the disk.
func (d Disk) sync(f *os.File) error {
	if d.Sync != nil {
		return d.Sync(f)
	}
	return f.Sync()
}

// SyncAll flushes files and folders to the disk concurrently, because a
// journaling file system flushes many as fast as one.
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
		if err := inheritOwner(folder); err != nil {
			return err
		}
	}
	return nil
}

// RemoveEmptyFolders removes folders, the last first, and stops at one that is
// not empty.
func RemoveEmptyFolders(folders []string) {
	for _, folder := range slices.Backward(folders) {
		if os.Remove(folder) != nil {
			return
		}
	}
}

func tempName(target string) string { return "." + filepath.Base(target) + ".discover-" }

// removeAbandoned removes temporary files that a crashed process left beside
// target.
func removeAbandoned(target string) {
	folder := filepath.Dir(target)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		rest, isTemp := strings.CutPrefix(entry.Name(), tempName(target))
		if !isTemp || !entry.Type().IsRegular() {
			continue
		}
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		info, infoErr := entry.Info()
		if err != nil || infoErr != nil {
			continue
		}
		if time.Since(info.ModTime()) > maxTempAge || process.StartOf(pid) == "" {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
