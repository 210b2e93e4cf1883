package sandbox

import (
	"encoding/json"
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
// reason it has written to standard error. It is called first thing in main, before
// the process has done anything else.
func Exec() (status int) {
	// Restrictions apply to a thread. The program inherits those of the thread that calls exec.
	runtime.LockOSThread()
	fmt.Fprintf(os.Stderr, "agent-discover: the server was not started, because it could not be confined: %v\n", execute())
	return exitNotConfined
}

// execute does the work of Exec. It returns only if it fails.
func execute() error {
	file := os.NewFile(specFile, "spec")
	var s spec
	if err := json.NewDecoder(file).Decode(&s); err != nil {
		return fmt.Errorf("read what to enforce: %w", err)
	}
	_ = file.Close()
	if s.Version != specVersion {
		return fmt.Errorf("the hub has another version than this program; restart the hub")
	}
	if err := syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}
	if err := limitFiles(s.Opened); err != nil {
		return err
	}
	dropCapabilities()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if s.Files|s.Network|s.Scoped != 0 {
		if err := restrict(s); err != nil {
			return err
		}
	}
	if s.Calls {
		if err := install(filter(s.Sockets)); err != nil {
			return err
		}
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

// dropped are the capabilities with which root could leave a sandbox or look into
// other processes. CAP_PERFMON, for example, shows the environment of all processes.
var dropped = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT,
	unix.CAP_SYS_TIME, unix.CAP_SYS_CHROOT, unix.CAP_MKNOD, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_DAC_READ_SEARCH,
	unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_AUDIT_CONTROL, unix.CAP_AUDIT_READ, unix.CAP_SYSLOG, unix.CAP_CHECKPOINT_RESTORE,
	unix.CAP_SETPCAP,
}

// dropCapabilities makes the server's program start without the capabilities in
// dropped, if the hub runs as root. Other users have none of these capabilities, and
// may not drop any either.
func dropCapabilities() {
	for _, capability := range dropped {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
	}
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
