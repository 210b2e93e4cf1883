package toolsetview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
)

// Actions carries out the actions on toolsets for one session. The actions are not tools in the client's list:
// a client calls them through the action toolset of the tool registry or, on the surface Meta, by their names
// through the tools that call other tools.
type Actions struct {
	choice *Choice
	finder *finding.Finder
	client Client
	// proposer returns a description of the client, for the person who reviews the client's proposals.
	proposer func() string
}

// Client says which tools the session's client may use, and how the hub resolves the names of tools that the client
// sends.
type Client interface {
	Rules() inventory.Rules
	Names() resolve.Scope
}

// NewActions returns the actions of a session. proposer returns a description of the session's client, for the person
// who reviews the client's proposals.
func NewActions(c *Choice, f *finding.Finder, client Client, proposer func() string) *Actions {
	return &Actions{c, f, client, proposer}
}

// Action is an action on toolsets.
type Action struct {
	Name   string
	Danger danger.Level
	takes  string // the arguments that the action accepts, as help shows them
	about  string
	do     func(*Actions, context.Context, arguments.Arguments) (any, error)
}

var actions = []Action{
	{"list-available-tools", danger.Reads, "query, server, limit", "tools that a toolset may contain", (*Actions).available},
	{"build-toolset", danger.Writes, "name, args (tools as server.tool), description, autoEquip", "save a toolset", (*Actions).build},
	{"list-saved-toolsets", danger.Reads, "", "all toolsets", (*Actions).saved},
	{"equip-toolset", danger.Writes, "name", "list its tools in place of those of always listed servers", (*Actions).equip},
	{"unequip-toolset", danger.Writes, "", "list the tools of always listed servers again", (*Actions).unequip},
	{"get-active-toolset", danger.Reads, "", "the equipped toolset and its tools", (*Actions).equipped},
	{"delete-toolset", danger.Destroys, "name, confirm: true", "delete a toolset", (*Actions).remove},
	{
		"add-tool-annotation", danger.Writes, "name, tool (server.tool), note",
		"append a note to the description of a tool in a toolset", (*Actions).annotate,
	},
}

// ActionNamed returns the action with the given name; ok is false if there is none.
func ActionNamed(name string) (action Action, ok bool) {
	at := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name })
	if at < 0 {
		return Action{}, false
	}
	return actions[at], true
}

// Do carries out the action that args.Do or args.Command names. If both are empty or the name is help, Do
// returns a description of all actions.
func (a *Actions) Do(ctx context.Context, args arguments.Arguments) (any, error) {
	if a.choice.Toolsets == nil {
		return nil, errNone
	}
	args.Do = cmp.Or(args.Do, args.Command)
	if args.Do == "" || args.Do == "help" {
		help := make(map[string]string)
		for _, action := range actions {
			help[action.Name] = action.about
			if action.takes != "" {
				help[action.Name] += "; takes " + action.takes
			}
		}
		return map[string]any{"command": help}, nil
	}
	action, ok := ActionNamed(args.Do)
	if !ok {
		var names []string
		for _, action := range actions {
			names = append(names, action.Name)
		}
		return nil, fault.New(fault.Invalid, "unknown toolset action %q; command is one of %s", args.Do, strings.Join(names, ", "))
	}
	return action.do(a, ctx, args)
}

const (
	availableLimit = 50
	maxAvailable   = 200
)

type availableTool struct {
	Tool    string `json:"tool"`
	Summary string `json:"summary,omitempty"`
}

func (a *Actions) available(ctx context.Context, args arguments.Arguments) (any, error) {
	limit := availableLimit
	if args.Limit >= 1 {
		limit = int(min(float64(args.Limit), maxAvailable))
	}
	var found []*catalog.Tool
	rules := a.client.Rules()
	of := func(t *catalog.Tool) bool { return args.Server == "" || t.Server == args.Server }
	if strings.TrimSpace(args.Query) != "" {
		for _, hit := range a.finder.Rank(ctx, search.Query{Text: args.Query, Limit: limit, Allow: of}, rules).Hits {
			found = append(found, hit.Tool)
		}
	} else {
		findable := a.finder.Findable(rules)
		for _, t := range rules.Tools {
			if of(t) && findable(t) {
				found = append(found, t)
			}
		}
	}
	total := len(found)
	tools := []availableTool{}
	for _, t := range found[:min(limit, total)] {
		tools = append(tools, availableTool{t.Server + "." + t.Name, t.Summary()})
	}
	return struct {
		Tools []availableTool `json:"tools"`
		Total int             `json:"total"`
	}{tools, total}, nil
}

// parse resolves the names of tools and returns references to the tools. It returns an error for a tool that
// models may not call.
func (a *Actions) parse(names []string) ([]toolset.Reference, error) {
	scope, refs := a.client.Names(), make([]toolset.Reference, 0, len(names))
	for _, name := range names {
		t, err := scope.Tool("", name)
		if err == nil && (t.Known == nil || !scope.Usable(t.Known)) {
			err = scope.Unknown(name)
		}
		switch {
		case fault.CodeOf(err) == fault.CodeUnknownTool && len(fault.DidYouMean(err)) == 0:
			return nil, fault.Wrap(err, fault.NotFound, "%s; see the action list-available-tools", fault.MessageOf(err))
		case err != nil:
			return nil, err
		}
		refs = append(refs, toolset.Reference{Server: t.Server, Tool: t.Known.OwnName()})
	}
	return refs, nil
}

