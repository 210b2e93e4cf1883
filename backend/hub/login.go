package hub

import (
	"context"
	"net/http"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
)

// askLogin asks the login shell once, at the hub's start and off its path. It
// returns who tells the answer; Close ends a shell that has not given it.
func (h *Hub) askLogin() func(context.Context) process.Env {
	var env process.Env
	life, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	h.endLogin = func() { cancel(); <-done }
	go func() {
		defer close(done)
		var err error
		if env, err = process.Login(life); err != nil && life.Err() == nil {
			h.log.Warn("login shell not asked; children get a plain environment", "error", err)
		}
	}()
	return func(ctx context.Context) process.Env {
		select {
		case <-done:
			return env
		case <-ctx.Done():
			return process.Clean()
		}
	}
}

// variable looks a variable of the user's up: in this process's environment,
// which a person may have set for it, and then in that of their login shell.
func variable(login func(context.Context) process.Env) func(context.Context, string) string {
	return func(ctx context.Context, name string) string {
		if value, set := os.LookupEnv(name); set {
			return value
		}
		return login(ctx).Get(name)
	}
}

// sampler returns who answers sampling; nil when no key is configured.
func sampler(s settings.Sampling) *inspector.Sampler {
	if s.Key == "" {
		return nil
	}
	return &inspector.Sampler{Key: s.Key, BaseURL: s.BaseURL, Model: s.Model, Client: &http.Client{}}
}
