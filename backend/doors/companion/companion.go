package companion

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	clientLine = 64 << 20  // bytes; a longer line from the client is refused
	hubLine    = 512 << 20 // bytes; more than a hub ever sends

	redialMin = 20 * time.Millisecond
	redialMax = time.Second
	// patience is how long requests wait for a hub that is coming back
	// before they are answered without one.
	patience = 5 * time.Second
	// lingering is how long answers are waited for after the client has
	// closed its end.
	lingering = 10 * time.Second
	// linkTimeout is how long the hub may take no line.
	linkTimeout = 30 * time.Second
)

// codeUnknownOutcome is the JSON-RPC code of an answer that we make because
// the hub cannot.
const codeUnknownOutcome = -32000

// Companion is the stdio MCP server that an editor starts.
type Companion struct {
	Folder  paths.Folder
	Version string
	In      io.Reader
	Out     io.Writer // JSON-RPC and nothing else
	Log     *slog.Logger
	// Tool is what tools/list shows while the user has stopped the hub.
	Tool json.RawMessage

	session string
	memory  memory
	writing sync.Mutex // one line at a time to Out

	mu      sync.Mutex
	link    net.Conn      // nil while there is no hub
	queue   [][]byte      // lines that wait for a hub
	offline error         // why requests are answered here; nil: they wait
	settled chan struct{} // closed when nothing is in flight; made by drain
}

// Run serves the client until it closes its end or ctx ends.
func (c *Companion) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	c.session = rand.Text()
	var linking sync.WaitGroup
	linking.Go(func() { c.keepLinked(ctx) })
	err := c.readClient()
	if err == nil {
		c.drain(ctx)
	}
	cancel()
	c.mu.Lock()
	if c.link != nil {
		_ = c.link.Close()
	}
	c.mu.Unlock()
	linking.Wait()
	return err
}

// readClient takes the client's lines until its end.
func (c *Companion) readClient() error {
	lines := jsonrpc.NewLineReader(c.In, clientLine)
	for {
		line, err := lines.Next()
		var long *jsonrpc.LineTooLong
		switch {
		case errors.As(err, &long):
			if err := c.answer(nil, nil, jsonrpc.NewError(-32600, "Invalid Request: %s of %d bytes", long, clientLine)); err != nil {
				return err
			}
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		default:
			if err := c.fromClient(line); err != nil {
				return err
			}
		}
	}
}

// fromClient takes one line. It is sent on as it is.
func (c *Companion) fromClient(line []byte) error {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		var rpc *jsonrpc.Error
		errors.As(err, &rpc)
		return c.answer(m.ID, nil, rpc)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory.note(&m, line)
	switch {
	case c.link != nil:
		_ = c.link.SetWriteDeadline(time.Now().Add(linkTimeout))
		if _, err := c.link.Write(append(line, '\n')); err != nil {
			_ = c.link.Close() // the reader of the link sees it
		}
	case c.offline != nil:
		return c.answerOffline(&m)
	default:
		c.queue = append(c.queue, append(bytes.Clone(line), '\n'))
	}
	return nil
}

