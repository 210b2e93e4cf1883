package atomicfile

import (
	"bytes"
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
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

const (
	busyTimeout = 2 * time.Second // how long to wait for a file that another program has open or locked
	retryPause  = 50 * time.Millisecond
	maxLockAge  = 10 * time.Second // an older lock is ignored, because its program has probably crashed
	maxTempAge  = 10 * time.Minute // an older temporary file is removed
)

// Disk replaces files. The zero value is ready to use; tests set its fields to override single operations.
type Disk struct {
	Sync  func(*os.File) error                 // nil means File.Sync
	Swap  func(temp, target string) error      // exchanges two files; nil means atomically if the system can, and otherwise by a hard link
	Busy  func(error) bool                     // reports whether to retry after an error; nil means if the file is in use
	Rest  time.Duration                        // how long a file must be unchanged before it is used; 0 means 250 ms
	Clock func(temp string) (time.Time, error) // returns the modification time of temp by the clock of its file system; nil means Stat
}

// Replace gives a file new content. It creates missing folders, readable by the user only. The error is a
// fault.Conflict if the file no longer matches f or if another program writes it at the same moment. It is a
// fault.Busy if another program has the file open or holds its lock, and a fault.Denied if f cannot be written. After
// an error, the file has the content that another program last wrote, unless the error is only that the folder could
// not be flushed to the disk.
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
	defer func() { _ = os.Remove(temp) }() // after an exchange, this is the previous file, whose content is in f.Data
	if err := d.await(ctx, f, temp); err != nil {
		return err
	}
	fresh := HashOf(data)
	if f.Exists {
		err = d.exchange(ctx, f, temp, fresh)
	} else if err = d.create(f, temp); err != nil {
		err = unwritable(f, err)
	}
	if err != nil {
		return err
	}
	return d.finish(f, fresh)
}

// Remove deletes a file, with the same errors as Replace. Symbolic links to
// the file are kept.
func (d Disk) Remove(ctx context.Context, f File) error {
	if err := f.CheckWritable(); err != nil {
		return err
	}
	aside, err := d.writeTemp(f, nil)
	if err != nil {
		return unwritable(f, err)
	}
	placeholder, err := os.Lstat(aside)
	if err == nil {
		err = d.await(ctx, f, aside)
	}
	if err == nil {
		err = d.detach(ctx, f, aside)
	}
	if err != nil {
		if now, bad := os.Lstat(aside); bad == nil && os.SameFile(placeholder, now) {
			_ = os.Remove(aside)
		}
		return unwritable(f, err)
	}
	return d.finish(f, "")
}

// await waits until the file is at rest and no program holds its lock. temp is
// a file that was just written in the same folder.
func (d Disk) await(ctx context.Context, f File, temp string) error {
	if err := d.awaitRest(ctx, f, temp); err != nil {
		return unwritable(f, err)
	}
	return WaitForLock(ctx, f.Target)
}

// finish flushes the file's folder to the disk and checks that the file still has the given hash.
func (d Disk) finish(f File, hash string) error {
	if err := d.syncFolder(filepath.Dir(f.Target)); err != nil {
		return unwritable(f, err)
	}
	return checkHash(f, hash)
}

// retry repeats act while it fails because the file is in use, for at most busyTimeout.
func (d Disk) retry(ctx context.Context, act func() error) error {
	busy := d.Busy
	if busy == nil {
		busy = paths.InUse
	}
	for end := time.Now().Add(busyTimeout); ; {
		err := act()
		if err == nil || !busy(err) || time.Now().After(end) || sleep(ctx, retryPause) != nil {
			return err
		}
	}
}

// checkHash returns a fault.Conflict when the file has another hash, or when the symbolic links at its path now lead
// to another file.
func checkHash(f File, hash string) error {
	now, err := Read(f.Path)
	if err != nil {
		return err
	}
	if now.Hash != hash || now.Target != f.Target {
		return conflict(f)
	}
	return nil
}

func unwritable(f File, err error) error {
	switch {
	case fault.KindOf(err) != fault.Internal:
		return err
	case paths.InUse(err):
		return fault.Wrap(err, fault.Busy, "another program has %s open", f.Path)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Denied, "%s cannot be written: permission denied", f.Path)
	}
	return fault.Wrap(err, fault.Failed, "%s cannot be written: %s", f.Path, Reason(err))
}

// WaitForLock waits until no editor holds the lock of a file: a folder with the name of the file and the suffix
// .lock. A lock older than ten seconds is ignored. The error is a fault.Busy if the lock is still held after two
// seconds or when ctx ends.
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
// mode, owner and attributes of the target.
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
	if err == nil && f.Exists {
		err = keepAttributes(temp, f.Target)
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

func (d Disk) sync(f *os.File) error {
	if d.Sync != nil {
		return d.Sync(f)
	}
	return f.Sync()
}

// SyncAll flushes files and folders to the disk concurrently, because a journaling file system can
// flush many of them in one transaction.
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

// RemoveEmptyFolders removes folders, the last one first. It stops at the first folder that is not empty.
func RemoveEmptyFolders(folders []string) {
	for _, folder := range slices.Backward(folders) {
		if os.Remove(folder) != nil {
			return
		}
	}
}

func tempName(target string) string { return "." + filepath.Base(target) + ".discover-" }

// removeAbandoned removes the temporary files beside target that were made by a process that has ended, or that are
// older than maxTempAge.
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

// attempts is how many times Edit tries to replace a file that other programs write at the same
// moment.
const attempts = 3

// Edit replaces the content of a file with the result of edit, whose argument is the present
// content, or empty if the file does not exist. It waits until the file is at rest, and reads it
// again when another program writes it at the same moment. check has the same meaning as in
// ReadAtRest. The error is one of those of Replace, or that of edit.
func (d Disk) Edit(ctx context.Context, path string, check func(data []byte) error, edit func(data []byte) ([]byte, error)) error {
	defer LockFolder(ctx, path)()
	for n := 1; ; n++ {
		f, err := d.ReadAtRest(ctx, path, check)
		if err != nil {
			return err
		}
		text, err := edit(f.Data)
		if err != nil || f.Exists && bytes.Equal(text, f.Data) {
			return err
		}
		if err = d.Replace(ctx, f, text); fault.KindOf(err) != fault.Conflict || n == attempts {
			return err
		}
	}
}
