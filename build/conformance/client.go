package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// scenarioTime limits a scenario. It is shorter than the limit of the tests, so that the hub is stopped in time.
const scenarioTime = 15 * time.Second

// serverName is the name of the scenario's server in the hub.
const serverName = "scenario"

// home is a folder with a hub of its own.
type home struct {
	program string
	folder  string
	env     []string
}

func newHome(program string) (home, error) {
	folder, err := os.MkdirTemp("", "conformance-")
	h := home{program: program, folder: folder}
	h.env = append(os.Environ(), "HOME="+folder, "AGENT_DISCOVER_HOME="+h.data(), "AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_KEYCHAIN=off",
		"AGENT_DISCOVER_PASSPHRASE=conformance")
	return h, err
}

func (h home) data() string { return filepath.Join(h.folder, "data") }

func (h home) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = h.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return nil
}

// behave plays a client that speaks a version of MCP: it starts a hub in a folder of its own, adds the server at a URL,
// and makes the calls of a scenario through a companion that shows only this server.
func behave(ctx context.Context, program, url, version, scenario string) (err error) {
	act := scenarios[scenario]
	wantsToken := strings.HasPrefix(scenario, authorization)
	if wantsToken {
		act = useSignedIn
	}
	if act == nil {
		return fmt.Errorf("the scenario %q is unknown", scenario)
	}
	h, err := newHome(program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.command(context.Background(), "stop"), os.RemoveAll(h.folder)) }()
	ctx, cancel := context.WithTimeout(ctx, scenarioTime)
	defer cancel()
	add := []string{"servers", "add", serverName, "--url", url}
	if wantsToken {
		add = append(add, "--no-start")
		if err := h.configure(); err != nil {
			return err
		}
	}
	if err := h.command(ctx, add...); err != nil {
		return err
	}
	if wantsToken {
		if err := h.signIn(ctx); err != nil {
			return err
		}
	}
	s, err := start([]string{program, "mcp", "--surface", "server:" + serverName}, h.env)
	if err != nil {
		return err
	}
	defer s.close()
	c := &client{server: s, home: h, ctx: ctx, version: version}
	if mcpversion.Of(version) != mcpversion.Modern {
		params := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, version, declared, named)
		if _, err := c.request("initialize", params); err != nil {
			return err
		}
		if err := c.send(jsonrpc.AppendRequest(nil, nil, "notifications/initialized", nil)); err != nil {
			return err
		}
	}
	return act(c)
}

// client is an MCP client of a server that speaks stdio. It makes one request at a time.
type client struct {
	*server
	home    home
	ctx     context.Context // ends all requests
	version string
	sent    int
}

const (
	declared = `{"elicitation":{"form":{},"url":{}}}`
	named    = `{"name":"conformance","version":"1.0.0"}`
)

// ask makes a request and answers the questions of the server.
func (c *client) ask(method string, params json.RawMessage) (json.RawMessage, error) {
	if mcpversion.Of(c.version) != mcpversion.Modern {
		return c.request(method, params)
	}
	params = mcpversion.Meta{
		ProtocolVersion: c.version, ClientInfo: json.RawMessage(named), ClientCapabilities: json.RawMessage(declared),
	}.Stamp(params)
	for {
		result, err := c.request(method, params)
		if err != nil || mcpversion.ResultType(result) != mcpversion.TypeInputRequired {
			return result, err
		}
		required, err := inputrequired.Read(result)
		if err != nil {
			return nil, err
		}
		retry := inputrequired.Retry{State: required.State}
		for _, q := range required.Requests {
			retry.Responses = append(retry.Responses, inputrequired.Response{Key: q.Key, Result: c.accept(q.Params)})
		}
		params = retry.AddTo(params)
	}
}

// request sends a request and waits for its answer. It also answers requests that the server sends before the
// answer.
func (c *client) request(method string, params json.RawMessage) (json.RawMessage, error) {
	c.sent++
	st := c.open(jsonrpc.Message{ID: json.RawMessage(strconv.Itoa(c.sent)), Method: method, Params: params}, false)
	defer c.drop(st)
	if err := c.send(jsonrpc.AppendRequest(nil, st.id, method, params)); err != nil {
		return nil, err
	}
	for {
		select {
		case line := <-st.messages:
			m, _ := jsonrpc.Parse(line) // route has parsed it before
			switch {
			case m.Method == "elicitation/create":
				if err := c.send(jsonrpc.AppendResponse(nil, m.ID, c.accept(m.Params), nil)); err != nil {
					return nil, err
				}
			case m.Method == "" && m.Error != nil:
				return nil, fmt.Errorf("%s: %s", method, m.Error)
			case m.Method == "":
				return m.Result, nil
			}
		case <-c.ended:
			return nil, fmt.Errorf("%s: the companion has ended", method)
		case <-c.ctx.Done():
			return nil, fmt.Errorf("%s: %w", method, c.ctx.Err())
		}
	}
}

// accept returns an answer that accepts a question: the default values of its form, and true for fields without a
// default value. If the question has a page, accept opens the page.
func (c *client) accept(question json.RawMessage) json.RawMessage {
	if page := jsonrpc.GetString(question, "url"); page != "" {
		if err := c.home.visit(c.ctx, page); err != nil {
			fmt.Fprintln(os.Stderr, "sign in:", err)
			return json.RawMessage(`{"action":"cancel"}`)
		}
	}
	content := json.RawMessage("{}")
	jsonrpc.Each(jsonrpc.Get(jsonrpc.Get(question, "requestedSchema"), "properties"), func(name string, field json.RawMessage) {
		value := jsonrpc.Get(field, "default")
		if value == nil {
			value = json.RawMessage("true")
		}
		content = jsonrpc.Set(content, name, value)
	})
	return jsonrpc.Set(json.RawMessage(`{"action":"accept"}`), "content", content)
}
