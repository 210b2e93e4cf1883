// Package registrytool is the surface that shows one tool of the hub, registry, whose actions find and call
// tools, and manage servers and toolsets.
package registrytool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Name is the name of the tool.
const Name = "registry"

// Tokens is the number of tokens (o200k_base) that the tool's definition takes in a model's context. It is a
// constant because counting tokens loads a large vocabulary. A test checks that it is correct to within 5 %.
const Tokens = 432

// Tool is the tool registry of one session.
type Tool struct {
	registry  *registry.Registry
	intake    *intake.Intake
	lifecycle *lifecycle.Manager
	setup     *setup.Syncer
	market    Market
	roster    *roster.Keeper
	queries   *finding.Queries
	toolsets  *toolsetview.Actions
	client    Client
	proposer  func() string
	calls     Calls
	signIns   SignIns
}

// Options are the dependencies of a Tool.
type Options struct {
	Registry  *registry.Registry
	Intake    *intake.Intake
	Lifecycle *lifecycle.Manager
	Setup     *setup.Syncer
	Market    Market // may be nil
	Roster    *roster.Keeper
	Queries   *finding.Queries
	Toolsets  *toolsetview.Actions
	Client    Client
	// Proposer returns a description of the client, for the person who reviews the client's proposals.
	Proposer func() string
	Calls    Calls
	SignIns  SignIns
}

// Client says which tools the session's client may use, and how the hub resolves the names of tools that the client
// sends.
type Client interface {
	Rules() inventory.Rules
	Names() resolve.Scope
	// ForModel returns an error for a tool that models must not call.
	ForModel(server, tool string) error
	// ShownAs returns the names under which the client is shown tools.
	ShownAs(tools []*catalog.Tool) []string
}

// Calls sends the session's calls of tools.
type Calls interface {
	// Vetted sends a call. If the tool is not in the catalog yet, Vetted calls vet after the server has listed the
	// tool, and does not send the call if vet returns an error.
	Vetted(ctx context.Context, server, tool string, params json.RawMessage, vet func() error) (call.Result, error)
	// Refuse records a call that is not sent.
	Refuse(ctx context.Context, server, tool string, params json.RawMessage, why error)
	// Suggest returns the response to a call. If the call named the wrong tool, the response also names similar
	// tools.
	Suggest(server, tool string, result call.Result, err error) (json.RawMessage, error)
}

// SignIns lets the client's user sign in to servers.
type SignIns interface {
	// Retry sends a request to a server. If the server requires a sign-in and the user signs in, Retry sends the
	// request once more.
	Retry(ctx context.Context, server string, send func() error) error
}

// New returns the tool of a session.
func New(o Options) *Tool {
	return &Tool{
		registry: o.Registry, intake: o.Intake, lifecycle: o.Lifecycle, setup: o.Setup, market: o.Market, roster: o.Roster,
		queries: o.Queries, toolsets: o.Toolsets, client: o.Client, proposer: o.Proposer, calls: o.Calls, signIns: o.SignIns,
	}
}

// Listed returns the definition of the tool, with its size in tokens.
func (t *Tool) Listed() surfaces.Definitions {
	return surfaces.Definitions{Tools: []json.RawMessage{Definition}, Tokens: Tokens}
}

// Instructions returns instructions of one line. The first sentence makes sense alone, because a client may
// show only the beginning.
func (t *Tool) Instructions() string {
	servers := t.roster.Now().Servers
	if len(servers) == 0 {
		return "No MCP server is configured in Agent Discover yet; once there is one, registry finds its tools and calls them."
	}
	return "Tools of " + roster.Instructed(servers) + ": call registry with action find_tool and a query." +
		" Do so before you say that a tool is missing."
}

// FindHow returns a sentence that says how to find other tools, for the error about an unknown tool name.
func (t *Tool) FindHow() string { return `Ask registry {action:"find_tool", query:…} for others.` }

// AddsFound returns true, because find_tool adds the tools that it finds to the session's list.
func (t *Tool) AddsFound() bool { return true }

// Call serves tools/call for the tool registry. ok is false if name is the name of another tool.
func (t *Tool) Call(ctx context.Context, name string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	if name != Name {
		return nil, false, nil
	}
	result, err = t.do(ctx, params)
	return result, true, err
}

func (t *Tool) findTool(ctx context.Context, args arguments.Arguments) (any, error) {
	return t.queries.Tool(ctx, args, finding.Style{})
}

func (t *Tool) findTools(ctx context.Context, args arguments.Arguments) (any, error) {
	return t.queries.Intents(ctx, args)
}

