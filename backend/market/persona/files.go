package persona

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
)

// open returns the contents of the files of a persona in a folder or a zip archive, by name. It reads only the two
// files of a persona, and unpacks nothing to disk.
func open(path string) (map[string][]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, fault.New(fault.Invalid, "the path of the persona must be absolute")
	}
	if strings.ContainsRune(path, 0) {
		return nil, fault.New(fault.Invalid, "the path of the persona must not contain null characters")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "there is no persona at %s", path)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "could not read %s; give yourself read access to it", path)
	case info.IsDir():
		return openFolder(path)
	}
	return bundle.Members(path, maxFile, aboutFile, serversFile)
}

// openFolder reads the files of a persona in a folder. It does not follow links out of the folder.
func openFolder(path string) (map[string][]byte, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read %s; give yourself read access to it", path)
	}
	defer func() { _ = root.Close() }()
	files := make(map[string][]byte)
	for _, name := range []string{aboutFile, serversFile} {
		info, err := root.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		switch {
		case err != nil:
			return nil, fault.Wrap(err, fault.Invalid,
				"could not read %s of the persona: it leads out of its folder, or you may not read it", name)
		case !info.Mode().IsRegular():
			return nil, fault.New(fault.Invalid, "%s of the persona is not a regular file", name)
		case info.Size() > maxFile:
			return nil, fault.New(fault.Invalid, "%s of the persona is larger than %d kB", name, maxFile>>10)
		}
		if files[name], err = root.ReadFile(name); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "could not read %s of the persona", name)
		}
	}
	return files, nil
}
