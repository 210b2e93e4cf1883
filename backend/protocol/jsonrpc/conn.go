package jsonrpc

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is in the error chain of a call that fails because its connection has
// ended. The chain also contains the reason for the end.
var ErrClosed = errors.New("connection closed")

// Handler handles the requests and notifications of the peer.
type Handler interface {
	// Request answers a request. Requests are handled concurrently. ctx is done when the connection ends, or when the
	// peer cancels the request: then its cause is a *Cancelled, and no answer is sent. An *Error is sent as it is,
	// other errors as an internal error with their text.
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notification is called in the order of arrival and must not block.
	Notification(method string, params json.RawMessage)
	// Bad is called for a line that is not a message. If its result is not nil,
	// the connection sends it as an error answer.
	Bad(line []byte, err error) *Error
}

// Cancelled is the cause of a request's context after the peer has sent
// notifications/cancelled. Params are the params of that notification, so that
// its reason can be passed on.
type Cancelled struct{ Params json.RawMessage }

func (*Cancelled) Error() string { return "cancelled by the caller" }

// Options configure a connection; the zero value is usable.
type Options struct {
	LineLimit    int           // in bytes; 64 MiB if zero
	IDPrefix     string        // prefix of the ids of requests to the peer; if empty, the ids are numbers
	WriteTimeout time.Duration // for one message; 30 s if zero
	MaxServing   int           // concurrent requests of the peer; 128 if zero
	// InOrder names a method whose requests are answered before the next line
	// is read.
	InOrder string
	// RememberOwners is the number of ended calls whose owners OwnerOf still returns.
	RememberOwners int
	// Budget limits the memory of unfinished lines, together for all
	// connections that share it. It may be nil.
	Budget *Budget
	// Join accepts messages that the peer writes over several lines, the first of which is only an opening brace.
	Join bool
	// Tap sees all messages of the connection. It may be nil.
	Tap Tap
}

// Tap sees the messages of a connection in both directions, in the order in which
// they are sent and received.
type Tap interface {
	// On reports whether Sent and Received are to be called. It is called for each
	// message.
	On() bool
	// Sent is called before a message is sent, with its ID and Method and the parts
	// of its line. It must not block, nor keep or change the parts.
	Sent(m Message, line ...[]byte)
	// Received is called for a line that was read, before it is handled. m is empty if
	// the line is not a message; for an invalid message it has only the members that
	// were understood. If the line was too long and was skipped, line is only its
	// beginning, and size, the length of the whole line, is greater than len(line).
	Received(m Message, line []byte, size int)
}

// Conn is a JSON-RPC connection over a pair of byte streams. It matches answers to
// calls and passes all other messages to its Handler. All methods are safe for
// concurrent use; Run may be called once.
type Conn struct {
	lines   *LineReader
	joiner  joiner // used by Run
	out     io.Writer
	handler Handler
	opts    Options

	writing  chan struct{} // holds a token while a goroutine writes
	requests chan request  // to goroutines that wait for the next request
	waiting  atomic.Int32
	nextID   atomic.Int64
	tokens   string       // prefix of the progress tokens of calls whose ids are numbers
	received atomic.Int64 // number of messages read
	done     chan struct{}

	mu       sync.Mutex
	err      error // the reason why the connection has ended
	pending  map[string]*mailbox
	progress map[string]*mailbox // mailboxes of calls, by progress token as raw JSON
	serving  map[string]context.CancelCauseFunc
	related  map[string]string // set by Relate: ids of the peer's requests to ids of calls
	owners   []owned           // owners of calls that have ended, oldest first
}

// NewConn returns a connection that reads from r and writes to w once Run is
// called. The caller closes the streams, with one exception: after a failed write
// the connection closes w if it is an io.Closer, so that the peer notices the end.
func NewConn(r io.Reader, w io.Writer, h Handler, opts Options) *Conn {
	opts.LineLimit = cmp.Or(opts.LineLimit, 64<<20)
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, 30*time.Second)
	opts.MaxServing = cmp.Or(opts.MaxServing, 128)
	c := &Conn{
		lines: NewLineReader(r, opts.LineLimit), out: w, handler: h, opts: opts,
		writing: make(chan struct{}, 1), requests: make(chan request), done: make(chan struct{}),
		tokens:   "call-" + rand.Text()[:10] + "-",
		pending:  make(map[string]*mailbox),
		progress: make(map[string]*mailbox),
		serving:  make(map[string]context.CancelCauseFunc),
		related:  make(map[string]string),
	}
	c.lines.charge.Budget = opts.Budget
	return c
}

