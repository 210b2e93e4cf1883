package hub

import (
	"context"
	"net/http"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
)

// startLogin starts the login shell in the background, to read its environment
// once. The returned function waits for the result. Close ends a shell that has
// not answered.
func (h *Hub) startLogin() loginEnv {
	var env process.Env
	lifetime, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	h.endLogin = func() { cancel(); <-done }
	go func() {
		defer close(done)
		var err error
		if env, err = process.Login(lifetime); err != nil && lifetime.Err() == nil {
			h.log.Warn("could not read the login shell's environment; servers get a minimal one", "error", err)
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

// variable returns a function that looks up a variable of the user's environment: first in the environment of the
// companion that started the hub, then in that of this process, which a person may have set, then in that of the
// login shell.
func variable(login loginEnv) func(context.Context, string) string {
	given := instance.SetupVariables()
	return func(ctx context.Context, name string) string {
		if value, set := given[name]; set {
			return value
		}
		if value, set := os.LookupEnv(name); set {
			return value
		}
		return login(ctx).Get(name)
	}
}

// sampler returns the model that answers sampling requests; nil if no key is
// configured.
func sampler(s settings.Sampling) *inspector.Sampler {
	if s.Key == "" {
		return nil
	}
	return &inspector.Sampler{Key: s.Key, BaseURL: s.BaseURL, Model: s.Model, Client: &http.Client{}}
}
