package hub

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// soExclusiveAddrUse is SO_EXCLUSIVEADDRUSE of winsock2.h.
const soExclusiveAddrUse = ^windows.SO_REUSEADDR

// listenExclusively keeps other programs from listening on the hub's port while the hub does. Windows would allow that
// to a program that asks to share the port.
func listenExclusively(_, _ string, socket syscall.RawConn) error {
	var err error
	if failed := socket.Control(func(fd uintptr) {
		err = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, soExclusiveAddrUse, 1)
	}); failed != nil {
		return failed
	}
	return err
}
