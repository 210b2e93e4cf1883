package sandbox

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// attackCommand is the argument that makes this binary try accesses that a server must not have.
const attackCommand = "attack"

func init() {
	commands[confinement.HelperCommand] = func([]string) { os.Exit(confinement.Exec()) }
	commands[attackCommand] = attack
}

// attack tries each access and prints its result: "read /a: got it", or the error.
func attack(tries []string) {
	for _, try := range tries {
		what, target, _ := strings.Cut(try, "=")
		err := attempts[what](target)
		result := "got it"
		if err != nil {
			result = err.Error()
		}
		fmt.Printf("%s: %s\n", what, result)
	}
}

var attempts = map[string]func(string) error{
	"read":    func(path string) error { _, err := os.ReadFile(path); return err },
	"list":    func(path string) error { _, err := os.ReadDir(path); return err },
	"write":   func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"shared":  func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"own":     func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"empty":   func(path string) error { return os.Truncate(path, 0) },
	"link":    func(path string) error { _ = os.Remove("/tmp/of-a-test"); return os.Link(path, "/tmp/of-a-test") },
	"move":    func(path string) error { return os.Rename(path, path+".moved") },
	"connect": func(address string) error { return dial("tcp", address) },
	"send":    func(address string) error { return dial("udp", address) },
	"local":   func(path string) error { return dial("unix", path) },
	"mptcp":   func(string) error { return made(unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)) },
	"ring": func(string) error {
		var parameters [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0)
		return failure(errno)
	},
	"trace":     func(string) error { return unix.PtraceSeize(os.Getppid()) },
	"namespace": func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"mount":     func(path string) error { return unix.Mount("none", path, "tmpfs", 0, "") },
	"environ":   func(pid string) error { _, err := os.ReadFile("/proc/" + pid + "/environ"); return err },
	"signal": func(pid string) error {
		var number int
		if _, err := fmt.Sscan(pid, &number); err != nil {
			return err
		}
		return unix.Kill(number, 0)
	},
	"core": func(string) error {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil || limit.Max != 0 {
			return nil
		}
		return unix.EPERM
	},
	"child": func(path string) error { // programs that a server starts are confined, too
		return unix.Exec("/bin/cat", []string{"cat", path}, nil)
	},
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	if network == "udp" {
		_, err = c.Write([]byte("x"))
	}
	_ = c.Close()
	return err
}

func made(_ int, err error) error { return err }

func failure(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
