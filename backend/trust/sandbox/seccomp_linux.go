package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbidden are system calls that no server needs, and with which a process could leave its sandbox or reach other
// processes.
var forbidden = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL,
}

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

// Requests of ioctl that put characters into the input of a terminal.
const (
	tiocsti   = 0x5412
	tioclinux = 0x541c
)

// filter returns a program that makes forbidden system calls fail. It is nil on
// architectures whose system calls it does not know.
func filter(sockets int) []unix.SockFilter {
	architecture, known := architectures[runtime.GOARCH]
	if !known {
		return nil
	}
	fail := func(errno uint32) unix.SockFilter {
		return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|errno)
	}
	allow := statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW)
	load := func(offset uint32) unix.SockFilter { return statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset) }
	// equals skips the next statement unless the loaded value is k.
	equals := func(k uint32) unix.SockFilter { return jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1) }

	program := []unix.SockFilter{
		load(offsetArchitecture), jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, architecture, 1, 0), fail(uint32(unix.EPERM)),
		load(offsetNumber),
	}
	if runtime.GOARCH == "amd64" { // the x32 ABI has its own numbers
		program = append(program, jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1), fail(uint32(unix.EPERM)))
	}
	for _, number := range forbidden {
		program = append(program, equals(number), fail(uint32(unix.EPERM)))
	}
	// The flags of clone3 are in memory, which a filter cannot read. Without clone3, programs use clone.
	program = append(program, equals(unix.SYS_CLONE3), fail(uint32(unix.ENOSYS)))
	when := func(number uint32, then ...unix.SockFilter) {
		program = append(program, jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, uint8(len(then))))
		program = append(program, then...)
	}
	when(unix.SYS_CLONE, load(offsetArgument), jump(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, newNamespaces, 0, 1),
		fail(uint32(unix.EPERM)), allow)
	when(unix.SYS_IOCTL, load(offsetArgument+8), equals(tiocsti), fail(uint32(unix.EPERM)), equals(tioclinux),
		fail(uint32(unix.EPERM)), allow)
	if sockets != anySockets {
		families := []uint32{unix.AF_NETLINK}
		if sockets == internetSockets {
			families = append(families, unix.AF_INET, unix.AF_INET6)
		}
		then := []unix.SockFilter{load(offsetArgument)}
		for n, family := range families { // an allowed family skips the failure
			then = append(then, jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, family, uint8(len(families)-n), 0))
		}
		then = append(then, fail(uint32(unix.EACCES)),
			// Landlock does not restrict MPTCP and SCTP connections, so refuse their sockets. Programs that use MPTCP fall back
			// to TCP.
			load(offsetArgument+16), equals(unix.IPPROTO_MPTCP), fail(uint32(unix.EPROTONOSUPPORT)), equals(unix.IPPROTO_SCTP),
			fail(uint32(unix.EPROTONOSUPPORT)), allow)
		when(unix.SYS_SOCKET, then...)
	}
	return append(program, allow)
}

func statement(code int, k uint32) unix.SockFilter { return unix.SockFilter{Code: uint16(code), K: k} }

func jump(code int, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: uint16(code), K: k, Jt: yes, Jf: no}
}

// install applies a filter to the calling thread. The thread must have set no_new_privs.
func install(program []unix.SockFilter) error {
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&whole)), 0, 0); err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}
