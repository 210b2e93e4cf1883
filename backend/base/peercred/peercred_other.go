//go:build !linux

package peercred

import "net"

// ownerOf returns no owner, because looking one up is not implemented on this system.
func ownerOf(*net.TCPConn) (user int, s Standing) { return -1, Unknown }
