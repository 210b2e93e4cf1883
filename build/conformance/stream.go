package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// answer writes the messages of a request up to its answer: as events if other messages precede the answer or the
// client prefers a stream, and otherwise as JSON. It reports whether the answer came before the client disconnected
// or the server ended.
func (st *stream) answer(w http.ResponseWriter, r *http.Request, s *server, e mcpversion.Era) bool {
	streams, prefersStream := false, strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream")
	for {
		select {
		case line := <-st.messages:
			m, _ := jsonrpc.Parse(line) // route has parsed it before
			if m.Method == "" && !streams && (m.Error != nil || !prefersStream) {
				writeJSON(w, m, line, e)
				return true
			}
			streams = true
			event(w, line)
			if m.Method == "" {
				return true
			}
		case <-r.Context().Done():
			return false
		case <-s.ended:
			if !streams {
				fail(w, http.StatusBadGateway, st.own, fmt.Errorf("the server has ended"))
			}
			return false
		}
	}
}

func writeJSON(w http.ResponseWriter, m jsonrpc.Message, line []byte, e mcpversion.Era) {
	status := http.StatusOK
	if e == mcpversion.Modern && m.Error != nil {
		status = mcpversion.Status(jsonrpc.ParseError(m.Error).Code)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(line) // a client that has left needs no answer
}

// copyAll writes all messages as events until the client disconnects or the server ends.
func (st *stream) copyAll(w http.ResponseWriter, r *http.Request, s *server) {
	event(w, nil)
	for {
		select {
		case line := <-st.messages:
			event(w, line)
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// event writes line as a server-sent event. If line is nil, it writes only a comment, which shows the client that
// the stream is open.
func event(w http.ResponseWriter, line []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	text := ": open\n\n"
	if line != nil {
		text = "event: message\ndata: " + string(line) + "\n\n"
	}
	_, _ = fmt.Fprint(w, text) // the context of the request ends when the client has left
	_ = http.NewResponseController(w).Flush()
}

// compact returns JSON as one line.
func compact(raw json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return raw
	}
	return out.Bytes()
}
