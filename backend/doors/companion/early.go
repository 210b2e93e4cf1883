package companion

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/answercache"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// earlyAfter is how long the companion waits for a running hub to accept its connection before it answers requests with
// the hub's last answers. A hub usually takes a few milliseconds. Some clients drop a server that takes seconds to
// answer.
const earlyAfter = 150 * time.Millisecond

// answerEarly makes the companion answer requests with the hub's last answers, from the cache, until a hub is
// connected. If a hub is running, answerEarly first gives it the time earlyAfter to accept the connection. If the user
// has stopped the hub, answerEarly does nothing.
func (c *Companion) answerEarly(ctx context.Context) {
	if _, err := instance.Read(c.Folder); err == nil {
		select {
		case <-time.After(earlyAfter):
		case <-ctx.Done():
			return
		}
	}
	if !instance.Stopped(c.Folder) {
		c.beginEarly()
	}
}

// beginEarly answers the queued requests for which the cache holds the hub's last answer. The others stay queued.
// Until a hub is connected for the first time, later requests are handled in the same way.
func (c *Companion) beginEarly() {
	c.sending.Lock() // no line is queued and no hub is connected meanwhile
	defer c.sending.Unlock()
	c.mu.Lock()
	c.early = c.waiting()
	queue := c.queue
	c.mu.Unlock()
	var kept [][]byte
	for _, line := range queue {
		m, err := jsonrpc.Parse(line)
		if err != nil {
			continue // cannot happen: fromClient has parsed the line
		}
		if reply := c.earlyReply(&m, bytes.TrimSuffix(line, []byte("\n"))); reply != nil {
			_ = c.write(reply) // if the client is gone, readClient ends too
			continue
		}
		c.mu.Lock()
		restored := c.memory.restores(&m)
		c.mu.Unlock()
		if !restored {
			kept = append(kept, line)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting() { // otherwise setOffline has answered the queue
		c.queue = kept
	}
	c.checkSettled()
}

// waiting reports whether requests wait until a hub is connected for the first time. The caller holds mu.
func (c *Companion) waiting() bool { return !c.linked && c.offline == nil }

// earlyReply returns the hub's last answer to a request, and records the request. It returns nil, and records nothing,
// if the request has to wait for a hub. The caller holds sending.
func (c *Companion) earlyReply(m *jsonrpc.Message, line []byte) []byte {
	c.mu.Lock()
	key, ok := c.keyOf(m)
	ok = ok && c.early && c.waiting() && (m.Method == "initialize" || key.Era == modernEra || c.memory.greeted())
	c.mu.Unlock()
	if !ok {
		return nil
	}
	key.Version = c.Version // the hub that is starting is the same program
	result, sum, ok := c.answers().Get(key)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.waiting() {
		return nil
	}
	c.memory.note(m, line)
	c.memory.settle(string(m.ID))
	c.memory.show(key, line, sum)
	return answer(m.ID, result, nil)
}

func (c *Companion) answers() answercache.Cache { return answercache.Cache{Folder: c.Folder} }

// legacyEra and modernEra are the values of answercache.Key.Era.
const legacyEra, modernEra = "legacy", "modern"

// keyOf returns the key under which the answer to a request is cached, with an empty Version. It returns false if the
// answer is not to be cached. The caller holds mu.
func (c *Companion) keyOf(m *jsonrpc.Message) (answercache.Key, bool) {
	key := answercache.Key{Method: m.Method, Era: legacyEra, Editor: c.Entry.Client, Surface: c.Entry.Surface, Toolset: c.Entry.Toolset}
	if !m.IsRequest() {
		return key, false
	}
	switch m.Method {
	case "initialize":
		key.Client, key.Protocol = clientOf(m.Params)
		return key, key.Client != "" && key.Protocol != ""
	case "server/discover", "tools/list":
		if jsonrpc.Get(m.Params, "cursor") != nil {
			return key, false
		}
		if mcpversion.Detect(m.Method, m.Params, "") != mcpversion.Modern {
			key.Client, key.Protocol = clientOf(jsonrpc.Get(c.memory.initialize, "params"))
			return key, key.Client != ""
		}
		meta, bad := mcpversion.CheckMeta(m.Params)
		key.Era, key.Client, key.Protocol = modernEra, jsonrpc.GetString(meta.ClientInfo, "name"), meta.ProtocolVersion
		return key, bad == nil
	}
	return key, false
}

// clientOf returns the name of the client, and the version of MCP that it asks for, in
// the params of initialize.
func clientOf(params json.RawMessage) (client, protocol string) {
	return jsonrpc.GetString(jsonrpc.Get(params, "clientInfo"), "name"), jsonrpc.GetString(params, "protocolVersion")
}

// keep stores the result in line, which is the hub's response to the request of q, in the cache. If the client had
// received a different list of tools from the cache, keep notifies the client that the list has changed.
func (c *Companion) keep(q question, line []byte) {
	m, err := jsonrpc.Parse(line)
	if err != nil || m.Result == nil {
		return
	}
	sum, err := c.answers().Put(q.key, m.Result)
	if err != nil {
		c.Log.Debug("could not keep an answer for the next start", "method", q.key.Method, "error", err)
	}
	c.releasePages()
	if q.shown == nil || *q.shown == sum || q.key.Method != "tools/list" {
		return
	}
	c.mu.Lock()
	lines := c.memory.announceTools(q.key.Era == modernEra)
	c.mu.Unlock()
	if len(lines) > 0 {
		_ = c.write(lines)
	}
}
