package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// removedPrefix begins the names that RemoveAll gives to folders while it removes what is in them. They contain "__",
// which the names of servers cannot contain.
const removedPrefix = ".removed__"

// RemoveAll deletes a file, or a folder with everything in it, directly in root. Another program may have filled the
// folder: RemoveAll follows no links, deletes folders whose modes forbid that, and takes time and memory in proportion
// to their number however deep they are.
func RemoveAll(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return errors.Join(err, root.Remove(name))
	}
	// Folders in folders are moved to root, so that no path becomes long.
	waiting, number := append(leftovers(root), name), 0
	for len(waiting) > 0 {
		folder := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		inner, err := empty(root, folder, func() string {
			for number++; ; number++ {
				next := fmt.Sprint(removedPrefix, number)
				if _, err := root.Lstat(next); errors.Is(err, fs.ErrNotExist) {
					return next
				}
			}
		})
		if err != nil {
			return err
		}
		waiting = append(waiting, inner...)
	}
	return nil
}

// empty deletes a folder in root and the files in it. It gives the folders in it new names in root, and returns these.
func empty(root *os.Root, folder string, next func() string) (moved []string, err error) {
	if err := root.Chmod(folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if !entry.IsDir() {
			if err := root.Remove(path); err != nil {
				return moved, err
			}
			continue
		}
		if root.Remove(path) == nil { // it is empty
			continue
		}
		name := next()
		if err := errors.Join(root.Chmod(path, 0o700), root.Rename(path, name)); err != nil {
			return moved, err
		}
		moved = append(moved, name)
	}
	return moved, root.Remove(folder)
}

// leftovers returns the folders that an interrupted call has left in root.
func leftovers(root *os.Root) (names []string) {
	entries, _ := fs.ReadDir(root.FS(), ".") // without them, the rest can still be removed
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), removedPrefix) && entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}
