package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// maxLooked is how many entries of folders with secrets are looked at for links.
const maxLooked = 4000

// database is the file by which a data folder of Agent Discover is recognized.
const database = "discover.db"

// secrets returns the real paths of all secrets, including further ones: those of hidden, files and folders to which
// links in them lead, and data folders of other hubs in the home folder and in granted folders.
func (p place) secrets(further, granted []string) []string {
	named := p.hidden(further)
	out := reals(named)
	out = append(out, p.linked(named)...)
	for _, folder := range append([]string{p.home}, granted...) {
		entries, _ := os.ReadDir(folder) // without a folder there is nothing to find
		for _, entry := range entries {
			found := filepath.Join(folder, entry.Name())
			if _, err := os.Lstat(filepath.Join(found, database)); err == nil {
				out = append(out, real(found))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// linked returns the files and folders of the home folder to which links in folders with secrets lead, down to the
// second level. People who keep their configuration in another folder make such links.
func (p place) linked(folders []string) (targets []string) {
	home, left := real(p.home), maxLooked
	for _, folder := range folders {
		if !confinement.Within(p.home, folder) {
			continue
		}
		folder = real(folder)
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if left--; left < 0 {
				return filepath.SkipAll
			}
			if err != nil {
				return nil
			}
			if entry.Type()&fs.ModeSymlink != 0 {
				if target := real(path); target != home && confinement.Within(home, target) {
					targets = append(targets, target)
				}
			}
			below := strings.TrimPrefix(path, folder)
			if entry.IsDir() && strings.Count(below, string(filepath.Separator)) >= 2 {
				return filepath.SkipDir
			}
			return nil
		})
	}
	return targets
}
