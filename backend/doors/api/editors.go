package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// EditorList is the editors of this machine.
type EditorList struct {
	Editors      []registration.Status `json:"editors" nullable:"false"`
	AutoRegister bool                  `json:"auto_register" doc:"whether editors that are found from now on get our entry"`
	Entry        EditorEntry           `json:"entry" doc:"what our entry starts"`
}

// EditorEntry is what our entry in an editor starts.
type EditorEntry struct {
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args" nullable:"false"`
	Env     map[string]string `json:"env,omitempty"`
}

type editorsInput struct {
	All bool     `query:"all" doc:"those too that were not found here"`
	Env []string `query:"env,explode" doc:"NAME=VALUE: variables that move editors' files, as the asking person has them"`
}

type editorInput struct {
	Editor string `query:"editor" doc:"an editor's id; all if not said"`
}

// Plans are changes of editors' files that were not made yet.
type Plans struct {
	Plans []registration.Plan `json:"plans" nullable:"false"`
}

// Outcomes are what became of editors' files.
type Outcomes struct {
	Outcomes []registration.Outcome `json:"outcomes" nullable:"false"`
}

// EditorHistory is the changes that were made in editors' files.
type EditorHistory struct {
	Changes []registration.Record `json:"changes" nullable:"false" doc:"the last first"`
}

type editorSettings struct {
	AutoRegister bool `json:"auto_register"`
}

func (s *server) editorRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/editors", "The AI editors of this machine, and whether our entry is in them", s.editors)
	bodyRoute(api, http.MethodPost, "/api/editors/plan", "Show what would be changed in editors' files", s.planEditors)
	bodyRoute(api, http.MethodPost, "/api/editors/register", "Put our entry into editors, or mend it there", s.applyTo(registration.Register))
	bodyRoute(api, http.MethodPost, "/api/editors/unregister", "Take our entry out of editors", s.applyTo(registration.Unregister))
	bodyRoute(api, http.MethodPost, "/api/editors/undo", "Take changes of editors' files back", s.undoEditors)
	route(api, http.MethodGet, "/api/editors/history", "The changes that were made in editors' files", s.editorHistory)
	bodyRoute(api, http.MethodPut, "/api/editors/settings", "Say whether editors that are found from now on get our entry", s.setEditors)
	bodyRoute(api, http.MethodPost, "/api/editors/reviewed", "Note that the editors which are here have been seen", s.reviewedEditors)
	route(api, http.MethodGet, "/api/editors/checkup", "What editors' tools cost, and what is wrong with their set-ups", s.checkEditors)
}

func (s *server) editors(ctx context.Context, in *editorsInput) (*reply[EditorList], error) {
	environment := make(map[string]string)
	for _, variable := range in.Env {
		if name, value, ok := strings.Cut(variable, "="); ok {
			environment[name] = value
		}
	}
	list, err := s.Registrar.Status(ctx, in.All, environment)
	if err != nil {
		return nil, err
	}
	entry := s.Registrar.Entry()
	return ok(EditorList{
		Editors: list, AutoRegister: s.Registrar.AutoRegisters(),
		Entry: EditorEntry{Name: registration.Name, Command: entry.Command, Args: entry.Args, Env: entry.Env},
	})
}

// editorWish is the body of a request that names editors.
type editorWish struct {
	Action      registration.Action `json:"action"`
	Editors     []string            `json:"editors"`
	All         bool                `json:"all"`
	Project     string              `json:"project"`
	Replace     bool                `json:"replace"`
	Expect      map[string]string   `json:"expect"`
	Environment map[string]string   `json:"environment"`
	Changes     []string            `json:"changes"`
}

func (w editorWish) of(action registration.Action) (registration.Request, error) {
	if len(w.Editors) == 0 && !w.All {
		return registration.Request{}, fault.New(fault.Invalid, "say which editors: a list of ids as editors, or all")
	}
	return registration.Request{
		Action: action, Editors: w.Editors, All: w.All, Project: w.Project, Replace: w.Replace,
		Expect: w.Expect, Environment: w.Environment, By: "person",
	}, nil
}

func (s *server) planEditors(ctx context.Context, in *bodyInput) (*reply[Plans], error) {
	var body editorWish
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	plans, err := s.plan(ctx, body)
	if err != nil {
		return nil, err
	}
	return ok(Plans{plans})
}

func (s *server) plan(ctx context.Context, body editorWish) ([]registration.Plan, error) {
	switch body.Action {
	case registration.Undo:
		return s.Registrar.PlanUndo(ctx, body.Changes)
	case registration.Register, registration.Unregister:
		wish, err := body.of(body.Action)
		if err != nil {
			return nil, err
		}
		return s.Registrar.Plan(ctx, wish)
	}
	return nil, fault.New(fault.Invalid, "action must be register, unregister or undo")
}

func (s *server) applyTo(action registration.Action) func(context.Context, *bodyInput) (*reply[Outcomes], error) {
	return func(ctx context.Context, in *bodyInput) (*reply[Outcomes], error) {
		var body editorWish
		if err := decodeObject(in.RawBody, &body); err != nil {
			return nil, err
		}
		wish, err := body.of(action)
		if err != nil {
			return nil, err
		}
		// What has begun in a file of the user's is carried through, also when
		// the page that asked for it has gone.
		outcomes, err := s.Registrar.Apply(context.WithoutCancel(ctx), wish)
		if err != nil {
			return nil, err
		}
		return ok(Outcomes{outcomes})
	}
}

func (s *server) undoEditors(ctx context.Context, in *bodyInput) (*reply[Outcomes], error) {
	var body editorWish
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if len(body.Changes) == 0 {
		return nil, fault.New(fault.Invalid, "say which changes: a list of ids as changes")
	}
	outcomes, err := s.Registrar.Undo(context.WithoutCancel(ctx), body.Changes)
	if err != nil {
		return nil, err
	}
	return ok(Outcomes{outcomes})
}

func (s *server) editorHistory(ctx context.Context, in *editorInput) (*reply[EditorHistory], error) {
	changes, err := s.Registrar.History(ctx, in.Editor)
	if err != nil {
		return nil, err
	}
	return ok(EditorHistory{changes})
}

func (s *server) setEditors(_ context.Context, in *bodyInput) (*reply[editorSettings], error) {
	var body struct {
		AutoRegister *bool `json:"auto_register"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if body.AutoRegister == nil {
		return nil, fault.New(fault.Invalid, "auto_register is required: true or false")
	}
	if err := s.KeepSetting([]string{"editors", "auto_register"}, *body.AutoRegister); err != nil {
		return nil, err
	}
	s.Registrar.SetAuto(*body.AutoRegister)
	return ok(editorSettings{*body.AutoRegister})
}

func (s *server) reviewedEditors(ctx context.Context, _ *bodyInput) (*reply[map[string]string], error) {
	if err := s.Registrar.MarkReviewed(ctx); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "ok"})
}

func (s *server) checkEditors(ctx context.Context, _ *struct{}) (*reply[doctor.Report], error) {
	report, err := s.Doctor.Run(ctx)
	if err != nil {
		return nil, err
	}
	return ok(report)
}

// editorsMessage says that the state of editors may be another.
func editorsMessage() any {
	return struct {
		Type string `json:"type"`
	}{"editors"}
}
