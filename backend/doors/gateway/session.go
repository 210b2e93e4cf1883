package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/longresult"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// maxInFlight is how many calls of one session may be in flight.
const maxInFlight = 64

// maxClientText is the maximum length of a client's name and version, in
// characters. Both are stored with every call.
const maxClientText = 100

// IDPrefix begins the ids of requests to clients. It is unique to this process: after
// a restart, a client may still answer a request of the previous hub.
var IDPrefix = "hub-" + rand.Text()[:10] + "-"

// Session is one client's connection to the hub.
type Session struct {
	gateway    *Gateway
	id         string
	surface    surface
	entry      string  // the client of Opening
	token      string  // of Opening
	credential string  // of Opening
	project    Project // of Opening
	folder     string
	fixed      longresult.Client // see func cutting
	peer       Peer
	outbox     outbox        // what announceChanges sends
	announced  chan struct{} // closed at the end of announceChanges

	mu           sync.Mutex
	name         string // of the client, from initialize
	version      string
	limits       clientLimits
	capabilities map[string]json.RawMessage // of the client, from initialize
	offered      json.RawMessage            // capabilities in the answer to initialize
	declared     json.RawMessage            // capabilities as the client sent them
	introduced   bool                       // the client has said its name
	ready        bool                       // notifications/initialized was received
	sessionTools map[catalog.Key]bool
	shown        shownTools
	signature    uint64          // of the last tool list that the client read or was notified of
	level        string          // the log level that the client asked for; empty if it did not
	used         map[string]bool // servers that the session has called
	views        map[string]bool // servers with a view that the client has read
	listeners    map[*listener]bool
	levels       map[string]levelCounts     // log levels that modern calls in flight want, by server
	tasks        []*task                    // that the session has started, oldest first
	signIns      map[string]*signInQuestion // by server; see signIn
	served       []string                   // see announceServed
	awaitsSignIn bool                       // the client was shown empty lists until somebody signs in
	inFlight     int
}

func newSession(g *Gateway, o Opening) *Session {
	s := &Session{
		gateway: g, id: o.ID, entry: o.Client, token: o.Token, credential: o.Credential, project: o.Project, folder: o.Folder, peer: o.Peer, limits: limitsOfEntry(o.Client), name: "unknown", outbox: outbox{wake: make(chan struct{}, 1)}, announced: make(chan struct{}),
		sessionTools: make(map[catalog.Key]bool), used: make(map[string]bool), views: make(map[string]bool), levels: make(map[string]levelCounts), signIns: make(map[string]*signInQuestion),
	}
	s.fixed = cutting(s, o)
	s.surface = allServers{Session: s, own: hubToolsOf(s, o.Surface), sorted: o.Surface == surfaces.Native}
	if set := g.chooseToolset(o); set != "" {
		of := ofToolset{s, set}
		s.surface, s.served = of, of.serverNames()
		s.fixed.Limit = 0 // reading on takes a tool that the toolset does not have
	}
	if server := surfaces.Server(o.Surface); server != "" {
		s.surface = oneServer{s, server}
		s.used[server] = true
	}
	return s
}

func (s *Session) client() Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Client{Session: s.id, Name: s.name, Version: s.version, Calls: s.inFlight, Project: s.project}
	if o, ok := s.surface.(ofToolset); ok {
		c.Toolset = o.set
	}
	return c
}

// Request implements jsonrpc.Handler.
func (s *Session) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if mcpversion.Detect(method, params, "") == mcpversion.Modern {
		return s.modern(ctx, method, params)
	}
	switch method {
	case "initialize":
		return s.initialize(ctx, params)
	case "ping":
		return json.RawMessage("{}"), nil
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return s.surface.list(ctx, method, params)
	case "tools/call":
		return s.surface.call(ctx, params)
	case "resources/subscribe":
		return s.subscribe(ctx, params)
	case "resources/unsubscribe":
		return s.unsubscribe(ctx, params)
	case "logging/setLevel":
		return s.setLevel(ctx, params)
	case "tasks/get", "tasks/result", "tasks/cancel":
		return s.task(ctx, method, params)
	case "tasks/list":
		return s.listTasks(ctx, params)
	}
	return s.pass(ctx, method, params)
}

// Notification implements jsonrpc.Handler.
func (s *Session) Notification(method string, _ json.RawMessage) {
	switch method {
	case "notifications/initialized":
		s.mu.Lock()
		s.ready = true
		s.mu.Unlock()
	case "notifications/roots/list_changed":
		s.gateway.calls.NotifyOwn(s.id, method)
	}
}

