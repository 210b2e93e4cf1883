package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is what a call on a connection that has ended fails with, wrapped
// with the reason.
var ErrClosed = errors.New("connection closed")

// Handler takes what the peer asks and tells.
type Handler interface {
	// Request answers a request. No other waits for it in its goroutine; its
	// context ends when the connection does or the peer cancels the request,
	// with a *Cancelled as cause in the second case, and then no answer is
	// sent. The returned error is sent as it is when it is an *Error.
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notification is called in the order of arrival and must not block.
	Notification(method string, params json.RawMessage)
	// Bad is told of a line that is no message. What it returns is sent.
	Bad(line []byte, err error) *Error
}

// Cancelled is the cause of a request's context after the peer has sent
// notifications/cancelled. Params is that notification's own, so that a reason
// can be passed on.
type Cancelled struct{ Params json.RawMessage }

func (*Cancelled) Error() string { return "cancelled by the caller" }

// Options of a connection; the zero value is usable.
type Options struct {
	LineLimit    int           // bytes; 64 MiB when zero
	IDPrefix     string        // our request ids are this and a number, or plain numbers
	WriteTimeout time.Duration // for one message; 30 s when zero
	MaxServing   int           // requests of the peer at once; 128 when zero
	// InOrder names a method whose requests are answered before the next line
	// is read.
	InOrder string
}

// Conn is one JSON-RPC connection over a pair of byte streams. It correlates
// answers with calls and hands everything else to its Handler. All methods are
// safe for concurrent use; Run is called once.
type Conn struct {
	lines   *LineReader
	out     io.Writer
	handler Handler
	opts    Options

	writing  chan struct{} // holds one token: whoever has it may write
	requests chan request  // to those who wait for one
	waiting  atomic.Int32
	nextID   atomic.Int64
	done     chan struct{}

	mu       sync.Mutex
	err      error // why the connection has ended
	pending  map[string]*mailbox
	progress map[string]*mailbox // by progress token, raw
	serving  map[string]context.CancelCauseFunc
	holds    int       // of idle times
	released time.Time // when the last hold ended
}

// NewConn returns a connection that reads from r and writes to w; it starts
// nothing. Closing the streams is the caller's task, but for a w that takes no
// more: it is closed, so that the other side sees that the session is over.
func NewConn(r io.Reader, w io.Writer, h Handler, opts Options) *Conn {
	if opts.LineLimit == 0 {
		opts.LineLimit = 64 << 20
	}
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 30 * time.Second
	}
	if opts.MaxServing == 0 {
		opts.MaxServing = 128
	}
	c := &Conn{
		lines: NewLineReader(r, opts.LineLimit), out: w, handler: h, opts: opts,
		writing: make(chan struct{}, 1), requests: make(chan request), done: make(chan struct{}),
		pending:  make(map[string]*mailbox),
		progress: make(map[string]*mailbox),
		serving:  make(map[string]context.CancelCauseFunc),
	}
	return c
}

// Run reads until the stream ends and returns why: nil for a clean end. Calls
// in flight fail, and the contexts of requests being served end; Run waits for
// their handlers.
func (c *Conn) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var handlers sync.WaitGroup
	defer handlers.Wait()
	defer close(c.requests)
	defer cancel()
	for {
		line, err := c.lines.Next()
		var long *LineTooLong
		if errors.As(err, &long) {
			c.bad(long.Head, invalid(long.Error()), nil)
			continue
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			c.close(err)
			return err
		}
		c.dispatch(ctx, bytes.Clone(line), &handlers)
	}
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

func (c *Conn) dispatch(ctx context.Context, line []byte, handlers *sync.WaitGroup) {
	m, err := Parse(line)
	switch {
	case err != nil:
		c.bad(line, err, m.ID)
	case m.IsResponse():
		c.settle(m)
	case m.IsRequest():
		c.serve(ctx, m, handlers)
	case m.Method == "notifications/progress":
		if !c.routeProgress(m.Params) {
			c.handler.Notification(m.Method, m.Params)
		}
	default:
		if m.Method == "notifications/cancelled" {
			c.cancelServing(m.Params)
		}
		c.handler.Notification(m.Method, m.Params)
	}
}

func (c *Conn) bad(line []byte, err error, id json.RawMessage) {
	if reply := c.handler.Bad(line, err); reply != nil {
		_ = c.write(context.Background(), AppendResponse(nil, id, nil, reply))
	}
}

// write sends one line, whose parts follow each other.
func (c *Conn) write(ctx context.Context, line ...[]byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.done:
		return c.closedError()
	}
	defer func() { <-c.writing }()
	if d, ok := c.out.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(c.opts.WriteTimeout))
	}
	for _, part := range line {
		if _, err := c.out.Write(part); err != nil {
			// Part of the line may be out: nothing can be said on it any more.
			c.close(fmt.Errorf("write: %w", err))
			if stream, ok := c.out.(io.Closer); ok {
				_ = stream.Close()
			}
			return c.closedError()
		}
	}
	return nil
}

func (c *Conn) close(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
	default:
		c.err = err
		close(c.done)
	}
}

func (c *Conn) closedError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closedErrorLocked()
}

func (c *Conn) closedErrorLocked() error {
	if c.err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.err)
	}
	return ErrClosed
}
