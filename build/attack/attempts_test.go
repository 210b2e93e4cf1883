//go:build linux

package attack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// plants are what an attacker looks for: things of the user on the machine.
type plants struct {
	Home, Data string
	Helper     string // path of the program that confines servers
	TCP, UDP   string // addresses of listeners
	Socket     string // path of a listener in the folder for temporary files
	Bus        string // path of a listener in the home folder
	Packets    string // path of a socket for datagrams in the folder for temporary files
	Abstract   string // name of a listener without a path
	Shared     int    // id of shared memory
	Queue      int    // id of a message queue
	Terminal   string // path of a terminal
	PID        int    // of a program of the user
}

// key is the content of the file that nobody but the user may read.
const key = "the key of the user"

func (p plants) key() string     { return filepath.Join(p.Home, ".ssh", "id_ed25519") }
func (p plants) foreign() string { return filepath.Join(p.Home, "notes.txt") }

// proc returns the path of a file about the program of the user.
func (p plants) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", p.PID, name) }

// attempt makes an attack. It returns nil if it succeeds as far as the attacker can see.
type attempt func(p plants) error

// attempts are the attacks that the server makes, by name.
var attempts = map[string]attempt{
	"read key":    func(p plants) error { return holds(os.ReadFile(p.key())) },
	"list home":   func(p plants) error { return found(os.ReadDir(filepath.Join(p.Home, ".ssh"))) },
	"stat key":    func(p plants) error { return second(os.Stat(p.key())) },
	"read editor": func(p plants) error { return holds(os.ReadFile(filepath.Join(p.Home, ".config/Code/User/mcp.json"))) },
	"read token":  func(p plants) error { return holds(os.ReadFile(filepath.Join(p.Data, "planted"))) },
	"read others": func(p plants) error { return holds(os.ReadFile(filepath.Join(p.Data, "sandbox/other/home/state"))) },
	"link to key": func(p plants) error {
		link := filepath.Join(own(), "link")
		_ = os.Remove(link)
		if err := os.Symlink(p.key(), link); err != nil {
			return err
		}
		return holds(os.ReadFile(link))
	},
	"hard link to key": func(p plants) error {
		link := filepath.Join(own(), "hard-link")
		_ = os.Remove(link)
		if err := os.Link(p.key(), link); err != nil {
			return err
		}
		return holds(os.ReadFile(link))
	},
	"key by a program": func(p plants) error { return holds(inMemory("read", p.key())) },
	"shadow": func(plants) error {
		_, err := os.ReadFile("/etc/shadow")
		return err
	},

	"write": func(p plants) error { return os.WriteFile(filepath.Join(p.Home, "planted"), nil, 0o600) },
	"cache": func(p plants) error { return os.WriteFile(filepath.Join(p.Home, ".cache/tool/run"), nil, 0o600) },
	"shared": func(p plants) error {
		return os.WriteFile(filepath.Join(filepath.Dir(p.Socket), "planted"), nil, 0o600)
	},
	"empty":    func(p plants) error { return os.Truncate(p.foreign(), 0) },
	"rename":   func(p plants) error { return os.Rename(p.foreign(), p.foreign()+".moved") },
	"mode":     func(p plants) error { return os.Chmod(p.foreign(), 0o666) },
	"times":    func(p plants) error { return os.Chtimes(p.foreign(), time.Unix(0, 0), time.Unix(0, 0)) },
	"xattr":    func(p plants) error { return unix.Setxattr(p.foreign(), "user.planted", []byte("x"), 0) },
	"kernel":   func(plants) error { return second(os.OpenFile("/proc/sys/kernel/core_pattern", os.O_WRONLY, 0)) },
	"device":   func(plants) error { return unix.Mknod(filepath.Join(own(), "disk"), unix.S_IFBLK|0o600, 8<<8) },
	"fd xattr": func(plants) error { return xattrOfDescriptor() },

	"set-id by chmod":  func(plants) error { return setID(func(path string) error { return unix.Chmod(path, 0o4755) }) },
	"set-id by fchmod": func(plants) error { return setID(byDescriptor) },
	"set-id by fchmodat": func(plants) error {
		return setID(func(path string) error { return unix.Fchmodat(unix.AT_FDCWD, path, 0o4755, 0) })
	},
	"set-id by fchmodat2": func(plants) error {
		return setID(func(path string) error { return pathCall(unix.SYS_FCHMODAT2, path, 0o4755, 0) })
	},
	"set-id by open": func(plants) error {
		at, err := unix.Open(filepath.Join(own(), "opened"), unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o4755)
		_ = unix.Close(at)
		return err
	},
	"set-id by a nameless file": func(plants) error {
		at, err := unix.Open(own(), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o4755)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(at) }()
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", at), unix.AT_FDCWD, filepath.Join(own(), "nameless"),
			unix.AT_SYMLINK_FOLLOW)
	},
	"set-id by openat2": func(plants) error {
		at, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(own(), "openat2"), &unix.OpenHow{
			Flags: unix.O_CREAT | unix.O_WRONLY | unix.O_CLOEXEC, Mode: 0o4755,
		})
		_ = unix.Close(at)
		return err
	},
	"set-id by mknod": func(plants) error { return unix.Mknod(filepath.Join(own(), "made"), unix.S_IFREG|0o4755, 0) },

	"environment of a program":  func(p plants) error { return holds(os.ReadFile(p.proc("environ"))) },
	"command line of a program": func(p plants) error { return contains(p.proc("cmdline"), "victim") },
	"root of a program":         func(p plants) error { return holds(os.ReadFile(p.proc("root") + p.key())) },
	"signal":                    func(p plants) error { return unix.Kill(p.PID, 0) },
	"trace":                     func(p plants) error { return trace(p.PID) },
	"memory of a program": func(p plants) error {
		var buffer [1]byte
		_, err := unix.ProcessVMReadv(p.PID, []unix.Iovec{{Base: &buffer[0], Len: 1}}, []unix.RemoteIovec{{Base: textOf(p), Len: 1}}, 0)
		return err
	},
	"descriptor of a program": func(p plants) error {
		at, err := unix.PidfdOpen(p.PID, 0)
		if err != nil {
			return err
		}
		return second(unix.PidfdGetfd(at, 0, 0))
	},

	"limits of a program": func(p plants) error {
		var now unix.Rlimit
		if err := unix.Prlimit(p.PID, unix.RLIMIT_CORE, nil, &now); err != nil {
			return err
		}
		return unix.Prlimit(p.PID, unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: now.Max}, nil)
	},
	"priority of a program": func(p plants) error {
		if err := unix.Setpriority(unix.PRIO_PROCESS, p.PID, 1); err == nil {
			return nil
		}
		if err := unix.Setpriority(unix.PRIO_USER, 0, 1); err != nil { // of all programs of the user
			return err
		}
		const lowered = 20 - 1 // how Linux returns 1
		if now, err := unix.Getpriority(unix.PRIO_PROCESS, p.PID); err != nil || now != lowered {
			return errors.Join(unix.EPERM, err)
		}
		return nil
	},
	"shared memory": func(p plants) error { return sharedMemory(p.Shared) },
	"terminal":      func(p plants) error { return second(os.OpenFile(p.Terminal, os.O_RDWR|unix.O_NOCTTY, 0)) },

	"keyring":        func(plants) error { return second(unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)) },
	"io_uring":       func(plants) error { return ring() },
	"userfaultfd":    func(plants) error { return plain(unix.SYS_USERFAULTFD, 1) }, // UFFD_USER_MODE_ONLY
	"user namespace": func(plants) error { return inThread(unix.CLONE_NEWUSER) },
	"clone3":         func(plants) error { return clone3() },
	"mount": func(plants) error {
		return inThread(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
	},
	"32-bit calls": func(plants) error { return plain(0x40000000|unix.SYS_GETPID, 0) },

	"socket in a temporary folder": func(p plants) error { return dial("unix", p.Socket) },
	"datagrams":                    func(p plants) error { return datagram(p.Packets, unix.SOCK_DGRAM) },
	"datagrams of raw sockets":     func(p plants) error { return datagram(p.Packets, unix.SOCK_RAW) },
	"netlink":                      func(plants) error { return netlink() },
	"messages":                     func(p plants) error { return messages(p.Queue) },
	"names by inotify":             func(p plants) error { return watch(filepath.Join(p.Home, ".ssh")) },
	"socket in the home folder":    func(p plants) error { return dial("unix", p.Bus) },
	"abstract socket":              func(p plants) error { return dial("unix", "@"+p.Abstract) },
	"TCP":                          func(p plants) error { return dial("tcp", p.TCP) },
	"UDP":                          func(p plants) error { return dial("udp", p.UDP) },
	"TCP while sending":            func(p plants) error { return fastOpen(p.TCP) },
	"crypto socket":                func(plants) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET) },
	"vsock":                        func(plants) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"MPTCP": func(plants) error {
		at, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		_ = unix.Close(at)
		return err
	},
	"stay":      func(p plants) error { return stay(p.Abstract) },
	"variables": use,
	"swapped":   throughSwapped,

	"key through processes": throughProcesses,
	"key by the helper":     byHelper,
	"key in an open file":   inherited,
}

