package sandbox

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// policy says what a process may do. Paths are absolute and have no symbolic links where they exist. Writing to a path
// includes reading it.
type policy struct {
	level   string
	readAll bool     // everything that the user may read, except hidden
	hidden  []string // secrets
	read    []string // granted reads
	write   []string // granted writes
	named   []string // members of read and write that override hidden, such as grants of a person
	network network
	// temporary is the folder that a strict server may use for temporary files.
	temporary string
}

// network says which addresses a process may reach.
type network struct {
	restricted bool
	ports      []uint16 // TCP ports, if restricted
	hosts      []string // the hosts that the grants name, if restricted
}

// none reports whether no address may be reached.
func (n network) none() bool { return n.restricted && len(n.ports) == 0 }

// networkOf returns the addresses that a server may reach with a sandbox level and grants.
func networkOf(level string, grants registry.Grants) network {
	if level != registry.Strict || slices.Contains(grants.Network, registry.AnyHost) {
		return network{}
	}
	n := network{restricted: true}
	for _, g := range grants.Network {
		host, port := splitHost(g)
		if number, err := strconv.ParseUint(port, 10, 16); err == nil && !slices.Contains(n.ports, uint16(number)) {
			n.ports = append(n.ports, uint16(number))
		}
		if host != "" {
			n.hosts = append(n.hosts, host)
		}
	}
	return n
}

// splitHost returns the host and the port of a grant: host:port or a port alone.
func splitHost(grant string) (host, port string) {
	if at := strings.LastIndexByte(grant, ':'); at >= 0 {
		return strings.Trim(grant[:at], "[]"), grant[at+1:]
	}
	return "", grant
}

// within reports whether a path is folder or below it.
func within(folder, path string) bool {
	if folder == path {
		return true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.HasPrefix(path, folder)
}

// anyWithin reports whether a path is one of these folders or below one.
func anyWithin(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return within(f, path) })
}

// hides reports whether a path is hidden and no grant names it.
func (p policy) hides(path string) bool {
	return anyWithin(p.hidden, path) && !p.uncovered(path, p.read) && !p.uncovered(path, p.write)
}

// uncovered reports whether accesses contains a hidden path that a grant names, and that is path or a folder above it.
func (p policy) uncovered(path string, accesses []string) bool {
	return slices.ContainsFunc(accesses, func(a string) bool {
		return within(a, path) && anyWithin(p.hidden, a) && slices.Contains(p.named, a)
	})
}

// allows reports whether a path may be read, or written if write is true.
func (p policy) allows(path string, write bool) bool {
	switch {
	case anyWithin(p.hidden, path):
		return p.uncovered(path, p.write) || !write && p.uncovered(path, p.read)
	case anyWithin(p.write, path):
		return true
	}
	return !write && (p.readAll || anyWithin(p.read, path))
}

// lists reports whether the names in a folder may be read. In a folder that contains
// secrets they may not, unless a person has granted exactly that folder.
func (p policy) lists(folder string) bool {
	return slices.Contains(p.named, folder) || !slices.ContainsFunc(p.hidden, func(h string) bool { return within(folder, h) })
}

// tree lists the entries of folders. Tests replace it.
type tree interface {
	// entries returns the names in a folder without symbolic links, nil if it
	// cannot be read.
	entries(folder string) []string
}

// carve returns paths that together contain everything below root except what is hidden. It leaves links out; their
// targets are listed under their own paths.
func carve(t tree, root string, hidden []string) []string {
	if anyWithin(hidden, root) {
		return nil
	}
	if !slices.ContainsFunc(hidden, func(h string) bool { return within(root, h) }) {
		return []string{root}
	}
	var out []string
	for _, name := range t.entries(root) {
		out = append(out, carve(t, filepath.Join(root, name), hidden)...)
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
// and folders in it, because the kernel can only allow and not exclude paths.
func (p policy) areas(t tree) []area {
	var out []area
	add := func(roots []string, write bool) {
		for _, root := range roots {
			if slices.Contains(p.named, root) && anyWithin(p.hidden, root) {
				out = append(out, area{path: root, write: write})
				continue
			}
			parts := carve(t, root, p.hidden)
			if len(parts) != 1 || parts[0] != root {
				if slices.Contains(p.named, root) {
					out = append(out, area{path: root, list: true})
				}
			}
			for _, part := range parts {
				out = append(out, area{path: part, write: write})
			}
		}
	}
	if p.readAll {
		add([]string{string(filepath.Separator)}, false)
	}
	add(p.read, false)
	add(p.write, true)
	return out
}

// CheckGrants returns a fault.Invalid unless all grants can be enforced: paths are
// absolute or begin with ~/, and a network grant is *, a port or host:port.
func CheckGrants(g registry.Grants) error {
	for _, path := range append(slices.Clone(g.Read), g.Write...) {
		if path != "~" && !strings.HasPrefix(path, "~/") && !filepath.IsAbs(path) || strings.ContainsAny(path, "\x00\n\r") {
			return fault.New(fault.Invalid, "invalid path %q: use an absolute path or one that begins with ~/", path)
		}
	}
	for _, n := range g.Network {
		_, port := splitHost(n)
		if number, err := strconv.ParseUint(port, 10, 16); n != registry.AnyHost &&
			(err != nil || number == 0 || strings.ContainsAny(n, " \t\r\n\x00/")) {
			return fault.New(fault.Invalid, "invalid network grant %q: use host:port, a port such as 443, or * for everything", n)
		}
	}
	return nil
}
