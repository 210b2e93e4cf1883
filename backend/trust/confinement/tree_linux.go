package confinement

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mount makes a file or folder of the machine part of the tree of a process.
type mount struct {
	at    string // path in the tree
	from  string // path on the machine; empty for a mask, which hides at
	write bool
	// own is set for a folder of the process that takes the place of another one. What is mounted below it needs an
	// entry in it.
	own bool
	// open is set for a mask that contains a mount.
	open bool
}

// mask reports whether a mount hides its path.
func (m mount) mask() bool { return m.from == "" }

// symlink is a symbolic link in the tree.
type symlink struct{ at, target string }

// sharedTemporary are the folders for temporary files that the process has its own of.
var sharedTemporary = []string{"/tmp", "/var/tmp"}

// maxMounts is the largest number of mounts. Each needs an open file, and bubblewrap has at most 9,000 arguments.
const maxMounts = 1500

// inParts reports whether the parts of a folder are mounted in its place, except for what is hidden. A mask on a hidden
// file ends when another program replaces the file, as passwd does with /etc/shadow. So masks are only for folders in
// which the process can read no hidden file anyway, because they belong to root, or because of Landlock.
func (p Policy) inParts(folder string, landlock bool) bool {
	return p.Home != "" && Within(p.Home, folder) || !landlock && ofRoot(folder)
}

// ofRoot reports whether a folder may contain files that only root can read, and this process belongs to root.
func ofRoot(folder string) bool { return os.Geteuid() == 0 && Within("/etc", folder) }

