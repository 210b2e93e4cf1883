package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/onboarding"
)

// Onboarding holds the operations that set up a new user's machine in one run.
type Onboarding struct{ Guide *onboarding.Guide }

// Routes adds the operations with their handlers to a route table.
func (o *Onboarding) Routes(t *route.Table) {
	g := t.Group("editors")
	route.Add(g, route.Get("/api/onboarding", "Retrieve what the last setup of this machine did"), o.last)
	route.Add(g, route.Post("/api/onboarding/plan",
		"Preview a setup: the editors that would get the hub's entry, and the servers that would be imported from them").MayMiss(), o.plan)
	route.Add(g, route.Post("/api/onboarding", "Set up this machine: add the hub's entry to editors, and import their servers").MayMiss(),
		o.run)
	route.Add(g, route.Get("/api/onboarding/starts",
		"Retrieve how far the first starts of the servers are that the last setup imported").MayMiss(), o.starts)
	route.Add(g, route.Post("/api/onboarding/undo",
		"Undo the last setup: restore the files of editors, and remove the imported servers").MayMiss(), o.undo)
}

type onboardingFields struct {
	Editors []string          `json:"editors,omitempty" doc:"Identifiers of the editors that get the hub's entry, none if it is empty; if it is missing, all that were detected and can be registered."`
	Expect  map[string]string `json:"expect,omitempty" doc:"Maps the path of each previewed plan to the plan's field difference or before. A file is not written if neither field of its plan has the given value any more."`
	Program string            `json:"program,omitempty" doc:"The full path of the program that the entries start, if it is another copy of agent-discover than that of the hub, such as that of the caller."`
	Servers []importer.Choice `json:"servers,omitempty" doc:"Servers to import, none if it is empty; if it is missing, all that are not configured in the hub."`
	TakeOut bool              `json:"take_out,omitempty" doc:"Whether to remove the entries of imported servers from the editors afterwards."`
	Plain   bool              `json:"plain_text,omitempty" doc:"Whether credentials may stay in the configuration in plain text if they cannot be stored as secrets. By default, servers with such credentials are not imported."`
}

func (f onboardingFields) request(ctx context.Context) onboarding.Request {
	return onboarding.Request{
		Editors: f.Editors, Expect: f.Expect, Program: f.Program, Servers: f.Servers, RemoveEntries: f.TakeOut, PlainText: f.Plain,
		Unseen: !guard.ByPerson(ctx),
	}
}

type onboardingInput struct {
	route.OptionalObject[onboardingFields]
}

func (o *Onboarding) last(context.Context, *struct{}) (*route.Reply[onboarding.SetupRun], error) {
	return reply(o.Guide.Last())
}

func (o *Onboarding) plan(ctx context.Context, in *onboardingInput) (*route.Reply[onboarding.SetupPlan], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	q := body.request(ctx)
	q.Unseen = false // a preview shows what a person's run would do
	return reply(o.Guide.Plan(ctx, q))
}

func (o *Onboarding) run(ctx context.Context, in *onboardingInput) (*route.Reply[onboarding.SetupResult], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	// Complete the change of the user's files even if the client disconnects.
	return reply(o.Guide.Run(context.WithoutCancel(ctx), body.request(ctx)))
}

func (o *Onboarding) starts(ctx context.Context, _ *struct{}) (*route.Reply[onboarding.SetupStarts], error) {
	return reply(o.Guide.Starts(ctx))
}

type onboardingUndoInput struct {
	route.OptionalObject[pingFields]
}

func (o *Onboarding) undo(ctx context.Context, _ *onboardingUndoInput) (*route.Reply[onboarding.SetupUndone], error) {
	return reply(o.Guide.Undo(context.WithoutCancel(ctx)))
}
