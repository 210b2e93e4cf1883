package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// toolsetAction is an action on toolsets: registry's action toolset carries it out, and so
// do the tools of the surface Meta that call tools, by its name. Lists need not change for
// that.
type toolsetAction struct {
	name   string
	danger danger
	takes  string // its arguments, for the reply of help
	about  string
	do     func(*Session, context.Context, arguments) (any, error)
}

var toolsetActions = []toolsetAction{
	{"list-available-tools", reads, "query, server, limit", "tools that a toolset may contain", (*Session).availableTools},
	{"build-toolset", writes, "name, args (tools as server.tool), description, autoEquip", "save a toolset", (*Session).buildToolset},
	{"list-saved-toolsets", reads, "", "all toolsets", (*Session).savedToolsets},
	{"equip-toolset", writes, "name", "list its tools in place of those of active servers", (*Session).equipToolset},
	{"unequip-toolset", writes, "", "list the tools of active servers again", (*Session).unequipToolset},
	{"get-active-toolset", reads, "", "the equipped toolset and its tools", (*Session).activeToolset},
	{"delete-toolset", destroys, "name, confirm: true", "delete a toolset", (*Session).deleteToolset},
	{"add-tool-annotation", writes, "name, tool (server.tool), note", "append a note to the description of a tool in a toolset", (*Session).annotateTool},
}

func toolsetActionNamed(name string) (toolsetAction, bool) {
	at := slices.IndexFunc(toolsetActions, func(a toolsetAction) bool { return a.name == name })
	if at < 0 {
		return toolsetAction{}, false
	}
	return toolsetActions[at], true
}

// toolset serves the action toolset.
func (s *Session) toolset(ctx context.Context, args arguments) (any, error) {
	if s.gateway.toolsets == nil {
		return nil, noToolsets
	}
	args.Do = cmp.Or(args.Do, args.Command)
	if args.Do == "" || args.Do == "help" {
		help := make(map[string]string)
		for _, action := range toolsetActions {
			help[action.name] = action.about
			if action.takes != "" {
				help[action.name] += "; takes " + action.takes
			}
		}
		return map[string]any{"command": help}, nil
	}
	action, ok := toolsetActionNamed(args.Do)
	if !ok {
		var names []string
		for _, action := range toolsetActions {
			names = append(names, action.name)
		}
		return nil, fault.New(fault.Invalid, "unknown toolset action %q; command is one of %s", args.Do, strings.Join(names, ", "))
	}
	return action.do(s, ctx, args)
}

// callToolset serves an action for a tool that accepts a danger.
func (m metaTools) callToolset(ctx context.Context, accepts danger, action toolsetAction, raw json.RawMessage) (json.RawMessage, error) {
	var args arguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return errorResult(fault.MessageOf(badArgument(err)))
	}
	if action.danger > accepts {
		return errorResult(fmt.Sprintf("%s changes something; call it with %s", action.name, callerOf(action.danger)))
	}
	args.Do = action.name
	result, err := m.toolset(ctx, args)
	if err != nil {
		return errorResult(fault.MessageOf(err))
	}
	return textResult(result, indented)
}

const (
	availableLimit = 50
	maxAvailable   = 200
)

type availableTool struct {
	Tool    string `json:"tool"`
	Summary string `json:"summary,omitempty"`
}

