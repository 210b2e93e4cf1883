package confinement

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// The limits of the job of a confined server.
const (
	jobMemory    = 4 << 30 // bytes
	jobProcesses = 256
)

// This returns what this system can enforce. helper is the command that calls Exec.
func This(helper []string) Machine {
	return Machine{OS: "windows", Helper: helper, AppContainer: &AppContainer{try: func() bool { return holds(helper) }}}
}

// Confine limits the memory and the number of processes of the server's job. It returns the launch of the helper, which
// starts the program of l in an app container, if app containers work here. The error is a fault.
func (m Machine) Confine(p Policy, l upstream.Launch) (upstream.Launch, error) {
	l.Started = func(pid int) { _ = process.LimitJob(pid, jobMemory, jobProcesses) } // the process may have ended
	if !m.Contained() {
		return l, nil
	}
	confined, err := m.contain(p, l)
	if err != nil {
		return l, fault.Wrap(err, fault.Failed, "could not prepare its sandbox: %s", fault.MessageOf(err))
	}
	return confined, nil
}

func (m Machine) contain(p Policy, l upstream.Launch) (upstream.Launch, error) {
	if p.Private == "" {
		return l, fault.New(fault.Failed, "it has no folder of its own")
	}
	env := l.Env
	for name, value := range p.roamed() {
		env = env.With(name, value)
	}
	for name, value := range l.Own {
		env = env.With(name, value)
	}
	cmd, err := program.Command(context.Background(), env, l.Command, l.Args...)
	if errors.Is(err, exec.ErrNotFound) {
		return l, nil // the start fails and says that the program is missing
	}
	if err != nil {
		return l, err
	}
	if err := makeRoaming(p.Private); err != nil {
		return l, err
	}
	own := filepath.Dir(p.Private)
	c := contained{
		Version: containedVersion, Moniker: monikerOf(own), Record: recordOf(own), Network: !p.Network.None(),
		Path: cmd.Path, Line: cmd.SysProcAttr.CmdLine, Dir: l.Dir,
		Access: accessesOf(p.reading(env.LookPath(l.Command), cmd.Path).areas(machineDisk{}), systemFolders()),
	}
	if c.Line == "" {
		c.Line = windows.ComposeCommandLine(cmd.Args)
	}
	if !filepath.IsAbs(c.Dir) {
		c.Dir = p.Private
	}
	for _, variable := range process.Marked(cmd.Env) {
		c.Env = append(c.Env, []byte(variable))
	}
	path, err := writeSpec(filepath.Dir(own), c)
	if err != nil {
		return l, err
	}
	l.Command, l.Args = m.Helper[0], append(slices.Clone(m.Helper[1:]), path)
	l.Env, l.Own, l.Dir = outside(), nil, ""
	return l, nil
}

// reading returns a policy that also lets the process read the program that a batch file starts, such as node.exe for npx. A
// batch file that the server may change gives access to nothing.
func (p Policy) reading(command, program string) Policy {
	real, err := filepath.EvalSymlinks(program)
	from, failed := filepath.EvalSymlinks(command)
	if err == nil && failed == nil && !slices.ContainsFunc(p.Write, func(w string) bool { return belowOnWindows(w, from) }) {
		p.Read = append(slices.Clone(p.Read), real)
	}
	return p
}

// makeRoaming creates the folders in a home folder that the variables of Policy.roamed name. It follows no link out of the
// home folder, in which the server can make some.
func makeRoaming(home string) error {
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, folder := range []string{"Roaming", "Local"} {
		if err := root.MkdirAll(filepath.Join("AppData", folder), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// outside is the environment of the helper, which runs before the restrictions apply. The helper gets the environment of
// the program in its spec.
func outside() process.Env {
	return process.Env(os.Environ()).Without(func(name string) bool {
		return !slices.ContainsFunc(outsideNames, func(kept string) bool { return spelled(kept) == spelled(name) })
	})
}

// outsideNames are the variables that describe Windows and the folders of the user.
var outsideNames = []string{
	"SystemRoot", "SystemDrive", "windir", "ProgramData", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
}

// systemFolders returns the folders in which app containers may read by themselves.
func systemFolders() (folders []string) {
	for _, id := range []*windows.KNOWNFOLDERID{
		windows.FOLDERID_Windows, windows.FOLDERID_ProgramFiles, windows.FOLDERID_ProgramFilesX86, windows.FOLDERID_ProgramFilesX64,
	} {
		if path, err := windows.KnownFolderPath(id, 0); err == nil { // 32-bit systems have fewer
			folders = append(folders, path)
		}
	}
	return folders
}

// LimitStarted does nothing: Windows writes no core dumps.
func LimitStarted(int) {}

// ThisProgram returns the command of the helper: this program with HelperCommand. The name of a file has to follow.
// It returns nil if the path of this program cannot be determined.
func ThisProgram() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{path, HelperCommand}
}

// Release takes from the container of a server, whose own folder is own, what it may do, and deletes the container. It is
// called before the folder is deleted or renamed, after the end of the server.
func (m Machine) Release(own string) { release(own) }

func release(own string) {
	moniker, record := monikerOf(own), recordOf(own)
	if _, err := os.Stat(record); err != nil {
		return // it never had a container
	}
	sid, err := containerSID(moniker)
	if err == nil {
		err = permit(sid, record, nil, func(string, error) {})
	}
	if err == nil {
		_ = os.Remove(record) // an empty one has no effect
		deleteContainer(moniker)
	}
}
