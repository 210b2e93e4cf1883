package operations

import (
	"context"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// Editors holds the operations on AI editors of this machine and on the hub's entry in them.
type Editors struct {
	Registrar *registration.Registrar
	Entry     EditorEntry
	Check     func(context.Context) (doctor.Report, error)
	Shown     *gateway.Gateway // reports the tools that editors get on each surface
	// ChangeSetting writes a value to the settings file and reads the file again.
	ChangeSetting func(keys []string, value any) (changed []string, err error)
}

// Routes adds the operations with their handlers to a route table.
func (e *Editors) Routes(t *route.Table) {
	g := t.Group("editors")
	route.Add(g, route.Get("/api/editors",
		"List AI editors, and whether each is registered: whether its configuration has the hub's entry"), e.list)
	route.Add(g, route.Post("/api/editors/plan", "Preview changes to editors' files").MayMiss(), e.plan)
	route.Add(g, route.Post("/api/editors/register", "Add the hub's entry to editors, or repair it").MayMiss(),
		e.apply(registration.Register))
	route.Add(g, route.Post("/api/editors/unregister", "Remove the hub's entry from editors").MayMiss(), e.apply(registration.Unregister))
	route.Add(g, route.Post("/api/editors/undo", "Undo changes to editors' files").MayMiss(), e.undo)
	route.Add(g, route.Get("/api/editors/history", "List changes that were made to editors' files").MayMiss(), e.history)
	route.Add(g, route.Post("/api/editors/history/forget",
		"Delete the backups of changes to editors' files; these changes can then no longer be undone").MayMiss(),
		e.forget)
	route.Add(g, route.Put("/api/editors/settings", "Choose whether editors that are detected later are registered automatically"),
		e.setSettings)
	route.Add(g, route.Put("/api/editors/found-tools",
		"Choose whether find_tool adds the tools that it finds to the tool lists of an editor's sessions").MayMiss(), e.setFoundTools)
	route.Add(g, route.Post("/api/editors/reviewed",
		"Mark the editors of this machine as reviewed by the user, so that they no longer count as new"), e.review)
	route.Add(g, route.Get("/api/editors/checkup", "Check editors for expensive tools and configuration problems"), e.check)
}

// EditorList is the list of editors of this machine, with settings.
type EditorList struct {
	Editors      []registration.Status `json:"editors" nullable:"false"`
	AutoRegister bool                  `json:"auto_register" doc:"Whether editors that are detected later are registered automatically."`
	Entry        EditorEntry           `json:"entry" doc:"The entry that the hub adds to the configuration of editors."`
	Shown        []EditorShown         `json:"shown" nullable:"false" doc:"For each editor that has the hub's entry, the surface of the entry and the possible ones."`
	Surfaces     []surfaces.Choice     `json:"surfaces" nullable:"false" doc:"The surfaces that an entry or a token may have, except those of one server or toolset. The first surface is the default of new entries."`
}

// EditorEntry is the command that the hub's entry in an editor starts.
type EditorEntry struct {
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args" nullable:"false"`
	Env     map[string]string `json:"env,omitempty"`
	Text    string            `json:"text" doc:"The entry as a JSON object with the member mcpServers, the format that most clients accept, to paste into the configuration of a client that is not in the list."`
}

type editorsInput struct {
	All bool     `query:"all" doc:"Whether to include editors that were not detected on this machine."`
	Env []string `query:"env,explode" doc:"Environment variables of the client that change where editors keep their files, each as NAME=VALUE."`
}

func (e *Editors) list(ctx context.Context, in *editorsInput) (*route.Reply[EditorList], error) {
	environment := make(map[string]string)
	for _, variable := range in.Env {
		if name, value, ok := strings.Cut(variable, "="); ok {
			environment[name] = value
		}
	}
	list, err := e.Registrar.Status(ctx, in.All, environment)
	if err != nil {
		return nil, err
	}
	return route.OK(EditorList{
		Editors: list, AutoRegister: e.Registrar.AutoRegisters(), Entry: e.Entry, Shown: e.shown(list), Surfaces: surfaces.Choices,
	})
}

// EditorFields select editors and the way in which to change their files.
type EditorFields struct {
	Editors     []string          `json:"editors,omitempty" doc:"Identifiers of editors."`
	All         bool              `json:"all,omitempty" doc:"For register, whether to select all detected editors that can be registered; for unregister, whether to select all editors that have the hub's entry."`
	Project     string            `json:"project,omitempty" doc:"Folder of a project whose configuration files are changed instead of those of the user."`
	Surface     string            `json:"surface,omitempty" doc:"For register, the surface of the entries: meta, registry, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. By default, existing entries keep their surface, and new ones get meta."`
	Program     string            `json:"program,omitempty" doc:"For register, the full path of the program that the entries start, if it is another copy of agent-discover than that of the hub, such as that of the caller."`
	Replace     bool              `json:"replace,omitempty" doc:"Whether to replace an entry that has the hub's name but starts another program."`
	Expect      map[string]string `json:"expect,omitempty" doc:"Maps the path of each previewed plan to the plan's field difference or before. A file is not written if neither field of its plan has the given value any more."`
	Environment map[string]string `json:"environment,omitempty" doc:"Environment variables of the client that change where editors keep their files."`
}

func (f EditorFields) request(action registration.Action) (registration.Request, error) {
	if len(f.Editors) == 0 && !f.All {
		return registration.Request{}, fault.New(fault.Invalid, "no editors given: send a list of ids as editors, or all")
	}
	if err := surfaces.Check(f.Surface); err != nil {
		return registration.Request{}, err
	}
	return registration.Request{
		Action: action, Surface: f.Surface, Editors: f.Editors, All: f.All, Project: f.Project, Replace: f.Replace, Program: f.Program,
		Expect: f.Expect, Environment: f.Environment, By: "person",
	}, nil
}

type editorPlanFields struct {
	EditorFields
	Action  registration.Action `json:"action" enum:"register,unregister,undo"`
	Changes []string            `json:"changes,omitempty" doc:"For undo: identifiers of changes from the history."`
}

type planInput struct{ route.Object[editorPlanFields] }

// Plans lists previews of changes to editors' files.
type Plans struct {
	Plans []registration.Plan `json:"plans" nullable:"false"`
}

func (e *Editors) plan(ctx context.Context, in *planInput) (*route.Reply[Plans], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	var out []registration.Plan
	switch body.Action {
	case registration.Undo:
		out, err = e.Registrar.PlanUndo(ctx, body.Changes)
	case registration.Register, registration.Unregister:
		var request registration.Request
		if request, err = body.request(body.Action); err == nil {
			out, err = e.Registrar.Plan(ctx, request)
		}
	default:
		err = fault.New(fault.Invalid, "action must be register, unregister or undo")
	}
	if err != nil {
		return nil, err
	}
	return route.OK(Plans{out})
}

type applyInput struct{ route.Object[EditorFields] }

// Outcomes lists the results of changes to editors' files.
type Outcomes struct {
	Outcomes []registration.Outcome `json:"outcomes" nullable:"false"`
}

func (e *Editors) apply(action registration.Action) func(context.Context, *applyInput) (*route.Reply[Outcomes], error) {
	return func(ctx context.Context, in *applyInput) (*route.Reply[Outcomes], error) {
		body, err := in.Decode()
		if err != nil {
			return nil, err
		}
		request, err := body.request(action)
		if err != nil {
			return nil, err
		}
		// Complete the change of the user's files even if the client disconnects.
		out, err := e.Registrar.Apply(context.WithoutCancel(ctx), request)
		if err != nil {
			return nil, err
		}
		return route.OK(Outcomes{out})
	}
}

type editorUndoFields struct {
	Changes []string          `json:"changes,omitempty" doc:"Identifiers of changes from the history."`
	All     bool              `json:"all,omitempty" doc:"Whether to undo all changes that have not been undone yet."`
	Expect  map[string]string `json:"expect,omitempty" doc:"Maps the identifier of each change to the field difference of its previewed plan. A change is not undone if its plan has another difference now."`
}

type undoInput struct{ route.Object[editorUndoFields] }

func (e *Editors) undo(ctx context.Context, in *undoInput) (*route.Reply[Outcomes], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	var out []registration.Outcome
	switch {
	case body.All:
		out, err = e.Registrar.UndoAll(ctx)
	case len(body.Changes) > 0:
		out, err = e.Registrar.Undo(ctx, body.Changes, body.Expect)
	default:
		err = fault.New(fault.Invalid, "no changes given: send a list of ids as changes, or all")
	}
	if err != nil {
		return nil, err
	}
	return route.OK(Outcomes{out})
}

type editorInput struct {
	Editor string `query:"editor" doc:"Identifier of an editor; all editors by default."`
}

// EditorHistory is the list of changes that were made to editors' files.
type EditorHistory struct {
	Changes  []registration.Record `json:"changes" nullable:"false" doc:"The changes, newest first."`
	Unsealed int                   `json:"unsealed,omitempty" doc:"Number of backups, made by earlier versions of the hub, that contain credentials in plain text, because there is no key with which to encrypt them."`
}

func (e *Editors) history(ctx context.Context, in *editorInput) (*route.Reply[EditorHistory], error) {
	changes, err := e.Registrar.History(ctx, in.Editor)
	if err != nil {
		return nil, err
	}
	return route.OK(EditorHistory{Changes: changes, Unsealed: e.Registrar.Unsealed()})
}

type forgetFields struct {
	Changes []string `json:"changes,omitempty" doc:"Identifiers of changes from the history."`
	All     bool     `json:"all,omitempty" doc:"Whether to delete the backups of all changes."`
}

type forgetInput struct{ route.Object[forgetFields] }

// Forgotten is the result of deleting backups.
type Forgotten struct {
	Deleted int `json:"deleted" doc:"How many backups were deleted."`
}

func (e *Editors) forget(ctx context.Context, in *forgetInput) (*route.Reply[Forgotten], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.All == (len(body.Changes) > 0) {
		return nil, fault.New(fault.Invalid, "send either a list of ids as changes, or all")
	}
	n, err := e.Registrar.Forget(context.WithoutCancel(ctx), body.Changes)
	if err != nil {
		return nil, err
	}
	return route.OK(Forgotten{n})
}

type editorSettingsFields struct {
	AutoRegister *bool `json:"auto_register" nullable:"false" doc:"Whether to register editors that are detected later."`
}

type editorSettingsInput struct {
	route.Object[editorSettingsFields]
}

type editorSettings struct {
	AutoRegister bool `json:"auto_register"`
}

func (e *Editors) setSettings(_ context.Context, in *editorSettingsInput) (*route.Reply[editorSettings], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.AutoRegister == nil {
		return nil, fault.New(fault.Invalid, "auto_register is required: true or false")
	}
	_, err = e.ChangeSetting([]string{"editors", "auto_register"}, *body.AutoRegister)
	return reply(editorSettings{*body.AutoRegister}, err)
}

type reviewedInput struct {
	route.OptionalObject[pingFields]
}

func (e *Editors) review(ctx context.Context, _ *reviewedInput) (*route.Reply[map[string]string], error) {
	if err := e.Registrar.MarkReviewed(ctx); err != nil {
		return nil, err
	}
	return statusOnly("ok")
}

func (e *Editors) check(ctx context.Context, _ *struct{}) (*route.Reply[doctor.Report], error) {
	report, err := e.Check(ctx)
	if err != nil {
		return nil, err
	}
	return route.OK(report)
}
