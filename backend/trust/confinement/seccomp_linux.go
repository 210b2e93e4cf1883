package confinement

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbidden are system calls that no server needs, and with which a process could leave its sandbox, reach other
// processes, or change the owners and attributes of files.
var forbidden = append([]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_PROCESS_MADVISE,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_SYSLOG,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
}, olderChown...)

// unknown are system calls that fail as on a kernel that does not have them, so that programs use older ones: the
// filter cannot read their arguments, which are in memory, or they do what older ones are forbidden.
var unknown = []uint32{
	unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_FCHMODAT2,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FILE_GETATTR, unix.SYS_FILE_SETATTR,
}

// call is a system call with the positions of its arguments.
type call struct {
	number uint32
	mode   int // of the mode of the file
	flags  int // of the flags with which a file is opened; -1 if it has none
}

// modes are the system calls that set the mode of a file, and makers are those that create a file with one.
var (
	modes  = append([]call{{unix.SYS_FCHMOD, 1, -1}, {unix.SYS_FCHMODAT, 2, -1}}, olderModes...)
	makers = append([]call{{unix.SYS_OPENAT, 3, 2}, {unix.SYS_MKNODAT, 2, -1}}, olderMakers...)
	times  = append([]uint32{unix.SYS_UTIMENSAT}, olderTimes...)
)

// identity are the bits of a mode with which a program runs as the owner or the group of its file.
const identity = unix.S_ISUID | unix.S_ISGID

// creates are the flags with which a file is created.
const creates = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY

// architectures are the processor architectures whose system calls the filter knows.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Offsets in struct seccomp_data. The lower half of an argument comes first on
// the architectures above.
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetArgument     = 16 // of the first argument; each has 8 bytes
)

const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// forbiddenRequests are requests of ioctl that put characters into the input of a terminal (TIOCSTI and TIOCLINUX), and
// that change attributes of files which the process may only read (FS_IOC_SETFLAGS, also of 32 bits, and
// FS_IOC_FSSETXATTR).
var forbiddenRequests = []uint32{0x5412, 0x541c, 0x40086602, 0x40046602, 0x401c5820}

// ofProcesses are the system calls that change another process, with the position of its id, and shared those that share
// memory and messages with other processes by a number or a name.
var (
	ofProcesses = map[uint32]int{
		unix.SYS_PRLIMIT64: 0, unix.SYS_SETPRIORITY: 1, unix.SYS_IOPRIO_SET: 1, unix.SYS_SCHED_SETAFFINITY: 0,
		unix.SYS_SCHED_SETSCHEDULER: 0, unix.SYS_SCHED_SETPARAM: 0, unix.SYS_SCHED_SETATTR: 0, unix.SYS_MIGRATE_PAGES: 0,
		unix.SYS_MOVE_PAGES: 0,
	}
	// single are those that may also mean all processes of a group or a user, with their first argument if it is a single
	// process.
	single = map[uint32]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: 1}
	shared = []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	}
)

// bpf is a filter of system calls: a program of the classic Berkeley Packet Filter.
type bpf []unix.SockFilter

