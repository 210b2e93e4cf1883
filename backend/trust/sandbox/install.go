package sandbox

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// use returns the Use with which Packages installs the package of a server into the server's own folder.
func (s *Sandbox) use(own string, server registry.Server, users process.Env, report func(string)) Use {
	return Use{
		Environment: users, Manager: s.Manager, AllPorts: s.AllPorts(), Report: report,
		Scripts: func(l upstream.Launch, folder string) (upstream.Launch, error) {
			p := s.policyOf(own, server, l)
			folder = s.unlinked(folder)
			p.Write, p.Named = append(p.Write, folder), append(p.Named, folder)
			return s.machine.Confine(p, l)
		},
	}
}

// Install installs the package of a server before its first start. installed is false if the
// server is started without a package of its own: it is not confined, no launcher starts it, or
// the system cannot confine it. env is the environment of the programs of the user. The error is
// a fault.
func (s *Sandbox) Install(
	ctx context.Context, server registry.Server, env process.Env, report func(line string),
) (installed bool, err error) {
	if !server.Confined() || s.options.Packages == nil || !s.machine.Confines() || s.machine.OS == "windows" {
		return false, nil
	}
	l := upstream.Launch{Command: server.Command, Args: server.Args, Env: chosen(env, server.Sandbox), Own: server.Env}
	if err := s.checkTargets(server, s.placeOf(l)); err != nil {
		return false, err
	}
	own, err := s.ownFolder(server.Name)
	if err != nil {
		return false, err
	}
	_, installed, err = s.options.Packages.Resolve(ctx, own, server, l, s.use(own, server, env, report))
	return installed, err
}

// ManagerAccess is the access that a package manager needs in addition to the system and its own program.
type ManagerAccess struct {
	Write  []string // folders
	Config []string // files and folders with the user's configuration, including some that servers do not see
	Read   []string // files and folders that the command line of the server names
	Ports  []uint16 // TCP ports of package registries and proxies
}

// AllPorts reports whether the package managers that Manager confines reach all ports, because this system cannot restrict
// them to ManagerAccess.Ports.
func (s *Sandbox) AllPorts() bool {
	return s.machine.OS == "linux" && s.machine.Confines() && s.machine.ABI < confinement.ABITCP
}

// Manager returns the launch that starts a package manager with the access a and no other,
// as far as the system can enforce it.
func (s *Sandbox) Manager(l upstream.Launch, a ManagerAccess) (upstream.Launch, error) {
	if !s.machine.Confines() || s.machine.OS == "windows" {
		return l, nil
	}
	at := s.placeOf(l)
	var write []string
	for _, folder := range a.Write {
		write = append(write, s.unlinked(folder))
	}
	code := codeOf(l, at, nil, s.options.Folder, nil)
	p := confinement.Policy{
		Hidden: at.secrets(s.options.Secrets(), nil), Named: append(reals(a.Config), write...), Write: write,
		Network: confinement.Network{Restricted: true, Ports: a.Ports}, Temporary: l.Env.Get("TMPDIR"), ChangesModes: true,
		Links: slices.Concat(at.system(), a.Config, a.Read, a.Write, code.links),
	}
	p.Read = slices.Concat(reals(a.Config), reals(a.Read), reals(at.system()), at.outside(), code.all)
	for _, name := range slices.Concat(program.VersionManagers, versionFiles) {
		path := filepath.Join(at.home, filepath.FromSlash(name))
		p.Read, p.Links = append(p.Read, real(path)), append(p.Links, path)
	}
	if runtime.GOOS == "darwin" {
		p.Write = append(p.Write, reals([]string{"/private/var/folders"})...) // the frameworks of macOS write there
	}
	return s.machine.Confine(p, l)
}

// unlinked resolves the symbolic links in the path of a folder to which a process may write,
// except for the last element. It resolves no links in the own folders of servers, because a
// server may have made them. When the policy is enforced, links that are left are refused.
func (s *Sandbox) unlinked(path string) string {
	if rest, err := filepath.Rel(s.options.Folder, path); err == nil && filepath.IsLocal(rest) {
		return filepath.Join(real(s.options.Folder), rest)
	}
	return filepath.Join(real(filepath.Dir(path)), filepath.Base(path))
}
