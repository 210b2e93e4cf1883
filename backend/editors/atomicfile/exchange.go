package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// exchange puts the file temp in the place of an existing file. fresh is the hash of the content of
// temp. Afterwards temp is the name of the previous file.
//
// No system can rename a file on the condition that the target has an expected content. Therefore
// exchange swaps the two files, and then compares the previous file, which now has the name temp,
// with f. It also watches the previous file for a moment, because a program that opened it before
// the exchange writes to it and not to the new file. If the previous file is not the expected one,
// or if a program writes it, exchange swaps the files back.
func (d Disk) exchange(ctx context.Context, f File, temp, fresh string) error {
	guard, err := d.guard(ctx, f)
	if err != nil {
		return err
	}
	defer guard.release()
	err = d.whileExpected(ctx, guard, f, func() error { return d.swap(temp, f.Target) })
	if err != nil {
		return unwritable(f, err)
	}
	if d.watch(guard, f, temp) {
		return nil
	}
	return d.putBack(guard, f, temp, fresh)
}

// whileExpected repeats act while it fails because the file is in use, as long as
// the file is the expected one. Otherwise it returns a fault.Conflict.
func (d Disk) whileExpected(ctx context.Context, guard *guard, f File, act func() error) error {
	again := false
	return d.retry(ctx, func() error {
		if again {
			if err := checkHash(f, f.Hash); err != nil {
				return err
			}
		}
		again = true
		err := act()
		if guard.yield(err) {
			err = act()
		}
		return err
	})
}

// guard returns a guard for the file as soon as no program has the file open for writing. The error is a fault.Busy
// if a program keeps the file open, and a fault.Conflict if the file is no longer the expected one.
func (d Disk) guard(ctx context.Context, f File) (*guard, error) {
	for end := time.Now().Add(patience * d.rest()); ; {
		guard, err := newGuard(f.Target)
		if err == nil {
			if err = checkHash(f, f.Hash); err == nil && guard.broken() {
				err = conflict(f)
			}
			if err != nil {
				guard.release()
				return nil, err
			}
			return guard, nil
		}
		if time.Now().After(end) || sleep(ctx, d.rest()/10) != nil {
			return nil, fault.Wrap(err, fault.Busy, "another program has %s open for writing; try again in a moment", f.Path)
		}
	}
}

// watch watches the previous file, which now has the name old. It reports whether the file is the
// expected one and no program writes it. If the guard holds, only a program that was just opening
// the file can still write it, so the watch is short.
func (d Disk) watch(guard *guard, f File, old string) bool {
	first, err := Read(old)
	if err != nil || !first.Exists { // old is missing if the system supports neither an exchange nor hard links
		return err == nil
	}
	if first.Hash != f.Hash || !guard.covers(first) {
		return false
	}
	watched := d.rest()
	if guard.holds() {
		watched /= 4
	}
	for end := time.Now().Add(watched); ; {
		now, err := Stat(old)
		if err != nil || guard.broken() || now.info == nil || now.info.Size() != first.info.Size() ||
			!now.ModTime().Equal(first.ModTime()) {
			return false
		}
		if !time.Now().Before(end) {
			return sameContent(old, f.Hash)
		}
		time.Sleep(min(watched/10, 10*time.Millisecond))
	}
}

func sameContent(path, hash string) bool {
	f, err := Read(path)
	return err == nil && f.Hash == hash
}

// putBack undoes an exchange: it moves old back to f.Target. If another program has written
// f.Target since the exchange, that newer version stays, and putBack keeps old beside it under
// another name. The error is always a fault.
func (d Disk) putBack(guard *guard, f File, old, fresh string) error {
	if sameContent(f.Target, fresh) {
		if err := d.retry(context.Background(), func() error { return d.swap(old, f.Target) }); err != nil {
			return d.keepAside(f, old)
		}
		if sameContent(old, fresh) {
			return conflict(f)
		}
		if err := d.swap(old, f.Target); err != nil { // f.Target was written between the comparison and the exchange
			return d.keepAside(f, old)
		}
	}
	if sameContent(old, f.Hash) && !guard.broken() { // old equals f.Data, so it need not be kept
		return conflict(f)
	}
	return d.keepAside(f, old)
}

// keepAside renames version, which cannot stay at f.Target, to a name with the suffix .kept-N. No clean-up removes
// files with such a name. The error is never nil; it names the new path if the file could be renamed.
func (d Disk) keepAside(f File, version string) error {
	for n := 1; ; n++ {
		kept := filepath.Join(filepath.Dir(f.Target), filepath.Base(f.Target)+".kept-"+strconv.Itoa(n))
		err := os.Link(version, kept)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(version)
		} else {
			err = paths.Rename(version, kept)
		}
		if err != nil {
			return fault.Wrap(err, fault.Failed, "two programs wrote %s at the same moment; the other version could not be kept: %s",
				f.Path, Reason(err))
		}
		return fault.New(fault.Conflict, "two programs wrote %s at the same moment; the other version is in %s", f.Path, kept)
	}
}

// create links or renames temp to f.Target, unless another program has created a file there since f was read.
func (d Disk) create(f File, temp string) error {
	if err := checkHash(f, ""); err != nil {
		return err
	}
	err := os.Link(temp, f.Target)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return conflict(f)
	}
	return paths.Rename(temp, f.Target) // a file system without hard links
}

// detach removes an existing file. It renames the file to aside, then compares it with f and
// watches it, as exchange does. If another program writes the file, detach renames it back.
func (d Disk) detach(ctx context.Context, f File, aside string) error {
	guard, err := d.guard(ctx, f)
	if err != nil {
		return err
	}
	defer guard.release()
	err = d.whileExpected(ctx, guard, f, func() error { return paths.Rename(f.Target, aside) })
	if err != nil {
		return unwritable(f, err)
	}
	if d.watch(guard, f, aside) {
		return os.Remove(aside)
	}
	if err := os.Link(aside, f.Target); err != nil { // another program has created the file again
		return d.keepAside(f, aside)
	}
	_ = os.Remove(aside) // aside is a second name of the file at f.Target
	return conflict(f)
}

func conflict(f File) error {
	return fault.New(fault.Conflict, "%s was changed by another program at the same moment; try again", f.Path)
}

// swap exchanges two files, atomically if the system can, and otherwise by swapByLink.
func (d Disk) swap(temp, target string) error {
	if d.Swap != nil {
		return d.Swap(temp, target)
	}
	if err := exchangeFiles(temp, target); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return swapByLink(temp, target)
}

// swapByLink renames temp to target, and the previous file at target to temp. On a file system without hard links,
// the previous file is lost.
func swapByLink(temp, target string) error {
	old, linked := temp+"-old", error(nil)
	for n := 2; ; n++ { // on Windows, the name of a removed file stays taken while a program has the file open
		if linked = os.Link(target, old); !errors.Is(linked, fs.ErrExist) {
			break
		}
		old = temp + "-old-" + strconv.Itoa(n)
	}
	if err := paths.Rename(temp, target); err != nil {
		_ = os.Remove(old)
		return err
	}
	if linked != nil {
		return nil
	}
	return paths.Replace(old, temp)
}
