// Package companion connects the stdio of an editor to the hub. The companion,
// a process that the editor starts, copies JSON-RPC lines between its stdio and
// a socket of the hub, and connects again when the connection is lost. Before
// the first line, both sides prove that they know the hub's token, without
// sending it. Package gateway serves the session at the hub's end.
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
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	maxClientLine = 64 << 20  // bytes; longer lines of the client are refused
	maxHubLine    = 512 << 20 // bytes; longer than any line of a hub

	// drainTimeout is how long Run waits for answers after the client has closed
	// its end.
	drainTimeout = 10 * time.Second
)

// codeUnknownOutcome is the code of the JSON-RPC errors that the companion sends instead of a hub's answer, because no
// hub is running or the connection was lost before the hub answered.
const codeUnknownOutcome = mcpversion.CodeUnknownOutcome

// Companion is the stdio MCP server that an editor starts.
type Companion struct {
	Folder  paths.Folder
	Version string
	In      io.Reader
	Out     io.Writer // receives JSON-RPC only
	Log     *slog.Logger
	// Tools are the definitions that the companion returns for tools/list while no hub can be reached.
	Tools []json.RawMessage
	Entry Entry

	// open connects to the hub, and starts the hub if it is not running. If open is nil, connect is used.
	open func(context.Context) (net.Conn, error)
	// ping and endLimit replace instance.Ping and the constant endLimit in tests.
	ping     func(context.Context, instance.Info) error
	endLimit time.Duration

	// hub is the hub of the last attempt to connect. silent tells whether it hangs. Only the goroutine of keepLinked uses
	// them, and watchHub while that goroutine waits for it.
	hub    instance.Info
	silent silence

	session string
	wake    chan struct{} // ends the wait before the next attempt to connect

	// sending is held while lines are written to the hub, so that the lines
	// keep their order. It is locked before mu.
	sending sync.Mutex
	writing sync.Mutex // held while a line is written to Out

	mu      sync.Mutex // never held during I/O
	memory  memory
	link    net.Conn      // nil while no hub is connected
	asked   chan struct{} // receives a value after a request was sent on link; made by runLink
	sent    int           // number of lines sent on link
	read    int           // number of lines that the hub has read, from its farewell; the constant everything without a farewell
	queue   [][]byte      // lines to send as soon as a hub is connected
	offline error         // why no hub is connected; nil while requests wait for a hub
	linked  bool          // a hub has been connected at least once
	early   bool          // requests are answered from the cache until a hub is connected
	settled chan struct{} // closed when no request is in flight; made by drain
}

// Run serves the client until the client closes its end or ctx ends.
func (c *Companion) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	c.session, c.wake = rand.Text(), make(chan struct{}, 1)
	var linking sync.WaitGroup
	linking.Go(func() { c.keepLinked(ctx) })
	linking.Go(func() { c.answerEarly(ctx) })
	err := c.readClient()
	if err == nil {
		c.drain(ctx)
	}
	cancel()
	linking.Wait()
	return err
}

