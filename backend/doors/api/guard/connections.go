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
	maxStrangers = 128             // connections that have not shown a credential yet
	warnEvery    = 1 * time.Minute // at most one warning about other users in this time
)

// refusal is the answer to a program of another user.
const refusal = `{"error":"this hub belongs to another user of this machine","code":"denied"}` + "\n"

// Connections is the listener of the hub. It refuses programs of other users where the system tells whose a connection
// is. It also limits the connections that have not shown a credential yet: one more closes the oldest of them, so that
// many idle connections neither take much memory nor keep others out.
type Connections struct {
	net.Listener
	log *slog.Logger

	mu        sync.Mutex
	strangers list.List // of *connection, the oldest first
	warned    time.Time
}

// Limit returns a listener that accepts the connections of another one, which must be a TCP listener.
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
	conn := &connection{TCPConn: tcp, all: c}
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

// remove takes a connection from the list of strangers. It is called with mu held.
func (c *Connections) remove(conn *connection) {
	if conn.place != nil {
		c.strangers.Remove(conn.place)
		conn.place = nil
	}
}

// connection is a connection that Connections has accepted.
type connection struct {
	*net.TCPConn
	all   *Connections
	place *list.Element // in the list of strangers; nil when it is not in the list; guarded by all.mu
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

// Admit exempts a connection of a Connections from the limit, because its client has shown a credential. It has no
// effect on other connections.
func Admit(conn net.Conn) {
	if c, ok := conn.(*connection); ok {
		c.admit()
	}
}

type connectionKey struct{}

// withConnection makes a connection known to the requests that arrive on it.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}
