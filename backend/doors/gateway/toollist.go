package gateway

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// toolList answers tools/list for the client of a session, and remembers which list the client has read. It is
// safe for concurrent use.
type toolList struct {
	client      *clientInfo
	definitions *definitions
	listed      func() ([]*catalog.Tool, surfaces.Definitions) // the list that the surface shows now

	mu        sync.Mutex
	signature uint64 // hash of the last list that the client read or was notified of; 0 for none
}

// Answer returns the result of tools/list. If the client is a legacy one, Answer records the list that it
// returns. The list of a modern client changes only with the configuration.
func (l *toolList) Answer(ctx context.Context, listed func() ([]*catalog.Tool, surfaces.Definitions)) (json.RawMessage, error) {
	modern := isModern(ctx)
	var tools []*catalog.Tool
	var own surfaces.Definitions
	if modern {
		tools, own = listed()
	} else {
		l.mu.Lock()
		tools, own = listed()
		l.signature = signatureOf(tools, own)
		l.mu.Unlock()
	}
	limits := l.client.limitsOf(modern)
	list, names := []json.RawMessage{}, limits.names(tools)
	for _, definition := range own.Tools {
		list = append(list, l.definitions.fit(limits, jsonrpc.GetString(definition, "name"), definition))
	}
	for i, t := range tools {
		list = append(list, l.definitions.show(limits, t, names[i]))
	}
	return answer.Encode(struct {
		Tools []json.RawMessage `json:"tools"`
	}{list})
}

// note records that the client has read the current list.
func (l *toolList) note() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signature = signatureOf(l.listed())
}

// noteFirst is like note, but does nothing if the client has read a list before.
func (l *toolList) noteFirst() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.signature == 0 {
		l.signature = signatureOf(l.listed())
	}
}

// changed reports whether the list has changed since the client last read it or was last notified. It assumes
// that the caller notifies the client now.
func (l *toolList) changed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.signature
	l.signature = signatureOf(l.listed())
	return l.signature != before
}

// signatureOf returns a hash of a tool list. A different hash shows that the list has changed.
func signatureOf(tools []*catalog.Tool, own surfaces.Definitions) uint64 {
	h := fnv.New64a()
	for _, definition := range own.Tools {
		_, _ = h.Write(definition)
	}
	for _, t := range tools {
		_, _ = h.Write([]byte(t.Server))
		_, _ = h.Write([]byte(t.Hash))
	}
	return h.Sum64()
}
