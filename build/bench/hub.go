package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// hub is a running hub with its own data folder.
type hub struct {
	binary string
	folder paths.Folder
	cmd    *exec.Cmd
	info   instance.Info
	api    *instance.Client
	ready  time.Duration // time from its start until it was announced and answered
}

const readyTimeout = 30 * time.Second

// startHub starts a hub with a data folder below the scratch folder and additional environment variables, and waits until
// it answers.
func (b *bench) startHub(ctx context.Context, binary, folder string, env ...string) (*hub, error) {
	h := &hub{binary: binary, folder: paths.Folder(filepath.Join(b.scratch, folder))}
	h.cmd = exec.CommandContext(ctx, binary, "serve")
	h.cmd.Env = append(append(os.Environ(), h.env()...), env...)
	began := time.Now()
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	for !h.answers() {
		if time.Since(began) > readyTimeout {
			h.kill()
			return nil, fmt.Errorf("the hub was not ready within %s; see %s", readyTimeout, h.folder.Log())
		}
		time.Sleep(500 * time.Microsecond)
	}
	h.ready = time.Since(began)
	h.api = instance.NewClient(h.info)
	return h, nil
}

func (h *hub) env() []string {
	return []string{"AGENT_DISCOVER_HOME=" + string(h.folder), "AGENT_DISCOVER_PORT=0"}
}

// answers reports whether the hub has been announced and answers /health.
func (h *hub) answers() bool {
	info, err := instance.Read(h.folder)
	if err != nil || info.PID != h.cmd.Process.Pid {
		return false
	}
	h.info = info
	resp, err := http.Get("http://" + info.Address() + "/health")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop asks the hub to stop and waits until it has ended.
func (h *hub) stop(ctx context.Context) error {
	if err := h.api.Do(ctx, http.MethodPost, "/api/stop", nil, nil); err != nil {
		h.kill()
		return err
	}
	return h.cmd.Wait()
}

func (h *hub) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

func (h *hub) pid() int { return h.cmd.Process.Pid }

// companion starts a companion of this hub, as an editor would.
func (h *hub) companion(ctx context.Context) (*client, error) {
	return open(ctx, h.env(), h.binary, "mcp")
}

// server has the members of a server that the measurements use.
type server struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Tools  int    `json:"tool_count"`
	Tokens int    `json:"tool_tokens"`
}

// serverEnv is the environment of the measured servers. API_TOKEN looks like a secret, because real servers have
// secrets and the hub searches every record for them.
var serverEnv = map[string]string{
	"API_TOKEN": "bench-0123456789abcdef", "API_BASE": "http://127.0.0.1:9/v1", "LOG_LEVEL": "warning", "DATA_FOLDER": "/srv/data/bench",
}

// add adds a server and makes the hub start it and list its tools.
func (h *hub) add(ctx context.Context, name string, command ...string) error {
	var added server
	body := map[string]any{"name": name, "description": name, "command": command[0], "args": command[1:], "env": serverEnv}
	if err := h.api.Do(ctx, http.MethodPost, "/api/servers", body, &added); err != nil {
		return fmt.Errorf("add %s: %w", name, err)
	}
	if err := h.api.Do(ctx, http.MethodPost, fmt.Sprintf("/api/servers/%d/refresh", added.ID), nil, nil); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	return nil
}

func (h *hub) servers(ctx context.Context) ([]server, error) {
	var out []server
	err := h.api.Do(ctx, http.MethodGet, "/api/servers", nil, &out)
	return out, err
}
