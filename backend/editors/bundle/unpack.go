package bundle

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// unfinished begins the names of folders in which a bundle is being unpacked,
// or which are to be removed.
const unfinished = ".unpacking-"

// Placed is a bundle that was unpacked. One of Keep and Undo ends it.
type Placed struct {
	Folder string
	before string // what was there before, set aside; "" for nothing
}

// Unpack puts all that is in the bundle into a folder of its own below root,
// whole or not at all, closed to other users. What was in that folder comes
// back with Undo. Only one runs at a time on a root.
func (b *Bundle) Unpack(ctx context.Context, root string, program Launch) (*Placed, error) {
	if err := prepare(root); err != nil {
		return nil, full(err)
	}
	fresh, err := os.MkdirTemp(root, unfinished+"*")
	if err != nil {
		return nil, full(err)
	}
	placed := &Placed{Folder: filepath.Join(root, b.Folder())}
	if err = b.fill(ctx, fresh, b.program(program, placed.Folder)); err == nil {
		err = placed.swap(fresh)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(fresh))
	}
	return placed, nil
}

// prepare makes the root, and removes what a process that was killed has left.
func prepare(root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(root, unfinished+"*"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

func full(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "the bundle cannot be unpacked into the data folder; is the disk full?")
}

func (b *Bundle) fill(ctx context.Context, folder, program string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return full(err)
	}
	defer func() { _ = root.Close() }()
	left := b.bytes
	for name, f := range b.files {
		if err := ctx.Err(); err != nil {
			return fault.Wrap(err, fault.Unavailable, "unpacking was cut short")
		}
		mode := fs.FileMode(0o600)
		if f.Mode()&0o111 != 0 || name == program {
			mode = 0o700
		}
		n, err := unpack(root, name, f, mode, left)
		if err != nil {
			return full(err)
		}
		left -= n
	}
	return nil
}

// unpack writes a file of at most left bytes. Root lets nothing out of it.
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

// swap puts a folder in its place, and what is there aside.
func (p *Placed) swap(fresh string) error {
	if _, err := os.Lstat(p.Folder); err == nil {
		p.before = filepath.Join(filepath.Dir(p.Folder), unfinished+"before-"+filepath.Base(p.Folder))
		if err := os.Rename(p.Folder, p.before); err != nil {
			return fault.Wrap(err, fault.Busy, "the folder of the bundle is in use; stop its server and try again")
		}
	}
	if err := os.Rename(fresh, p.Folder); err != nil {
		if p.before != "" {
			err = errors.Join(err, os.Rename(p.before, p.Folder))
		}
		return full(err)
	}
	return nil
}

// Keep ends the unpacking: what was there before is gone for good.
func (p *Placed) Keep() error {
	if p.before == "" {
		return nil
	}
	return os.RemoveAll(p.before)
}

// Undo takes away what was unpacked, and brings back what was there before.
func (p *Placed) Undo() error {
	err := os.RemoveAll(p.Folder)
	if p.before != "" {
		err = errors.Join(err, os.Rename(p.before, p.Folder))
	}
	return err
}