// Bad implements jsonrpc.Handler. It returns an error for the client that
// describes the problem with its line.
func (s *Session) Bad(_ []byte, err error) *jsonrpc.Error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return rpc
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "Invalid Request: %s", err)
}

// Notify sends a notification to the client.
func (s *Session) Notify(ctx context.Context, method string, params json.RawMessage) {
	_ = s.peer.Notify(ctx, method, params) // an error ends the session
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func (s *Session) initialize(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var asked struct {
		ProtocolVersion string                     `json:"protocolVersion"`
		Capabilities    map[string]json.RawMessage `json:"capabilities"`
		ClientInfo      struct{ Name, Version string }
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params of initialize: %s", err)
	}
	own, err := s.surface.introduce(ctx, jsonrpc.Get(params, "capabilities"))
	if err != nil {
		return nil, rpcError(err)
	}
	version := mcpversion.Negotiate(asked.ProtocolVersion)
	if version < tasksVersion {
		own.Capabilities = jsonrpc.Delete(own.Capabilities, "tasks")
	}
	s.mu.Lock()
	if asked.ClientInfo.Name != "" {
		s.setName(asked.ClientInfo.Name, asked.ClientInfo.Version)
		if s.entry == "" {
			s.limits = limitsOfClient(s.name)
		}
	}
	s.capabilities, s.declared = asked.Capabilities, jsonrpc.Get(params, "capabilities")
	s.introduced = true
	s.offered = own.Capabilities
	s.signature = s.toolSignature()
	s.mu.Unlock()
	s.gateway.note(s)
	s.gateway.clientsChanged()
	return encode(struct {
		ProtocolVersion string `json:"protocolVersion"`
		introduction
	}{version, own})
}

// setName notes how the client calls itself. The caller holds mu.
func (s *Session) setName(name, version string) {
	s.name, s.version = clipped(name), clipped(version)
}

// editor returns the id of the client in the table of editors, empty if it is not known.
func (s *Session) editor() string {
	if e, known := table.ByID(s.entry); known {
		return e.ID
	}
	if e, known := table.ByClient(s.client().Name); known {
		return e.ID
	}
	return ""
}

func clipped(text string) string { return safetext.Clip(text, maxClientText) }

// signatureOf returns a hash of a tool list, by which changes of the list are
// noticed.
func signatureOf(tools []*catalog.Tool, own ownTools) uint64 {
	h := fnv.New64a()
	for _, definition := range own.definitions {
		_, _ = h.Write(definition)
	}
	for _, t := range tools {
		_, _ = h.Write([]byte(t.Server))
		_, _ = h.Write([]byte(t.Hash))
	}
	return h.Sum64()
}

// toolSignature returns the signature of the session's tool list. The caller holds mu.
func (s *Session) toolSignature() uint64 {
	return signatureOf(s.surface.listed())
}

// noteTools notes that the client reads the tool list.
func (s *Session) noteTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signature = s.toolSignature()
}

// announceChanges sends the client notifications until the client has left.
func (s *Session) announceChanges() {
	for {
		select {
		case <-s.outbox.wake:
			s.announceTools()
			_ = s.outbox.send(s.peer) // an error ends the connection
		case <-s.peer.Done():
			return
		}
	}
}

// announceTools sends notifications/tools/list_changed if the list of the
// session's tools has changed.
func (s *Session) announceTools() {
	s.mu.Lock()
	now := s.toolSignature()
	announce := now != s.signature && (s.ready || len(s.listeners) > 0)
	if announce {
		s.signature = now
	}
	s.mu.Unlock()
	if announce {
		s.gateway.note(s)
		s.announceList("notifications/tools/list_changed")
	}
}

// lists reports whether a tool is in this session's list.
func (s *Session) lists(t *catalog.Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := s.equipped(); name != "" {
		return s.sessionTools[t.Key()] || s.gateway.toolsets.Admit(name, t.Key()) == nil
	}
	return s.sessionTools[t.Key()] || s.surface.shows(t.Server)
}

// beginCall adds one to the calls in flight, or returns false if too many are
// in flight. It publishes no ClientsChanged, because the pipeline publishes an
// event for each call.
func (s *Session) beginCall() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight >= maxInFlight {
		return false
	}
	s.inFlight++
	return true
}

func (s *Session) endCall() {
	s.mu.Lock()
	s.inFlight--
	s.mu.Unlock()
	events.Publish(s.gateway.bus, ClientsChanged{})
}

var errBusy = fault.New(fault.Busy, "%d calls of this session are in flight, which is the limit; wait for one to finish and call again", maxInFlight)
