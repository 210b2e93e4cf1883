package confinement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/netreach"
)

// gate lets a process that has a network of its own reach the hosts of its policy and no others. The helper listens in
// that network, on an address for each host, and sends the listening sockets to this process, which connects what
// arrives there with the host. A file with the addresses takes the place of /etc/hosts.
type gate struct {
	hosts   []Endpoint
	listen  []netip.AddrPort // the address for each host, in the network of the process
	channel *os.File         // over which the helper sends the sockets
	alive   *os.File         // is open as long as the process runs
}

// maxHosts is the largest number of hosts of a gate.
const maxHosts = 200

// maxConnections is the largest number of connections that a process may have to one of its hosts at the same time. Each
// takes up to eight descriptors of this process.
const maxConnections = 64

const (
	gateTimeout = 30 * time.Second       // how long a connection to a host may take
	acceptPause = 100 * time.Millisecond // after a connection that could not be accepted
)

// newGate returns a gate for these hosts. It works until all copies of alive are closed.
func newGate(hosts []Endpoint) (*gate, error) {
	if len(hosts) > maxHosts {
		return nil, fmt.Errorf("more than %d hosts are granted", maxHosts)
	}
	g := &gate{hosts: hosts}
	addresses := make(map[string]netip.Addr)
	for _, h := range hosts {
		if _, known := addresses[h.Host]; !known {
			addresses[h.Host] = addressOf(h.Host, len(addresses))
		}
		g.listen = append(g.listen, netip.AddrPortFrom(addresses[h.Host], h.Port))
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("create sockets for granted hosts: %w", err)
	}
	g.channel = os.NewFile(uintptr(pair[1]), "channel")
	ours := os.NewFile(uintptr(pair[0]), "channel")
	ended, alive, err := os.Pipe()
	if err != nil {
		_ = ours.Close()
		_ = g.channel.Close()
		return nil, fmt.Errorf("create a pipe for granted hosts: %w", err)
	}
	g.alive = alive
	go g.serve(ours, ended)
	return g, nil
}

// addressOf returns the address at which a process reaches a host: its own if it has one, and otherwise the nth of the
// loopback network.
func addressOf(host string, n int) netip.Addr {
	if address, err := netip.ParseAddr(host); err == nil {
		return address
	}
	if host == "localhost" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, byte(n + 2)})
}

// names returns the file that takes the place of /etc/hosts.
func (g *gate) names() string {
	var b strings.Builder
	b.WriteString("127.0.0.1\tlocalhost\n::1\tlocalhost\n")
	if name, err := os.Hostname(); err == nil {
		b.WriteString("127.0.0.1\t" + name + "\n")
	}
	for n, h := range g.hosts {
		if _, err := netip.ParseAddr(h.Host); err != nil && h.Host != "localhost" {
			b.WriteString(g.listen[n].Addr().String() + "\t" + h.Host + "\n")
		}
	}
	return b.String()
}

// open adds the options for a process that has a gate, with those for its shared memory. Such a process has no terminals
// of its own: with them, bubblewrap creates a second user namespace, in which the helper may not listen on the ports below
// 1024.
func (o *order) open(g *gate, sharedMemory []string) error {
	names, err := o.data("hosts", g.names())
	if err != nil {
		return err
	}
	o.add("--cap-add", "CAP_NET_BIND_SERVICE", "--cap-add", "CAP_NET_ADMIN", "--sync-fd", o.inherit(g.alive),
		"--ro-bind-data", names, resolved("/etc/hosts"), "--tmpfs", "/dev")
	o.add(sharedMemory...)
	for _, device := range devices {
		o.add("--dev-bind", "/dev/"+device, "/dev/"+device)
	}
	for at, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		o.add("--symlink", "/proc/self/fd"+target, "/dev/"+at)
	}
	return nil
}

// serve receives the sockets of the helper and connects what arrives there, until the process has ended.
func (g *gate) serve(channel, ended *os.File) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listeners, err := received(channel, len(g.hosts))
	_ = channel.Close()
	for n, l := range listeners {
		go accept(ctx, l, g.hosts[n])
	}
	if err == nil {
		_, _ = ended.Read(make([]byte, 1)) // returns when the process has ended
	}
	_ = ended.Close()
	for _, l := range listeners {
		_ = l.Close()
	}
}

