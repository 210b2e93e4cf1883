package confinement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// exitNotConfined is the exit status of a helper that could not confine itself.
const exitNotConfined = 126

// Exec confines this process as the spec in an inherited file says, and becomes the
// program that the spec names. It returns only the exit status of a failure, whose
// reason it has written to standard error, or of the program if the spec wants a
// reaper. It is called first thing in main, before the process has done anything else.
func Exec() (status int) {
	// Restrictions apply to a thread. The program inherits those of the thread that calls exec.
	runtime.LockOSThread()
	s, err := readSpec()
	switch {
	case err != nil:
	case s.Reap:
		if status, err = reap(s); err == nil {
			return status
		}
	default:
		err = execute(s)
	}
	fmt.Fprintf(os.Stderr, "agent-discover: the server was not started, because it could not be confined: %v\n", err)
	return exitNotConfined
}

// readSpec reads the inherited spec.
func readSpec() (s spec, err error) {
	file := os.NewFile(specFile, "spec")
	if err := json.NewDecoder(file).Decode(&s); err != nil {
		return s, fmt.Errorf("read what to enforce: %w", err)
	}
	_ = file.Close()
	if s.Version != specVersion {
		return s, errors.New("the hub has another version than this program; restart the hub")
	}
	return s, nil
}

// execute confines this process and becomes the program. It returns only if it fails.
func execute(s spec) error {
	if err := syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}
	for _, m := range s.Mounts {
		// Another process may have replaced a file between the moment when the hub looked at it and its mount.
		var info unix.Stat_t
		if err := unix.Lstat(m.At, &info); err != nil || uint64(info.Dev) != m.Device || info.Ino != m.Number {
			return fmt.Errorf("something else was mounted at %s; start it again", m.At)
		}
	}
	if err := limitFiles(s.Opened); err != nil {
		return err
	}
	if len(s.Listen) > 0 {
		if err := listenAt(s.Listen, channelFile); err != nil {
			return err
		}
	}
	// Programs of root get no more capabilities than this process has, because they get no new privileges.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if s.Files|s.Network|s.Scoped != 0 {
		if err := restrict(s); err != nil {
			return err
		}
	}
	if s.Calls {
		if err := install(filter(s.Filter)); err != nil {
			return err
		}
	}
	if err := process.UnblockTerminate(); err != nil {
		return err
	}
	// The program inherits nothing that the hub or its parents have open.
	_ = unix.CloseRange(specFile, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // fails before Linux 5.11, which has no Landlock either
	err := syscall.Exec(s.Path, s.Args, environmentOf(s))
	return fmt.Errorf("start %s: %w", s.Path, err)
}

// environmentOf returns the environment of the program.
func environmentOf(s spec) []string {
	var env process.Env
	for _, variable := range s.Env {
		env = append(env, string(variable))
	}
	return process.Marked(env)
}

// dropCapabilities makes the program start without capabilities, such as those of root. A process may always drop its
// own.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// limitFiles limits how many files the process can have open.
func limitFiles(most int64) error {
	var now syscall.Rlimit
	if most == 0 || syscall.Getrlimit(unix.RLIMIT_NOFILE, &now) != nil {
		return nil
	}
	limit := min(uint64(most), now.Max)
	if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return fmt.Errorf("limit open files: %w", err)
	}
	return nil
}
