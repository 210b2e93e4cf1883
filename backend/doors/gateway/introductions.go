package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// introductions stores the capabilities, names and instructions that servers declare, so that the hub has them while
// the servers are stopped.
type introductions struct {
	features *features.Keeper
	pipeline *call.Pipeline
	log      *slog.Logger
}

// known returns the introduction that a server gave at its last start, corrected where clients would reject it. If the
// server has introduced itself in both eras, known returns the introduction of the given era.
func (i *introductions) known(server string, which mcpversion.Era) (surfaces.Introduction, bool) {
	stored := i.features.Of(server, features.Introduction)
	if len(stored) == 0 {
		return surfaces.Introduction{}, false
	}
	raw := stored[0]
	for _, other := range stored {
		if eraOf(other) == which {
			raw = other
		}
	}
	var known surfaces.Introduction
	if json.Unmarshal(raw, &known) != nil {
		return known, false
	}
	known.Info, _ = mcpshape.Info(server, known.Info)
	known.Capabilities, _ = mcpshape.Capabilities(known.Capabilities)
	return known, true
}

// onlyModern reports whether a server has introduced itself in the modern era only, and may still speak the legacy era
// as well.
func (i *introductions) onlyModern(server string) bool {
	stored := i.features.Of(server, features.Introduction)
	_, without := i.pipeline.Introductions(server)
	return len(stored) == 1 && eraOf(stored[0]) == mcpversion.Modern && !slices.Contains(without, mcpversion.Legacy)
}

// eraOf returns the era in which a server has introduced itself.
func eraOf(introduction json.RawMessage) mcpversion.Era {
	return mcpversion.Of(jsonrpc.GetString(introduction, "protocolVersion"))
}

// remember stores how a running server has introduced itself in each era that it speaks.
func (i *introductions) remember(ctx context.Context, server string) {
	abouts, without := i.pipeline.Introductions(server)
	if len(abouts) == 0 {
		return
	}
	var list []json.RawMessage
	for _, d := range abouts {
		raw, err := introduced(d)
		if err != nil {
			i.log.Warn("could not store how a server introduces itself", "server", server, "error", err)
			return
		}
		list = append(list, raw)
	}
	for _, old := range i.features.Of(server, features.Introduction) { // keep it for an era not used since the hub started
		of := eraOf(old)
		spoken := slices.ContainsFunc(list, func(raw json.RawMessage) bool { return eraOf(raw) == of })
		if spoken || of == mcpversion.Unknown || slices.Contains(without, of) {
			continue
		}
		list = append(list, old)
	}
	slices.SortStableFunc(list, func(a, b json.RawMessage) int { return cmp.Compare(eraOf(a), eraOf(b)) })
	if _, err := i.features.Replace(ctx, server, features.Introduction, list); err != nil {
		i.log.Warn("could not store how a server introduces itself", "server", server, "error", err)
	}
}

// introduced returns how a server has introduced itself, encoded for the store.
func introduced(d upstream.Description) (json.RawMessage, error) {
	own := surfaces.Introduction{Capabilities: d.Capabilities, Info: d.Info, Instructions: d.Instructions}
	if !jsonrpc.IsObject(own.Capabilities) {
		own.Capabilities = json.RawMessage("{}")
	}
	return answer.Encode(struct {
		ProtocolVersion string `json:"protocolVersion"`
		surfaces.Introduction
	}{d.ProtocolVersion, own})
}
