package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// hubTools are the tools of the hub that a surface of all servers lists before those of
// servers.
type hubTools interface {
	// listed returns the definitions. The caller may hold the session's mu.
	listed() ownTools
	// instructions returns the server instructions of MCP.
	instructions() string
	// call serves tools/call of one of the tools; ok is false if name is none of them.
	call(ctx context.Context, name string, params json.RawMessage) (result json.RawMessage, ok bool, err error)
	// findHow tells how to find a tool, for the error of an unknown name.
	findHow() string
	// lends reports whether find_tool adds tools to the session's list, unless a
	// setting for the client says otherwise.
	lends() bool
}

// ownTools are definitions of the hub's tools, as they are at present.
type ownTools struct {
	definitions []json.RawMessage
	tokens      int
}

// hubToolsOf returns the hub's tools of a surface.
func hubToolsOf(s *Session, surface string) hubTools {
	switch surface {
	case surfaces.Meta:
		return metaTools{s}
	case surfaces.Native:
		return noTools{s}
	}
	return registryTools{s}
}

// OwnTools returns the definitions of the hub's tools on a surface, as they are without
// servers. client is that of Opening, and folder that of Gateway.ResultsFolder.
func OwnTools(surface, client, folder string) []json.RawMessage {
	switch {
	case surfaces.Server(surface) != "", surfaces.Toolset(surface) != "":
		return nil
	case surface == surfaces.Native:
		c := cutting(nil, Opening{Surface: surface, Client: client})
		c.Folder = folder
		return readingTools(c).definitions
	case surface == surfaces.Meta:
		return metaDefinitions(roster{})
	}
	return []json.RawMessage{registryTool}
}

// registryTools is registry alone.
type registryTools struct{ *Session }

func (r registryTools) listed() ownTools {
	return ownTools{[]json.RawMessage{registryTool}, EntryTokens}
}

func (r registryTools) instructions() string {
	return r.gateway.roster().registryInstructions()
}

func (r registryTools) call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, bool, error) {
	if name != registryName {
		return nil, false, nil
	}
	result, err := r.callRegistry(ctx, params)
	return result, true, err
}

func (r registryTools) findHow() string {
	return `Ask registry {action:"find_tool", query:…} for others.`
}

func (r registryTools) lends() bool { return true }

// noTools are the tools of a surface that has those of servers only, besides what reads
// on in long results.
type noTools struct{ *Session }

func (n noTools) listed() ownTools { return readingTools(n.cutting()) }

func (n noTools) instructions() string {
	return n.gateway.roster().nativeInstructions(n.gateway.activeNames())
}

func (n noTools) call(_ context.Context, name string, params json.RawMessage) (json.RawMessage, bool, error) {
	return n.callReading(destroys, name, jsonrpc.Get(params, "arguments"))
}

func (n noTools) findHow() string { return "The list of tools may have changed: read it again." }

func (n noTools) lends() bool { return false }
