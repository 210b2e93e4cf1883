package sandbox

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// mount is what an option mounts in a container.
type mount struct {
	kind           string // bind, volume or tmpfs
	source, target string // source is empty for a new volume and for tmpfs
	readOnly       bool
	relabel        bool // the engine changes labels of the files, for SELinux
	// further are other parts of the option, which choose nothing of the computer.
	further []string
}

// mountOf returns what an option mounts, and why that is forbidden. kind is empty if the option mounts nothing.
func mountOf(o givenOption, system string) (m mount, why string) {
	switch o.name {
	case "volume":
		m, why = readVolume(o.value, system)
	case "mount":
		m, why = readMount(o.value)
	case "tmpfs":
		target, _, _ := strings.Cut(o.value, ":")
		return mount{kind: "tmpfs", target: target}, ""
	default:
		return m, ""
	}
	for _, path := range []string{strings.TrimPrefix(m.source, filepath.VolumeName(m.source)), m.target} {
		if why == "" && strings.ContainsFunc(path, separates) {
			why = "may not mount paths with colons, commas, quotation marks or control characters"
		}
	}
	if why == "" && !strings.HasPrefix(m.target, "/") {
		why = fmt.Sprintf("needs an absolute path in the container, not %q", m.target)
	}
	if why == "" && m.kind == "volume" && m.source != "" && !volumeName.MatchString(m.source) {
		why = fmt.Sprintf("may not mount %q, which is neither the name of a volume nor an absolute path", m.source)
	}
	return m, why
}

// separates reports whether a character separates the parts of options.
func separates(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`:,"`, r) }

