package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

type pong struct {
	OK    bool  `json:"ok"`
	RTTMS int64 `json:"rtt_ms"`
}

func (t target) ping(ctx context.Context, in *editInput) (*reply[pong], error) {
	if _, err := t.find(in.ID); err != nil {
		return nil, err
	}
	if err := decodeObject(in.RawBody, &struct{}{}); err != nil {
		return nil, err
	}
	began := time.Now()
	_, err := t.ask(ctx, in.ID, inspector.Query{
		Method: "ping", Kind: journal.Ping, About: "ping", Shown: json.RawMessage("{}"),
		Answer: func(json.RawMessage) string { return "pong" },
	})
	if err != nil {
		return nil, err
	}
	return ok(pong{true, time.Since(began).Milliseconds()})
}

// levels are those of RFC 5424, as MCP names them.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

type levelReply struct {
	OK    bool   `json:"ok"`
	Level string `json:"level"`
}

func (t target) setLevel(ctx context.Context, in *editInput) (*reply[levelReply], error) {
	if _, err := t.find(in.ID); err != nil {
		return nil, err
	}
	var body struct {
		Level string `json:"level"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if !slices.Contains(levels, body.Level) {
		return nil, badRequest("level must be one of: " + strings.Join(levels, ", "))
	}
	if _, err := t.ask(ctx, in.ID, inspector.Query{Method: "logging/setLevel", Params: jsonrpc.Set(nil, "level", jsonrpc.Quote(body.Level))}); err != nil {
		return nil, err
	}
	return ok(levelReply{true, body.Level})
}
