package program

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func command(ctx context.Context, env process.Env, path string, args []string) (*exec.Cmd, error) {
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not find the system folder of Windows")
	}
	// Use cmd.exe of the system folder: COMSPEC in the environment may name another program.
	l, err := resolve(disk{}, launch{env: env, path: path, args: args}, folder+`\cmd.exe`)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, l.path, l.args...)
	cmd.Env = l.env
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: l.line, CreationFlags: windows.CREATE_NO_WINDOW}
	return cmd, nil
}

// disk is the real file system.
type disk struct{}

func (disk) look(env process.Env, name string) string { return env.LookPath(name) }

func (disk) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (disk) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxBatchFile {
		return nil, nil // no shim is that long
	}
	return os.ReadFile(path)
}
