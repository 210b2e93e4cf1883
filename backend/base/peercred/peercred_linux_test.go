package peercred

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// other is the user that the tests connect as when they run as root.
const other = 65534

// pair connects to address with a client socket that belongs to user, and returns both ends of the connection.
func pair(t testing.TB, address string, user int) (server *net.TCPConn, client *os.File) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("cannot listen on %s: %v", address, err)
	}
	defer listener.Close()
	to := listener.Addr().(*net.TCPAddr)
	client = connect(t, to.AddrPort(), user)
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); client.Close() })
	return conn.(*net.TCPConn), client
}

// connect opens a socket as a user. That requires root, unless the user is that of this process.
func connect(t testing.TB, to netip.AddrPort, user int) *os.File {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(user); err != nil {
		t.Fatal(err)
	}
	defer unix.Setfsuid(os.Geteuid())
	family, target := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()})
	if to.Addr().Is4() {
		family, target = unix.AF_INET, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "client")
	if err := unix.Connect(fd, target); err != nil {
		t.Fatal(err)
	}
	return file
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can connect as another user")
	}
}

func TestAConnectionOfTheSameUserIsTrusted(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		server, _ := pair(t, address, os.Geteuid())
		if s, user := Of(server); s != Trusted || user != 0 {
			t.Errorf("%s: got %d of user %d", address, s, user)
		}
	}
}

func TestAConnectionOfAnotherUserIsForeign(t *testing.T) {
	needRoot(t)
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		server, _ := pair(t, address, other)
		if s, user := Of(server); s != Foreign || user != other {
			t.Errorf("%s: got %d of user %d", address, s, user)
		}
	}
}

func TestAnotherUserIsForeignThroughAMappedAddress(t *testing.T) {
	needRoot(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	mapped := netip.AddrPortFrom(netip.MustParseAddr("::ffff:127.0.0.1"), uint16(listener.Addr().(*net.TCPAddr).Port))
	client := connect(t, mapped, other)
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if s, user := Of(server.(*net.TCPConn)); s != Foreign || user != other {
		t.Errorf("got %d of user %d", s, user)
	}
	local, remote := addrPort(server.LocalAddr()), addrPort(server.RemoteAddr())
	if found, err := readTables(remote, local); err != nil || found.user != other {
		t.Errorf("the tables give user %d, %v", found.user, err)
	}
}

// If no process has a socket open, the kernel reports root as its user, or the user who opened it, or no user.
func TestAConnectionWhoseOtherEndIsClosedIsGone(t *testing.T) {
	for name, end := range map[string]func(fd int) error{
		"closed": func(int) error { return nil },
		"reset": func(fd int) error {
			return unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		},
	} {
		server, client := pair(t, "127.0.0.1:0", os.Geteuid())
		if _, err := client.WriteString("request"); err != nil {
			t.Fatal(err)
		}
		if err := end(int(client.Fd())); err != nil {
			t.Fatal(err)
		}
		_ = client.Close()
		if s, _ := Of(server); s != Gone {
			t.Errorf("%s: got %d", name, s)
		}
	}
}

func TestAConnectionWhoseOtherEndHasSentEverythingIsKnown(t *testing.T) {
	server, client := pair(t, "127.0.0.1:0", os.Geteuid())
	if err := unix.Shutdown(int(client.Fd()), unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if s, _ := Of(server); s != Trusted {
		t.Errorf("got %d", s)
	}
}

func TestTheTablesGiveTheSameAsTheKernel(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		server, _ := pair(t, address, os.Geteuid())
		local, remote := addrPort(server.LocalAddr()), addrPort(server.RemoteAddr())
		slow, err := readTables(remote, local)
		if err != nil {
			t.Fatal(err)
		}
		if fast, err := askKernel(remote, local); err == nil && fast != slow {
			t.Errorf("%s: %+v and %+v", address, fast, slow)
		}
		none := netip.AddrPortFrom(local.Addr(), 1)
		if _, err := readTables(remote, none); !errors.Is(err, errNoSocket) {
			t.Errorf("%s: an unknown socket gives %v", address, err)
		}
		if _, err := askKernel(remote, none); err == nil {
			t.Errorf("%s: the kernel knows an unknown socket", address)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	server, _ := pair(b, "127.0.0.1:0", os.Geteuid())
	for b.Loop() {
		if s, _ := Of(server); s != Trusted {
			b.Fatal(s)
		}
	}
}
