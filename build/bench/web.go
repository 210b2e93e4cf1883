package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// web is a minimal MCP client over HTTP.
type web struct {
	hub      *hub
	modern   bool
	id       int
	session  string // Mcp-Session-Id; empty in the modern era
	notified func(line []byte)
	stream   io.Closer // the answer to GET; may be nil
}

// openWeb opens a legacy session.
func openWeb(h *hub) (*web, error) {
	w := &web{hub: h}
	if _, err := w.call("initialize", json.RawMessage(clientGreeting)); err != nil {
		return nil, err
	}
	resp, err := w.send(http.MethodPost, jsonrpc.AppendRequest(nil, nil, "notifications/initialized", nil), nil)
	if err != nil {
		return nil, err
	}
	return w, resp.Body.Close()
}

// openListening opens a legacy session and its GET stream.
func openListening(h *hub) (*web, error) {
	w, err := openWeb(h)
	if err != nil {
		return nil, err
	}
	resp, err := w.send(http.MethodGet, nil, nil)
	if err != nil {
		return nil, err
	}
	w.stream = resp.Body
	return w, nil
}

func (w *web) notify(notified func(line []byte)) { w.notified = notified }

// call sends a request and returns the line with its answer.
func (w *web) call(method string, params json.RawMessage) ([]byte, error) {
	w.id++
	header := make(http.Header)
	if w.modern {
		params = mcpversion.Meta{
			ProtocolVersion: "2026-07-28", ClientInfo: json.RawMessage(`{"name":"bench","version":"1"}`),
			ClientCapabilities: json.RawMessage("{}"),
		}.Stamp(params)
		mcpheader.Set(header, method, params)
	}
	resp, err := w.send(http.MethodPost, jsonrpc.AppendRequest(nil, strconv.AppendInt(nil, int64(w.id), 10), method, params), header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	lines := jsonrpc.NewLineReader(resp.Body, maxLine)
	for {
		line, err := lines.Next()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("data: ")) // the data line of a server-sent event
		switch {
		case line[0] != '{':
		case isNotification(line):
			if w.notified != nil {
				w.notified(line)
			}
		default:
			return line, failure(line)
		}
	}
}

// send sends a request with header and the fields that all requests have.
func (w *web) send(method string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequest(method, "http://"+w.hub.info.Address()+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Authorization", "Bearer "+w.hub.info.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
		req.Header.Set(mcpheader.Version, "2025-11-25")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s: status %d: %s", method, resp.StatusCode, answer)
	}
	return resp, nil
}

func (w *web) close() {
	if w.stream != nil {
		_ = w.stream.Close()
	}
}
