// Package operations implements the operations of the REST API, one file for each kind of resource. Each kind is a
// struct with the dependencies of its operations, and a Routes method that declares them. The package only translates
// between JSON and the packages that do the work.
package operations

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// readinessReader reports whether a server can be used, and why not.
type readinessReader interface {
	Of(v registry.Server) readiness.State
}

// ServerInput is the input of an operation on one server. It is exported, like all types that inputs and bodies embed,
// because huma ignores embedded structs of unexported types.
type ServerInput struct {
	ID string `path:"id" doc:"Unique identifier of the server."`
}

// serverBody is the input of an operation that concerns one server and takes a body.
type serverBody[T any] struct {
	ServerInput
	route.Object[T]
}

// lookup returns the configured server with an id.
func lookup(servers *registry.Registry, id string) (registry.Server, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return registry.Server{}, fault.New(fault.NotFound, "Not found")
	}
	return servers.ByID(number)
}

// done is the response to an operation that has no other result.
type done struct {
	OK bool `json:"ok" doc:"Whether the operation had an effect."`
}

// listOf wraps a list in an object, as the original product does for presets and elicitations.
type listOf[T any] struct {
	Entries []T `json:"entries"`
}

// statusOnly returns a response that contains only a status, such as deleted.
func statusOnly(word string) (*route.Reply[map[string]string], error) {
	return route.OK(map[string]string{"status": word})
}

// Views builds the API's view of servers. Computing the launch hash and finding the credentials in a configuration take
// longer than all other parts of a view together, so their results are cached until the configuration changes. Views is
// safe for concurrent use.
type Views struct {
	ViewOptions
	mu    sync.Mutex
	facts map[int64]facts // by the id of the server
}

// ViewOptions are the sources of the facts that views show.
type ViewOptions struct {
	States    *upstream.Manager
	Readiness readinessReader
	Tools     *catalog.Catalog
	Calls     *journal.Journal
	SignIns   *oauth.Manager
	Policy    *rules.Current          // nil: no tool is disabled
	Held      func(server string) int // number of items that wait for a person; nil: none
	Sandboxes *sandbox.Sandbox        // if nil, views do not say how servers are confined
}

// facts is the cached part of a server's view.
type facts struct {
	updated   time.Time // when the configuration last changed
	hash      string
	plaintext []string
	secrets   []string         // names of the secrets that the configuration refers to
	risk      *risk.Assessment // set only for a server that waits for approval
}

// NewViews returns views with an empty cache.
func NewViews(o ViewOptions) *Views { return &Views{ViewOptions: o, facts: make(map[int64]facts)} }

// Server returns the API's view of a server.
func (w *Views) Server(v registry.Server) Server {
	ready := w.Readiness.Of(v)
	state, tools, known := w.States.State(v.Name), w.Tools.Snapshot().Of(v.Name), w.factsOf(v)
	recent := w.Calls.Recent(v.Name, v.UpdatedAt) // calls before a change say nothing about the changed server
	out := Server{
		ID: v.ID, Name: v.Name, Description: v.Description, Source: v.Source,
		Command: optional(v.Command), Args: orEmpty(v.Args), Env: v.Env, Dir: v.Dir, Tags: orEmpty(v.Tags),
		PackageName: optional(v.Package.Name), PackageVersion: optional(v.Package.Version), LatestVersion: optional(v.Package.Latest),
		Transport: v.Transport, Repository: optional(v.Repository), Homepage: optional(v.URL), Headers: v.Headers,
		Installed: v.Installed, Active: v.AlwaysListed, HealthStatus: v.Health.Status, ErrorCount: v.Health.Errors,
		CreatedAt: v.CreatedAt.Format(time.DateTime), UpdatedAt: v.UpdatedAt.Format(time.DateTime),
		StartTimeout: registry.FormatTimeout(v.Timeouts.Start), CallTimeout: registry.FormatTimeout(v.Timeouts.Call),
		State: ready.ID, StateReason: ready.Reason(), SignIn: w.signInOf(v), Account: v.Account, RecentCalls: recent.Calls,
		RecentErrors: recent.Errors, Approved: v.Approved, Disabled: v.Disabled, Running: state.Running,
		KeepRunning: v.KeepRunning, Isolation: v.Isolation,
		Sessions: state.Sessions, PID: state.PID, ToolsKnown: v.Health.Listed || len(tools) > 0,
		LastError:       v.Health.LastError,
		MissingVariable: v.Health.MissingVariable, MissingSecret: secretscan.SensitiveName(v.Health.MissingVariable),
		References: known.secrets, LaunchHash: known.hash, Plaintext: known.plaintext, ProposedBy: v.ProposedBy, Risk: known.risk,
	}
	if name := program.Name(v.Command); v.Transport == "stdio" && slices.Contains(prerequisites.Programs(), name) {
		out.Program = name
	}
	if v.Transport == "stdio" && w.Sandboxes != nil {
		out.Sandbox = sandboxOf(v, w.Sandboxes)
	}
	for _, c := range state.Connections {
		out.Connections = append(out.Connections, Connection{c.Protocol, c.PID, c.InFlight})
	}
	if !v.Approved {
		out.Origin = v.Origin()
	}
	if out.Env == nil {
		out.Env = map[string]string{}
	}
	if !v.Health.CheckedAt.IsZero() {
		out.LastHealthCheck = optional(v.Health.CheckedAt.Format(time.DateTime))
	}
	policy, snapshot := w.Policy.Get(), w.Tools.Snapshot()
	for _, t := range tools {
		if !policy.Allows("", t.Server, t.OwnName(), snapshot) {
			out.ToolsDisabled++
			continue
		}
		out.ToolCount++
		out.ToolTokens += t.Tokens
	}
	if w.Held != nil {
		out.ItemsHeld = w.Held(v.Name)
	}
	return out
}

// signInOf returns the value of Server.SignIn.
func (w *Views) signInOf(v registry.Server) string {
	if v.Transport == "stdio" {
		return ""
	}
	st, _ := w.SignIns.Status(v.ID) // on an error, st is the state in memory
	switch {
	case st.State == oauth.SignedOut:
		return ""
	case st.State == oauth.Required && st.Again:
		return "again"
	}
	return string(st.State)
}

func (w *Views) factsOf(v registry.Server) facts {
	w.mu.Lock()
	defer w.mu.Unlock()
	known, ok := w.facts[v.ID]
	if !ok || !known.updated.Equal(v.UpdatedAt) {
		known = facts{
			updated: v.UpdatedAt, hash: lifecycle.LaunchHash(v), plaintext: launch.Plaintext(v.Env, v.Args, v.Headers, v.URL),
			secrets: launch.Of(v).References(),
		}
		if !v.Approved {
			assessment := risk.Assess(v)
			known.risk = &assessment
		}
		w.facts[v.ID] = known
	}
	return known
}

func (w *Views) forget(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.facts, id)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Timestamp formats a time as pushed messages and output lines contain it: in UTC, to the millisecond.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func rfc3339(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// dateTime formats a time in the format of the original product.
func dateTime(at time.Time) string { return at.UTC().Format(time.DateTime) }