func (t *Tool) getSchema(ctx context.Context, args arguments.Arguments) (any, error) {
	return t.queries.Schema(ctx, args)
}

func (t *Tool) toolset(ctx context.Context, args arguments.Arguments) (any, error) {
	return t.toolsets.Do(ctx, args)
}

// do carries out the action that the params of a call name. It returns an error as a result with isError, which
// a model can read. For proxy_call, the result is that of the called tool.
func (t *Tool) do(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var args arguments.Arguments
	if raw := jsonrpc.Get(params, "arguments"); raw != nil {
		// Do not parse the arguments of the called tool, which may be large.
		inner := jsonrpc.Get(raw, "arguments")
		if inner != nil {
			raw = jsonrpc.Set(raw, "arguments", json.RawMessage("null"))
		}
		if err := arguments.Read(raw, &args); err != nil {
			return answer.Action(err)
		}
		if inner != nil {
			args.Arguments = inner
		}
	}
	if args.Action == "proxy_call" {
		return t.proxyCall(ctx, args, params)
	}
	for _, action := range actions {
		if action.name == args.Action {
			result, err := action.do(t, ctx, args)
			if err != nil {
				return answer.Action(err)
			}
			return answer.Text(result, action.write)
		}
	}
	if _, ok := toolsetview.ActionNamed(args.Action); ok {
		args.Do = args.Action
		result, err := t.toolset(ctx, args)
		if err != nil {
			return answer.Action(err)
		}
		return answer.Text(result, answer.Indented)
	}
	var names []string
	for _, action := range actions {
		names = append(names, action.name)
	}
	unknown := fault.New(fault.Invalid, "Unknown registry action: %q. Valid: %s, proxy_call", args.Action, strings.Join(names, ", "))
	return answer.Action(unknown)
}

// proxyCall serves proxy_call: it calls the tool that the argument call_as names or, without call_as, the arguments
// server and tool.
func (t *Tool) proxyCall(ctx context.Context, args arguments.Arguments, params json.RawMessage) (json.RawMessage, error) {
	if args.CallAs == "" && (args.Server == "" || args.Tool == "") {
		return answer.Action(fault.New(fault.Invalid, "proxy_call requires either call_as or both server+tool"))
	}
	server, tool, err := t.meant(args)
	if err != nil {
		return answer.Action(err)
	}
	own, err := arguments.Inner(args.Arguments)
	if err != nil {
		return answer.Action(err)
	}
	vet := func() error {
		if err := t.client.ForModel(server, tool); err != nil {
			return err
		}
		if known, ok := t.client.Rules().Lookup(server, tool); ok {
			return resolve.Fits(known, own, "the action get_schema has its schema")
		}
		return nil
	}
	if err := vet(); err != nil {
		t.calls.Refuse(ctx, server, tool, jsonrpc.Set(params, "arguments", own), err)
		return answer.Action(err)
	}
	result, err := t.calls.Vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", own), vet)
	if fault.CodeOf(err) == fault.CodeUnlisted {
		near := fault.DidYouMean(err)
		_, err = t.calls.Suggest(server, tool, result, err)
		text, _ := jsonrpc.ErrorText(err)
		return answer.Error(text, near...)
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		// This error belongs to the called tool, not to registry: return it as
		// a result, which a model can read.
		return answer.Error(answer.ServerError(rpc))
	}
	if upstream.NotStarted(err) { // clients of the original product look for these words
		err = fault.Wrap(err, fault.KindOf(err), "failed to activate %q: %s", server, fault.MessageOf(err))
	}
	return answer.Call(result.JSON, err)
}

// meant returns the server and the tool that proxy_call names. It splits a call_as of the form mcp__server__tool even
// if there is no such server, because clients of the original product (agent-discover 1.4) expect an error that names
// the server.
func (t *Tool) meant(args arguments.Arguments) (server, tool string, err error) {
	if args.Server != "" || strings.ContainsAny(args.CallAs, "_.") {
		meant, err := t.client.Names().Tool(args.Server, cmp.Or(args.CallAs, args.Tool))
		if fault.CodeOf(err) != fault.CodeUnknownTool || args.Server != "" {
			return meant.Server, meant.Name, err
		}
		if len(fault.DidYouMean(err)) > 0 && !strings.HasPrefix(args.CallAs, "mcp__") {
			return "", "", err
		}
	}
	if rest, ok := strings.CutPrefix(args.CallAs, "mcp__"); ok {
		if server, tool, ok = strings.Cut(rest, "__"); ok && server != "" && tool != "" {
			return server, tool, nil
		}
	}
	return "", "", fault.New(fault.Invalid, `call_as must be of the form "mcp__<server>__<tool>" — got %q`, args.CallAs)
}
