package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/backup"
)

// Backup holds the operations that export and import everything that a person has configured.
type Backup struct{ Keeper *backup.Keeper }

// Routes adds the operations with their handlers to a route table.
func (b *Backup) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Post("/api/export",
		"Export servers, toolsets, personas, approvals of calls, learned queries and settings; secrets only for a person, and encrypted"),
		b.export)
	route.Add(g, route.Post("/api/export/import",
		"Import an export. What exists already is kept, unless the request says otherwise. Without a person, only servers are added, "+
			"which wait for approval").MayMiss(), b.importFile)
}

type exportFields struct {
	Passphrase string `json:"passphrase,omitempty" doc:"Passphrase with which secrets are encrypted; without it, they are left out."`
}

type exportEverythingInput struct {
	route.OptionalObject[exportFields]
}

func (b *Backup) export(ctx context.Context, in *exportEverythingInput) (*route.Reply[backup.Export], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Passphrase != "" {
		if err := guard.RequirePerson(ctx,
			"only a person can export secrets; run in a terminal: agent-discover export --secrets FILE"); err != nil {
			return nil, err
		}
	}
	e, err := b.Keeper.Export(ctx, body.Passphrase)
	return reply(e, err)
}

type importExportFields struct {
	Path       string `json:"path" doc:"Absolute path of the export. It is not changed."`
	Hash       string `json:"hash,omitempty" doc:"Hash that a dry run has returned. If the file has changed since, nothing is imported."`
	DryRun     bool   `json:"dry_run,omitempty" doc:"Whether to import nothing and only return what would be imported."`
	Conflicts  string `json:"conflicts,omitempty" enum:"skip,rename,replace" doc:"How to import objects whose names exist already and mean something else: skip (the default), rename (add under a new name) or replace (only for a person)."`
	Passphrase string `json:"passphrase,omitempty" doc:"Passphrase of the secrets in the export; without it, they are not imported."`
}

type importExportInput struct {
	route.Object[importExportFields]
}

func (b *Backup) importFile(ctx context.Context, in *importExportInput) (*route.Reply[backup.ImportedExport], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	report, err := b.Keeper.Import(ctx, backup.Request{
		Path: body.Path, Hash: body.Hash, DryRun: body.DryRun, Conflicts: body.Conflicts, Passphrase: body.Passphrase,
		Unseen: !guard.ByPerson(ctx),
	})
	return reply(report, err)
}
