package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxInFlight bounds the calls of one session.
const maxInFlight = 64

// maxClientText bounds the name and version of a client, which are kept with
// every call, in characters.
const maxClientText = 100

// protocolVersions are those that a client may choose, the newest first.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// idPrefix keeps answers to another hub's requests from being taken for ours.
var idPrefix = rand.Text()[:10]

// Session is one client's view of the hub.
type Session struct {
	gateway *Gateway
	id      string
	conn    *jsonrpc.Conn
	changed chan struct{} // its list may have changed

	mu         sync.Mutex
	name       string // of the client, from initialize
	version    string
	manner     manner          // how the client takes tools
	asks       map[string]bool // methods that the client can be asked
	introduced bool            // it has said who it is
	ready      bool            // initialized: may be told of changes
	lent       map[catalog.Key]bool
	told       memory
	signature  uint64 // of the list that the client knows or was told about
	inFlight   int
}

func newSession(g *Gateway, id string) *Session {
	return &Session{gateway: g, id: id, name: "unknown", changed: make(chan struct{}, 1), asks: make(map[string]bool), lent: make(map[catalog.Key]bool)}
}

func (s *Session) client() Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Client{Session: s.id, Name: s.name, Version: s.version, Calls: s.inFlight}
}

// Request implements wire.Handler.
func (s *Session) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "initialize":
		return s.initialize(params)
	case "ping":
		return json.RawMessage("{}"), nil
	case "tools/list":
		if jsonrpc.Get(params, "cursor") != nil {
			return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
		}
		return s.listTools()
	case "tools/call":
		return s.callTool(ctx, params)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// Notification implements wire.Handler.
func (s *Session) Notification(method string, _ json.RawMessage) {
	if method == "notifications/initialized" {
		s.mu.Lock()
		s.ready = true
		s.mu.Unlock()
	}
}

// Bad implements wire.Handler: the client is told what is wrong with its line.
func (s *Session) Bad(_ []byte, err error) *jsonrpc.Error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return rpc
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "Invalid Request: %s", err)
}

// Ask implements upstream.Caller: a server's own request goes to the client,
// if the client has said that it can answer such.
func (s *Session) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	s.mu.Lock()
	can, name := s.asks[q.Method], s.name
	s.mu.Unlock()
	if !can {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "%s cannot be answered: the client %q does not support it", q.Method, name)
	}
	return s.conn.Call(ctx, jsonrpc.Call{Method: q.Method, Params: q.Params})
}

func (s *Session) initialize(params json.RawMessage) (json.RawMessage, error) {
	var asked struct {
		ProtocolVersion string                     `json:"protocolVersion"`
		Capabilities    map[string]json.RawMessage `json:"capabilities"`
		ClientInfo      struct{ Name, Version string }
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params of initialize: %s", err)
	}
	version := protocolVersions[0]
	if slices.Contains(protocolVersions, asked.ProtocolVersion) {
		version = asked.ProtocolVersion
	}
	s.mu.Lock()
	if asked.ClientInfo.Name != "" {
		s.name, s.version = safetext.Clip(asked.ClientInfo.Name, maxClientText), safetext.Clip(asked.ClientInfo.Version, maxClientText)
		s.manner = mannerOf(s.name)
	}
	s.asks = map[string]bool{
		"sampling/createMessage": asked.Capabilities["sampling"] != nil,
		"elicitation/create":     asked.Capabilities["elicitation"] != nil,
	}
	s.introduced = true
	s.signature = signatureOf(s.toolsLocked())
	s.mu.Unlock()
	s.gateway.note(s)
	events.Publish(s.gateway.Bus, ClientsChanged{})
	return json.Marshal(map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{"tools": map[string]bool{"listChanged": true}},
		"serverInfo":      map[string]string{"name": "agent-discover", "title": "Agent Discover", "version": s.gateway.Version},
		"instructions":    s.gateway.instructions(),
	})
}

