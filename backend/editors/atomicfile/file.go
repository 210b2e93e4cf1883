// Package atomicfile replaces the content of a file that belongs to another program. It follows
// symbolic links, keeps the mode, owner and extended attributes, and replaces either the whole
// content or nothing, and only if the file is unchanged since it was read. It refuses a file for
// which it cannot keep one of these promises. It does not look at the content; package configedit
// edits text.
//
// Other programs do not coordinate with this one and may write at any moment: by a rename, or by
// truncating the file and writing it again. So a file is read only when it is at rest (see
// Disk.ReadAtRest). It is then exchanged with the new file rather than overwritten, so that a
// version that another program wrote at the last moment is detected and restored (see
// Disk.exchange).
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
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// MaxSize is the largest size in bytes of a file that Read accepts.
const MaxSize = 16 << 20

// maxLinks is the largest number of symbolic links that resolve follows, as in Linux.
const maxLinks = 40

// File is the state of a file at the time of Read or Stat.
type File struct {
	Path   string      // as given by the caller
	Target string      // the path at the end of all symbolic links
	Exists bool        // false when Target does not exist
	Data   []byte      // the content; must not be modified
	Hash   string      // HashOf(Data); "" when the file does not exist
	Mode   fs.FileMode // the permissions, or those of the new file if it does not exist

	info fs.FileInfo // nil when the file does not exist
}

// HashOf returns the SHA-256 of data in hexadecimal.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read reads a file. A missing file is not an error; a cycle of symbolic
// links, anything but a regular file, and a file larger than MaxSize are a
// fault.Invalid.
func Read(path string) (File, error) {
	f, err := Stat(path)
	if err != nil || !f.Exists {
		return f, err
	}
	if f.Data, err = paths.ReadFile(f.Target); err != nil {
		return File{}, unreadable(path, err)
	}
	f.Hash = HashOf(f.Data)
	return f, nil
}

// Stat is like Read, but leaves Data and Hash empty.
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

// Fingerprint identifies a state of the file by its time, size, inode and mode;
// it is "" when the file does not exist. Two changes within the resolution of
// the file's time may have the same fingerprint.
func (f File) Fingerprint() string {
	if f.info == nil {
		return ""
	}
	return fmt.Sprint(f.Target, f.info.ModTime().UnixNano(), f.info.Size(), inode(f.info), f.Mode)
}

// ModTime returns when the file was last modified; zero when it does not exist.
func (f File) ModTime() time.Time {
	if f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}

// Size returns the size of the file in bytes; 0 when it does not exist.
func (f File) Size() int64 {
	if f.info == nil {
		return 0
	}
	return f.info.Size()
}

// MissingFolders returns the folders that must be created before the file can
// be created, the outermost first.
func (f File) MissingFolders() []string {
	above, _, err := existingParent(filepath.Dir(f.Target))
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
		return fault.Wrap(err, fault.Denied, "%s cannot be read: permission denied", path)
	}
	return fault.Wrap(err, fault.Failed, "%s cannot be read: %s", path, Reason(err))
}

// Reason returns the error of the operating system without the path.
func Reason(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err.Error()
	}
	if failed, ok := errors.AsType[*os.SyscallError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// resolve returns the path at the end of all symbolic links, which may not
// exist yet.
func resolve(path string) (string, error) {
	at := filepath.Clean(path)
	for range maxLinks {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, ignoreMissing(path, err)
		}
		link, err := os.Readlink(at)
		if err != nil {
			return "", unreadable(path, err)
		}
		if !filepath.IsAbs(link) { // relative to the real folder of the link
			folder, err := filepath.EvalSymlinks(filepath.Dir(at))
			if err != nil {
				return "", unreadable(path, err)
			}
			link = filepath.Join(folder, link)
		}
		at = filepath.Clean(link)
	}
	return "", fault.New(fault.Invalid, "%s is a symbolic link that leads back to itself; fix the link first", path)
}

// ignoreMissing turns an error of Lstat into a fault. It returns nil when the
// error only means that the file does not exist.
func ignoreMissing(path string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if parent, bad := os.Stat(filepath.Dir(path)); bad == nil && !parent.IsDir() {
		return fault.Wrap(err, fault.Invalid, "%s is not a folder", filepath.Dir(path))
	}
	return unreadable(path, err)
}

// CheckWritable returns why the file cannot be replaced, or nil. It checks the
// permissions itself, because the operating system lets root write a file that
// its owner has made read-only.
func (f File) CheckWritable() error {
	if f.info != nil { // info is also nil in a File that a preview constructs
		if err := f.checkReplaceable(); err != nil {
			return err
		}
	} else if err := f.checkLink(); err != nil {
		return err
	}
	folder, info, err := existingParent(filepath.Dir(f.Target))
	switch {
	case err != nil:
		return unreadable(f.Path, err)
	case !info.IsDir():
		return fault.New(fault.Invalid, "%s is not a folder", folder)
	case !writable(info):
		return fault.New(fault.Denied, "the folder %s is read-only", folder)
	}
	return nil
}

// checkReplaceable returns why an existing file cannot be replaced, or nil.
func (f File) checkReplaceable() error {
	switch {
	case !writable(f.info):
		return fault.New(fault.Denied, "%s is read-only", f.Path)
	case ownedByOther(f.info):
		return fault.New(fault.Denied, "%s belongs to another user of this computer", f.Path)
	case f.hasOtherLink():
		return fault.New(fault.Denied, "%s has another hard link, which would keep the old content", f.Path)
	}
	return nil
}

// linkPatience is how long another hard link may exist before CheckWritable refuses the file. On a
// system that cannot exchange two files, another hub that replaces the file creates such a link for
// a moment.
const linkPatience = time.Second

// hasOtherLink reports whether the file still has another hard link after linkPatience.
func (f File) hasOtherLink() bool {
	for end := time.Now().Add(linkPatience); hardLinks(f.Target, f.info) > 1; {
		if time.Now().After(end) {
			return true
		}
		time.Sleep(linkPatience / 50)
		if info, err := os.Stat(f.Target); err == nil {
			f.info = info
		}
	}
	return false
}

// checkLink refuses a link into a folder that does not exist. Such a link is
// probably a mistake, so the folder is not created.
func (f File) checkLink() error {
	if info, err := os.Lstat(f.Path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(f.Target)); err != nil {
		return fault.New(fault.Invalid, "%s is a symbolic link into %s, and that folder does not exist", f.Path, filepath.Dir(f.Target))
	}
	return nil
}

// existingParent returns folder or, if it does not exist, its nearest parent that exists.
func existingParent(folder string) (string, fs.FileInfo, error) {
	for {
		info, err := os.Stat(folder)
		parent := filepath.Dir(folder)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || parent == folder {
			return folder, info, err
		}
		folder = parent
	}
}
