package bundle

import (
	"archive/zip"
	"io"
	"path"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Members returns the contents of the named members of any zip archive, by name. It looks for them
// at the top of the archive, or in its only folder, and omits missing ones. It checks the names and
// sizes of all files as Open does; limit is the largest size of a member, in bytes. Nothing is
// unpacked.
func Members(name string, limit int64, members ...string) (map[string][]byte, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, notBundle(err)
	}
	b := &Bundle{file: file, files: make(map[string]*zip.File), bytes: maxUnpacked}
	if err := b.readArchive(info.Size()); err != nil {
		return nil, err
	}
	folder := b.onlyFolder()
	found := make(map[string][]byte)
	for _, member := range members {
		f := b.files[path.Join(folder, member)]
		if f == nil {
			continue
		}
		if f.UncompressedSize64 > uint64(limit) {
			return nil, fault.New(fault.Invalid, "%s in the archive is larger than %d kB", member, limit>>10)
		}
		in, err := f.Open()
		if err != nil {
			return nil, notBundle(err)
		}
		text, err := io.ReadAll(io.LimitReader(in, limit))
		_ = in.Close()
		if err != nil {
			return nil, notBundle(err)
		}
		found[member] = text
	}
	return found, nil
}

// onlyFolder returns the folder that contains all files, empty if there is none.
func (b *Bundle) onlyFolder() string {
	only := ""
	for name := range b.files {
		folder, _, inside := strings.Cut(name, "/")
		if !inside || only != "" && folder != only {
			return ""
		}
		only = folder
	}
	return only
}
