package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// Setup holds the operations that add servers from setup files and imported databases.
type Setup struct {
	Syncer *setup.Syncer
	Import func(ctx context.Context, q setup.ImportRequest) (setup.ImportReport, error)
}

// Routes adds the operations with their handlers to a route table.
func (s *Setup) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Post("/api/sync",
		"Add the servers of a setup file; they wait for approval, unless it is the configured file or a person sends the request"), s.sync)
	route.Add(g, route.Post("/api/import",
		"Import servers, secrets, saved arguments and statistics from a database of agent-discover 1.4 or earlier"), s.importDatabase)
}

type syncFields struct {
	File string `json:"file,omitempty" doc:"Path of a setup file; the configured file by default."`
}

type syncInput struct {
	route.OptionalObject[syncFields]
}

func (s *Setup) sync(ctx context.Context, in *syncInput) (*route.Reply[setup.SyncResult], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	sync := s.Syncer.SyncUnseen
	if guard.ByPerson(ctx) {
		sync = s.Syncer.Sync
	}
	result, err := sync(ctx, body.File)
	if err != nil {
		return nil, err
	}
	return route.OK(result)
}

type importFields struct {
	Path   string            `json:"path" doc:"Absolute path of the database. It is not changed."`
	DryRun bool              `json:"dry_run,omitempty" doc:"Whether to import nothing and only return what would be imported."`
	Rename map[string]string `json:"rename,omitempty" doc:"Maps names of servers in the database to their new names."`
}

type importDatabaseInput struct{ route.Object[importFields] }

func (s *Setup) importDatabase(ctx context.Context, in *importDatabaseInput) (*route.Reply[setup.ImportReport], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	report, err := s.Import(ctx, setup.ImportRequest{
		Path: body.Path, DryRun: body.DryRun, Rename: body.Rename, Unseen: !guard.ByPerson(ctx),
	})
	if err != nil {
		return nil, err
	}
	return route.OK(report)
}
