package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	// quietPause is how long a list counts as current if the server has neither announced a change nor answered a
	// request since the list was read. Until then, requests for names that the list does not contain do not make the
	// hub read it again.
	quietPause = 10 * time.Second
	// busyPause is the least time between two readings of a list that are caused by requests for names it does not
	// contain. It applies if the server has answered other requests in between, which may have changed the list.
	busyPause = time.Second
	// undeclaredWait is how long a server may take to answer a request for a list that it has not declared.
	undeclaredWait = 2 * time.Second
)

// reading describes the last reading of a list.
type reading struct {
	began     time.Time
	announced int64 // number of changes of the list that the server had announced
	answered  int64 // number of requests that the server had answered
	err       error
}

// Reread reads a list of a server again, because a request names an item that the list does not contain, and starts
// the server if necessary. It does nothing if the list cannot have changed since it was read; see quietPause. client
// is the id of the client's session, as for TargetOf.
func (m *Manager) Reread(ctx context.Context, server registry.Server, client, method string) error {
	asked := time.Now()
	w := wantOf(server, client, nil)
	session, err := m.router.acquire(ctx, w)
	if err != nil {
		return err
	}
	defer session.use.leave()
	if err := session.lists.reread(ctx, which(method), asked); err != nil {
		text, answered := jsonrpc.ErrorText(err)
		if !answered {
			text = fault.MessageOf(session.explainer.explain(err, jsonrpc.Call{Method: method, Idle: m.startLimit(server)}))
		}
		return fault.Wrap(ErrUnread, fault.Failed, "%s", session.redactor.Text(text))
	}
	return nil
}

// ErrUnread is in the chain of errors of Reread for a server that runs, but does not send its list.
var ErrUnread = errors.New("the list was not read")

// reread is Manager.Reread for a session; asked is when the request arrived.
func (r *lister) reread(ctx context.Context, which int, asked time.Time) error {
	if wait := r.age(which, asked).wait; wait > 0 {
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	if a := r.age(which, asked); a.present {
		return a.err
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout())
	defer cancel()
	_, err := r.readLocked(ctx, which)
	return err
}

// age says whether a list has to be read again.
type age struct {
	present bool          // the list was read after the request came, or cannot have changed since
	err     error         // error of that reading
	wait    time.Duration // time before the list may be read again
}

func (r *lister) age(which int, asked time.Time) age {
	r.mu.Lock()
	last := r.reads[which]
	r.mu.Unlock()
	switch {
	case last.began.IsZero(), r.changes[which].Load() != last.announced:
		return age{}
	case last.began.After(asked):
		return age{present: true, err: last.err}
	case r.answers.Load() != last.answered:
		return age{wait: time.Until(last.began.Add(busyPause))}
	}
	return age{present: time.Since(last.began) < r.policy.quietPause, err: last.err}
}

// pagesOf reads all pages of a list. It also requests a list that the server has not declared, because some servers
// have such a list. listed is false if the server refuses this request, or does not answer it soon.
func (r *lister) pagesOf(ctx context.Context, which int) (definitions []json.RawMessage, listed bool, err error) {
	l := lists[which]
	if r.profile.offers(l.capability) {
		definitions, err = r.readPages(ctx, l)
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound && which != toolsList {
			definitions, err = nil, nil // for example, a server with resources may have no templates
		}
		return definitions, true, err
	}
	soon, cancel := context.WithTimeout(ctx, undeclaredWait)
	defer cancel()
	definitions, err = r.readPages(soon, l)
	_, refused := errors.AsType[*jsonrpc.Error](err)
	if refused || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, false, nil
	}
	return definitions, true, err
}

// Lists reports whether name is in the list that a running server outside the registry sends for method.
func (m *Manager) Lists(server, method, name string) bool {
	session := m.slots.running(server)
	if session == nil || name == "" {
		return false
	}
	lists := session.lists
	lists.mu.Lock()
	defer lists.mu.Unlock()
	return named(lists.unstored[which(method)], name) != nil
}

// LeftOut returns why a tool that a running server lists cannot be called, or nil if it can be called. client is the id
// of the client's session; see TargetOf.
func (m *Manager) LeftOut(server registry.Server, client, tool string) error {
	at := m.slots.of(TargetOf(server, client))
	if at == nil {
		return nil
	}
	if session := at.running(); session != nil {
		return session.lists.refused(jsonrpc.Call{Method: "tools/call", Params: jsonrpc.Set(nil, "name", jsonrpc.Quote(tool))})
	}
	return nil
}

// which returns the index in lists of the list that servers send for a method, such as tools/list.
func which(method string) int {
	return slices.IndexFunc(lists[:], func(l list) bool { return l.method == method })
}

// named returns the definition with a name, nil if there is none.
func named(definitions []json.RawMessage, name string) json.RawMessage {
	for _, definition := range definitions {
		if own, ok := jsonrpc.String(jsonrpc.Get(definition, "name")); ok && own == name {
			return definition
		}
	}
	return nil
}
