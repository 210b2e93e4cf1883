package peercred

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errNoSocket means that the kernel has no socket with the addresses of the other end.
var errNoSocket = errors.New("no such socket")

// socket holds what the kernel reports about a socket. If inode is 0, no process has the socket open any more, and user
// may not be the user who opened it.
type socket struct {
	user, inode uint32
}

// ownerOf returns the user id of the process at the other end. If it finds no process, user is -1 and s is Unknown or
// Gone.
func ownerOf(conn *net.TCPConn) (user int, s Standing) {
	local, remote := addrPort(conn.LocalAddr()), addrPort(conn.RemoteAddr())
	if !local.IsValid() || !remote.IsValid() {
		return -1, Unknown
	}
	other, err := askKernel(remote, local)
	if err != nil { // the kernel may lack the module for such requests
		other, err = readTables(remote, local)
	}
	switch {
	case errors.Is(err, errNoSocket) && !established(conn):
		return -1, Gone
	case err != nil: // for example, the host of a virtual machine forwards the connection
		return -1, Unknown
	case other.inode == 0:
		return -1, Gone
	}
	return int(other.user), Unknown
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// established reports whether the other end has neither closed nor reset a connection.
func established(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var open bool
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		open = err == nil && info.State == unix.BPF_TCP_ESTABLISHED
	})
	return err == nil && open
}

const (
	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY of linux/sock_diag.h
	headerSize       = unix.SizeofNlMsghdr
	requestSize      = headerSize + 56 // struct inet_diag_req_v2
	replySize        = headerSize + 72 // struct inet_diag_msg
)

// askKernel looks up the socket with a local and a remote address over NETLINK_SOCK_DIAG.
func askKernel(local, remote netip.AddrPort) (socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return socket{}, err
	}
	defer func() { _ = unix.Close(fd) }()
	// The kernel answers before Sendto returns, so this timeout never passes.
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return socket{}, err
	}
	if err := unix.Sendto(fd, request(local, remote), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return socket{}, err
	}
	reply := make([]byte, 1024)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return socket{}, err
	}
	reply = reply[:n]
	if n < headerSize+4 {
		return socket{}, unix.EBADMSG
	}
	if kind := binary.NativeEndian.Uint16(reply[4:]); kind == unix.NLMSG_ERROR {
		return socket{}, unix.Errno(-int32(binary.NativeEndian.Uint32(reply[headerSize:])))
	}
	if n < replySize {
		return socket{}, unix.EBADMSG
	}
	if state := reply[headerSize+1]; state == unix.BPF_TCP_LISTEN { // the lookup falls back to listening sockets
		return socket{}, errNoSocket
	}
	return socket{
		user:  binary.NativeEndian.Uint32(reply[headerSize+64:]),
		inode: binary.NativeEndian.Uint32(reply[headerSize+68:]),
	}, nil
}

func request(local, remote netip.AddrPort) []byte {
	b := make([]byte, requestSize)
	binary.NativeEndian.PutUint32(b[0:], requestSize)
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	body := b[headerSize:]
	body[0], body[1] = unix.AF_INET, unix.IPPROTO_TCP
	if local.Addr().Is6() {
		body[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(body[4:], ^uint32(0)) // sockets in all states
	id := body[8:]
	binary.BigEndian.PutUint16(id[0:], local.Port())
	binary.BigEndian.PutUint16(id[2:], remote.Port())
	copy(id[4:20], local.Addr().AsSlice())
	copy(id[20:36], remote.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // no cookie
	return b
}

// readTables looks up a socket in the tables of /proc. It is slower than askKernel, and works where netlink is forbidden.
func readTables(local, remote netip.AddrPort) (socket, error) {
	tables := []string{"/proc/net/tcp6"}
	if local.Addr().Is4() { // tcp6 lists IPv6 sockets with IPv4-mapped addresses
		tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}
	}
	for _, name := range tables {
		found, err := readTable(name, local, remote)
		if !errors.Is(err, errNoSocket) && !errors.Is(err, os.ErrNotExist) {
			return found, err
		}
		if errors.Is(err, os.ErrNotExist) && name == tables[0] {
			return socket{}, err
		}
	}
	return socket{}, errNoSocket
}

func readTable(name string, local, remote netip.AddrPort) (socket, error) {
	file, err := os.Open(name)
	if err != nil {
		return socket{}, err
	}
	defer func() { _ = file.Close() }()
	wide := strings.HasSuffix(name, "6")
	from, to := inTable(local, wide), inTable(remote, wide)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		// Columns: sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[1] != from || fields[2] != to {
			continue
		}
		user, err := strconv.ParseUint(fields[7], 10, 32)
		if err != nil {
			return socket{}, err
		}
		inode, err := strconv.ParseUint(fields[9], 10, 32)
		return socket{user: uint32(user), inode: uint32(inode)}, err
	}
	if err := lines.Err(); err != nil {
		return socket{}, err
	}
	return socket{}, errNoSocket
}

// inTable returns an address as the tables of /proc write it: each four bytes as a number in this machine's byte order.
func inTable(a netip.AddrPort, wide bool) string {
	bytes := a.Addr().AsSlice()
	if wide {
		as16 := a.Addr().As16()
		bytes = as16[:]
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		for word := range slices.Chunk(bytes, 4) {
			slices.Reverse(word)
		}
	}
	return strings.ToUpper(hex.EncodeToString(bytes)) + ":" +
		strings.ToUpper(hex.EncodeToString(binary.BigEndian.AppendUint16(nil, a.Port())))
}
