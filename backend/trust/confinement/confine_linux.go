package confinement

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// This returns what this kernel can enforce. helper is the command that calls Exec.
func This(helper []string) Machine {
	_, calls := architectures[runtime.GOARCH]
	return Machine{OS: "linux", ABI: landlockABI(), Calls: calls, Helper: helper, Trees: new(Bubblewrap)}
}

// outside is the environment of bubblewrap and of the helper, which run before the restrictions apply. If it contained
// variables of the server such as LD_PRELOAD, these would run code without a sandbox. The helper therefore gets the
// environment of the program in its spec.
var outside = process.Env{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}

// Confine returns the launch of the helper, which enforces a policy and becomes the
// program of l. The error is a fault.
func (m Machine) Confine(p Policy, l upstream.Launch) (upstream.Launch, error) {
	program := l.Environment().LookPath(l.Command)
	if program == "" {
		return l, nil // the start fails and says that the program is missing
	}
	confined, err := m.confine(p, l, program)
	if err != nil {
		for _, file := range confined.Files {
			_ = file.Close()
		}
		return l, fault.Wrap(err, fault.Failed, "could not prepare its sandbox: %s", fault.MessageOf(err))
	}
	return confined, nil
}

func (m Machine) confine(p Policy, l upstream.Launch, program string) (upstream.Launch, error) {
	var layout []mount
	var symlinks []symlink
	tree := m.OwnTree()
	if p.Private != "" {
		layout = []mount{{at: p.Private, from: p.Private, write: true, own: true}} // the home folder without a tree
		symlinks = p.homeLinks()
	}
	if tree {
		if layout = p.mounts(m.ABI > 0); len(layout) > maxMounts {
			return l, fault.New(fault.Invalid, "it needs %d mounts, and at most %d are possible; a granted folder with secrets in it has too many "+
				"files and folders beside them: grant those that it needs instead", len(layout), maxMounts)
		}
		symlinks = links(append(p.lostLinks(m.ABI > 0), p.Links...), layout)
	}
	if err := furnish(layout, symlinks); err != nil {
		return l, err
	}
	env := p.environment(l, tree)
	s := m.specOf(p, layout, tree)
	s.Path, s.Args = program, append([]string{l.Command}, l.Args...)
	for _, variable := range env {
		s.Env = append(s.Env, []byte(variable))
	}
	own := l.Files
	l.Files = nil
	var way *gate
	if tree && p.Network.ByHost() {
		var err error
		if way, err = newGate(p.Network.Hosts); err != nil {
			return l, err
		}
		for _, address := range way.listen {
			s.Listen = append(s.Listen, address.String())
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return l, err
	}
	file, err := memory("spec", text)
	if err != nil {
		return l, err
	}
	l.Files = append(l.Files, file)
	if way != nil {
		l.Files = append(l.Files, way.channel)
	}
	l.Files = append(l.Files, own...)
	l.Env, l.Own = outside, nil
	if !tree {
		l.Command, l.Args, l.Reaps = m.Helper[0], m.Helper[1:], true
		return l, nil
	}
	command, args, files, err := m.Trees.wrap(p, layout, symlinks, m.Helper, startFolder(l.Dir, p.Home), specFile+len(l.Files), way)
	if err != nil {
		return l, err
	}
	l.Command, l.Args, l.Files, l.Wrapped = command, args, append(l.Files, files...), true
	return l, nil
}

// startFolder returns the folder in which a program starts: dir, or the home folder, or the root of the tree.
func startFolder(dir, home string) string {
	for _, folder := range []string{dir, home} {
		if filepath.IsAbs(folder) {
			return folder
		}
	}
	return "/"
}

// environment returns the environment of the program.
func (p Policy) environment(l upstream.Launch, tree bool) process.Env {
	env := l.Env
	if tree {
		env = env.Without(func(name string) bool { return name == "XDG_RUNTIME_DIR" })
		if p.Temporary != "" {
			env = env.With("TMPDIR", sharedTemporary[0])
		}
	} else {
		env = p.moved(env)
	}
	for name, value := range l.Own {
		env = env.With(name, value)
	}
	return env
}

// homeLinks returns the links in Private that lead to what the policy allows in the home folder. A process has them
// where it has no tree of its own, and Private is its home folder.
func (p Policy) homeLinks() (out []symlink) {
	for _, path := range slices.Concat(p.Read, p.Write) {
		rest, err := filepath.Rel(p.Home, path)
		if err == nil && filepath.IsLocal(rest) && rest != "." && !Within(path, p.Private) && !Within(p.Private, path) {
			out = append(out, symlink{filepath.Join(p.Private, rest), path})
		}
	}
	slices.SortFunc(out, func(a, b symlink) int { return comparePaths(a.at, b.at) })
	return slices.CompactFunc(out, func(a, b symlink) bool { return Within(a.at, b.at) })
}

// specOf translates a policy into a spec for the features of this kernel. layout are the mounts if the process has a
// tree of its own.
func (m Machine) specOf(p Policy, layout []mount, tree bool) spec {
	s := spec{Version: specVersion, Reap: !tree, Calls: m.Calls, Opened: maxOpened, Filter: calls{
		Internet: !p.Network.None(),
		// In a tree of its own, a process finds only its own sockets and those in folders that it is granted. Abstract
		// sockets have no path.
		Local: tree && (p.Network.None() || p.Network.ByHost() || m.ABI >= ABIScopes) && (m.ABI >= ABISockets || !p.Shared),
		Modes: tree || p.ChangesModes, Others: tree, Listen: !p.Network.Restricted || p.Network.ByHost() && tree,
	}}
	for _, m := range layout {
		replaced := m.at == resolved("/etc/hosts") && p.Network.ByHost() // by one with the granted names
		if tree && !m.mask() && !replaced {
			s.Mounts = append(s.Mounts, inodeOf(m))
		}
	}
	if m.ABI == 0 {
		return s
	}
	s.Files = handledFiles(m.ABI)
	if tree {
		for _, m := range layout {
			if m.mask() {
				continue
			}
			for _, part := range p.ruled(m.at) {
				s.Rules = append(s.Rules, rule{part, rightsTo(area{path: part, write: m.write}, s.Files)})
			}
		}
		s.Rules = append(s.Rules, rule{"/", unix.LANDLOCK_ACCESS_FS_READ_DIR}, rule{"/proc", readTree},
			rule{"/dev", readTree | writeFile | ioctl}, rule{"/dev/shm", rightsTo(area{write: true}, s.Files)})
	} else {
		for _, a := range p.areas(machineDisk{}) {
			s.Rules = append(s.Rules, rule{a.path, rightsTo(a, s.Files)})
		}
		for _, own := range []string{p.Private, p.Temporary} {
			if own != "" {
				s.Rules = append(s.Rules, rule{own, rightsTo(area{path: own, write: true}, s.Files)})
			}
		}
		for device := range strings.FieldsSeq("/dev/null /dev/zero /dev/full /dev/random /dev/urandom") {
			s.Rules = append(s.Rules, rule{device, readTree | writeFile | ioctl})
		}
	}
	if p.Network.Restricted && m.ABI >= ABITCP {
		s.Network, s.Ports = tcp|bindTCP, p.Network.AllPorts()
	}
	if m.ABI >= ABIScopes {
		s.Scoped = scopes
	}
	return s
}

// ruled returns the paths for which a mount needs rules of Landlock: the path of the mount, or its parts if they hide files
// that only root reads, except for those that a person has named.
func (p Policy) ruled(at string) []string {
	if !ofRoot(at) || AnyWithin(p.Hidden, at) {
		return []string{at}
	}
	parts := carve(machineDisk{}, at, p.Hidden)
	for _, named := range p.Named {
		if Within(at, named) && AnyWithin(p.Hidden, named) {
			parts = append(parts, named)
		}
	}
	return parts
}

// inodeOf returns what must be mounted for m. It is that of no existing file if the path leads through a link now, so that
// the helper refuses to start.
func inodeOf(m mount) inode {
	found := inode{At: m.at}
	file, err := opened(m.from)
	if err != nil {
		return found
	}
	defer func() { _ = file.Close() }()
	var info unix.Stat_t
	if unix.Fstat(int(file.Fd()), &info) == nil {
		found.Device, found.Number = uint64(info.Dev), info.Ino
	}
	return found
}

// LimitStarted forbids core dumps of a process that is not confined.
func LimitStarted(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil) // the process may have ended
}

// ThisProgram returns the command of the helper: this program with HelperCommand.
// It returns nil if the path of this program cannot be determined.
func ThisProgram() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{path, HelperCommand}
}
