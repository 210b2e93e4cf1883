package onboarding

import (
	"context"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// SetupStarts says how far the first starts of the servers of the last run are.
type SetupStarts struct {
	Servers  []SetupStart `json:"servers" nullable:"false" doc:"The imported servers, except those that were removed since."`
	Starting int          `json:"starting" doc:"Number of servers whose first start has not ended."`
	Try      *SetupTry    `json:"try,omitempty" doc:"A need that one of the servers meets; missing while servers are starting, and if none has a tool that is found."`
}

// SetupStart is the first start of a server.
type SetupStart struct {
	ID       int64      `json:"id"`
	Name     string     `json:"name"`
	State    StartState `json:"state" enum:"starting,ready,waiting,disabled,variable,sign_in,failed" doc:"starting, ready (its tools are listed), waiting (for approval), disabled (as in the editor), variable (it needs an environment variable), sign_in (a person must sign in) or failed."`
	Tools    int        `json:"tools" doc:"Number of listed tools."`
	Cause    string     `json:"cause,omitempty" doc:"Why the server could not start, for people. It may contain text of the server."`
	Variable string     `json:"variable,omitempty" doc:"Name of the environment variable that the server needs, if state is variable. Store a secret of this name for the server, then start the server again."`
}

// StartState says how the first start of a server ended.
type StartState string

// The states of a first start.
const (
	Starting StartState = "starting"
	Ready    StartState = "ready"
	Waiting  StartState = "waiting"
	Disabled StartState = "disabled"
	Variable StartState = "variable"
	SignIn   StartState = "sign_in"
	Failed   StartState = "failed"
)

// SetupTry is a need in a person's words, and the tool that agents find for it.
type SetupTry struct {
	Need        string `json:"need"`
	CallAs      string `json:"call_as" doc:"Name under which agents call the tool."`
	Server      string `json:"server"`
	Tool        string `json:"tool"`
	Description string `json:"description" doc:"Description of the tool, which comes from its server."`
}

// Starts returns how far the first starts of the servers of the last run are.
func (g *Guide) Starts(ctx context.Context) (SetupStarts, error) {
	run, err := g.Last()
	if err != nil {
		return SetupStarts{}, err
	}
	if run.At.IsZero() {
		return SetupStarts{}, errNoSetup()
	}
	out := SetupStarts{Servers: []SetupStart{}}
	for _, s := range run.Servers {
		server, missing := g.options.Registry.ByID(s.ID)
		if s.ID == 0 || missing != nil {
			continue
		}
		start := g.startOf(server)
		if start.State == Starting {
			out.Starting++
		}
		out.Servers = append(out.Servers, start)
	}
	if out.Starting == 0 {
		out.Try = g.try(ctx, out.Servers)
	}
	return out, nil
}

func (g *Guide) startOf(server registry.Server) SetupStart {
	state, tools := g.options.State(server), len(g.options.Tools.Snapshot().Of(server.Name))
	out := SetupStart{ID: server.ID, Name: server.Name, Tools: tools}
	switch {
	case state.ID == words.Starting, state.ID == words.New && server.Health.LastError == "":
		out.State = Starting
	case state.ID == words.Waiting:
		out.State = Waiting
	case state.ID == words.Disabled:
		out.State = Disabled
	case server.Health.Listed || tools > 0:
		out.State = Ready
	case state.ID == words.SignIn:
		out.State = SignIn
	default:
		out.State, out.Cause = Failed, state.Cause
		if out.Cause == "" {
			out.Cause = state.Why
		}
		if server.Health.MissingVariable != "" {
			out.State, out.Variable = Variable, server.Health.MissingVariable
		}
	}
	return out
}

// try returns a need that tools of one of the servers meet and for which they are found. Tools that do less harm come
// first, so that no need asks for a deletion while there is another.
func (g *Guide) try(ctx context.Context, servers []SetupStart) *SetupTry {
	groups := make(map[int][][]*catalog.Tool) // by danger, the tools of each server
	for _, s := range servers {
		if s.State != Ready {
			continue
		}
		of := make(map[int][]*catalog.Tool)
		for _, t := range g.options.Tools.Snapshot().Of(s.Name) {
			level := g.options.Danger(t)
			of[level] = append(of[level], t)
		}
		for level, tools := range of {
			groups[level] = append(groups[level], tools)
		}
	}
	for _, level := range slices.Sorted(maps.Keys(groups)) {
		for _, tools := range groups[level] {
			need := needOf(tools)
			if hit := g.options.Find(ctx, need); hit != nil {
				return &SetupTry{
					Need: need, CallAs: hit.Tool.CallAs(), Server: hit.Tool.Server, Tool: hit.Tool.Name, Description: hit.Tool.Description,
				}
			}
		}
	}
	return nil
}