// reply is the reply to an action that changes a toolset.
type reply struct {
	Status   string `json:"status"`
	Name     string `json:"name"`
	Tools    int    `json:"tools,omitempty"`
	NextStep string `json:"next_step,omitempty"`
}

func (a *Actions) build(ctx context.Context, args arguments.Arguments) (any, error) {
	tools, err := a.parse(slices.Concat(args.Tools, args.Args))
	if err != nil {
		return nil, err
	}
	t := toolset.Toolset{Name: args.Name, Description: args.Description, Tools: tools, ProposedBy: a.proposer()}
	if args.AutoEquip || args.EquipToo {
		t.EquipFor = &a.choice.Credential
	}
	made, err := a.choice.Toolsets.Propose(ctx, t)
	if err != nil {
		return nil, err
	}
	answered := reply{"saved", made.Name, len(made.Tools), ""}
	switch {
	case !made.Approved:
		answered.Status = "waiting_for_approval"
		answered.NextStep = fmt.Sprintf("nobody is shown the toolset before a person approves it; "+
			"ask the user to look at %s on the page Toolsets of the Agent Discover dashboard", made.Name)
	case t.EquipFor != nil:
		answered.Status = "equipped"
	}
	return answered, nil
}

func (a *Actions) saved(context.Context, arguments.Arguments) (any, error) {
	type row struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Tools       int    `json:"tools"`
		Drifted     int    `json:"drifted,omitempty"`
		Missing     int    `json:"missing,omitempty"`
		Equipped    bool   `json:"equipped,omitempty"`
		Waiting     bool   `json:"waiting_for_approval,omitempty"`
	}
	out, equipped := []row{}, a.choice.Equipped()
	for _, t := range a.choice.Toolsets.List() {
		r := row{Name: t.Name, Description: t.Description, Tools: len(t.Tools), Equipped: t.Name == equipped, Waiting: !t.Approved}
		for _, e := range a.choice.Toolsets.Entries(t) {
			switch e.State {
			case toolset.Drifted:
				r.Drifted++
			case toolset.Missing:
				r.Missing++
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func (a *Actions) equip(ctx context.Context, args arguments.Arguments) (any, error) {
	if err := a.choice.Toolsets.Equip(ctx, a.choice.Credential, args.Name); err != nil {
		return nil, err
	}
	return a.equipped(ctx, args)
}

func (a *Actions) unequip(ctx context.Context, _ arguments.Arguments) (any, error) {
	name := a.choice.Equipped()
	had, err := a.choice.Toolsets.Unequip(ctx, a.choice.Credential)
	if err != nil {
		return nil, err
	}
	if !had {
		return reply{Status: "none_equipped"}, nil
	}
	return reply{Status: "unequipped", Name: name}, nil
}

func (a *Actions) equipped(context.Context, arguments.Arguments) (any, error) {
	name := a.choice.Equipped()
	if name == "" {
		return reply{Status: "none_equipped"}, nil
	}
	t, err := a.choice.Toolsets.Get(name)
	if err != nil {
		return nil, err
	}
	type tool struct {
		Tool   string `json:"tool"`
		CallAs string `json:"call_as"`
		State  string `json:"state"`
		Note   string `json:"note,omitempty"`
	}
	tools := []tool{}
	for _, e := range a.choice.Toolsets.Entries(t) {
		callAs := (&catalog.Tool{Server: e.Server, Name: e.Tool}).CallAs()
		tools = append(tools, tool{e.Qualified(), callAs, string(e.State), e.Note})
	}
	return struct {
		Status      string `json:"status"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Tools       []tool `json:"tools"`
	}{"equipped", t.Name, t.Description, tools}, nil
}

func (a *Actions) remove(ctx context.Context, args arguments.Arguments) (any, error) {
	if !args.Confirm {
		return nil, fault.New(fault.Invalid, "delete-toolset needs confirm: true; ask the user first")
	}
	if err := a.choice.Toolsets.DeleteForAgent(ctx, args.Name); err != nil {
		return nil, err
	}
	return reply{Status: "deleted", Name: args.Name}, nil
}

func (a *Actions) annotate(ctx context.Context, args arguments.Arguments) (any, error) {
	set := cmp.Or(args.Name, a.choice.Equipped())
	if set == "" {
		return nil, fault.New(fault.Invalid, "name is required: the toolset of the tool")
	}
	t, err := a.client.Names().Tool(args.Server, args.Tool)
	if err != nil {
		return nil, err
	}
	waits, err := a.choice.Toolsets.ProposeNote(ctx, set, t.Key(), cmp.Or(args.Note, args.Description), a.proposer())
	if err != nil {
		return nil, err
	}
	answered := reply{Status: "annotated", Name: set}
	if waits {
		answered.Status = "waiting_for_approval"
		answered.NextStep = "the note is not shown before a person accepts it on the page Toolsets of the Agent Discover dashboard"
	}
	return answered, nil
}
