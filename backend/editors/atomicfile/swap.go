// Package swap answers how a file that belongs to another program gets another
// content: whole or not at all, in its place behind all links, with its mode
// and owner, and only while it is what was read. It refuses where it could not
// keep one of these, and knows nothing of what is in a file.
//
// Between the last look at a file and its replacement others can still write:
// no system has a rename that compares. That time is kept short, a lock of
// another program is respected, and the file is looked at again afterwards.
package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// MaxSize is the length in bytes beyond which a file is refused.
const MaxSize = 16 << 20

// maxLinks is how many links may follow on each other, as in Linux.
const maxLinks = 40

// File is a file as it was when it was looked at.
type File struct {
	Path   string      // as it was asked for
	Target string      // what is replaced: where the links of Path lead
	Exists bool        // false: Target is not there, but may be made
	Data   []byte      // nobody changes it
	Hash   string      // of Data; "" when there is no file
	Mode   fs.FileMode // its permissions; for one that is not there those that it gets

	info fs.FileInfo // nil when it is not there
}

// HashOf names a content.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Look reads a file. One that is not there is no error; a loop of links,
// something that is no file and one beyond MaxSize are a fault.Invalid.
func Look(path string) (File, error) {
	f, err := Stat(path)
	if err != nil || !f.Exists {
		return f, err
	}
	if f.Data, err = os.ReadFile(f.Target); err != nil {
		return File{}, unreadable(path, err)
	}
	f.Hash = HashOf(f.Data)
	return f, nil
}

// Stat is Look without the content and its hash.
func Stat(path string) (File, error) {
	target, err := resolve(path)
	if err != nil {
		return File{}, err
	}
	f := File{Path: path, Target: target, Mode: 0o600}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return File{}, unreadable(path, err)
	case !info.Mode().IsRegular():
		return File{}, fault.New(fault.Invalid, "%s is not a file", path)
	case info.Size() > MaxSize:
		return File{}, fault.New(fault.Invalid, "%s is larger than 16 MB", path)
	}
	f.Exists, f.Mode, f.info = true, info.Mode().Perm(), info
	return f, nil
}

// Mark tells a file from what it was before, by its time, length and number,
// as far as these tell: one that was changed twice within the grain of its
// time may look the same. It is "" when there is no file.
func (f File) Mark() string {
	if f.info == nil {
		return ""
	}
	return fmt.Sprint(f.Target, f.info.ModTime().UnixNano(), f.info.Size(), number(f.info), f.Mode)
}

// Changed is when the file was changed last.
func (f File) Changed() time.Time {
	if f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}

// Folders are those that are missing for the file, the outer one first.
func (f File) Folders() []string {
	above, _, err := nearest(filepath.Dir(f.Target))
	if err != nil {
		return nil
	}
	var missing []string
	for at := filepath.Dir(f.Target); at != above; at = filepath.Dir(at) {
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	return missing
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(err, fault.Denied, "%s cannot be read: its permissions do not allow it", path)
	}
	return fault.Wrap(err, fault.Failed, "%s cannot be read", path)
}

// resolve follows links to their end, also where nothing is there yet.
func resolve(path string) (string, error) {
	at := filepath.Clean(path)
	for range maxLinks {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, unlessAbsent(path, err)
		}
		link, err := os.Readlink(at)
		if err != nil {
			return "", unreadable(path, err)
		}
		if !filepath.IsAbs(link) { // it counts from where the link really is
			folder, err := filepath.EvalSymlinks(filepath.Dir(at))
			if err != nil {
				return "", unreadable(path, err)
			}
			link = filepath.Join(folder, link)
		}
		at = filepath.Clean(link)
	}
	return "", fault.New(fault.Invalid, "%s is a link that leads in a circle; mend the link first", path)
}

func unlessAbsent(path string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if parent, bad := os.Stat(filepath.Dir(path)); bad == nil && !parent.IsDir() {
		return fault.Wrap(err, fault.Invalid, "%s is not a folder", filepath.Dir(path))
	}
	return unreadable(path, err)
}

// Writable says why the file cannot be replaced, or nil. It asks permissions
// and not the system: who is root may write what its owner has closed.
func (f File) Writable() error {
	if f.Exists {
		if err := f.closed(); err != nil {
			return err
		}
	} else if err := f.reachable(); err != nil {
		return err
	}
	folder, info, err := nearest(filepath.Dir(f.Target))
	switch {
	case err != nil:
		return unreadable(f.Path, err)
	case !info.IsDir():
		return fault.New(fault.Invalid, "%s is not a folder", folder)
	case !permits(info):
		return fault.New(fault.Denied, "the folder %s is read-only", folder)
	}
	return nil
}

func (f File) closed() error {
	switch {
	case !permits(f.info):
		return fault.New(fault.Denied, "%s is read-only", f.Path)
	case ofAnother(f.info):
		return fault.New(fault.Denied, "%s belongs to another user of this computer", f.Path)
	case names(f.info) > 1:
		return fault.New(fault.Denied, "%s has a second name (a hard link), which would keep the old content", f.Path)
	}
	return nil
}

// reachable refuses to make folders behind a link that leads nowhere: it is
// more likely wrong than a wish.
func (f File) reachable() error {
	if info, err := os.Lstat(f.Path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(f.Target)); err != nil {
		return fault.New(fault.Invalid, "%s is a link to %s, and that folder is not there", f.Path, filepath.Dir(f.Target))
	}
	return nil
}

// nearest returns a folder, or the first above it that is there.
func nearest(folder string) (string, fs.FileInfo, error) {
	for {
		info, err := os.Stat(folder)
		parent := filepath.Dir(folder)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || parent == folder {
			return folder, info, err
		}
		folder = parent
	}
}
