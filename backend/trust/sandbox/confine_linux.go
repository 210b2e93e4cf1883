package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// thisMachine returns what this kernel can enforce.
func thisMachine(helper []string) machine {
	_, calls := architectures[runtime.GOARCH]
	return machine{os: "linux", abi: landlockABI(), calls: calls, helper: helper, wrapper: new(bubblewrap)}
}

// outside is the environment of bubblewrap and of the helper, which run before the restrictions apply. If it contained
// variables of the server such as LD_PRELOAD, these would run code without a sandbox. The helper therefore gets the
// environment of the program in its spec.
var outside = process.Env{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}

// confine returns the launch of the helper, which enforces a policy and becomes the
// program of l.
func (m machine) confine(p policy, l upstream.Launch) (upstream.Launch, error) {
	env := l.Environment()
	program := env.LookPath(l.Command)
	if program == "" {
		return l, nil // the start fails and says that the program is missing
	}
	file, err := specFileOf(m.specOf(p, disk{}, program, env, l))
	if err != nil {
		return l, fault.Wrap(err, fault.Failed, "could not prepare its sandbox")
	}
	l.Command, l.Args = m.helper[0], m.helper[1:]
	if p.level == registry.Strict && m.wrapper != nil && m.wrapper.try() != "" {
		l.Command, l.Args = m.wrapper.wrap(p, p.temporary, m.helper, program, l.Env.Home())
	}
	l.Env, l.Own, l.Files = outside, nil, append(l.Files, file)
	return l, nil
}

// specOf translates a policy into a spec for the features of this kernel.
func (m machine) specOf(p policy, t tree, program string, env process.Env, l upstream.Launch) spec {
	s := spec{
		Version: specVersion, Path: program, Args: append([]string{l.Command}, l.Args...),
		Calls: m.calls, Opened: maxOpened,
	}
	for _, variable := range env {
		s.Env = append(s.Env, []byte(variable))
	}
	if p.level == registry.Strict {
		s.Sockets = noSockets
		if !p.network.restricted || !p.network.none() {
			s.Sockets = internetSockets
		}
	}
	if m.abi == 0 {
		return s
	}
	s.Files = handledFiles(m.abi)
	for _, a := range p.areas(t) {
		s.Rules = append(s.Rules, rule{a.path, rightsTo(a, s.Files)})
	}
	for device := range strings.FieldsSeq("/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/ptmx /dev/pts") {
		s.Rules = append(s.Rules, rule{device, readTree | writeFile | ioctl})
	}
	if p.network.restricted && m.abi >= abiTCP {
		s.Network, s.Ports = tcp|bindTCP, p.network.ports
	}
	if m.abi >= abiScopes {
		s.Scoped = scopes
	}
	return s
}

// specFileOf returns a file in memory from which the helper reads its spec.
func specFileOf(s spec) (*os.File, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	at, err := unix.MemfdCreate("spec", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a file in memory: %w", err)
	}
	file := os.NewFile(uintptr(at), "spec")
	if _, err = file.Write(data); err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// limitStarted forbids core dumps of a process that is not confined.
func limitStarted(pid int) {
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
