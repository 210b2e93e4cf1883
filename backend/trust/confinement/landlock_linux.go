package confinement

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Groups of Landlock's access rights, with the version of the ABI that introduced them;
// see https://docs.kernel.org/userspace-api/landlock.html.
const (
	readFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// writeFile and writeTree lack the rights to make device files, which no server may have.
	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	writeTree = writeFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	handled1 = readTree | writeTree | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	fileOnly = readFile | writeFile | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV |
		unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	refer     = unix.LANDLOCK_ACCESS_FS_REFER        // since ABI 2
	truncate  = unix.LANDLOCK_ACCESS_FS_TRUNCATE     // since ABI 3
	tcp       = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP // since ABI 4
	bindTCP   = unix.LANDLOCK_ACCESS_NET_BIND_TCP    // since ABI 4
	ioctl     = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV    // since ABI 5
	scopes    = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	unixPaths = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX // since ABI 9
)

// landlockABI returns the version of the kernel's Landlock, 0 if it has none or if
// it is switched off.
var landlockABI = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
})

// handledFiles returns the access rights to files that an ABI can restrict.
func handledFiles(abi int) uint64 {
	rights := uint64(handled1)
	for since, more := range map[int]uint64{2: refer, ABITruncate: truncate, ABIIoctl: ioctl, ABISockets: unixPaths} {
		if abi >= since {
			rights |= more
		}
	}
	return rights
}

// rightsTo returns the access rights to an area. handled are the rights that an ABI can
// restrict.
func rightsTo(a area, handled uint64) uint64 {
	switch {
	case a.list:
		return unix.LANDLOCK_ACCESS_FS_READ_DIR
	case a.write:
		return handled & (readTree | writeTree | refer | truncate | unixPaths)
	}
	return handled & (readTree | unixPaths)
}

// restrict applies the part of a spec that Landlock enforces to the calling thread.
// The thread must have set no_new_privs.
func restrict(s spec) error {
	set, err := ruleset(s)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(set) }()
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return fmt.Errorf("apply Landlock rules: %w", errno)
	}
	return nil
}

// ruleset returns a descriptor of the rules of Landlock in a spec.
func ruleset(s spec) (descriptor int, err error) {
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: s.Files, Handled_access_net: s.Network, Scoped: s.Scoped}
	// Older kernels should accept unknown members that are zero, but surely accept a shorter struct.
	size := unsafe.Offsetof(attributes.Quiet_access_fs)
	if s.Scoped == 0 {
		size = unsafe.Offsetof(attributes.Scoped)
	}
	if s.Scoped == 0 && s.Network == 0 {
		size = unsafe.Offsetof(attributes.Handled_access_net)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), size, 0)
	if errno != 0 {
		return 0, fmt.Errorf("create Landlock rules: %w", errno)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(int(set))
		}
	}()
	for _, r := range s.Rules {
		if err := allowPath(set, r, s.Files); err != nil {
			return 0, fmt.Errorf("allow %s: %w", r.Path, err)
		}
	}
	for _, port := range s.Ports {
		attribute := struct{ access, port uint64 }{tcp, uint64(port)}
		const netPort = 2 // LANDLOCK_RULE_NET_PORT
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, set, netPort,
			uintptr(unsafe.Pointer(&attribute)), 0, 0, 0); errno != 0 {
			return 0, fmt.Errorf("allow port %d: %w", port, errno)
		}
	}
	return int(set), nil
}

// allowPath adds a rule. It skips a path that has disappeared or has become a link since
// the spec was made.
func allowPath(set uintptr, r rule, handled uint64) error {
	at, err := unix.Open(r.Path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = unix.Close(at) }()
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return err
	}
	rights := r.Rights & handled
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil
	case unix.S_IFDIR:
	default:
		rights &= fileOnly // Landlock rejects other rights for a file
	}
	if rights == 0 {
		return nil
	}
	attribute := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(at)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, set, unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attribute)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