// toolsLocked returns what the session lists beside registry: the tools of enabled
// servers, then those lent to it.
func (s *Session) toolsLocked() []*catalog.Tool {
	tools := s.gateway.offered()
	if len(s.lent) == 0 {
		return tools
	}
	offered := make(map[catalog.Key]bool, len(tools))
	for _, t := range tools {
		offered[t.Key()] = true
	}
	snapshot, findable := s.gateway.Catalog.Snapshot(), s.gateway.findable()
	var lent []*catalog.Tool
	for key := range s.lent {
		if t, ok := snapshot.Lookup(key.Server, key.Tool); ok && !offered[key] && findable(t) {
			lent = append(lent, t)
		}
	}
	slices.SortFunc(lent, func(a, b *catalog.Tool) int {
		if a.Proxied() < b.Proxied() {
			return -1
		}
		return 1
	})
	return append(tools, lent...)
}

func signatureOf(tools []*catalog.Tool) uint64 {
	h := fnv.New64a()
	for _, t := range tools {
		_, _ = h.Write([]byte(t.Server))
		_, _ = h.Write([]byte(t.Hash))
	}
	return h.Sum64()
}

func (s *Session) listTools() (json.RawMessage, error) {
	s.mu.Lock()
	tools, m := s.toolsLocked(), s.manner
	s.signature = signatureOf(tools)
	s.mu.Unlock()
	list, names := []json.RawMessage{s.gateway.fit(m, registryName, registryTool)}, m.names(tools)
	for i, t := range tools {
		list = append(list, s.gateway.show(m, t, names[i]))
	}
	return encode(struct {
		Tools []json.RawMessage `json:"tools"`
	}{list})
}

// tell announces changes until the connection ends.
func (s *Session) tell() {
	for {
		select {
		case <-s.changed:
			s.announceTools()
		case <-s.conn.Done():
			return
		}
	}
}

// announceTools tells the client that its list has changed, if it has.
func (s *Session) announceTools() {
	s.mu.Lock()
	now := signatureOf(s.toolsLocked())
	tell := s.ready && now != s.signature
	if tell {
		s.signature = now
	}
	s.mu.Unlock()
	if tell {
		s.gateway.note(s)
		_ = s.conn.Notify("notifications/tools/list_changed", nil)
	}
}

// lend puts tools into this session's list and reports whether that is news.
func (s *Session) lend(keys []catalog.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := false
	for _, key := range keys {
		if !s.lent[key] {
			s.lent[key] = true
			news = true
		}
	}
	return news
}

// forget takes a server's tools out of what is lent.
func (s *Session) forget(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.lent {
		if key.Server == server {
			delete(s.lent, key)
		}
	}
}

// lends puts found tools into the list, keeps that for the session's return,
// and tells the client.
func (s *Session) lends(ctx context.Context, tools []*catalog.Tool) {
	keys := make([]catalog.Key, len(tools))
	for i, t := range tools {
		keys[i] = t.Key()
	}
	if !s.lend(keys) {
		return
	}
	s.mu.Lock()
	all := make([]catalog.Key, 0, len(s.lent))
	for key := range s.lent {
		all = append(all, key)
	}
	s.mu.Unlock()
	if err := s.gateway.SessionTools.SaveSessionTools(ctx, s.id, all); err != nil {
		s.gateway.Log.Warn("lens not kept", "session", s.id, "error", err)
	}
	s.announceTools()
}

// lists reports whether a tool is in this session's list.
func (s *Session) lists(t *catalog.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lent[t.Key()] {
		return true
	}
	server, err := s.gateway.Registry.Get(t.Server)
	return err == nil && server.Enabled && server.Approved
}

// take counts a call in; false when the session has too many in flight. Who
// looks is told by the call itself.
func (s *Session) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight >= maxInFlight {
		return false
	}
	s.inFlight++
	return true
}

func (s *Session) giveBack() {
	s.mu.Lock()
	s.inFlight--
	s.mu.Unlock()
	events.Publish(s.gateway.Bus, ClientsChanged{})
}

var errBusy = fault.New(fault.Busy, "%d calls of this session are in flight, which is the limit; wait for one to finish and call again", maxInFlight)
