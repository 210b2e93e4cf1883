package upstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// Declared contains the capabilities and preferences that a client has declared to the hub.
type Declared struct {
	Capabilities json.RawMessage // an object of client capabilities; nil for none
	LogLevel     string          // empty if the client wants no log messages
	// Modern clients get the results of modern servers unchanged. They answer
	// results of type input_required with a retry.
	Modern bool
	// Tasks says that servers of the modern era may run calls as tasks. A result that is a task is returned as the
	// server sent it.
	Tasks bool
	// Rewritten says that the client is modern, but the hub rewrites results of servers for this client, for example
	// lists. The client gets results as a legacy client does.
	Rewritten bool
	// Asked says that servers can ask the client for something: it has declared elicitation, sampling or roots.
	Asked bool
}

// TaskCaller is a Caller that may want servers of the modern era to run calls as tasks. It gets all other results in
// the form of the legacy era.
type TaskCaller interface {
	Caller
	WantsTasks() bool
}

// Declarer is a Caller that returns the declarations of its client. The hub sends them with each request to a server of
// the modern era.
type Declarer interface {
	Caller
	Declared() Declared
}

// notifier is a Caller whose client gets notifications; see notifyCompleted.
type notifier interface {
	Notify(ctx context.Context, method string, params json.RawMessage)
}

// Result is the answer of a server.
type Result struct {
	JSON json.RawMessage // result as the server sent it, unless a legacy client gets the result of a modern server
	// Modern is true for a result of the modern era, which only modern clients get.
	Modern bool

	session *session // the session that has answered; nil if none has
}

// Lease returns a lease of the session that has given the result, for example for a task that only this session knows.
// The caller must call Release. Lease returns nil if no server has given the result.
func (r Result) Lease() *Lease {
	if r.session == nil {
		return nil
	}
	r.session.use.lease(1)
	return &Lease{session: r.session}
}

const (
	// maxRounds is how often a server of the modern era may ask for input in one
	// call of a legacy client.
	maxRounds = 10
	// maxEmptyRounds is how many results in a row may contain a state but no request for input.
	maxEmptyRounds = 3
	// emptyRoundDelay is the delay before the retry after the first round without requests. The delay doubles with each
	// further such round.
	emptyRoundDelay = 200 * time.Millisecond
)

// requester sends requests of calls to the server of a session.
type requester struct {
	*origin
	peer   *peer
	lists  *lister
	feed   *feed
	tasks  *taskOwners
	roots  *roots
	window Caller // answers for calls without a caller; may be nil
}

// request sends the request of a call to the server. It translates the request and the result if the client and the
// server are of different eras.
func (r *requester) request(ctx context.Context, caller Caller, call jsonrpc.Call) (Result, error) {
	declared := declaredBy(caller)
	if !r.peer.profile.modern() {
		if declared.Modern {
			call.Params = inputrequired.Retry{}.AddTo(mcpversion.Meta{}.Stamp(call.Params))
		}
		if caller != nil && jsonrpc.Get(call.Params, "task") != nil {
			call.Answered = func(result json.RawMessage) { r.tasks.note(caller, result) }
		}
		result, err := r.peer.conn.Call(ctx, call)
		return Result{JSON: result}, err
	}
	if result, done, err := r.translate(ctx, call); done {
		return Result{JSON: result}, err
	}
	if err := r.lists.refused(call); err != nil {
		return Result{}, err
	}
	if declared.Modern {
		call.Params = r.peer.modernMeta(declared).Stamp(call.Params)
		result, err := r.peer.conn.Call(ctx, call)
		return Result{JSON: result, Modern: true}, err
	}
	if declared.Tasks {
		call.Params = jsonrpc.Delete(call.Params, "task") // in the legacy era, this member asks the server to run the call as a task
	} else {
		declared.Capabilities = withoutTasks(declared.Capabilities)
	}
	call.Params = r.peer.modernMeta(declared).Stamp(call.Params)
	result, err := r.rounds(ctx, caller, call)
	return Result{JSON: result}, r.legacyError(err)
}

// declaredBy returns what a caller's client has declared. A caller that is not a Declarer counts as a person. If caller
// is nil, nothing is declared.
func declaredBy(caller Caller) Declared {
	if d, ok := caller.(Declarer); ok {
		return d.Declared()
	}
	if caller == nil {
		return Declared{}
	}
	if c, ok := caller.(TaskCaller); ok && c.WantsTasks() {
		return Declared{
			Capabilities: jsonrpc.Set(personCapabilities, "extensions", json.RawMessage(`{"`+tasks+`":{}}`)), Tasks: true, Asked: true,
		}
	}
	return Declared{Capabilities: personCapabilities, Asked: true}
}

// personCapabilities are the capabilities of a person who calls without a client.
var personCapabilities = json.RawMessage(`{"elicitation":{"form":{},"url":{}},"sampling":{}}`)

// tasks is the extension whose results legacy clients do not understand.
const tasks = "io.modelcontextprotocol/tasks"

func withoutTasks(capabilities json.RawMessage) json.RawMessage {
	capabilities = jsonrpc.Delete(capabilities, "tasks")
	extensions := jsonrpc.Get(capabilities, "extensions")
	if jsonrpc.Get(extensions, tasks) == nil {
		return capabilities
	}
	return jsonrpc.Set(capabilities, "extensions", jsonrpc.Delete(extensions, tasks))
}

