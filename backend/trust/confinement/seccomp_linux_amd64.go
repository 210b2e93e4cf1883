package confinement

import "golang.org/x/sys/unix"

// System calls that newer architectures do not have.
var (
	olderChown  = []uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN}
	olderModes  = []call{{unix.SYS_CHMOD, 1, -1}}
	olderMakers = []call{{unix.SYS_OPEN, 2, 1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_MKNOD, 1, -1}}
	olderTimes  = []uint32{unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
)
