package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// adapter makes a stdio server available over streamable HTTP. Each legacy session has a process of its own; all
// modern clients share one.
type adapter struct {
	command, env []string

	mu       sync.Mutex
	sessions map[string]*server
	modern   *server
}

// close ends all processes.
func (a *adapter) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		s.close()
	}
	if a.modern != nil {
		a.modern.close()
	}
}

const sessionHeader = "Mcp-Session-Id"

// ServeHTTP implements http.Handler.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin, err := url.Parse(r.Header.Get("Origin"))
	if !local(r.Host) || err != nil || r.Header.Get("Origin") != "" && !local(origin.Host) {
		http.Error(w, "Host and Origin must name this machine", http.StatusForbidden)
		return
	}
	switch id := r.Header.Get(sessionHeader); {
	case r.Method == http.MethodPost:
		a.post(w, r)
	case id == "" || r.Method != http.MethodGet && r.Method != http.MethodDelete:
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		s := a.session(id, r.Method == http.MethodDelete)
		switch {
		case s == nil:
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodDelete:
			s.close()
			w.WriteHeader(http.StatusNoContent)
		default:
			st := s.open(jsonrpc.Message{}, false)
			defer s.drop(st)
			st.copyAll(w, r, s)
		}
	}
}

func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// session returns the process of a session, and nil if there is none. If remove is set, it also forgets the
// session.
func (a *adapter) session(id string, remove bool) *server {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if remove {
		delete(a.sessions, id)
	}
	return s
}

func (a *adapter) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lineLimit))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m, err := jsonrpc.Parse(body)
	if err != nil {
		fail(w, http.StatusBadRequest, m.ID, err)
		return
	}
	e := mcpversion.Detect(m.Method, m.Params, r.Header.Get(mcpheader.Version))
	if r.Header.Get(sessionHeader) != "" && mcpversion.ReadMeta(m.Params).ProtocolVersion == "" {
		e = mcpversion.Legacy
	}
	if e == mcpversion.Modern {
		a.postModern(w, r, m)
	} else {
		a.postLegacy(w, r, m, compact(body))
	}
}

func (a *adapter) postModern(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
	s, err := a.modernServer()
	if err != nil {
		fail(w, http.StatusBadGateway, m.ID, err)
		return
	}
	if !m.IsRequest() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if why := mcpheader.Check(r.Header, m.Method, m.Params); why != nil {
		fail(w, http.StatusBadRequest, m.ID, why)
		return
	}
	if _, why := mcpversion.CheckMeta(m.Params); why != nil {
		fail(w, http.StatusBadRequest, m.ID, why)
		return
	}
	if why := s.checkArguments(r.Header, m); why != nil {
		fail(w, http.StatusBadRequest, m.ID, why)
		return
	}
	st := s.open(m, true)
	defer s.drop(st)
	if err := s.send(jsonrpc.AppendRequest(nil, st.id, m.Method, compact(m.Params))); err != nil {
		fail(w, http.StatusBadGateway, m.ID, err)
		return
	}
	if answered := st.answer(w, r, s, mcpversion.Modern); !answered {
		// An error means that the process has ended.
		_ = s.send(jsonrpc.AppendRequest(nil, nil, "notifications/cancelled", jsonrpc.Set(nil, "requestId", st.id)))
	}
}

// modernServer returns the process that all modern clients share, and starts it if necessary.
func (a *adapter) modernServer() (*server, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.modern != nil {
		return a.modern, nil
	}
	var err error
	a.modern, err = start(a.command, a.env)
	return a.modern, err
}

func (a *adapter) postLegacy(w http.ResponseWriter, r *http.Request, m jsonrpc.Message, line []byte) {
	id := r.Header.Get(sessionHeader)
	if id == "" && m.Method != "initialize" {
		fail(w, http.StatusBadRequest, m.ID, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "the header %s is missing", sessionHeader))
		return
	}
	s := a.session(id, false)
	if s == nil && id != "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if id == "" {
		var err error
		if s, err = start(a.command, a.env); err != nil {
			fail(w, http.StatusBadGateway, m.ID, err)
			return
		}
		id = rand.Text()
		a.mu.Lock()
		a.sessions[id] = s
		a.mu.Unlock()
		w.Header().Set(sessionHeader, id)
	}
	if !m.IsRequest() {
		if err := s.send(line); err != nil {
			fail(w, http.StatusBadGateway, m.ID, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	st := s.open(m, false)
	defer s.drop(st)
	if err := s.send(line); err != nil {
		fail(w, http.StatusBadGateway, m.ID, err)
		return
	}
	st.answer(w, r, s, mcpversion.Legacy)
}

func fail(w http.ResponseWriter, status int, id json.RawMessage, err error) {
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		answer = jsonrpc.NewError(jsonrpc.CodeInternalError, "%v", err)
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendResponse(nil, id, nil, answer)) // a client that has left needs no answer
}
