// Package inputrequired handles calls that need input from the client, as recent versions
// of MCP define them. It reads and writes the result of type input_required, with which the
// server asks, and the retry of the call, with which the client answers.
//
//	server → client   {"resultType":"input_required","inputRequests":{key:{method,params}},"requestState":…}
//	client → server   the same params, with "inputResponses":{key:result} and the same requestState
//
// The package does not change the bytes of params, responses and states. It does not decide
// whether a state is genuine or to whom a retry belongs.
package inputrequired

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Result is a result of type input_required. It has requests, a state or both.
type Result struct {
	Requests []Request // in the order in which they were written
	// State is the requestState that the retry must repeat: the JSON string as
	// the server wrote it, or nil if the result has none. An empty string
	// counts as a state.
	State json.RawMessage
}

// Request is a request for input.
type Request struct {
	Key    string // names the request in the result and its response in the retry
	Method string
	Params json.RawMessage // nil if absent
}

// Read reads a result of type input_required. The error says what is wrong with
// the result. The parts of the returned Result alias the raw bytes.
func Read(result json.RawMessage) (Result, error) {
	state, err := readState(result)
	if err != nil {
		return Result{}, fmt.Errorf("read input_required: %w", err)
	}
	out := Result{State: state}
	for key, value := range members(jsonrpc.Get(result, "inputRequests"), &err) {
		method, ok := jsonrpc.String(jsonrpc.Get(value, "method"))
		if !ok {
			return Result{}, fmt.Errorf("read input_required: request %q has no method", key)
		}
		out.Requests = append(out.Requests, Request{key, method, jsonrpc.Get(value, "params")})
	}
	if err != nil {
		return Result{}, fmt.Errorf("read input_required: inputRequests: %w", err)
	}
	if len(out.Requests) == 0 && out.State == nil {
		return Result{}, errors.New("read input_required: the result has neither inputRequests nor requestState")
	}
	return out, nil
}

// JSON returns the result as JSON.
func (r Result) JSON() json.RawMessage {
	out := json.RawMessage(`{"resultType":"input_required"}`)
	if len(r.Requests) > 0 {
		var requests []byte
		for _, q := range r.Requests {
			request := jsonrpc.Set(nil, "method", jsonrpc.Quote(q.Method))
			if q.Params != nil {
				request = jsonrpc.Set(request, "params", q.Params)
			}
			requests = appendMember(requests, q.Key, request)
		}
		out = jsonrpc.Set(out, "inputRequests", append(requests, '}'))
	}
	if r.State != nil {
		out = jsonrpc.Set(out, "requestState", r.State)
	}
	return out
}

// FromError converts an error with the code -32042, which earlier versions of MCP
// define, to requests for input. Such an error lists pages that a person must visit
// before the client repeats the call. ok is false if the error lists no page.
func FromError(err *jsonrpc.Error) (_ Result, ok bool) {
	var out Result
	for item := range jsonrpc.Items(jsonrpc.Get(err.Data, "elicitations")) {
		if jsonrpc.GetString(item, "url") == "" {
			continue
		}
		out.Requests = append(out.Requests, Request{
			Key:    fmt.Sprintf("elicitation-%d", len(out.Requests)+1),
			Method: "elicitation/create",
			Params: jsonrpc.Delete(item, "elicitationId"), // the retry tells the server that the person is done
		})
	}
	return out, len(out.Requests) > 0
}

// Retry is the part of a call's params that answers a Result.
type Retry struct {
	Responses []Response // in the order in which they were written
	State     json.RawMessage
}

// Response is the answer to the Request with the same key: the result of that request's
// method.
type Response struct {
	Key    string
	Result json.RawMessage
}

// ReadRetry reads the retry in the params of a call; ok is false if the call is not a
// retry. The error says what is wrong with the retry. The parts of the Retry alias
// the raw bytes.
func ReadRetry(params json.RawMessage) (_ Retry, ok bool, err error) {
	var out Retry
	if out.State, err = readState(params); err != nil {
		return Retry{}, true, fmt.Errorf("read retry: %w", err)
	}
	responses := jsonrpc.Get(params, "inputResponses")
	for key, value := range members(responses, &err) {
		if value[0] != '{' {
			return Retry{}, true, fmt.Errorf("read retry: response %q is not an object", key)
		}
		out.Responses = append(out.Responses, Response{key, value})
	}
	if err != nil {
		return Retry{}, true, fmt.Errorf("read retry: inputResponses: %w", err)
	}
	return out, isSet(responses) || out.State != nil, nil
}

// AddTo returns params, the params of a call, with the members of this retry in place
// of those of an earlier retry. All other bytes stay unchanged.
func (r Retry) AddTo(params json.RawMessage) json.RawMessage {
	add := json.RawMessage("{}")
	if len(r.Responses) > 0 {
		var responses []byte
		for _, a := range r.Responses {
			responses = appendMember(responses, a.Key, a.Result)
		}
		add = jsonrpc.Set(add, "inputResponses", append(responses, '}'))
	}
	if r.State != nil {
		add = jsonrpc.Set(add, "requestState", r.State)
	}
	return jsonrpc.Edit(params, ofRetry, add)
}

// appendMember appends a member to dst, a JSON object without its closing brace. If
// dst is empty, appendMember also writes the opening brace.
func appendMember(dst []byte, key string, value json.RawMessage) []byte {
	comma := byte(',')
	if len(dst) == 0 {
		comma = '{'
	}
	dst = append(append(dst, comma), jsonrpc.Quote(key)...)
	return append(append(dst, ':'), value...)
}

// ofRetry reports whether a member of params belongs to a retry.
func ofRetry(key []byte) bool {
	return string(key) == "inputResponses" || string(key) == "requestState"
}

// readState returns the member requestState of params or of a result, byte for byte,
// or nil if it is absent or null.
func readState(raw json.RawMessage) (json.RawMessage, error) {
	state := jsonrpc.Get(raw, "requestState")
	if !isSet(state) {
		return nil, nil
	}
	if state[0] != '"' {
		return nil, errors.New("requestState is not a string")
	}
	return state, nil
}

// isSet reports whether a member is present and not null.
func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// members iterates over the members of the object raw in order. If several members
// have the same name, it yields the value of the last one, at the position of the
// first. If raw is not an object, it sets err; absent and null count as an empty
// object.
func members(raw json.RawMessage, err *error) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		if !isSet(raw) {
			return
		}
		if raw[0] != '{' || !jsonrpc.Valid(raw) {
			*err = errors.New("it is not an object")
			return
		}
		var keys []string
		values := make(map[string]json.RawMessage)
		jsonrpc.Each(raw, func(key string, value json.RawMessage) {
			if _, twice := values[key]; !twice {
				keys = append(keys, key)
			}
			values[key] = value
		})
		for _, key := range keys {
			if !yield(key, values[key]) {
				return
			}
		}
	}
}
