package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Results holds the operations on the folder for files of long results.
type Results struct {
	Folder func() string
	Choose func(entered string) (folder string, err error) // writes the folder to the settings file
}

// Routes adds the operations with their handlers to a route table.
func (r *Results) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/api/results", "Retrieve the folder in which agents may save files of long results"), r.get)
	route.Add(g, route.Put("/api/results",
		"Choose the folder in which agents may save files of long results; only a person may do this"), r.set)
}

type resultsFields struct {
	Folder string `json:"folder" doc:"Folder in which agents may save images, sounds and files of long results; empty if agents may save nothing."`
}

func (r *Results) get(context.Context, *struct{}) (*route.Reply[resultsFields], error) {
	return route.OK(resultsFields{r.Folder()})
}

type resultsInput struct{ route.Object[resultsFields] }

func (r *Results) set(ctx context.Context, in *resultsInput) (*route.Reply[resultsFields], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx, "only a person can choose where agents save files; use the dashboard"); err != nil {
		return nil, err
	}
	folder, err := r.Choose(body.Folder)
	return reply(resultsFields{folder}, err)
}