// readClient reads the client's lines until the end of In.
func (c *Companion) readClient() error {
	lines := jsonrpc.NewLineReader(c.In, maxClientLine)
	for {
		line, err := lines.Next()
		var long *jsonrpc.LineTooLong
		switch {
		case errors.As(err, &long):
			if err := c.write(answer(nil, nil,
				jsonrpc.NewError(-32600, "Invalid Request: %s of %d bytes", long, maxClientLine))); err != nil {
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

// fromClient handles one line of the client: it sends the line to the hub
// unchanged, queues it, or answers it.
func (c *Companion) fromClient(line []byte) error {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		var rpc *jsonrpc.Error
		errors.As(err, &rpc)
		return c.write(answer(m.ID, nil, rpc))
	}
	c.reconsider()
	c.sending.Lock()
	defer c.sending.Unlock()
	if reply := c.earlyReply(&m, line); reply != nil {
		return c.write(reply)
	}
	link, reply, err := c.route(&m, line)
	switch {
	case err != nil:
		return err
	case reply != nil:
		return c.write(reply)
	case link != nil:
		send(link, append(line, '\n'))
	}
	return nil
}

// route records a line of the client and decides what happens to the line. It returns the link to which the line must
// be sent, or a reply for the client. It returns neither if route has queued the line or the line needs no answer.
func (c *Companion) route(m *jsonrpc.Message, line []byte) (link net.Conn, reply []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// In the legacy era, a tool call may add tools to the list of a session. Such a list must not be cached.
	if key, ok := c.keyOf(m); ok && (key.Era == modernEra || !c.memory.called) {
		c.memory.ask(m.ID, key)
	}
	c.memory.note(m, line)
	switch {
	case c.link != nil:
		c.memory.sendListens()
		c.sent++
		if m.IsRequest() {
			c.memory.send(m.ID, c.sent, line)
			select {
			case c.asked <- struct{}{}:
			default: // watchHub has not seen the last one yet
			}
		}
		return c.link, nil, nil
	case c.offline != nil:
		reply, err = c.offlineReply(m)
		return nil, reply, err
	case c.memory.restores(m):
		return nil, nil, nil
	}
	c.queue = append(c.queue, append(bytes.Clone(line), '\n'))
	return nil, nil, nil
}

// offlineReply returns the reply that the companion gives to m while no hub is connected. It returns nil if m needs no
// reply, or if the next hub will reply. The caller holds mu.
func (c *Companion) offlineReply(m *jsonrpc.Message) ([]byte, error) {
	if !m.IsRequest() {
		return nil, nil
	}
	if m.Method == "subscriptions/listen" { // the next hub gets and acknowledges it
		c.memory.sendListens()
		return nil, nil
	}
	c.memory.settle(string(m.ID))
	text := fault.MessageOf(c.offline)
	var result json.RawMessage
	var err error
	switch m.Method {
	case "ping":
		result = json.RawMessage("{}")
	case "initialize":
		result, err = json.Marshal(map[string]any{
			"protocolVersion": mcpversion.Negotiate(jsonrpc.GetString(m.Params, "protocolVersion")),
			"capabilities":    json.RawMessage(offlineCapabilities),
			"serverInfo":      c.serverInfo(),
			"instructions":    text,
		})
	case "server/discover":
		result = mcpversion.Discover{Capabilities: json.RawMessage(offlineCapabilities), Instructions: text}.Result(mcpversion.Hop{})
	case "tools/list":
		result, err = json.Marshal(map[string]any{"tools": append([]json.RawMessage{}, c.Tools...)})
	case "tools/call":
		result, err = json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": true})
	default:
		return answer(m.ID, nil, jsonrpc.NewError(codeUnknownOutcome, "%s", text)), nil
	}
	if err != nil {
		return nil, err
	}
	if mcpversion.Detect(m.Method, m.Params, "") == mcpversion.Modern {
		result = mcpversion.Complete(m.Method, result, mcpversion.Hop{ServerInfo: c.serverInfo(), Private: true})
	}
	return answer(m.ID, result, nil), nil
}

// offlineCapabilities are declared to a client that connects while no hub is running.
const offlineCapabilities = `{"tools":{"listChanged":true}}`

func (c *Companion) serverInfo() json.RawMessage {
	info := jsonrpc.Set(nil, "name", json.RawMessage(`"agent-discover"`))
	return jsonrpc.Set(info, "version", jsonrpc.Quote(c.Version))
}

// answer returns a JSON-RPC response as a line.
func answer(id, result json.RawMessage, err *jsonrpc.Error) []byte {
	return jsonrpc.AppendResponse(nil, id, result, err)
}

// write writes one line to the client.
func (c *Companion) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.Out.Write(line)
	return err
}

// drain waits for outstanding answers after the client has closed its end, so
// that a script that pipes requests into the companion still gets the answers.
func (c *Companion) drain(ctx context.Context) {
	c.mu.Lock()
	c.settled = make(chan struct{})
	settled := c.settled
	c.checkSettled()
	c.mu.Unlock()
	select {
	case <-settled:
	case <-time.After(drainTimeout):
	case <-ctx.Done():
	}
}

// checkSettled wakes drain if no request is in flight. The caller holds mu.
func (c *Companion) checkSettled() {
	if c.settled != nil && len(c.memory.inFlight) == 0 {
		close(c.settled)
		c.settled = nil
	}
}
