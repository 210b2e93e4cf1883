// Package peercred reports which user's process is at the other end of a TCP connection of this machine. The hub calls
// Of for each connection that it accepts, because every user of the machine can connect to a loopback port.
package peercred

import (
	"net"
	"os"
)

// Standing classifies the other end of a connection by its user.
type Standing int

const (
	// Unknown means that the system does not report the user. The caller has to rely on other credentials.
	Unknown Standing = iota
	// Trusted means that the process belongs to the user of this process, or to root.
	Trusted
	// Foreign means that the process belongs to another user.
	Foreign
	// Gone means that the other end has closed its socket, so that its user can no longer be determined.
	Gone
)

// Of returns the standing of the other end of a connection, and the id of its user if the standing is Foreign. It takes
// some microseconds.
func Of(conn *net.TCPConn) (s Standing, user int) {
	owner, s := ownerOf(conn)
	if s != Unknown || owner < 0 {
		return s, 0
	}
	if owner == 0 || owner == os.Geteuid() {
		return Trusted, 0
	}
	return Foreign, owner
}
