package quarantine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// lists maps the methods that return lists of items to the kind of the items and to the member of the result that
// contains them.
var lists = map[string]struct {
	kind   Kind
	member string
}{
	"tools/list": {Tool, "tools"}, "prompts/list": {Prompt, "prompts"},
	"resources/list": {Resource, "resources"}, "resources/templates/list": {Template, "resourceTemplates"},
}

// Shown removes what is held from the result of a request that was sent to a server
// directly: items from a list, and instructions from the result of initialize. Shown does
// not store new items; it removes them unless Admit would approve them. A result without
// held items keeps every byte.
func (k *Keeper) Shown(ctx context.Context, server, method string, result json.RawMessage) json.RawMessage {
	if method == "initialize" {
		introductions := []json.RawMessage{result}
		return k.introducing(server, introductions, k.shown(ctx, server, Instructions, instructionsOf(introductions)))[0]
	}
	l, ok := lists[method]
	if !ok {
		return result
	}
	var listed []json.RawMessage
	if json.Unmarshal(jsonrpc.Get(result, l.member), &listed) != nil || len(listed) == 0 {
		return result // not a list of definitions, or an empty one
	}
	shown := k.shown(ctx, server, l.kind, listed)
	if slices.EqualFunc(shown, listed, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return result
	}
	array := []byte{'['}
	for i, definition := range shown {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, definition...)
	}
	return jsonrpc.Set(result, l.member, append(array, ']'))
}

// shown returns the definitions of a list that agents may get; see Shown. It returns none
// if the decisions cannot be read.
func (k *Keeper) shown(ctx context.Context, server string, kind Kind, definitions []json.RawMessage) (shown []json.RawMessage) {
	k.writing.Lock()
	defer k.writing.Unlock()
	f, err := k.open(ctx, server)
	if err != nil {
		k.options.Log.Warn("could not read which items of a server are held", "server", server, "error", err)
		return nil
	}
	before, c := f.list(kind, definitions), k.circumstances(f, kind, f.first(kind, k.options.Now()))
	if f.unjudged(k.options.Scanner.Version()) {
		if _, err := k.judge(ctx, f, kind); err != nil {
			k.options.Log.Warn("could not scan the items of a server", "server", server, "error", err)
			return nil
		}
	}
	for _, definition := range definitions {
		name, ok := nameOf(kind, definition)
		item := f.items[key{kind, name}]
		if !ok || item == nil {
			continue
		}
		if now := f.decide(*item, before[item], c); !now.Held() && HashOf(kind, definition) == now.Approved {
			shown = append(shown, now.ApprovedText)
		}
	}
	return shown
}