// filter returns a program that makes forbidden system calls fail. It is nil on
// architectures whose system calls it does not know.
func filter(allowed calls) bpf {
	architecture, known := architectures[runtime.GOARCH]
	if !known {
		return nil
	}
	p := bpf{
		load(offsetArchitecture), jump(unix.BPF_JEQ, architecture, 1, 0), fail(unix.EPERM),
		load(offsetNumber),
	}
	if runtime.GOARCH == "amd64" { // the x32 ABI has its own numbers
		p = append(p, jump(unix.BPF_JGE, 0x40000000, 0, 1), fail(unix.EPERM))
	}
	for _, number := range forbidden {
		p.when(number, fail(unix.EPERM))
	}
	for _, number := range unknown {
		p.when(number, fail(unix.ENOSYS))
	}
	p.when(unix.SYS_CLONE, argument(0), jump(unix.BPF_JSET, newNamespaces, 0, 1), fail(unix.EPERM), allow)
	requests := []unix.SockFilter{argument(1)}
	for _, request := range forbiddenRequests {
		requests = append(requests, jump(unix.BPF_JEQ, request, 0, 1), fail(unix.EPERM))
	}
	p.when(unix.SYS_IOCTL, append(requests, allow)...)
	for _, c := range makers {
		var then []unix.SockFilter
		if c.flags >= 0 {
			then = append(then, argument(c.flags), jump(unix.BPF_JSET, creates, 1, 0), allow)
		}
		p.when(c.number, append(then, argument(c.mode), jump(unix.BPF_JSET, identity, 0, 1), fail(unix.EPERM), allow)...)
	}
	for _, c := range modes {
		if allowed.Modes {
			p.when(c.number, argument(c.mode), jump(unix.BPF_JSET, identity, 0, 1), fail(unix.EPERM), allow)
		} else {
			p.when(c.number, fail(unix.EPERM))
		}
	}
	if !allowed.Modes {
		for _, number := range times {
			p.when(number, fail(unix.EPERM))
		}
	}
	p.when(unix.SYS_SOCKET, sockets(allowed)...)
	if !allowed.Local { // a pair of datagram sockets, which SOCK_RAW makes too, could be connected with others
		p.when(unix.SYS_SOCKETPAIR, append(oneOf(typeOfSocket, unix.EACCES, unix.SOCK_STREAM, unix.SOCK_SEQPACKET), allow)...)
	}
	for number, flags := range map[uint32]int{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3} {
		// Landlock does not see connections that are made while data is sent.
		p.when(number, argument(flags), jump(unix.BPF_JSET, unix.MSG_FASTOPEN, 0, 1), fail(unix.EOPNOTSUPP), allow)
	}
	if !allowed.Listen {
		p.when(unix.SYS_LISTEN, fail(unix.EACCES))
	}
	if !allowed.Others {
		for number, pid := range ofProcesses {
			check := []unix.SockFilter{argument(pid), jump(unix.BPF_JEQ, 0, 1, 0), fail(unix.EPERM), allow}
			if kind, ok := single[number]; ok {
				check = append([]unix.SockFilter{argument(0), jump(unix.BPF_JEQ, kind, 1, 0), fail(unix.EPERM)}, check...)
			}
			p.when(number, check...)
		}
		for _, number := range shared {
			p.when(number, fail(unix.EPERM))
		}
	}
	return append(p, allow)
}

// typeOfSocket loads the type of a socket without its flags.
var typeOfSocket = []unix.SockFilter{argument(1), statement(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf)}

// sockets returns what is checked when a process makes a socket. Sockets for the routing part of netlink are always
// allowed, because programs list network interfaces with them. Over other parts, processes can send each other messages.
func sockets(allowed calls) (then []unix.SockFilter) {
	check := func(family uint32, ok bool, more ...unix.SockFilter) {
		if more = append(more, allow); !ok {
			more = []unix.SockFilter{fail(unix.EACCES)}
		}
		then = append(append(then, jump(unix.BPF_JEQ, family, 0, uint8(len(more)))), more...)
	}
	protocol := []unix.SockFilter{argument(2)}
	then = append(then, argument(0))
	check(unix.AF_NETLINK, true, oneOf(protocol, unix.EPROTONOSUPPORT, unix.NETLINK_ROUTE)...)
	check(unix.AF_UNIX, allowed.Local)
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		// Landlock restricts only TCP, and not connections of MPTCP, SCTP and SMC. Programs that use MPTCP fall back to TCP.
		check(family, allowed.Internet, slices.Concat(
			oneOf(typeOfSocket, unix.EPROTONOSUPPORT, unix.SOCK_STREAM, unix.SOCK_DGRAM),
			oneOf(protocol, unix.EPROTONOSUPPORT, 0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6))...)
	}
	return append(then, fail(unix.EAFNOSUPPORT))
}

// oneOf returns statements that load a value and let the system call fail unless the value is one of those given.
func oneOf(value []unix.SockFilter, errno unix.Errno, values ...uint32) []unix.SockFilter {
	checks := slices.Clone(value)
	for i, v := range values {
		checks = append(checks, jump(unix.BPF_JEQ, v, uint8(len(values)-i), 0))
	}
	return append(checks, fail(errno))
}

// when adds what happens at a system call. The statements must not let the program continue after them.
func (p *bpf) when(number uint32, then ...unix.SockFilter) {
	*p = append(append(*p, jump(unix.BPF_JEQ, number, 0, uint8(len(then)))), then...)
}

var allow = statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW)

func fail(errno unix.Errno) unix.SockFilter {
	return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno))
}

func load(offset uint32) unix.SockFilter {
	return statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset)
}

// argument loads the lower half of an argument of a system call.
func argument(n int) unix.SockFilter { return load(uint32(offsetArgument + 8*n)) }

func statement(code int, k uint32) unix.SockFilter { return unix.SockFilter{Code: uint16(code), K: k} }

// jump skips as many statements as yes or no says, depending on the comparison of what was loaded with k.
func jump(comparison int, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: uint16(unix.BPF_JMP | comparison | unix.BPF_K), K: k, Jt: yes, Jf: no}
}

// install applies a filter to the calling thread. The thread must have set no_new_privs.
func install(p bpf) error {
	whole := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&whole)), 0, 0); err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}