// own returns the folder in which the server keeps its files.
func own() string { return os.Getenv("HOME") }

// holds returns an error unless a text contains the key.
func holds(text []byte, err error) error {
	if err == nil && !strings.Contains(string(text), key) {
		err = fmt.Errorf("it contains %.80q", text)
	}
	return err
}

func contains(path, part string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), part) {
		err = fmt.Errorf("it contains %.80q", text)
	}
	return err
}

// found returns an error unless a folder has entries.
func found(entries []os.DirEntry, err error) error {
	if err == nil && len(entries) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

func second[T any](_ T, err error) error { return err }

// setID creates a file and gives it a bit with which it runs as its owner.
func setID(set func(path string) error) error {
	path := filepath.Join(own(), "identity")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		return err
	}
	return set(path)
}

func byDescriptor(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return unix.Fchmod(int(file.Fd()), 0o4755)
}

func xattrOfDescriptor() error {
	file, err := os.Create(filepath.Join(own(), "attributes"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return unix.Fsetxattr(int(file.Fd()), "user.planted", []byte("x"), 0)
}

// pathCall makes a system call whose first arguments are the current folder and a path.
func pathCall(number uintptr, path string, arguments ...uintptr) error {
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	folder := unix.AT_FDCWD
	_, _, errno := unix.Syscall6(number, uintptr(folder), uintptr(unsafe.Pointer(name)), arguments[0], arguments[1], 0, 0)
	return failure(errno)
}

// plain makes a system call with one argument.
func plain(number, argument uintptr) error {
	at, _, errno := unix.Syscall(number, argument, 0, 0)
	if errno == 0 && number == unix.SYS_USERFAULTFD {
		_ = unix.Close(int(at))
	}
	return failure(errno)
}

func failure(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// sharedMemory attaches shared memory that another program has made.
func sharedMemory(id int) error {
	_, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	return err
}

// datagram sends a datagram with one of a pair of sockets, which it has disconnected from the other.
func datagram(path string, kind int) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	defer func() { _, _ = unix.Close(pair[0]), unix.Close(pair[1]) }()
	return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
}

// netlink makes a socket over which processes of different programs send each other messages.
func netlink() error {
	at, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_USERSOCK)
	_ = unix.Close(at)
	return err
}

// messages puts a message into a queue that another program has made.
func messages(queue int) error {
	message := struct {
		kind int
		text [8]byte
	}{kind: 1}
	_, _, errno := unix.Syscall6(unix.SYS_MSGSND, uintptr(queue), uintptr(unsafe.Pointer(&message)), 8, 0o4000, 0, 0) // IPC_NOWAIT
	return failure(errno)
}

// watch learns the names of the files in a folder that are opened.
func watch(folder string) error {
	at, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	return second(unix.InotifyAddWatch(at, folder, unix.IN_OPEN))
}

// fastOpen connects by sending, which Landlock does not see.
func fastOpen(address string) error {
	to, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return err
	}
	at, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	return unix.Sendto(at, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())})
}

func ring() error {
	var parameters [120]byte
	at, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0)
	if errno == 0 {
		_ = unix.Close(int(at))
	}
	return failure(errno)
}

func socket(family, kind int) error {
	at, err := unix.Socket(family, kind, 0)
	_ = unix.Close(at)
	return err
}

// dial connects to an address, and for UDP waits for an answer.
func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if network != "udp" {
		return nil
	}
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err = c.Write([]byte("x")); err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	return err
}
