package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// authorization prefixes the names of scenarios in which the server requires a token.
const authorization = "auth/"

// clientIDDocument is the client ID metadata document that the authorization servers of the suite accept. They do
// not fetch it.
const clientIDDocument = "https://conformance-test.local/client-metadata.json"

// configure writes the settings of the hub for scenarios about authorization.
func (h home) configure() error {
	folder := paths.Folder(h.data())
	if err := folder.Create(); err != nil {
		return err
	}
	return os.WriteFile(folder.Config(), []byte("oauth:\n  client_id_document: "+clientIDDocument+"\n"), 0o600)
}

// signIn signs in to the server of a scenario if the server requires a sign-in. If the suite names an OAuth client,
// signIn stores that client's id and secret first. It acts as the user and the browser: the authorization servers of
// the suite ask nothing and redirect at once.
func (h home) signIn(ctx context.Context) error {
	told := json.RawMessage(os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	secrets := map[string]string{
		"oauth:client_id": jsonrpc.GetString(told, "client_id"), "oauth:client_secret": jsonrpc.GetString(told, "client_secret"),
	}
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "auth/client-credentials-basic" {
		secrets["oauth:grant"] = "client_credentials"
	}
	for name, value := range secrets {
		if value == "" {
			continue
		}
		cmd := exec.CommandContext(ctx, h.program, "secrets", "set", serverName, name)
		cmd.Env, cmd.Stdin = h.env, strings.NewReader(value)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("secrets set: %w\n%s", err, out)
		}
	}
	var err error
	for range maxSignIns {
		if err = h.command(ctx, "servers", "refresh", serverName); err == nil {
			return nil
		}
		hub, failed := h.hub()
		if failed != nil {
			return errors.Join(err, failed)
		}
		var page operations.SignInPage
		if err := hub.Do(ctx, http.MethodPost, "/api/servers/1/auth/login", nil, &page); err != nil {
			return err
		}
		if page.Address == "" {
			continue
		}
		if err := h.visit(ctx, page.Address); err != nil {
			return err
		}
	}
	return err
}

// maxSignIns is how often a server may require a sign-in before it lists its tools. It may change its authorization
// server in between.
const maxSignIns = 3

// visit opens the page of a sign-in, and gives the hub the address to which the page redirects.
func (h home) visit(ctx context.Context, page string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Do(r)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	to := response.Header.Get("Location")
	if to == "" {
		return fmt.Errorf("the page to sign in answered %s without a redirect", response.Status)
	}
	hub, err := h.hub()
	if err != nil {
		return err
	}
	return hub.Do(ctx, http.MethodPost, "/api/auth/complete", map[string]string{"url": to}, nil)
}

// hub returns a client of the running hub.
func (h home) hub() (*instance.Client, error) {
	info, err := instance.Read(paths.Folder(h.data()))
	if err != nil {
		return nil, err
	}
	return instance.NewClient(info), nil
}

// useSignedIn lists the tools of the server in a scenario about authorization, and calls test-tool if it is listed.
func useSignedIn(c *client) error {
	list, err := c.ask("tools/list", json.RawMessage("{}"))
	if err != nil {
		return err
	}
	if bytes.Contains(list, []byte(`"test-tool"`)) {
		return c.callTool("test-tool", json.RawMessage("{}"))
	}
	return nil
}