var (
	volumeName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]+$`) // one letter may be a drive of Windows
	drive      = lazyregexp.New(`^[A-Za-z]:[\\/]`)
)

// harmless are the parts after the target in an option such as --volume=SOURCE:TARGET:PARTS.
var harmless = strings.Fields("consistent cached delegated nocopy private rprivate")

// readVolume reads the value of an option such as --volume=SOURCE:TARGET:ro.
func readVolume(value, system string) (m mount, why string) {
	letter := ""
	if system == "windows" && drive.MatchString(value) {
		letter, value = value[:2], value[2:]
	}
	parts := strings.Split(value, ":")
	parts[0] = letter + parts[0]
	if len(parts) > 3 {
		return m, "may not have more than three parts"
	}
	if len(parts) == 1 {
		return mount{kind: "volume", target: parts[0]}, ""
	}
	m = mount{kind: "volume", source: parts[0], target: parts[1]}
	switch {
	case m.source == "":
		return m, "has an empty source"
	case letter != "" || strings.HasPrefix(m.source, ".") || strings.HasPrefix(m.source, "~") || strings.ContainsAny(m.source, `/\`):
		m.kind = "bind"
	}
	if len(parts) < 3 {
		return m, ""
	}
	for part := range strings.SplitSeq(parts[2], ",") {
		switch {
		case part == "ro" || part == "readonly":
			m.readOnly = true
		case part == "rw":
		case part == "z" || part == "Z":
			m.relabel, m.further = true, append(m.further, part)
		case slices.Contains(harmless, part):
			m.further = append(m.further, part)
		default:
			return m, fmt.Sprintf("may not have the part %q", part)
		}
	}
	return m, ""
}

// readMount reads the value of an option such as --mount=type=bind,source=SOURCE,target=TARGET, which is a line of CSV.
func readMount(value string) (m mount, why string) {
	fields, err := csv.NewReader(strings.NewReader(value)).Read()
	if err != nil || strings.ContainsAny(value, "\r\n") {
		return m, "has a value that cannot be read"
	}
	m.kind = "volume"
	seen := make(map[string]bool)
	for _, field := range fields {
		key, text, has := strings.Cut(field, "=")
		key = strings.ToLower(key)
		if name := map[string]string{"src": "source", "dst": "target", "destination": "target", "ro": "readonly"}[key]; name != "" {
			key = name
		}
		if seen[key] {
			return m, fmt.Sprintf("has the part %q twice", key)
		}
		seen[key] = true
		switch key {
		case "type":
			m.kind = strings.ToLower(text)
		case "source":
			m.source = text
		case "target":
			m.target = text
		case "readonly":
			if m.readOnly = true; has {
				m.readOnly, err = strconv.ParseBool(text)
			}
		case "tmpfs-size", "tmpfs-mode":
			m.further = append(m.further, key+"="+text)
		case "consistency", "bind-propagation":
			if !slices.Contains(harmless, text) {
				return m, fmt.Sprintf("may not have the part %q", field)
			}
		default:
			return m, fmt.Sprintf("may not have the part %q", key)
		}
	}
	switch {
	case err != nil || !slices.Contains([]string{"bind", "volume", "tmpfs"}, m.kind):
		return m, fmt.Sprintf("may not have the value %q", value)
	case slices.ContainsFunc(m.further, func(part string) bool { return !tmpfsPart.MatchString(part) || m.kind != "tmpfs" }):
		return m, "may have a size and a mode of files in memory only"
	case m.kind == "bind" && m.source == "" || m.kind == "tmpfs" && m.source != "":
		return m, "has the wrong source for its type"
	}
	return m, ""
}

var tmpfsPart = lazyregexp.New(`^(?:tmpfs-size=[0-9]+[kmgKMG]?|tmpfs-mode=[0-7]+)$`)

// option returns the option that mounts m, and that all engines read in the same way.
func (m mount) option(name string) givenOption {
	if name == "volume" {
		parts := []string{m.source, m.target}
		if m.source == "" {
			parts = parts[1:]
		}
		options := m.further
		if m.readOnly {
			options = append([]string{"ro"}, options...)
		}
		if len(options) > 0 {
			parts = append(parts, strings.Join(options, ","))
		}
		return givenOption{name, strings.Join(parts, ":")}
	}
	parts := []string{"type=" + m.kind}
	if m.source != "" {
		parts = append(parts, "source="+m.source)
	}
	if parts = append(parts, "target="+m.target); m.readOnly {
		parts = append(parts, "readonly")
	}
	return givenOption{name, strings.Join(append(parts, m.further...), ",")}
}

// mountable returns the policy for paths of the computer that the container of a server may mount.
func (s *Sandbox) mountable(at place, server registry.Server) confinement.Policy {
	p := confinement.Policy{
		Hidden: at.secrets(s.options.Secrets(), granted(at, server.Grants)), Write: s.rootFolders(at.expandAll(server.Grants.Write)),
	}
	s.grantAll(&p, at, server)
	return p
}

// resolveBind replaces the source of a bind by the path without links that it leads to, and returns why that may not be
// mounted. The claim is set if a person can grant it.
func (m *mount) resolveBind(p confinement.Policy, at place) (c claim, why string) {
	path := m.source
	if strings.HasPrefix(path, ".") { // relative to the folder in which the client of the engine starts
		path = filepath.Join(at.dir, path)
	}
	if path = at.expand(path); !filepath.IsAbs(path) {
		return c, fmt.Sprintf("may not mount %q, because it is not an absolute path", m.source)
	}
	path = real(path)
	info, err := os.Stat(path)
	letters := strings.TrimPrefix(path, filepath.VolumeName(path))
	switch {
	case err != nil:
		return c, fmt.Sprintf("mounts %s, which does not exist or cannot be read", path)
	case info.Mode()&^fs.ModePerm&fs.ModeType&^fs.ModeDir != 0:
		return c, fmt.Sprintf("mounts %s, which is neither a file nor a folder", path)
	case strings.ContainsFunc(letters, separates):
		return c, "may not mount paths with colons, commas, quotation marks or control characters"
	}
	if secret := secretIn(p, path, !m.readOnly); secret != "" {
		return c, fmt.Sprintf("mounts %s, which gives the container secrets of yours (%s)", path, secret)
	}
	m.source = path
	switch write := !m.readOnly || m.relabel; {
	case p.Allows(path, write):
		return c, ""
	case write:
		return claim{access: Write, target: path}, ""
	}
	return claim{access: Read, target: path}, ""
}

// secretIn returns a hidden path that path contains or is in, unless a person has granted that hidden path by its name.
// It also finds names that differ on file systems that ignore the case of letters.
func secretIn(p confinement.Policy, path string, write bool) string {
	accesses := slices.Clone(p.Write)
	if !write {
		accesses = append(accesses, p.Read...)
	}
	for _, hidden := range p.Hidden {
		above, below := sameOrWithin(path, hidden), sameOrWithin(hidden, path)
		inner := hidden
		if below {
			inner = path
		}
		if (above || below) && !slices.ContainsFunc(accesses, func(a string) bool {
			return slices.Contains(p.Named, a) && confinement.Within(a, inner) && sameOrWithin(hidden, a)
		}) {
			return hidden
		}
	}
	return ""
}

// sameOrWithin reports whether a path is folder or below it, by their names or by the files that they lead to.
func sameOrWithin(folder, path string) bool {
	if confinement.Within(folder, path) {
		return true
	}
	wanted, err := os.Stat(folder)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, wanted) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
