package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// ErrClosed is what a call on a connection that has ended fails with, wrapped
// with the reason.
var ErrClosed = errors.New("connection closed")

// maxWaiting is how many goroutines wait for the next request.
const maxWaiting = 4

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
	pending  map[string]chan event
	progress map[string]chan event // by progress token, raw
	serving  map[string]context.CancelCauseFunc
}

// event is what comes back for a call: progress, or the end.
type event struct {
	progress json.RawMessage
	result   json.RawMessage
	err      error
}

// NewConn returns a connection that reads from r and writes to w; it starts
// nothing. Closing the streams is the caller's task.
func NewConn(r io.Reader, w io.Writer, h Handler, opts Options) *Conn {
	if opts.LineLimit == 0 {
		opts.LineLimit = 64 << 20
	}
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 30 * time.Second
	}
	c := &Conn{
		lines: NewLineReader(r, opts.LineLimit), out: w, handler: h, opts: opts,
		writing: make(chan struct{}, 1), requests: make(chan request), done: make(chan struct{}),
		pending:  make(map[string]chan event),
		progress: make(map[string]chan event),
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

func (c *Conn) serve(ctx context.Context, m Message, handlers *sync.WaitGroup) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := string(m.ID)
	c.mu.Lock()
	_, twice := c.serving[id]
	if !twice {
		c.serving[id] = cancel
	}
	c.mu.Unlock()
	if twice {
		cancel(nil)
		c.bad(nil, invalid("Invalid Request: id "+id+" is in use by a request in flight"), m.ID)
		return
	}
	r := request{ctx, cancel, m}
	select {
	case c.requests <- r:
	default:
		handlers.Go(func() { c.work(r) })
	}
}

// request is one that is being served.
type request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	Message
}

// work serves a request and then others, as long as it is among the few that
// wait for one. A goroutine that has done so before need not grow its stack
// again, which takes longer than all that is done for a short call.
func (c *Conn) work(r request) {
	for ok := true; ok; {
		c.handle(r)
		if c.waiting.Add(1) > maxWaiting {
			c.waiting.Add(-1)
			return
		}
		r = request{} // not held while waiting
		r, ok = <-c.requests
		c.waiting.Add(-1)
	}
}

func (c *Conn) handle(r request) {
	defer r.cancel(nil)
	result, err := c.handler.Request(r.ctx, r.Method, r.Params)
	c.mu.Lock()
	delete(c.serving, string(r.ID))
	c.mu.Unlock()
	var cancelled *Cancelled
	if errors.As(context.Cause(r.ctx), &cancelled) {
		return
	}
	_ = c.reply(r.ID, result, err)
}

func (c *Conn) reply(id, result json.RawMessage, err error) error {
	var rpc *Error
	if err != nil && !errors.As(err, &rpc) {
		rpc = &Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return c.write(context.Background(), responseParts(id, result, rpc)...)
}

func (c *Conn) cancelServing(params json.RawMessage) {
	id := Get(params, "requestId")
	c.mu.Lock()
	cancel := c.serving[string(id)]
	c.mu.Unlock()
	if cancel != nil {
		cancel(&Cancelled{Params: params})
	}
}

func (c *Conn) settle(m Message) {
	c.mu.Lock()
	answer, ok := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if !ok {
		return // late or made up
	}
	if m.Error != nil {
		answer <- event{err: ParseError(m.Error)}
		return
	}
	answer <- event{result: m.Result}
}

func (c *Conn) routeProgress(params json.RawMessage) bool {
	token := Get(params, "progressToken")
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.progress[string(token)]
	// One place stays free for the answer itself: only this goroutine sends,
	// so a look at the length is enough.
	if ok && len(answer) < cap(answer)-1 {
		answer <- event{progress: params}
	}
	return ok
}

// Call describes one request to the peer.
type Call struct {
	Method string
	Params json.RawMessage
	// Idle is the time without an answer or progress after which the call
	// fails with context.DeadlineExceeded; zero means none.
	Idle time.Duration
	// Progress, when set, is given the params of each progress notification,
	// with the token that the params of the call carried.
	Progress func(params json.RawMessage)
}

// Call sends a request and waits for its answer. An error answer is an *Error.
// When ctx ends first the peer is told with notifications/cancelled, which
// keeps the reason of a *Cancelled cause; the error is then the cause.
func (c *Conn) Call(ctx context.Context, call Call) (json.RawMessage, error) {
	id := c.newID()
	params, token := call.Params, json.RawMessage(nil)
	if call.Progress != nil {
		params, token = swapToken(params, id)
	}
	answer, err := c.register(id, token != nil)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	if err := c.write(ctx, requestParts(id, call.Method, params)...); err != nil {
		return nil, err
	}
	return c.wait(ctx, call, id, token, answer)
}

func (c *Conn) wait(ctx context.Context, call Call, id, token json.RawMessage, answer chan event) (json.RawMessage, error) {
	var idle <-chan time.Time
	var timer *time.Timer
	if call.Idle > 0 {
		timer = time.NewTimer(call.Idle)
		defer timer.Stop()
		idle = timer.C
	}
	for {
		select {
		case e := <-answer:
			if e.progress == nil {
				return e.result, e.err
			}
			if timer != nil {
				timer.Reset(call.Idle)
			}
			call.Progress(Set(e.progress, "progressToken", token))
		case <-idle:
			c.cancelCall(id, nil, "timed out")
			return nil, context.DeadlineExceeded
		case <-ctx.Done():
			c.cancelCall(id, context.Cause(ctx), "")
			return nil, context.Cause(ctx)
		case <-c.done:
			select {
			case e := <-answer:
				if e.progress == nil {
					return e.result, e.err
				}
			default:
			}
			return nil, c.closedError()
		}
	}
}

// swapToken puts a token of ours where the caller's is, because two callers
// may use the same one; nil when the caller asked for no progress.
func swapToken(params, id json.RawMessage) (_, token json.RawMessage) {
	meta := Get(params, "_meta")
	if token = Get(meta, "progressToken"); token == nil {
		return params, nil
	}
	return Set(params, "_meta", Set(meta, "progressToken", id)), token
}

func (c *Conn) cancelCall(id json.RawMessage, cause error, reason string) {
	params := json.RawMessage(nil)
	var cancelled *Cancelled
	if errors.As(cause, &cancelled) {
		params = cancelled.Params
	} else if reason != "" {
		params = Set(nil, "reason", Quote(reason))
	}
	_ = c.Notify("notifications/cancelled", Set(params, "requestId", id))
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params json.RawMessage) error {
	return c.write(context.Background(), AppendRequest(nil, nil, method, params))
}

// InFlight returns the number of calls that wait for their answer.
func (c *Conn) InFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

func (c *Conn) newID() json.RawMessage {
	n := strconv.FormatInt(c.nextID.Add(1), 10)
	if c.opts.IDPrefix == "" {
		return json.RawMessage(n)
	}
	return Quote(c.opts.IDPrefix + n)
}

func (c *Conn) register(id json.RawMessage, progress bool) (chan event, error) {
	size := 1
	if progress {
		size = 256
	}
	answer := make(chan event, size)
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		return nil, c.closedErrorLocked()
	default:
	}
	c.pending[string(id)] = answer
	if progress {
		c.progress[string(id)] = answer
	}
	return answer, nil
}

func (c *Conn) forget(id json.RawMessage) {
	c.mu.Lock()
	delete(c.pending, string(id))
	delete(c.progress, string(id))
	c.mu.Unlock()
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