func (s *Session) availableTools(ctx context.Context, args arguments) (any, error) {
	limit := availableLimit
	if args.Limit >= 1 {
		limit = int(min(float64(args.Limit), maxAvailable))
	}
	var found []*catalog.Tool
	rules := s.rules()
	of := func(t *catalog.Tool) bool { return args.Server == "" || t.Server == args.Server }
	if strings.TrimSpace(args.Query) != "" {
		for _, hit := range s.gateway.rank(ctx, search.Query{Text: args.Query, Limit: limit, Allow: of}, rules).Hits {
			found = append(found, hit.Tool)
		}
	} else {
		findable := s.gateway.findable(rules)
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

// parseTools returns references to tools that models may call, by the names of the tools.
func (s *Session) parseTools(names []string) ([]toolset.Reference, error) {
	scope, refs := s.names(), make([]toolset.Reference, 0, len(names))
	for _, name := range names {
		t, err := scope.Tool("", name)
		switch {
		case fault.CodeOf(err) == fault.CodeUnknownTool, err == nil && (t.Known == nil || !scope.Usable(t.Known)):
			return nil, fault.New(fault.NotFound, "unknown tool %s; see the action list-available-tools", name)
		case err != nil:
			return nil, err
		}
		refs = append(refs, toolset.Reference{Server: t.Server, Tool: t.Known.OwnName()})
	}
	return refs, nil
}

// toolsetReply is the reply to an action that changes a toolset.
type toolsetReply struct {
	Status   string `json:"status"`
	Name     string `json:"name"`
	Tools    int    `json:"tools,omitempty"`
	NextStep string `json:"next_step,omitempty"`
}

func (s *Session) buildToolset(ctx context.Context, args arguments) (any, error) {
	tools, err := s.parseTools(slices.Concat(args.Tools, args.Args))
	if err != nil {
		return nil, err
	}
	t := toolset.Toolset{Name: args.Name, Description: args.Description, Tools: tools, ProposedBy: s.proposer()}
	if args.AutoEquip || args.EquipToo {
		t.EquipFor = &s.credential
	}
	made, err := s.gateway.toolsets.Propose(ctx, t)
	if err != nil {
		return nil, err
	}
	reply := toolsetReply{"saved", made.Name, len(made.Tools), ""}
	switch {
	case !made.Approved:
		reply.Status = "waiting_for_approval"
		reply.NextStep = fmt.Sprintf("nobody is shown the toolset before a person approves it; ask the user to look at %s on the page Toolsets of the Agent Discover dashboard", made.Name)
	case t.EquipFor != nil:
		reply.Status = "equipped"
	}
	return reply, nil
}

func (s *Session) savedToolsets(context.Context, arguments) (any, error) {
	type saved struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Tools       int    `json:"tools"`
		Drifted     int    `json:"drifted,omitempty"`
		Missing     int    `json:"missing,omitempty"`
		Equipped    bool   `json:"equipped,omitempty"`
		Waiting     bool   `json:"waiting_for_approval,omitempty"`
	}
	out, equipped := []saved{}, s.equipped()
	for _, t := range s.gateway.toolsets.List() {
		row := saved{Name: t.Name, Description: t.Description, Tools: len(t.Tools), Equipped: t.Name == equipped, Waiting: !t.Approved}
		for _, e := range s.gateway.toolsets.Entries(t) {
			switch e.State {
			case toolset.Drifted:
				row.Drifted++
			case toolset.Missing:
				row.Missing++
			}
		}
		out = append(out, row)
	}
	return out, nil
}

func (s *Session) equipToolset(ctx context.Context, args arguments) (any, error) {
	if err := s.gateway.toolsets.Equip(ctx, s.credential, args.Name); err != nil {
		return nil, err
	}
	return s.activeToolset(ctx, args)
}

func (s *Session) unequipToolset(ctx context.Context, _ arguments) (any, error) {
	name := s.equipped()
	had, err := s.gateway.toolsets.Unequip(ctx, s.credential)
	if err != nil {
		return nil, err
	}
	if !had {
		return toolsetReply{Status: "none_equipped"}, nil
	}
	return toolsetReply{Status: "unequipped", Name: name}, nil
}

func (s *Session) activeToolset(context.Context, arguments) (any, error) {
	name := s.equipped()
	if name == "" {
		return toolsetReply{Status: "none_equipped"}, nil
	}
	t, err := s.gateway.toolsets.Get(name)
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
	for _, e := range s.gateway.toolsets.Entries(t) {
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

func (s *Session) deleteToolset(ctx context.Context, args arguments) (any, error) {
	if !args.Confirm {
		return nil, fault.New(fault.Invalid, "delete-toolset needs confirm: true; ask the user first")
	}
	if err := s.gateway.toolsets.DeleteForAgent(ctx, args.Name); err != nil {
		return nil, err
	}
	return toolsetReply{Status: "deleted", Name: args.Name}, nil
}

func (s *Session) annotateTool(ctx context.Context, args arguments) (any, error) {
	set := cmp.Or(args.Name, s.equipped())
	if set == "" {
		return nil, fault.New(fault.Invalid, "name is required: the toolset of the tool")
	}
	t, err := s.names().Tool(args.Server, args.Tool)
	if err != nil {
		return nil, err
	}
	waits, err := s.gateway.toolsets.ProposeNote(ctx, set, t.Key(), cmp.Or(args.Note, args.Description), s.proposer())
	if err != nil {
		return nil, err
	}
	reply := toolsetReply{Status: "annotated", Name: set}
	if waits {
		reply.Status, reply.NextStep = "waiting_for_approval", "the note is not shown before a person accepts it on the page Toolsets of the Agent Discover dashboard"
	}
	return reply, nil
}
