//go:build linux

package soak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// web connects a client with the hub over HTTP.
type web struct {
	*client
	url, token string
	modern     bool
	http       *http.Client
	ctx        context.Context // context of all requests
	cancel     context.CancelFunc
	work       sync.WaitGroup

	mu      sync.Mutex
	session string                        // session id of a legacy client
	cancels map[string]context.CancelFunc // by the id of the request
}

// connectWeb opens a session over HTTP; a modern client has none.
func connectWeb(info instance.Info, modern bool, report func(string, ...any)) (*client, error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := newClient(report)
	w := &web{
		client: c, url: "http://" + info.Address() + "/mcp", token: info.Token, modern: modern,
		http: &http.Client{Transport: &http.Transport{}}, ctx: ctx, cancel: cancel, cancels: make(map[string]context.CancelFunc),
	}
	c.transport = w
	if modern {
		return c, nil
	}
	return c, c.initialize()
}

// send posts a message and passes the messages of the response to take, in the background.
func (w *web) send(m jsonrpc.Message) error {
	if w.modern && m.ID == nil { // closing the response cancels a modern request
		w.mu.Lock()
		defer w.mu.Unlock()
		if cancel := w.cancels[string(jsonrpc.Get(m.Params, "requestId"))]; cancel != nil {
			cancel()
		}
		return nil
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.mu.Lock()
	if m.IsRequest() {
		w.cancels[string(m.ID)] = cancel
	}
	session := w.session
	w.mu.Unlock()
	req, err := w.request(ctx, http.MethodPost, session, m)
	if err != nil {
		cancel()
		return err
	}
	w.work.Go(func() {
		defer cancel()
		err := w.post(req, m)
		switch {
		case ctx.Err() != nil:
		case !m.IsRequest() && err != nil:
			w.report("%s %s: %v", m.Method, m.Result, err)
		case m.IsRequest() && w.waits(string(m.ID)): // a cancelled request does not wait
			w.report("request %s: the response ended without the answer: %v", m.ID, err)
		}
	})
	return nil
}

func (c *client) waits(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[id] != nil
}

func (w *web) request(ctx context.Context, method, session string, m jsonrpc.Message) (*http.Request, error) {
	if w.modern {
		meta := jsonrpc.Get(m.Params, "_meta")
		for key, value := range map[string]string{
			mcpversion.KeyProtocolVersion: `"2026-07-28"`, mcpversion.KeyClientInfo: `{"name":"soak","version":"1"}`,
			mcpversion.KeyClientCapabilities: declared,
		} {
			meta = jsonrpc.Set(meta, key, json.RawMessage(value))
		}
		m.Params = jsonrpc.Set(m.Params, "_meta", meta)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.url, bytes.NewReader(lineOf(m)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if w.modern {
		mcpheader.Set(req.Header, m.Method, m.Params)
	}
	return req, nil
}

func (w *web) post(req *http.Request, m jsonrpc.Message) error {
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if m.Method == "initialize" {
		w.mu.Lock()
		w.session = resp.Header.Get("Mcp-Session-Id")
		w.mu.Unlock()
	}
	switch kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); {
	case !m.IsRequest() && resp.StatusCode == http.StatusAccepted:
		return nil
	case kind == "application/json":
		body, err := io.ReadAll(resp.Body)
		if err == nil {
			w.take(body)
		}
		return err
	case kind == "text/event-stream":
		return w.events(resp.Body)
	default:
		return fmt.Errorf("status %s, type %q", resp.Status, kind)
	}
}

// events passes the messages of an event stream to take.
func (w *web) events(body io.Reader) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			w.take(data)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *web) stop() {
	w.work.Wait()
	w.leave()
}

func (w *web) kill() {
	w.cancel()
	w.work.Wait()
	w.leave()
}

// leave ends a legacy session, also of a killed client, because the hub would keep the session for a while.
func (w *web) leave() {
	w.cancel()
	defer w.http.CloseIdleConnections()
	if w.session == "" {
		return
	}
	req, err := w.request(context.Background(), http.MethodDelete, w.session, jsonrpc.Message{})
	if err != nil {
		w.report("%v", err)
		return
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.report("end the session: %v", err)
		return
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		w.report("end the session: %s", resp.Status)
	}
}
