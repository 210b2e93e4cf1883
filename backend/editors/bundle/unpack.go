package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// unfinished is the prefix of folders that are being unpacked or removed.
const unfinished = ".unpacking-"

// Unpacked is an unpacked bundle. The caller must call either Keep or Undo.
type Unpacked struct {
	Folder string
	before string // path to which the replaced folder was moved; "" when there was none
}

// Unpack writes all files of the bundle to its Folder below root, readable by the user only. If the command line
// program starts a file of the bundle, this file becomes executable. Unpack replaces an existing folder, which
// Undo restores; after an error nothing has changed. Calls for the same root must not overlap.
func (b *Bundle) Unpack(ctx context.Context, root string, program Launch) (*Unpacked, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, unpackError(err)
	}
	if err := RemoveUnfinished(root); err != nil {
		return nil, unpackError(err)
	}
	fresh, err := os.MkdirTemp(root, unfinished+"*")
	if err != nil {
		return nil, unpackError(err)
	}
	unpacked := &Unpacked{Folder: filepath.Join(root, b.Folder())}
	started := "" // the path in the bundle of the started program, if it is in the bundle
	if inside, err := filepath.Rel(unpacked.Folder, program.Command); err == nil && filepath.IsLocal(inside) {
		started = filepath.ToSlash(inside)
	}
	if err = b.fill(ctx, fresh, started); err == nil {
		err = unpacked.swap(fresh)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(fresh))
	}
	return unpacked, nil
}

// RemoveUnfinished removes folders that interrupted calls of Unpack have left in a root. It must not run at the
// same time as Unpack with the same root.
func RemoveUnfinished(root string) error {
	var err error
	for _, folder := range paths.Glob(root, unfinished+"*") {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

func unpackError(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "could not unpack the bundle into the data folder; check that the disk is not full")
}

func (b *Bundle) fill(ctx context.Context, folder, program string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return unpackError(err)
	}
	defer func() { _ = root.Close() }()
	left := b.bytes
	for name, f := range b.files {
		if err := ctx.Err(); err != nil {
			return fault.Wrap(err, fault.Unavailable, "unpacking was interrupted")
		}
		mode := fs.FileMode(0o600)
		if f.Mode()&0o111 != 0 || name == program {
			mode = 0o700
		}
		n, err := unpack(root, name, f, mode, left)
		if err != nil {
			return unpackError(err)
		}
		left -= n
	}
	return nil
}

// unpack writes the file f below root and returns its size, which may be at most left bytes. root
// refuses paths that lead outside.
func unpack(root *os.Root, name string, f *zip.File, mode fs.FileMode, left int64) (n int64, err error) {
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, err
	}
	in, err := f.Open()
	if err != nil {
		return 0, notBundle(err)
	}
	defer func() { _ = in.Close() }()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err = io.Copy(out, io.LimitReader(in, left+1))
	switch {
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		return n, notBundle(err)
	case err == nil && n > left:
		return n, tooLarge()
	}
	return n, err
}

// swap renames the folder fresh to the final name, and moves away a folder that has this name
// already.
func (p *Unpacked) swap(fresh string) error {
	if _, err := os.Lstat(p.Folder); err == nil {
		p.before = filepath.Join(filepath.Dir(p.Folder), unfinished+"before-"+filepath.Base(p.Folder))
		if err := paths.Replace(p.Folder, p.before); err != nil {
			return fault.Wrap(err, fault.Busy, "the folder of the bundle is in use; stop its server and try again")
		}
	}
	if err := paths.Replace(fresh, p.Folder); err != nil {
		if p.before != "" {
			err = errors.Join(err, paths.Replace(p.before, p.Folder))
		}
		return unpackError(err)
	}
	return nil
}

// Keep removes the folder that the unpacked bundle replaced, if any.
func (p *Unpacked) Keep() error {
	if p.before == "" {
		return nil
	}
	return os.RemoveAll(p.before)
}

// Undo removes the unpacked bundle and restores the folder that it replaced, if any.
func (p *Unpacked) Undo() error {
	err := os.RemoveAll(p.Folder)
	if p.before != "" {
		err = errors.Join(err, paths.Replace(p.before, p.Folder))
	}
	return err
}

// In reports whether a folder contains every file of the bundle with the same
// content. Files that the bundle does not have are ignored.
func (b *Bundle) In(folder string) bool {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	left := b.bytes
	for name, f := range b.files {
		n, same := sameContent(root, name, f, left)
		if !same {
			return false
		}
		left -= n
	}
	return true
}

// sameContent reports whether the file called name has the same content as f. The content may have
// at most left bytes.
func sameContent(root *os.Root, name string, f *zip.File, left int64) (size int64, same bool) {
	installed, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return 0, false
	}
	defer func() { _ = installed.Close() }()
	packed, err := f.Open()
	if err != nil {
		return 0, false
	}
	defer func() { _ = packed.Close() }()
	one, other := sha256.New(), sha256.New()
	size, err = io.Copy(one, io.LimitReader(packed, left+1))
	if err != nil || size > left {
		return size, false
	}
	n, err := io.Copy(other, io.LimitReader(installed, left+1))
	return size, err == nil && n == size && bytes.Equal(one.Sum(nil), other.Sum(nil))
}