// mounts returns what the tree of a process contains, parents first. The folders /proc and /dev are not part of it.
// landlock says whether the process is restricted by Landlock, too.
func (p Policy) mounts(landlock bool) []mount {
	var all []mount
	add := func(paths []string, write bool) {
		for _, path := range paths {
			if Within("/proc", path) || Within("/dev", path) || AnyWithin(p.Hidden, path) && !slices.Contains(p.Named, path) {
				continue
			}
			parts := []string{path}
			if p.inParts(path, landlock) && !AnyWithin(p.Hidden, path) {
				parts = carve(machineDisk{}, path, p.Hidden)
			}
			for _, part := range parts {
				all = append(all, mount{at: part, from: part, write: write})
			}
		}
	}
	add(p.Write, true)
	add(p.Read, false)
	for _, path := range p.Hidden {
		all = append(all, mount{at: path})
	}
	if p.Home != "" && p.Home != "/" {
		all = append(all, mount{at: p.Home, from: p.Private, write: true, own: true})
	}
	if p.Temporary != "" {
		for _, path := range sharedTemporary {
			all = append(all, mount{at: resolved(path), from: p.Temporary, write: true, own: true})
		}
	}
	// Of several mounts at a path, the first one counts: what a person has named, then what hides or replaces the path.
	rank := func(m mount) int {
		switch {
		case !m.own && !m.mask() && slices.Contains(p.Named, m.at):
			return 0
		case m.mask():
			return 1
		case m.own:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(all, func(a, b mount) int {
		return cmp.Or(comparePaths(a.at, b.at), cmp.Compare(rank(a), rank(b)))
	})
	all = slices.CompactFunc(all, func(a, b mount) bool { return a.at == b.at })

	var out []mount
	for _, m := range all {
		if info, err := os.Lstat(cmp.Or(m.from, m.at)); err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue // a link was put in the place of what the policy names
		}
		above := nearest(out, m.at)
		switch {
		case m.mask() && (above < 0 || out[above].own || out[above].mask()):
			continue // not in the tree
		case m.mask():
		case above < 0 || out[above].own || m.own:
		case out[above].mask():
			if !slices.Contains(p.Named, m.at) {
				continue
			}
			out[above].open = true
		case out[above].write || !m.write:
			continue // already in the tree
		}
		out = append(out, m)
	}
	return out
}

// nearest returns the index of the mount that contains a path, -1 if none does. Mounts are sorted, parents first.
func nearest(mounts []mount, path string) int {
	for at, m := range slices.Backward(mounts) {
		if Within(m.at, path) {
			return at
		}
	}
	return -1
}

// comparePaths compares two paths such that a folder is immediately followed by what it contains.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// resolved returns a path without symbolic links, or the path itself if it does not exist.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// links returns the symbolic links that the tree needs in addition to those in its mounts, so that the paths lead where
// they lead on the machine.
func links(paths []string, mounts []mount) (out []symlink) {
	known := make(map[string]bool)
	for _, path := range paths {
		for _, link := range linksOn(path) {
			at := nearest(mounts, link.at)
			if known[link.at] || at >= 0 && !mounts[at].own || Within("/proc", link.at) || Within("/dev", link.at) {
				continue
			}
			known[link.at] = true
			out = append(out, link)
		}
	}
	slices.SortFunc(out, func(a, b symlink) int { return comparePaths(a.at, b.at) })
	return out
}

// lostLinks returns the symbolic links in those system folders of which only parts are mounted.
func (p Policy) lostLinks(landlock bool) (links []string) {
	if !p.inParts("/etc", landlock) || !slices.Contains(p.Read, "/etc") || !Contains(p.Hidden, "/etc") {
		return nil
	}
	for folders := []string{"/etc"}; len(folders) > 0; folders = folders[1:] {
		entries, _ := os.ReadDir(folders[0]) // a folder that cannot be read is not mounted
		for _, e := range entries {
			path := filepath.Join(folders[0], e.Name())
			switch {
			case e.Type()&os.ModeSymlink != 0:
				links = append(links, path)
			case e.IsDir() && Contains(p.Hidden, path) && !AnyWithin(p.Hidden, path):
				folders = append(folders, path)
			}
		}
	}
	return links
}

// maxLinks is the largest number of symbolic links that are followed on one path, as in Linux.
const maxLinks = 40

// linksOn returns the symbolic links on a path.
func linksOn(path string) (out []symlink) {
	if !filepath.IsAbs(path) {
		return nil
	}
	at, rest := "/", strings.Split(filepath.Clean(path), "/")
	for len(rest) > 0 && len(out) < maxLinks {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		out = append(out, symlink{next, target})
		if !filepath.IsAbs(target) {
			target = filepath.Join(at, target)
		}
		at, rest = "/", append(strings.Split(filepath.Clean(target), "/"), rest...)
	}
	return out
}

// furnish creates the entries in the own folders of a process on which something is mounted, and the links in them. It
// replaces files and links that the process may have made on the way, and follows no link out of an own folder.
func furnish(mounts []mount, links []symlink) error {
	for _, m := range mounts {
		above := nearest(mounts[:slices.IndexFunc(mounts, func(o mount) bool { return o.at == m.at })], m.at)
		if above < 0 || !mounts[above].own {
			continue
		}
		info, err := os.Lstat(m.from)
		if err != nil {
			return err
		}
		if err := placeholder(mounts[above], m.at, info.IsDir()); err != nil {
			return err
		}
	}
	for _, l := range links {
		if above := nearest(mounts, l.at); above >= 0 {
			if err := placeLink(mounts[above], l); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeholder creates an empty file or folder for a mount at a path in an own folder.
func placeholder(own mount, at string, folder bool) error {
	root, rest, err := openOwn(own, at, folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if folder {
		return nil
	}
	switch info, err := root.Lstat(rest); {
	case err == nil && info.Mode().IsRegular():
		return nil
	case err == nil:
		if err := root.RemoveAll(rest); err != nil {
			return err
		}
	}
	file, err := root.OpenFile(rest, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// placeLink creates a symbolic link in an own folder. A file or folder that the process has at the path stays.
func placeLink(own mount, l symlink) error {
	root, rest, err := openOwn(own, l.at, false)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Lstat(rest); err == nil {
		if now, err := root.Readlink(rest); err != nil || now == l.target {
			return nil
		}
		if err := root.Remove(rest); err != nil {
			return err
		}
	}
	return root.Symlink(l.target, rest)
}

// openOwn opens an own folder and creates the folders in it that lead to a path in the tree, including the last
// element if whole is set. It returns the path in the own folder.
func openOwn(own mount, at string, whole bool) (*os.Root, string, error) {
	root, err := os.OpenRoot(own.from)
	if err != nil {
		return nil, "", err
	}
	rest, err := filepath.Rel(own.at, at)
	folders := strings.Split(rest, "/")
	if !whole {
		folders = folders[:len(folders)-1]
	}
	for n := range folders {
		if err != nil {
			break
		}
		folder := filepath.Join(folders[:n+1]...)
		if info, missing := root.Lstat(folder); missing == nil && !info.IsDir() {
			err = root.Remove(folder)
		}
		if made := root.Mkdir(folder, 0o700); err == nil && made != nil && !os.IsExist(made) {
			err = made
		}
	}
	if err != nil {
		_ = root.Close()
		return nil, "", err
	}
	return root, rest, nil
}