// Run reads messages until the stream ends, and returns the reason, nil for
// io.EOF. At the end, calls in flight fail and the contexts of the peer's requests
// are cancelled. Run waits until their handlers have returned.
func (c *Conn) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var handlers sync.WaitGroup
	defer handlers.Wait()
	defer close(c.requests)
	defer cancel()
	for {
		line, err := c.lines.Next()
		if long, ok := errors.AsType[*LineTooLong](err); ok {
			id := long.answers()
			if c.opts.tapped() {
				c.opts.Tap.Received(Message{ID: id}, long.Head, long.Size)
			}
			// If the beginning and the end of the line do not show an id, the line counts
			// as the answer to the only call in flight.
			if ended := id != nil && c.Fail(id, long) || id == nil && c.FailOnly(long); !ended {
				c.bad(long.Head, invalid(long.Error()), nil)
			}
			continue
		}
		if err != nil {
			if rest := c.joiner.end(); rest != nil {
				c.dispatch(ctx, rest, &handlers)
			}
			if err == io.EOF {
				err = nil
			}
			c.close(err)
			return err
		}
		if !c.opts.Join {
			c.dispatch(ctx, c.lines.keep(line), &handlers)
			continue
		}
		for _, whole := range c.joiner.add(c.lines.keep(line)) {
			c.dispatch(ctx, whole, &handlers)
		}
	}
}

// FailOnly is like Fail for the only call in flight. If no call or more than one is in
// flight, it does nothing and returns false.
func (c *Conn) FailOnly(why error) bool {
	var id json.RawMessage
	c.mu.Lock()
	if len(c.pending) == 1 {
		for only := range c.pending {
			id = json.RawMessage(only)
		}
	}
	c.mu.Unlock()
	return id != nil && c.Fail(id, why)
}

// SetLineLimit changes Options.LineLimit for the lines that follow.
func (c *Conn) SetLineLimit(bytes int) { c.lines.limit.Store(int64(bytes)) }

// Done returns a channel that is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Received returns the number of messages that were read.
func (c *Conn) Received() int64 { return c.received.Load() }

func (c *Conn) dispatch(ctx context.Context, line []byte, handlers *sync.WaitGroup) {
	m, err := Parse(line)
	if err != nil {
		if again, repaired, ok := reread(line); ok {
			m, line, err = again, repaired, nil
		}
	}
	if err == nil {
		c.received.Add(1)
	}
	if c.opts.tapped() {
		c.opts.Tap.Received(m, line, len(line))
	}
	switch {
	case err != nil && m.ID != nil && m.Method == "" && c.Fail(m.ID, &Malformed{"it has neither a result nor an error"}):
	case err != nil:
		if m.ID == nil && c.failUnreadable(line) {
			_ = c.handler.Bad(line, err) // an answer is not answered
			return
		}
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
		_ = c.write(context.Background(), Message{ID: id}, AppendResponse(nil, id, nil, reply))
	}
}

func (o Options) tapped() bool { return o.Tap != nil && o.Tap.On() }

// write writes the parts of one line, without lines of other goroutines between
// them. m has the message's ID and Method, for Options.Tap.
func (c *Conn) write(ctx context.Context, m Message, line ...[]byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.done:
		return c.closedError()
	}
	defer func() { <-c.writing }()
	if c.opts.tapped() {
		c.opts.Tap.Sent(m, line...)
	}
	if d, ok := c.out.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(c.opts.WriteTimeout))
	}
	for _, part := range line {
		if _, err := c.out.Write(part); err != nil {
			// A part of the line may have been sent, so no other line can
			// follow.
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
