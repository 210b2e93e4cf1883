package guard

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/peercred"
)

const (
	maxStrangers = 128             // open connections without a credential
	warnEvery    = 1 * time.Minute // shortest time between two warnings about other users
)

// refusal is the response body for programs of other users.
const refusal = `{"error":"this hub belongs to another user of this machine","code":"denied"}` + "\n"

// Connections is the listener of the hub. It refuses programs of other users, on systems that report which user a
// connection belongs to. It also limits the connections whose client has not sent a credential yet. A connection over
// the limit closes the oldest of them, so that many idle connections neither take much memory nor block other
// clients.
type Connections struct {
	net.Listener
	log *slog.Logger

	mu        sync.Mutex
	strangers list.List // connections without a credential, as *connection, the oldest first
	warned    time.Time
}

// Limit returns a Connections that wraps listener, which must be a TCP listener.
func Limit(listener net.Listener, log *slog.Logger) *Connections {
	return &Connections{Listener: listener, log: log}
}

// Accept implements net.Listener.
func (c *Connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			return conn, nil
		}
		switch standing, user := peercred.Of(tcp); standing {
		case peercred.Foreign:
			c.refuse(tcp, user)
		case peercred.Gone:
			_ = tcp.Close()
		default:
			return c.add(tcp), nil
		}
	}
}

// refuse answers a program of another user and closes its connection. It does not wait for the program.
func (c *Connections) refuse(conn *net.TCPConn, user int) {
	_ = conn.SetWriteDeadline(time.Now().Add(time.Millisecond)) // an empty send buffer has room for the answer
	_, _ = fmt.Fprintf(conn,
		"HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		len(refusal), refusal)
	_ = conn.Close()

	c.mu.Lock()
	now := time.Now()
	warn := now.Sub(c.warned) >= warnEvery
	if warn {
		c.warned = now
	}
	c.mu.Unlock()
	if warn {
		c.log.Warn("refused a program of another user of this machine", "user", user)
	}
}

func (c *Connections) add(tcp *net.TCPConn) *connection {
	conn := &connection{TCPConn: tcp, all: c, since: time.Now()}
	var oldest *connection
	c.mu.Lock()
	conn.place = c.strangers.PushBack(conn)
	if c.strangers.Len() > maxStrangers {
		oldest = c.strangers.Front().Value.(*connection)
		c.remove(oldest)
	}
	c.mu.Unlock()
	if oldest != nil {
		_ = oldest.TCPConn.Close()
	}
	return conn
}

// Settle waits until each new connection has sent a request with a credential or was closed. It waits for a connection until
// patience after it was accepted. Call it after the listener was closed and before the HTTP server shuts down, because the
// server closes connections between two requests, and the client could not know whether its request was carried out.
func (c *Connections) Settle(patience time.Duration) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for c.expects(time.Now().Add(-patience)) {
		<-tick.C
	}
}

// expects reports whether a connection that was accepted after then has not sent a credential yet.
func (c *Connections) expects(then time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.strangers.Back()
	return last != nil && last.Value.(*connection).since.After(then)
}

// remove removes a connection from the list strangers. The caller holds mu.
func (c *Connections) remove(conn *connection) {
	if conn.place != nil {
		c.strangers.Remove(conn.place)
		conn.place = nil
	}
}

// connection counts towards the limit of its Connections until admit or Close is called.
type connection struct {
	*net.TCPConn
	all   *Connections
	place *list.Element // element of all.strangers; nil when the connection does not count; guarded by all.mu
	since time.Time     // when the connection was accepted
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.admit()
	return c.TCPConn.Close()
}

// admit exempts the connection from the limit.
func (c *connection) admit() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.remove(c)
}

// Admit exempts conn from the limit of its Connections, because its client has sent a valid credential. It has no
// effect on a connection that no Connections has accepted.
func Admit(conn net.Conn) {
	if c, ok := conn.(*connection); ok {
		c.admit()
	}
}

type connectionKey struct{}

// withConnection adds conn to the context of the requests that arrive on it. It is the ConnContext of the HTTP
// server.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}
