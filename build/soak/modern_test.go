//go:build linux

package soak

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// retry is the part of a call's params that answers the questions of a modern server.
type retry struct {
	RequestState   *string             `json:"requestState,omitempty"`
	InputResponses map[string]elicited `json:"inputResponses,omitempty"`
}

// elicited is the answer to a question about a call.
type elicited struct {
	Action  string `json:"action"`
	Content struct {
		Value string `json:"value"` // value of the call
	} `json:"content"`
}

// agree returns the answer that accepts a question. The message of the question is the value of the call.
func agree(message string) elicited {
	e := elicited{Action: "accept"}
	e.Content.Value = message
	return e
}

func (e elicited) accepts(value string) bool { return e.Action == "accept" && e.Content.Value == value }

// question returns the result with which a modern server asks for input before it executes a call, or an error if a
// retry is wrong. It returns "" if the call can be executed.
func (s *misbehaving) question(r request) string {
	value, act, got := r.Params.Arguments.Value, r.Params.Arguments.Act, r.Params.retry
	if r.Method != "tools/call" || act != "ask" && act != "state" {
		return ""
	}
	state := "state of " + value
	members := fmt.Sprintf(`"resultType":"input_required","requestState":%q`, state)
	if act == "ask" {
		members += fmt.Sprintf(`,"inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":%q,`+
			`"requestedSchema":{"type":"object","properties":{"value":{"type":"string"}}}}}}`, value)
	}
	switch {
	case got.RequestState == nil && got.InputResponses == nil:
		return result(r, members)
	case got.RequestState == nil || *got.RequestState != state || act == "ask" && !got.InputResponses["q"].accepts(value):
		return failure(r, -32602, fmt.Sprintf("a wrong retry: %+v", got))
	}
	return ""
}

// modernReply returns the correct answer to a request in MCP 2026-07-28.
func (s *misbehaving) modernReply(r request) string {
	const cached = `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
	switch {
	case r.Params.Meta.Version != "2026-07-28":
		return fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}}`,
			r.ID,
		)
	case r.Method == "server/discover":
		return result(r, cached+`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}`)
	case r.Method == "tools/list":
		return result(r, cached+s.list())
	case r.Method == "tools/call":
		return result(r, `"resultType":"complete",`+s.content(r))
	}
	return failure(r, -32601, "Method not found")
}

// listen acknowledges a subscriptions/listen request and registers send for its later notifications.
func (s *misbehaving) listen(r request, send func(line string)) {
	s.mu.Lock()
	s.listens[string(r.ID)] = send
	s.mu.Unlock()
	send(tagged("notifications/subscriptions/acknowledged", string(r.ID), `"notifications":{"toolsListChanged":true},`))
}

// tagged returns a notification that belongs to a listen request.
func tagged(method, id, members string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`,
		method, members, id)
}

func (s *misbehaving) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listens, id)
}

// announce tells the hub that the tools have changed.
func (s *misbehaving) announce() {
	const changed = "notifications/tools/list_changed"
	if s.kind != modern {
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, changed))
		return
	}
	s.mu.Lock()
	listens := maps.Clone(s.listens)
	s.mu.Unlock()
	for id, send := range listens {
		send(tagged(changed, id, ""))
	}
}

// stream serves a listen request over HTTP until the hub disconnects or endListens ends the request.
func (s *remote) stream(w http.ResponseWriter, r *http.Request, m request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	lines := make(chan string, 100)
	s.mu.Lock()
	s.ends = append(s.ends, end)
	s.mu.Unlock()
	defer s.forget(string(m.ID))
	s.listen(m, func(line string) {
		select {
		case lines <- line:
		default: // the hub does not read
		}
	})
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case line := <-lines:
			_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
			_ = http.NewResponseController(w).Flush()
		case <-ctx.Done():
			return
		}
	}
}

// endListens ends all listen requests, as proxies do.
func (s *remote) endListens() {
	s.mu.Lock()
	ends := slices.Clone(s.ends)
	s.ends = nil
	s.mu.Unlock()
	for _, end := range ends {
		end()
	}
}