// keepLinked dials the hub, again and again, until ctx ends.
func (c *Companion) keepLinked(ctx context.Context) {
	delay, lost := redialMin, time.Now()
	for ctx.Err() == nil {
		link, err := c.connect(ctx)
		if err == nil {
			c.runLink(link)
			delay, lost = redialMin, time.Now()
			continue
		}
		var noStart startFailure
		if errors.Is(err, errStopped) || errors.As(err, &noStart) || time.Since(lost) > patience {
			c.setOffline(err)
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		delay = min(2*delay, redialMax)
	}
}

var errStopped = fault.New(fault.Denied, "Agent Discover was stopped by the user; start it from the tray or the window, or with: agent-discover serve")

// startFailure is that no hub could be started, which waiting does not mend.
type startFailure struct{ error }

func (f startFailure) Unwrap() error { return f.error }

func (c *Companion) connect(ctx context.Context) (net.Conn, error) {
	if _, err := instance.Read(c.Folder); err != nil && instance.Stopped(c.Folder) {
		return nil, errStopped
	}
	info, err := instance.Ensure(ctx, c.Folder, "companion")
	if err != nil {
		return nil, startFailure{err}
	}
	link, err := Dial(ctx, info, c.Version, c.session)
	if fault.KindOf(err) == fault.Denied {
		// A stranger listens where a hub was announced. The lock decides
		// whether that hub is alive: start one and see.
		_ = instance.Start(ctx, c.Folder, "companion")
	}
	return link, err
}

// setOffline answers what waits, now and from now on, with the reason.
func (c *Companion) setOffline(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.offline == nil {
		c.Log.Warn("no hub", "reason", reason)
	}
	c.offline = reason
	for _, line := range c.queue {
		if m, err := jsonrpc.Parse(line); err == nil {
			_ = c.answerOffline(&m) // a client that is gone is seen by its reader
		}
	}
	c.queue = nil
}

// runLink brings a new link up to date and copies what the hub says until it
// is gone.
func (c *Companion) runLink(link net.Conn) {
	defer func() { _ = link.Close() }()
	if s, ok := link.(*stream); ok && s.notice != "" {
		c.Log.Warn(s.notice)
	}
	c.mu.Lock()
	backlog := c.memory.replay()
	for _, line := range c.queue {
		backlog = append(backlog, line...)
	}
	again := c.memory.greeted()
	c.link, c.queue, c.offline = link, nil, nil
	if len(backlog) > 0 {
		_, _ = link.Write(backlog) // a link that is gone already is seen below
	}
	c.mu.Unlock()
	if again {
		_ = c.write([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"))
	}
	c.readHub(link)
	c.unlink()
}

func (c *Companion) readHub(link io.Reader) {
	lines := jsonrpc.NewLineReader(link, hubLine)
	lines.Whole = true // half an answer is none
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		if id := responseID(line); id != nil {
			c.mu.Lock()
			pass := c.memory.settle(string(id))
			c.checkSettled()
			c.mu.Unlock()
			if !pass {
				continue
			}
		}
		if c.write(append(line, '\n')) != nil {
			return
		}
	}
}

// responseID returns the id of a response, nil for anything else. The hub
// writes the id first, which saves a look at the rest.
func responseID(line []byte) json.RawMessage {
	const head = `{"jsonrpc":"2.0","id":`
	if rest, ok := bytes.CutPrefix(line, []byte(head)); ok {
		if i := bytes.IndexByte(rest, ','); i > 0 && !bytes.Contains(rest[:i], []byte(`\`)) &&
			(bytes.HasPrefix(rest[i:], []byte(`,"result":`)) || bytes.HasPrefix(rest[i:], []byte(`,"error":`))) {
			return rest[:i]
		}
	}
	if m, err := jsonrpc.Parse(line); err == nil && m.IsResponse() {
		return m.ID
	}
	return nil
}

// unlink answers what was in flight: nobody can know how it ended.
func (c *Companion) unlink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link = nil
	c.queue = c.memory.pending()
	for _, id := range c.memory.abandon() {
		_ = c.answer(json.RawMessage(id), nil, jsonrpc.NewError(codeUnknownOutcome,
			"the hub ended while this request was in flight; its outcome is unknown. The connection comes back by itself: check before you repeat an action that changes something"))
	}
	c.checkSettled()
}

// answerOffline answers a request without a hub, with the lock held.
func (c *Companion) answerOffline(m *jsonrpc.Message) error {
	if !m.IsRequest() {
		return nil
	}
	c.memory.settle(string(m.ID))
	text := fault.MessageOf(c.offline)
	switch m.Method {
	case "ping":
		return c.answer(m.ID, json.RawMessage("{}"), nil)
	case "initialize":
		result, err := json.Marshal(map[string]any{
			"protocolVersion": jsonrpc.GetString(m.Params, "protocolVersion"),
			"capabilities":    map[string]any{"tools": map[string]bool{"listChanged": true}},
			"serverInfo":      map[string]string{"name": "agent-discover", "version": c.Version},
			"instructions":    text,
		})
		if err != nil {
			return err
		}
		return c.answer(m.ID, result, nil)
	case "tools/list":
		return c.answer(m.ID, jsonrpc.Set(nil, "tools", json.RawMessage("["+string(c.Tool)+"]")), nil)
	case "tools/call":
		result, err := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": true})
		if err != nil {
			return err
		}
		return c.answer(m.ID, result, nil)
	}
	return c.answer(m.ID, nil, jsonrpc.NewError(codeUnknownOutcome, "%s", text))
}

func (c *Companion) answer(id, result json.RawMessage, err *jsonrpc.Error) error {
	return c.write(jsonrpc.AppendResponse(nil, id, result, err))
}

func (c *Companion) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.Out.Write(line)
	return err
}

// drain waits for the answers that are still due after the client has closed
// its end: whoever pipes requests in wants to see them.
func (c *Companion) drain(ctx context.Context) {
	c.mu.Lock()
	c.settled = make(chan struct{})
	settled := c.settled
	c.checkSettled()
	c.mu.Unlock()
	select {
	case <-settled:
	case <-time.After(lingering):
	case <-ctx.Done():
	}
}

func (c *Companion) checkSettled() {
	if c.settled != nil && len(c.memory.inFlight) == 0 {
		close(c.settled)
		c.settled = nil
	}
}
