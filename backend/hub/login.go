package hub

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
)

// loginShell reads the environment of the user's login shell once. It starts the shell at the first call of
// environment or start. The hub calls start only after it is announced, because the shell would slow down the
// hub's start.
type loginShell struct {
	read func()
	end  context.CancelFunc
	once sync.Once
	done chan struct{} // closed when env and err are set
	env  process.Env
	err  error // why the shell did not report its environment, or nil
}

func newLoginShell(log *slog.Logger) *loginShell {
	life, end := context.WithCancel(context.Background())
	l := &loginShell{end: end, done: make(chan struct{})}
	l.read = func() {
		defer close(l.done)
		if l.env, l.err = process.Login(life); l.err != nil && life.Err() == nil {
			log.Warn("could not read the login shell's environment", "error", l.err)
		}
	}
	return l
}

func (l *loginShell) start() { l.once.Do(func() { go l.read() }) }

// environment waits for the environment of the login shell. If ctx ends first, it returns a minimal environment.
func (l *loginShell) environment(ctx context.Context) process.Env {
	l.start()
	select {
	case <-l.done:
		return l.env
	case <-ctx.Done():
		return process.Clean()
	}
}

// problem returns why the login shell did not report its environment. It returns nil while the shell is being asked.
func (l *loginShell) problem() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// close ends a shell that has not answered.
func (l *loginShell) close() {
	l.end()
	l.once.Do(func() { close(l.done) }) // it was not started
	<-l.done
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

// sampler returns the model that answers sampling requests and is reached through t; nil if no key is configured.
func sampler(s settings.Sampling, t http.RoundTripper) *inspector.Sampler {
	if s.Key == "" {
		return nil
	}
	return &inspector.Sampler{Key: s.Key, BaseURL: s.BaseURL, Model: s.Model, Client: &http.Client{Transport: t}}
}
