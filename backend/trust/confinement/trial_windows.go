package confinement

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/program"
)

// trialTime limits how long the trial of an app container takes.
const trialTime = 10 * time.Second

// trial is what a process in an app container tries. It is an argument, in JSON.
type trial struct {
	Secret  string // a file that the container may not read, in a folder in which it may not write
	Granted string // a file that it may read, in a folder in which it may write
	Address string // where the hub listens
}

// trialWritten is the name of the files that the trial tries to write.
const trialWritten = "written"

// holds reports whether a process in an app container, which helper starts, reads and writes what it may and nothing else,
// and reaches no address of this machine. If anything goes wrong, it does not hold.
func holds(helper []string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	folder, err := os.MkdirTemp("", "agent-discover-trial-")
	if err != nil {
		return false
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	defer func() { _ = listener.Close() }()
	t := trial{
		Secret: filepath.Join(folder, "secret", "file"), Granted: filepath.Join(folder, "granted", "file"),
		Address: listener.Addr().String(),
	}
	for _, file := range []string{t.Secret, t.Granted} {
		err = errors.Join(err, os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("text"), 0o600))
	}
	if err != nil || !holdsIn(ctx, folder, helper, t) {
		return false
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(t.Secret), trialWritten))
	_, granted := os.Stat(filepath.Join(filepath.Dir(t.Granted), trialWritten))
	return errors.Is(err, fs.ErrNotExist) && granted == nil
}

// holdsIn runs the trial in a folder of its own, and takes back afterwards what its container may do.
func holdsIn(ctx context.Context, folder string, helper []string, t trial) bool {
	own := filepath.Join(folder, "own")
	defer release(own)
	text, err := json.Marshal(t)
	if err != nil {
		return false
	}
	self := helper[0]
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	spec := contained{
		Version: containedVersion, Moniker: monikerOf(own), Record: recordOf(own), Network: true,
		Path: self, Line: windows.ComposeCommandLine([]string{self, trialCommand, string(text)}), Dir: filepath.Dir(t.Granted),
		Access: accessesOf([]area{{path: self}, {path: filepath.Dir(t.Granted), write: true}}, systemFolders()),
	}
	for _, variable := range outside() {
		spec.Env = append(spec.Env, []byte(variable))
	}
	path, err := writeSpec(folder, spec)
	if err != nil {
		return false
	}
	cmd, err := program.Command(ctx, outside(), helper[0], append(slices.Clone(helper[1:]), path)...)
	return err == nil && cmd.Run() == nil
}

// tryOut does what a process in an app container must not be able to do, and what it must. It returns 0 if everything is
// as it should be, and otherwise a status that says what is not.
func tryOut(text string) (status int) {
	var t trial
	if err := json.Unmarshal([]byte(text), &t); err != nil || t.Secret == "" || t.Granted == "" || t.Address == "" {
		return 2
	}
	if !inContainer() {
		return 3
	}
	if _, err := os.ReadFile(t.Secret); !errors.Is(err, fs.ErrPermission) {
		return 4
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(t.Secret), trialWritten), nil, 0o600); !errors.Is(err, fs.ErrPermission) {
		return 5
	}
	if _, err := os.ReadFile(t.Granted); err != nil {
		return 6
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(t.Granted), trialWritten), nil, 0o600); err != nil {
		return 7
	}
	if conn, err := net.DialTimeout("tcp", t.Address, trialTime/4); err == nil {
		_ = conn.Close()
		return 8
	}
	return 0
}
