// Package api is the REST door, with the WebSocket and the pages of the same
// port. Window, tray, command line and scripts drive the hub through it and
// through nothing else. One guard stands before all routes; each resource has a
// file.
//
//	guard ─┬─ routes (REST, one file a resource; pages)
//	       └─ pusher (WebSockets: what happens, as it happens)
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/prefetch"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/frontend"
)

// Options are the rooms that the API works with.
type Options struct {
	Registry   *registry.Registry
	Catalog    *catalog.Catalog
	Upstream   *upstream.Manager
	Lifecycle  *lifecycle.Manager
	Migrator   *secretmigration.Migrator
	Prefetcher *prefetch.Prefetcher
	Vault      *secrets.Vault
	Journal    *journal.Journal
	Learning   *learning.Learning
	Setup      *setup.Syncer
	Importer   *setup.Importer
	Proxy      *proxy.Proxy
	Inspector  *inspector.Inspector
	Inbox      *inspector.Inbox
	Meaning    *embedding.Index
	Registrar  *registration.Registrar
	Intake     *importer.Importer
	Doctor     *doctor.Doctor
	Clients    func() []gateway.Client
	Gateway    *gateway.Gateway
	Companion  http.Handler // takes the upgrade of a companion's socket
	Stop       func()       // ends the hub gently; returns at once
	Info       instance.Info
	Roots      []string    // answer of servers' roots/list
	Sessions   string      // file that keeps browsers' sessions over restarts; empty: they end with the hub
	Bus        *events.Bus // whose events WebSockets get
	Log        *slog.Logger

	// KeepSetting writes a decision of the user's into the settings file.
	KeepSetting func(keys []string, value any) error
	// SecretNames names the secrets of a server; nil: none are shown.
	SecretNames func(server string) []string
	Times       Times
	Now         func() time.Time // for tickets and sessions; nil: time.Now
}

type server struct {
	Options
	began  time.Time
	times  Times
	passes *passes
	facts  factBook
}

// Door is the handler of everything that the hub's port serves.
type Door struct {
	http.Handler
	times  Times
	pusher *pusher
}

// Run tells WebSockets what happens, until ctx ends; then it closes them. It
// keeps the file of sessions tidy meanwhile.
func (d *Door) Run(ctx context.Context) error {
	var tidying sync.WaitGroup
	defer tidying.Wait()
	tidying.Go(func() { d.pusher.passes.run(ctx) })
	return d.pusher.run(ctx)
}

// AwaitUnwatched returns when no WebSocket is open or ctx ends; false when none
// was open at all.
func (d *Door) AwaitUnwatched(ctx context.Context) (watched bool) {
	for {
		left := d.pusher.whenLeft()
		if left == nil {
			return watched
		}
		watched = true
		select {
		case <-left:
		case <-ctx.Done():
			return watched
		}
	}
}

