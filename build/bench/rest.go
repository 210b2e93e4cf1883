package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Targets for REST and WebSocket on a hub with manyServers and the whole catalogue.
const (
	manyServers    = 200
	watchers       = 50
	targetList     = 5  // ms
	targetTools    = 30 // ms
	targetChange   = 50 // ms until the last subscriber has the change
	targetRESTCall = 1  // ms by which a call may exceed a direct call
)

// rest measures the operations that scripts and the dashboard use.
func (b *bench) rest(ctx context.Context) (err error) {
	files, tools, err := b.toolFiles()
	if err != nil {
		return err
	}
	h, err := b.startHub(ctx, b.binary, "rest")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop(ctx)) }()
	if tools, err = h.fill(ctx, b.self, files, tools); err != nil {
		return err
	}
	if err := h.indexed(ctx); err != nil {
		return err
	}
	for i := len(files); i < manyServers; i++ {
		body := map[string]any{"name": fmt.Sprintf("idle%d", i), "description": "configured only", "command": "true", "env": serverEnv}
		if err := h.api.Do(ctx, http.MethodPost, "/api/servers", body, nil); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		path   string
		target float64
	}{{"/api/servers", targetList}, {"/api/tools?brief=true", targetTools}} {
		listed, err := repeat(b.pick(50, 400), func() error { return h.api.Do(ctx, http.MethodGet, list.path, nil, nil) })
		if err != nil {
			return err
		}
		b.report.add(fmt.Sprintf("GET %s, %d servers with %d tools", list.path, manyServers, tools),
			ms(at(listed, 0.5)), "ms", list.target, "median of %d, best %.2f, p95 %.2f", len(listed), ms(listed[0]), ms(at(listed, 0.95)))
	}
	for _, clients := range []struct {
		kind, query string
		target      float64
	}{
		{"WebSocket clients", "?deltas=changed", targetChange},
		{"WebSocket clients that get the state of all servers, as in the original", "", 0},
	} {
		if err := b.changes(ctx, h, clients.kind, clients.query, clients.target); err != nil {
			return fmt.Errorf("WebSocket: %w", err)
		}
	}
	return b.restCalls(ctx, h)
}

// repeat runs an operation n times and returns the sorted durations.
func repeat(n int, act func() error) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	for i := range times {
		began := time.Now()
		if err := act(); err != nil {
			return nil, err
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times, nil
}

// changes measures the time from before a change of a server is requested until the last WebSocket subscriber has read a
// message with the new text. query selects what the messages contain.
func (b *bench) changes(ctx context.Context, h *hub, kind, query string, target float64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conns := make([]*websocket.Conn, watchers)
	for i := range conns {
		conn, err := watch(ctx, h, query)
		if err != nil {
			return err
		}
		defer func() { _ = conn.CloseNow() }()
		conns[i] = conn
	}
	servers, err := h.servers(ctx)
	if err != nil {
		return err
	}
	path := fmt.Sprintf("/api/servers/%d", servers[0].ID)
	round := 0
	times, err := repeat(b.pick(5, 40), func() error {
		round++
		text := "changed for the " + strconv.Itoa(round) + ". time"
		var group errgroup.Group
		for _, conn := range conns {
			group.Go(func() error { return readUntil(ctx, conn, text) })
		}
		group.Go(func() error { return h.api.Do(ctx, http.MethodPut, path, map[string]string{"description": text}, nil) })
		return group.Wait()
	})
	if err != nil {
		return err
	}
	b.report.add(fmt.Sprintf("a change reaches %d %s", watchers, kind), ms(at(times, 0.5)), "ms", target,
		"median of %d, best %.1f, worst %.1f, PUT included", len(times), ms(times[0]), ms(times[len(times)-1]))
	return nil
}

// watch opens a WebSocket and reads the initial state. If the hub refuses the WebSocket because clients of an earlier
// measurement are still connected, watch tries again.
func watch(ctx context.Context, h *hub, query string) (*websocket.Conn, error) {
	for until := time.Now().Add(readyTimeout); ; time.Sleep(settle) {
		conn, _, err := websocket.Dial(ctx, "ws://"+h.info.Address()+"/"+query, &websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer " + h.info.Token}},
		})
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(-1)
		if _, _, err = conn.Read(ctx); err == nil {
			return conn, nil
		}
		_ = conn.CloseNow()
		if websocket.CloseStatus(err) != websocket.StatusTryAgainLater || time.Now().After(until) {
			return nil, err
		}
	}
}

func readUntil(ctx context.Context, conn *websocket.Conn, text string) error {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil || bytes.Contains(data, []byte(text)) {
			return err
		}
	}
}

// restCalls measures calls over REST and direct calls in turn.
func (b *bench) restCalls(ctx context.Context, h *hub) error {
	direct, err := open(ctx, nil, b.self, "play-echo")
	if err != nil {
		return err
	}
	defer direct.close()
	if err := h.add(ctx, "child", b.self, "play-echo"); err != nil {
		return err
	}
	servers, err := h.servers(ctx)
	if err != nil {
		return err
	}
	child := slices.IndexFunc(servers, func(s server) bool { return s.Name == "child" })
	url := fmt.Sprintf("http://%s/api/servers/%d/call", h.info.Address(), servers[child].ID)
	body := string(object("tool", jsonrpc.Quote("echo"), "args", message(1000)))
	params := call("echo")(message(1000))
	var plain, rest []time.Duration
	for range b.pick(3, 20) {
		times, err := repeat(100, func() error { _, err := direct.call("tools/call", params); return err })
		if err != nil {
			return err
		}
		plain = append(plain, times...)
		if times, err = repeat(100, func() error { return post(ctx, url, h.info.Token, body) }); err != nil {
			return err
		}
		rest = append(rest, times...)
	}
	slices.Sort(plain)
	slices.Sort(rest)
	b.report.add("a call of 1 kB over REST: added to the direct one", ms(at(rest, 0.5)-at(plain, 0.5)), "ms", targetRESTCall,
		"medians %.3f and %.3f, minima %.3f and %.3f", ms(at(rest, 0.5)), ms(at(plain, 0.5)), ms(rest[0]), ms(plain[0]))
	return nil
}

func post(ctx context.Context, url, token, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	return err
}
