package confinement

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These functions of the runtime make a fork of this process safe, as package syscall uses them.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// prepared is what a new process needs to confine itself and to become the program. Without it, a process in between would
// start this large program once more.
type prepared struct {
	steps  []step
	parent int       // the reaper
	report int       // descriptor to which the new process writes why it fails
	failed [2]uint32 // what it writes: index of the step, and the error
	handle int32     // descriptor of the new process

	// The steps have the addresses of these.
	path         *byte
	args, env    []*byte
	limit        unix.Rlimit // of open files
	capabilities unix.CapUserHeader
	none         [2]unix.CapUserData
	program      bpf
	filter       unix.SockFprog
}

// step is a system call of the new process.
type step struct {
	what      string // for errors
	number    uintptr
	arguments [4]uintptr
	without   syscall.Errno // an error that does not count
}

// start starts the program of a spec in a new process with the standard streams of this one, which gives them up, so that
// they end with those of the program. handle is a descriptor of the process.
func start(s spec) (pid, handle int, err error) {
	rules := -1
	if s.Files|s.Network|s.Scoped != 0 {
		if rules, err = ruleset(s); err != nil {
			return 0, 0, err
		}
		defer func() { _ = unix.Close(rules) }()
	}
	p, err := prepare(s, rules)
	if err != nil {
		return 0, 0, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return 0, 0, err
	}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	p.report = int(out.Fd())
	syscall.ForkLock.Lock()
	pid, errno := p.fork()
	syscall.ForkLock.Unlock()
	_ = out.Close()
	if errno != 0 {
		return 0, 0, fmt.Errorf("start a process: %w", errno)
	}
	text, _ := io.ReadAll(in) // empty if the process has become the program
	_ = in.Close()
	if len(text) == 8 {
		at, errno := binary.NativeEndian.Uint32(text), syscall.Errno(binary.NativeEndian.Uint32(text[4:]))
		return 0, 0, fmt.Errorf("%s: %w", p.steps[at].what, errno)
	}
	for stream := range 3 {
		_ = unix.Dup3(null, stream, 0) // cannot fail for descriptors that are open
	}
	return pid, int(p.handle), nil
}

// prepare does what need not be done in the new process. rules is a descriptor of rules of Landlock, or -1.
func prepare(s spec, rules int) (p *prepared, err error) {
	p = &prepared{parent: os.Getpid()}
	p.capabilities.Version = unix.LINUX_CAPABILITY_VERSION_3
	if p.path, err = syscall.BytePtrFromString(s.Path); err != nil {
		return nil, err
	}
	if p.args, err = syscall.SlicePtrFromStrings(s.Args); err != nil {
		return nil, err
	}
	if p.env, err = syscall.SlicePtrFromStrings(environmentOf(s)); err != nil {
		return nil, err
	}
	if err := syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return nil, fmt.Errorf("forbid core dumps: %w", err)
	}
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &p.limit); err != nil {
		return nil, fmt.Errorf("read the limit of open files: %w", err)
	}
	if s.Opened > 0 {
		p.limit.Max = min(uint64(s.Opened), p.limit.Max)
		p.limit.Cur = p.limit.Max
	}
	add := func(what string, number uintptr, arguments ...uintptr) {
		one := step{what: what, number: number}
		copy(one.arguments[:], arguments)
		p.steps = append(p.steps, one)
	}
	add("limit open files", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&p.limit)))
	add("forbid new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	add("drop capabilities", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL)
	add("drop capabilities", unix.SYS_CAPSET, uintptr(unsafe.Pointer(&p.capabilities)), uintptr(unsafe.Pointer(&p.none)))
	if rules >= 0 {
		add("apply Landlock rules", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules))
	}
	if s.Calls {
		p.program = filter(s.Filter)
		p.filter = unix.SockFprog{Len: uint16(len(p.program)), Filter: &p.program[0]}
		add("filter system calls", unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&p.filter)))
	}
	// The program inherits nothing that this process has open.
	add("close files", unix.SYS_CLOSE_RANGE, specFile, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	p.steps[len(p.steps)-1].without = unix.ENOSYS // before Linux 5.11, which has no Landlock either
	add("start "+s.Path, unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.path)), uintptr(unsafe.Pointer(&p.args[0])),
		uintptr(unsafe.Pointer(&p.env[0])))
	return p, nil
}

// fork starts a process, which confines itself and becomes the program. The process is a copy of this one with a single
// thread, so it may only make system calls: it takes no locks, allocates nothing, and calls no function with a stack of
// its own.
//
//go:norace
func (p *prepared) fork() (pid int, errno syscall.Errno) {
	var r uintptr
	beforeFork()
	const flags = uintptr(unix.SIGCHLD) | unix.CLONE_PIDFD
	r, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, flags, 0, uintptr(unsafe.Pointer(&p.handle)), 0, 0, 0)
	if errno != 0 || r != 0 {
		afterFork()
		return int(r), errno
	}
	afterForkInChild()
	_, _, errno = syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
	if r, _, _ = syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); int(r) != p.parent { // which has ended before
		errno = unix.ESRCH
	}
	for at := 0; at < len(p.steps) && errno == 0; at++ {
		one := &p.steps[at]
		_, _, errno = syscall.RawSyscall6(one.number, one.arguments[0], one.arguments[1], one.arguments[2], one.arguments[3], 0, 0)
		if errno == one.without {
			errno = 0
		}
		p.failed = [2]uint32{uint32(at), uint32(errno)}
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_WRITE, uintptr(p.report), uintptr(unsafe.Pointer(&p.failed)), 8)
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, exitNotConfined, 0, 0)
	}
}