// translate carries out a request that the modern era has no method for; done is
// false for other requests.
func (r *requester) translate(ctx context.Context, call jsonrpc.Call) (result json.RawMessage, done bool, err error) {
	switch call.Method {
	case "ping":
		return json.RawMessage("{}"), true, r.peer.alive(ctx, call.Idle)
	case "logging/setLevel":
		return json.RawMessage("{}"), true, nil // in the modern era, each call contains its log level
	case "resources/subscribe":
		return json.RawMessage("{}"), true, r.feed.subscribe(ctx, topic{name: jsonrpc.GetString(call.Params, "uri")})
	case "resources/unsubscribe":
		r.feed.unsubscribe(topic{name: jsonrpc.GetString(call.Params, "uri")})
		return json.RawMessage("{}"), true, nil
	}
	return nil, false, nil
}

// rounds sends a request to a server of the modern era for a legacy client. It asks
// the client for the input that the server requires, and returns the final result as
// one of the legacy era.
func (r *requester) rounds(ctx context.Context, caller Caller, call jsonrpc.Call) (json.RawMessage, error) {
	params, empty := call.Params, 0
	var pages []json.RawMessage
	for range maxRounds {
		result, err := r.peer.conn.Call(ctx, call)
		r.notifyCompleted(ctx, caller, pages)
		if err != nil {
			return nil, err
		}
		if mcpversion.ResultType(result) == mcpversion.TypeTask || strings.HasPrefix(call.Method, "tasks/") {
			return result, nil // Plain would remove the task's ttlMs
		}
		if mcpversion.ResultType(result) != mcpversion.TypeInputRequired {
			return mcpversion.Plain(result), nil
		}
		required, err := inputrequired.Read(result)
		if err != nil {
			return nil, &jsonrpc.Malformed{Why: err.Error()}
		}
		if empty++; len(required.Requests) > 0 {
			empty = 0
		} else if empty > maxEmptyRounds {
			break
		} else if err := pause(ctx, emptyRoundDelay<<(empty-1)); err != nil {
			return nil, err
		}
		retry := inputrequired.Retry{State: required.State}
		if retry.Responses, pages, err = r.collect(ctx, caller, required.Requests); err != nil {
			return nil, err
		}
		call.Params = retry.AddTo(params)
	}
	return nil, fault.New(fault.Failed, "server %q asked for input again and again; the call was given up", r.server.Name)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// collect asks a legacy client for the input that a server requires, all at the same time. pages are the ids of the
// elicitations that ask the user to visit a web page.
func (r *requester) collect(ctx context.Context, caller Caller,
	requests []inputrequired.Request,
) (responses []inputrequired.Response, pages []json.RawMessage, _ error) {
	ctx, cancel := context.WithTimeoutCause(ctx, questionTimeout,
		fault.New(fault.Timeout, "a question of server %q was not answered within %s", r.server.Name, questionTimeout))
	defer cancel()
	responses = make([]inputrequired.Response, len(requests))
	failures := make([]error, len(requests))
	var asking sync.WaitGroup
	for i, wanted := range requests {
		if jsonrpc.GetString(wanted.Params, "mode") == "url" && jsonrpc.Get(wanted.Params, "elicitationId") == nil {
			id := jsonrpc.Quote(rand.Text())
			wanted.Params = jsonrpc.Set(wanted.Params, "elicitationId", id)
			pages = append(pages, id)
		}
		asking.Go(func() {
			answer, err := r.input(ctx, caller, wanted)
			if err != nil && wanted.Method == "elicitation/create" {
				answer, err = json.RawMessage(`{"action":"cancel"}`), nil
			}
			responses[i], failures[i] = inputrequired.Response{Key: wanted.Key, Result: answer}, err
		})
	}
	asking.Wait()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return responses, pages, errors.Join(failures...)
}

// input returns the answer of a legacy client to one request for input.
func (r *requester) input(ctx context.Context, caller Caller, wanted inputrequired.Request) (json.RawMessage, error) {
	q := Question{Server: r.server.Name, Method: wanted.Method, Params: wanted.Params, Redactor: r.redactor}
	switch {
	case wanted.Method == "roots/list" && jsonrpc.Get(declaredBy(caller).Capabilities, "roots") == nil:
		return r.roots.answer(), nil
	case caller == nil && r.window != nil:
		return r.window.Ask(ctx, q)
	case caller == nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: the request has no client", wanted.Method)
	}
	return caller.Ask(ctx, q)
}

// notifyCompleted notifies a legacy client that the elicitations with the ids in pages are complete. A server of the
// modern era sends no such notification. That it answers the retry implies that the elicitations are complete.
func (r *requester) notifyCompleted(ctx context.Context, caller Caller, pages []json.RawMessage) {
	to, ok := caller.(notifier)
	for _, id := range pages {
		if ok {
			to.Notify(ctx, "notifications/elicitation/complete", jsonrpc.Set(nil, "elicitationId", id))
		}
	}
}

// legacyError converts an error of a modern server into one for a legacy client.
func (r *requester) legacyError(err error) error {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case !ok:
		return err
	case rpc.Code == mcpversion.CodeMissingCapabilities:
		required := r.redactor.Text(string(jsonrpc.Get(rpc.Data, "requiredCapabilities")))
		return fault.New(fault.Failed, "server %q needs a client with these capabilities: %s", r.server.Name, required)
	}
	return mcpversion.ErrorFor(mcpversion.Legacy, rpc)
}
