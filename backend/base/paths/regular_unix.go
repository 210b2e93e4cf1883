//go:build unix

package paths

import "syscall"

const nonblocking = syscall.O_NONBLOCK
