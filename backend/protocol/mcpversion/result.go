package mcpversion

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Types of a modern result.
const (
	TypeComplete      = "complete"
	TypeInputRequired = "input_required"
	TypeTask          = "task"
)

// ResultType returns the type of a modern result, TypeComplete if it has none.
func ResultType(result json.RawMessage) string {
	if text, ok := jsonrpc.String(jsonrpc.Get(result, "resultType")); ok {
		return text
	}
	return TypeComplete
}

// Hop holds the values that the answering side of one connection adds to results of modern MCP.
type Hop struct {
	ServerInfo json.RawMessage // an object; nil adds none
	// TTLMs and Private become ttlMs and cacheScope of results that may be cached.
	// A negative TTLMs counts as zero.
	TTLMs   int64
	Private bool
}

// cacheable reports whether the results of a method have ttlMs and cacheScope.
func cacheable(method string) bool {
	switch method {
	case "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return false
}

// Complete turns the result of a legacy server into a modern result of type complete.
// Members that Complete adds replace members of the same name in the result.
func Complete(method string, result json.RawMessage, hop Hop) json.RawMessage {
	add := json.RawMessage(`{"resultType":"complete"}`)
	drop := isType
	if cacheable(method) {
		add = hop.cache(add, hop.TTLMs, hop.Private)
		drop = isModern
	}
	return hop.stamp(result, drop, add)
}

// Restamp replaces the metadata that a modern server has added to a result with the metadata of
// hop. The result keeps its type, a valid ttlMs, and the cacheScope private. Results that must
// not be cached lose ttlMs and cacheScope, except for tasks, whose ttlMs is not about caching.
func Restamp(method string, result json.RawMessage, hop Hop) json.RawMessage {
	add := json.RawMessage(nil)
	if jsonrpc.Get(result, "resultType") == nil {
		add = json.RawMessage(`{"resultType":"complete"}`)
	}
	if ResultType(result) == TypeComplete && cacheable(method) {
		ttl, ok := TTL(result)
		if !ok {
			ttl = hop.TTLMs
		}
		add = hop.cache(add, ttl, hop.Private || jsonrpc.GetString(result, "cacheScope") == "private")
	}
	drop := isCache
	if ResultType(result) == TypeTask || strings.HasPrefix(method, "tasks/") {
		drop = func([]byte) bool { return false } // ttlMs is how long the task is kept
	}
	return hop.stamp(result, drop, add)
}

// TTL returns how long a modern result may be cached, in milliseconds. ok is false if the
// result has no valid ttlMs.
func TTL(result json.RawMessage) (ms int64, ok bool) {
	ms, err := strconv.ParseInt(string(jsonrpc.Get(result, "ttlMs")), 10, 64)
	return ms, err == nil && ms >= 0
}

// Plain makes a modern result a legacy one: it removes resultType, ttlMs, cacheScope
// and the members of _meta that belong to a hop, and _meta itself if nothing is left in
// it. The result must be of type complete.
func Plain(result json.RawMessage) json.RawMessage {
	return jsonrpc.Edit(stamp(result, nil), isModern, nil)
}

// stamp removes the members of a result for which drop returns true, and adds the members of add. In _meta, it replaces
// the members of the previous hop with those of h. A result without _meta is copied only once.
func (h Hop) stamp(result json.RawMessage, drop func(key []byte) bool, add json.RawMessage) json.RawMessage {
	var meta json.RawMessage
	if jsonrpc.IsObject(h.ServerInfo) {
		meta = jsonrpc.Set(nil, KeyServerInfo, h.ServerInfo)
	}
	if jsonrpc.Get(result, "_meta") != nil {
		result = stamp(result, meta)
	} else if meta != nil {
		add = jsonrpc.Set(add, "_meta", meta)
	}
	return jsonrpc.Edit(result, drop, add)
}

// cache adds ttlMs and cacheScope to an object.
func (h Hop) cache(add json.RawMessage, ttl int64, private bool) json.RawMessage {
	scope := "public"
	if private {
		scope = "private"
	}
	add = jsonrpc.Set(add, "ttlMs", strconv.AppendInt(nil, max(ttl, 0), 10))
	return jsonrpc.Set(add, "cacheScope", jsonrpc.Quote(scope))
}

func isType(key []byte) bool { return string(key) == "resultType" }

func isCache(key []byte) bool { return string(key) == "ttlMs" || string(key) == "cacheScope" }

func isModern(key []byte) bool { return isType(key) || isCache(key) }