// received returns the listeners that the helper sends.
func received(channel *os.File, count int) (listeners []net.Listener, err error) {
	socket, err := net.FileConn(channel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = socket.Close() }()
	rights := make([]byte, unix.CmsgSpace(4*count))
	_, size, _, _, err := socket.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errors.New("the helper sent no sockets"))
	}
	sockets, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	for _, at := range sockets {
		file := os.NewFile(uintptr(at), "listener")
		l, failed := net.FileListener(file)
		_ = file.Close()
		if failed != nil {
			err = failed
			continue
		}
		listeners = append(listeners, l)
	}
	if err == nil && len(listeners) != count {
		err = errors.New("the helper sent too few sockets")
	}
	return listeners, err
}

// accept connects what arrives at a listener with a host, until the listener is closed.
func accept(ctx context.Context, l net.Listener, to Endpoint) {
	places := make(chan struct{}, maxConnections)
	for {
		places <- struct{}{}
		arrived, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // for example, too many files are open
			<-places
			select {
			case <-ctx.Done():
				return
			case <-time.After(acceptPause):
			}
			continue
		}
		go func() {
			defer func() { _ = arrived.Close(); <-places }()
			out, err := dial(ctx, to)
			if err != nil {
				return // the process sees that the connection ends
			}
			defer func() { _ = out.Close() }()
			stop := context.AfterFunc(ctx, func() { _ = arrived.Close(); _ = out.Close() })
			defer stop()
			done := make(chan struct{})
			go func() {
				pour(out, arrived)
				close(done)
			}()
			pour(arrived, out)
			<-done
		}()
	}
}

// pour copies from one connection to the other, and passes the end on.
func pour(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// dial connects to a host. A name that does not stand for this machine must not lead to it.
func dial(ctx context.Context, to Endpoint) (net.Conn, error) {
	d := net.Dialer{Timeout: gateTimeout, Control: func(_, address string, _ syscall.RawConn) error { return to.admit(address) }}
	return d.DialContext(ctx, "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
}

// admit returns an error if a host must not have an address: a name that does not stand for this machine leads to it.
func (e Endpoint) admit(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	_, named := netip.ParseAddr(e.Host)
	if named != nil && e.Host != "localhost" && (netreach.Of(at.Addr()) == netreach.Local || netreach.IsHere(at.Addr())) {
		return fmt.Errorf("%s leads to this machine", e.Host)
	}
	return nil
}

// listenAt makes the helper listen at these addresses in its network, and send the sockets over a channel.
func listenAt(addresses []string, channel int) error {
	var sockets []int
	for n, text := range addresses {
		address, err := netip.ParseAddrPort(text)
		if err == nil && !address.Addr().IsLoopback() {
			err = alias(address.Addr(), n)
		}
		var socket int
		if err == nil {
			socket, err = listener(address)
		}
		if err != nil {
			return fmt.Errorf("listen for the granted host at %s: %w", text, err)
		}
		sockets = append(sockets, socket)
	}
	err := unix.Sendmsg(channel, []byte{0}, unix.UnixRights(sockets...), nil, 0)
	for _, socket := range append(sockets, channel) {
		_ = unix.Close(socket)
	}
	if err != nil {
		return fmt.Errorf("send the sockets for granted hosts: %w", err)
	}
	return nil
}

// listener returns a socket that listens at an address.
func listener(address netip.AddrPort) (int, error) {
	family, port := unix.AF_INET6, int(address.Port())
	var at unix.Sockaddr = &unix.SockaddrInet6{Port: port, Addr: address.Addr().As16()}
	if address.Addr().Is4() {
		family, at = unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: address.Addr().As4()}
	}
	socket, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err = unix.Bind(socket, at); err == nil {
		err = unix.Listen(socket, 128)
	}
	if err != nil {
		_ = unix.Close(socket)
	}
	return socket, err
}

// alias gives the loopback interface a further address.
func alias(address netip.Addr, n int) error {
	if !address.Is4() {
		return alias6(address)
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq(fmt.Sprintf("lo:%d", n+1))
	if err == nil {
		four := address.As4()
		if err = request.SetInet4Addr(four[:]); err == nil {
			err = unix.IoctlIfreq(socket, unix.SIOCSIFADDR, request)
		}
	}
	return err
}

// alias6 gives the loopback interface a further IPv6 address.
func alias6(address netip.Addr) error {
	socket, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	// struct in6_ifreq; the loopback interface is the first one in a new network namespace.
	request := struct {
		address [16]byte
		prefix  uint32
		index   int32
	}{address.As16(), 128, 1}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCSIFADDR, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return errno
	}
	return nil
}