// New returns the door. WebSockets hear nothing before Run runs.
func New(o Options) *Door {
	setErrorShape()
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{Options: o, began: time.Now(), times: o.Times.orDefault(), passes: newPasses(o.Now)}
	s.passes.restore(sessionFile{o.Sessions, o.Log})
	mux := http.NewServeMux()
	// Not huma's default: that adds $schema members and a page from a host
	// outside this machine.
	routes := humago.New(mux, huma.Config{
		OpenAPI:       emptyDocument(o.Info.Version),
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	})
	s.hubRoutes(routes)
	s.aboutRoutes(routes)
	s.sessionRoutes(routes)
	s.serverRoutes(routes)
	s.parseRoutes(routes)
	s.secretRoutes(routes)
	s.toolRoutes(routes)
	s.logRoutes(routes)
	s.metricRoutes(routes)
	s.seriesRoutes(routes)
	s.findRoutes(routes)
	s.meaningRoutes(routes)
	s.learnedRoutes(routes)
	s.contextRoutes(routes)
	s.setupRoutes(routes)
	s.editorRoutes(routes)
	s.intakeRoutes(routes)
	s.prereqRoutes(routes)
	s.testerRoutes(routes)
	s.transientRoutes(routes)
	s.presetRoutes(routes)
	s.healthRoutes(routes)
	s.marketplaceRoutes(routes)
	mux.Handle("GET /companion", o.Companion)
	document := newDocument(complete(routes.OpenAPI()))
	mux.HandleFunc("GET /openapi.json", document.serveJSON)
	mux.HandleFunc("GET /docs", document.servePage)
	mux.HandleFunc("GET /docs.css", document.serveStyle)
	pages := newPages(frontend.Files())
	mux.Handle("/", pages)

	pusher := newPusher(s)
	g := newGuard(o.Info, s.times)
	g.passes, g.public = s.passes, func(r *http.Request) bool { return public(r.Method, r.URL.Path) || pages.has(r) }
	g.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wantsSocket(r) {
			pusher.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return &Door{Handler: g, times: s.times, pusher: pusher}
}

// public reports whether a request needs no token: it learns nothing by it, or
// proves itself in another way.
func public(method, path string) bool {
	switch path {
	case "/health", "/hello", "/companion", "/openapi.json", "/docs", "/docs.css":
		return method == http.MethodGet || method == http.MethodHead
	case "/api/session":
		return method == http.MethodPost
	}
	return false
}

// reply is a response with a JSON body.
type reply[T any] struct {
	Status int
	Body   T
}

func ok[T any](body T) (*reply[T], error) { return &reply[T]{Status: http.StatusOK, Body: body}, nil }

// route declares one operation.
func route[I, O any](api huma.API, method, path, summary string, handler func(context.Context, *I) (*O, error)) {
	register(api, huma.Operation{Method: method, Path: path, Summary: summary}, handler)
}

// bodyRoute declares an operation whose input reads its body raw, because a
// missing or malformed one has an answer of its own.
func bodyRoute[I, O any](api huma.API, method, path, summary string, handler func(context.Context, *I) (*O, error)) {
	body := &huma.RequestBody{}
	register(api, huma.Operation{Method: method, Path: path, Summary: summary, RequestBody: body}, handler)
	body.Required = false // huma sets it for raw bodies and answers 400 itself
}

func register[I, O any](api huma.API, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	op.OperationID = huma.GenerateOperationID(op.Method, op.Path, new(O))
	op.MaxBodyBytes, op.SkipValidateBody = maxBody+1, true // the guard has read it
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, statusOf(err)
		}
		return out, nil
	})
}

// failure is the body of every error.
type failure struct {
	status  int
	Message string `json:"error"`
}

func (f *failure) Error() string  { return f.Message }
func (f *failure) GetStatus() int { return f.status }

// statusOf translates a fault into an answer; here and nowhere else.
func statusOf(err error) error {
	if _, done := errors.AsType[huma.StatusError](err); done {
		return err
	}
	status := http.StatusInternalServerError
	switch fault.KindOf(err) {
	case fault.Invalid:
		status = http.StatusUnprocessableEntity
	case fault.NotFound:
		status = http.StatusNotFound
	case fault.Conflict:
		status = http.StatusConflict
	case fault.Denied:
		status = http.StatusForbidden
	case fault.Busy:
		status = http.StatusTooManyRequests
	case fault.Unavailable:
		status = http.StatusServiceUnavailable
	}
	return &failure{status: status, Message: fault.MessageOf(err)}
}

// setErrorShape gives huma's own errors our shape. The constructor is global
// to that package, so it is set once.
var setErrorShape = sync.OnceFunc(func() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		for _, err := range errs {
			if err != nil {
				message += ": " + err.Error()
			}
		}
		return &failure{status: status, Message: message}
	}
})

// decodeObject reads a body that must be a JSON object.
func decodeObject(body []byte, into any) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil || object == nil {
		if _, shape := errors.AsType[*json.UnmarshalTypeError](err); shape || err == nil {
			return fault.New(fault.Invalid, "Request body must be a JSON object")
		}
		return fault.New(fault.Invalid, "Invalid JSON in request body")
	}
	if err := json.Unmarshal(body, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fault.New(fault.Invalid, "%s has the wrong type: %s", wrong.Field, wrong.Value)
		}
		return fault.New(fault.Invalid, "Invalid JSON in request body")
	}
	return nil
}

func writeError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(failure{Message: message}) // the client may be gone
}
