package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/era"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// discoverWait is how long the hub waits for an answer to server/discover before it
// sends initialize as well. Legacy servers may ignore the former.
const discoverWait = 2 * time.Second

// handshake learns the era of the server, what it is and what it offers. The modern
// era is preferred. A server is not asked for the modern era if legacy is true.
func (s *session) handshake(ctx context.Context, legacy bool) error {
	if sse := s.server.Transport == "sse"; legacy || sse {
		err := s.initialize(ctx)
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && !sse && !s.target.Legacy && refusesLegacy(rpc) {
			return s.discover(ctx)
		}
		return err
	}
	probing, stop := context.WithCancel(ctx)
	defer stop()
	probe := make(chan error, 1)
	go func() { probe <- s.discover(probing) }()
	wait := time.NewTimer(discoverWait)
	defer wait.Stop()
	select {
	case err := <-probe:
		switch {
		case err == nil, ctx.Err() != nil, cannotBeReached(err):
			return err
		case isClosed(err):
			s.endedUnasked = s.link.pid() != 0 // some legacy servers end unless the first request is initialize
			return err
		}
		return s.initialize(ctx)
	case <-wait.C:
		s.silent = true
	}
	err := s.initialize(ctx)
	if _, refused := errors.AsType[*jsonrpc.Error](err); !refused {
		return err
	}
	// A slow server of the modern era.
	select {
	case modern := <-probe:
		if modern == nil {
			s.silent = false
			return nil
		}
	case <-time.After(discoverWait):
	case <-ctx.Done():
	}
	return err
}

// refusesLegacy reports whether an error means that the server does not know
// initialize.
func refusesLegacy(err *jsonrpc.Error) bool {
	return err.Code == jsonrpc.CodeMethodNotFound || err.Code == era.CodeUnsupportedVersion
}

// cannotBeReached reports whether an error says nothing about the era of a remote
// server.
func cannotBeReached(err error) bool {
	if errors.Is(err, mcphttp.ErrLost) || errors.Is(err, mcphttp.ErrSignIn) {
		return true
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Timeout
}

// discover sends server/discover. If it succeeds, the session is one of the modern
// era.
func (s *session) discover(ctx context.Context) error {
	call := jsonrpc.Call{Method: "server/discover", Params: s.modernMeta(Declared{}).Stamp(nil), Quiet: true}
	raw, err := s.conn.Call(ctx, call)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && offersModern(rpc) {
		raw, err = s.conn.Call(ctx, call)
	}
	if err != nil {
		return err
	}
	found, err := era.ReadDiscover(raw)
	if err != nil {
		return err
	}
	version := found.Version(era.Modern)
	if version == "" {
		return jsonrpc.NewError(era.CodeUnsupportedVersion, "the server supports none of the versions %v", era.Modern.Versions())
	}
	s.describe(Description{
		Name: jsonrpc.GetString(found.ServerInfo, "name"), Title: jsonrpc.GetString(found.ServerInfo, "title"), Version: jsonrpc.GetString(found.ServerInfo, "version"),
		TTLs: noteTTL(nil, "server/discover", raw), Info: found.ServerInfo, Instructions: found.Instructions, ProtocolVersion: version, Versions: found.Versions, Capabilities: found.Capabilities,
		Declared: personCapabilities,
	})
	return nil
}

// offersModern reports whether an error refuses a version and names a modern version
// that this program supports. Today there is only one, so that a server which refuses
// it and names it may accept it at the second try.
func offersModern(err *jsonrpc.Error) bool {
	if err.Code != era.CodeUnsupportedVersion {
		return false
	}
	for item := range jsonrpc.Items(jsonrpc.Get(err.Data, "supported")) {
		if version, _ := jsonrpc.String(item); era.Of(version) == era.Modern {
			return true
		}
	}
	return false
}

// initialize sends initialize and notifications/initialized. If it succeeds, the
// session is one of the legacy era.
func (s *session) initialize(ctx context.Context) error {
	declared, err := json.Marshal(s.capabilities())
	if err != nil {
		return err
	}
	params, err := json.Marshal(map[string]any{
		"protocolVersion": era.Legacy.Versions()[0],
		"capabilities":    json.RawMessage(declared),
		"clientInfo":      s.clientInfo(),
	})
	if err != nil {
		return err
	}
	raw, err := s.conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	if err != nil {
		return err
	}
	// Any version is accepted, because results are passed on without decoding them.
	var result struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      struct{ Name, Title, Version string }
		Instructions    string `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the answer to initialize is malformed: %w", err)
	}
	info := result.ServerInfo
	s.describe(Description{
		Name: info.Name, Title: info.Title, Version: info.Version, Info: jsonrpc.Get(raw, "serverInfo"), Instructions: result.Instructions,
		ProtocolVersion: result.ProtocolVersion, Capabilities: result.Capabilities, Declared: declared,
	})
	return s.conn.Notify("notifications/initialized", nil)
}

func (s *session) describe(d Description) {
	s.mu.Lock()
	s.description = d
	s.mu.Unlock()
	s.conn.SetLineLimit(maxLine)
}

// modern reports whether the session is one of the modern era.
func (s *session) modern() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return era.Of(s.description.ProtocolVersion) == era.Modern
}

func (s *session) clientInfo() json.RawMessage {
	info := jsonrpc.Set(nil, "name", jsonrpc.Quote("agent-discover"))
	return jsonrpc.Set(info, "version", jsonrpc.Quote(s.manager.version))
}

// modernMeta returns the metadata of a request to a server of the modern era.
func (s *session) modernMeta(d Declared) era.Meta {
	capabilities := d.Capabilities
	if capabilities == nil {
		capabilities = json.RawMessage("{}")
	}
	return era.Meta{
		ProtocolVersion: era.Modern.Versions()[0], ClientInfo: s.clientInfo(), ClientCapabilities: capabilities, LogLevel: d.LogLevel,
	}
}

// isLegacy reports whether the server did not answer server/discover when it was last
// started with this configuration.
func (s *slot) isLegacy(server registry.Server) bool {
	s = s.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.legacy != nil && sameLaunch(*s.legacy, server)
}

// noteEra remembers whether a server has to be started without server/discover.
func (s *slot) noteEra(server registry.Server, legacy bool) {
	s = s.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.legacy = nil; legacy {
		s.legacy = &server
	}
}
