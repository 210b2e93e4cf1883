// Package confinement starts programs so that they can do only what a Policy allows, as far as the system can enforce
// it. It decides nothing about servers; package sandbox makes their policies.
//
// On Linux, bubblewrap starts this program in a file tree of its own, which contains only what the policy names, and
// with its own processes and sockets. There this program restricts itself with Landlock and a filter of system calls,
// and then becomes the program that is confined; see Exec. Where bubblewrap cannot create namespaces, Landlock and the
// filter remain, and this program waits for the one that is confined and ends the processes that it leaves. On
// macOS, sandbox-exec enforces a profile. On Windows, this program starts the process in an app container, if a trial run
// has shown that it confines the process; otherwise only the job of the process is limited.
package confinement

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Policy says what a process may do. Paths are absolute and have no symbolic links where they exist.
type Policy struct {
	Read    []string // files and folders that the process may read, with everything in them
	Write   []string // files and folders that it may also change
	Hidden  []string // files and folders that it may not use, although Read or Write contains them
	Named   []string // members of Read and Write that a person has named, and that Hidden does not hide
	Links   []string // paths that lead to members of Read and Write through symbolic links, which the process needs
	Network Network
	// Home is the home folder of the user. The process has Private in its place, so that it can keep files there; what
	// Read and Write name below Home is in Private, too. Both are empty if the process gets no home folder.
	Home, Private string
	// Temporary takes the place of the folders for temporary files. It may be empty.
	Temporary string
	// Shared is set if Read or Write contain folders of the user, in which other programs may have sockets.
	Shared bool
	// ChangesModes allows a process to change the modes and times of files even if the system cannot restrict that to
	// the files that it may write, as installations of packages need.
	ChangesModes bool
}

// Network says which addresses a process may reach.
type Network struct {
	Restricted bool       // only Ports and Hosts
	Ports      []uint16   // TCP ports of all hosts
	Hosts      []Endpoint // TCP ports of single hosts
}

// Endpoint is a TCP port of a host, which is a name or an IP address.
type Endpoint struct {
	Host string
	Port uint16
}

// None reports whether no address may be reached.
func (n Network) None() bool { return n.Restricted && len(n.Ports) == 0 && len(n.Hosts) == 0 }

// ByHost reports whether exactly the addresses in Hosts may be reached.
func (n Network) ByHost() bool { return n.Restricted && len(n.Ports) == 0 && len(n.Hosts) > 0 }

// AllPorts returns the ports in Ports and those of Hosts, sorted.
func (n Network) AllPorts() []uint16 {
	ports := slices.Clone(n.Ports)
	for _, host := range n.Hosts {
		ports = append(ports, host.Port)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// Within reports whether a path is folder or below it.
func Within(folder, path string) bool {
	if folder == path {
		return true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.HasPrefix(path, folder)
}

// AnyWithin reports whether a path is one of these folders or below one.
func AnyWithin(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return Within(f, path) })
}

// Hides reports whether a path is hidden and no member of Named uncovers it.
func (p Policy) Hides(path string) bool {
	return AnyWithin(p.Hidden, path) && !p.uncovered(path, p.Read) && !p.uncovered(path, p.Write)
}

// uncovered reports whether accesses contains a hidden path that is in Named, and that is path or a folder above it.
func (p Policy) uncovered(path string, accesses []string) bool {
	return slices.ContainsFunc(accesses, func(a string) bool {
		return Within(a, path) && AnyWithin(p.Hidden, a) && slices.Contains(p.Named, a)
	})
}

// Allows reports whether a path of this machine may be read, or written if write is true.
func (p Policy) Allows(path string, write bool) bool {
	switch {
	case AnyWithin(p.Hidden, path):
		return p.uncovered(path, p.Write) || !write && p.uncovered(path, p.Read)
	case AnyWithin(p.Write, path):
		return true
	}
	return !write && AnyWithin(p.Read, path)
}

// Lists reports whether the names in a folder may be read. In a folder that contains
// secrets they may not, unless a person has granted exactly that folder.
func (p Policy) Lists(folder string) bool {
	return slices.Contains(p.Named, folder) || !slices.ContainsFunc(p.Hidden, func(h string) bool { return Within(folder, h) })
}

// disk lists the entries of folders. Tests replace it.
type disk interface {
	// entries returns the names in a folder without symbolic links, nil if it
	// cannot be read.
	entries(folder string) []string
}

// machineDisk is the disk of this machine.
type machineDisk struct{}

func (machineDisk) entries(folder string) []string {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range list {
		if e.Type()&os.ModeSymlink == 0 {
			names = append(names, e.Name())
		}
	}
	return names
}

// Contains reports whether a folder contains one of these paths or is below one of them.
func Contains(paths []string, folder string) bool {
	return AnyWithin(paths, folder) || slices.ContainsFunc(paths, func(p string) bool { return Within(folder, p) })
}

// carve returns paths that together contain everything below root except what is hidden. It leaves links out; their
// targets are listed under their own paths.
func carve(d disk, root string, hidden []string) []string {
	if AnyWithin(hidden, root) {
		return nil
	}
	if !Contains(hidden, root) {
		return []string{root}
	}
	var out []string
	for _, name := range d.entries(root) {
		out = append(out, carve(d, filepath.Join(root, name), hidden)...)
	}
	return out
}

// area is a path with the access to it.
type area struct {
	path  string
	write bool
	list  bool // only the names in it may be read
}

// areas returns everything that a policy allows. It replaces a folder that contains hidden paths with the other files
// and folders in it, because Landlock can only allow and not exclude paths.
func (p Policy) areas(d disk) []area {
	var out []area
	add := func(roots []string, write bool) {
		for _, root := range roots {
			if slices.Contains(p.Named, root) && AnyWithin(p.Hidden, root) {
				out = append(out, area{path: root, write: write})
				continue
			}
			parts := carve(d, root, p.Hidden)
			if len(parts) != 1 || parts[0] != root {
				if slices.Contains(p.Named, root) {
					out = append(out, area{path: root, list: true})
				}
			}
			for _, part := range parts {
				out = append(out, area{path: part, write: write})
			}
		}
	}
	add(p.Read, false)
	add(p.Write, true)
	return out
}
