package operations

import (
	"context"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// EditorShown describes the tools that the hub lists for an editor that has the hub's entry.
type EditorShown struct {
	Editor    string         `json:"editor"`
	Surface   string         `json:"surface" doc:"Surface of the entry."`
	AddsFound bool           `json:"adds_found" doc:"Whether find_tool adds the tools that it finds to the tool list of the session. It never does in sessions that use MCP 2026-07-28."`
	Surfaces  []SurfaceTools `json:"surfaces" nullable:"false" doc:"The current surface of the entry, then the other surfaces that are not limited to one server or toolset, each with its numbers of tools and tokens."`
}

// SurfaceTools counts the tools of a surface, and their tokens, at the start of a session.
type SurfaceTools struct {
	Surface string `json:"surface"`
	Tools   int    `json:"tools" doc:"Number of tools."`
	Tokens  int    `json:"tokens" doc:"Number of tokens of the definitions of the tools."`
}

// shown returns an EditorShown for each editor in list that has the hub's entry.
func (e *Editors) shown(list []registration.Status) []EditorShown {
	out := []EditorShown{}
	for _, editor := range list {
		at := slices.IndexFunc(editor.Files, func(f registration.FileStatus) bool { return f.Surface != "" })
		if at < 0 {
			continue
		}
		own := editor.Files[at].Surface
		one := EditorShown{Editor: editor.ID, Surface: own, AddsFound: e.Shown.SurfaceUse(own, editor.ID).AddsFound}
		all := []string{own}
		for _, choice := range surfaces.Choices {
			if choice.Surface != own {
				all = append(all, choice.Surface)
			}
		}
		for _, s := range all {
			use := e.Shown.SurfaceUse(s, editor.ID)
			one.Surfaces = append(one.Surfaces, SurfaceTools{Surface: s, Tools: use.Tools, Tokens: use.Tokens})
		}
		out = append(out, one)
	}
	return out
}

type foundToolsFields struct {
	Editor string `json:"editor" doc:"Identifier of an editor."`
	Add    *bool  `json:"add" nullable:"false" doc:"Whether find_tool adds the tools that it finds to the tool list of the session. Each addition invalidates the prompt cache of the model."`
}

type foundToolsInput struct{ route.Object[foundToolsFields] }

type foundTools struct {
	Editor string `json:"editor"`
	Add    bool   `json:"add"`
}

func (e *Editors) setFoundTools(_ context.Context, in *foundToolsInput) (*route.Reply[foundTools], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	editor, ok := table.ByID(body.Editor)
	if !ok {
		return nil, fault.New(fault.NotFound, "unknown editor %q", body.Editor)
	}
	if body.Add == nil {
		return nil, fault.New(fault.Invalid, "add is required: true or false")
	}
	of := e.Shown.AddFound()
	if of == nil {
		of = make(map[string]bool)
	}
	of[editor.ID] = *body.Add
	// Remove the editor from one list before adding it to the other: the settings are invalid while an editor is in
	// both.
	for _, on := range []bool{!*body.Add, *body.Add} {
		key := map[bool]string{true: "on", false: "off"}[on]
		if _, err := e.ChangeSetting([]string{"session_tools", key}, idsWith(of, on)); err != nil {
			return nil, err
		}
	}
	return route.OK(foundTools{editor.ID, *body.Add})
}

// idsWith returns the keys of a map that have the given value, sorted.
func idsWith(of map[string]bool, value bool) []string {
	ids := []string{}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if of[id] == value {
			ids = append(ids, id)
		}
	}
	return ids
}
