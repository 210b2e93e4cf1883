package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
)

// SyncFolder holds the operations that synchronize this machine with a folder.
type SyncFolder struct{ Keeper *syncfolder.Keeper }

// Routes adds the operations with their handlers to a route table.
func (s *SyncFolder) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/api/sync/folder", "The folder through which this machine and others of the user are kept the same").MayMiss(),
		func(context.Context, *struct{}) (*route.Reply[syncfolder.SyncFolder], error) {
			return reply(s.Keeper.Folder())
		})
	route.Add(g, route.Put("/api/sync/folder", "Synchronize with a folder from now on. Nothing is synchronized yet"), s.init)
	route.Add(g, route.Post("/api/sync/folder",
		"Merge the changes of this machine and of the folder. What changes this machine needs a person, and otherwise waits").MayMiss(), s.sync)
	route.Add(g, route.Delete("/api/sync/folder", "Stop synchronizing. The folder and this machine keep what they have").MayMiss(),
		func(context.Context, *struct{}) (*route.Reply[syncfolder.SyncFolder], error) {
			return reply(s.Keeper.Stop())
		})
}

type syncFolderInitFields struct {
	Path string `json:"path" doc:"Absolute path of the folder. It is created if it does not exist."`
}

type syncFolderInitInput struct {
	route.Object[syncFolderInitFields]
}

func (s *SyncFolder) init(_ context.Context, in *syncFolderInitInput) (*route.Reply[syncfolder.SyncFolder], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return reply(s.Keeper.Init(body.Path))
}

type syncFolderFields struct {
	DryRun    bool     `json:"dry_run,omitempty" doc:"Whether to change nothing and only return what would be done."`
	Hash      string   `json:"hash,omitempty" doc:"Hash that a dry run has returned; a person's request needs it if this machine is changed."`
	Mine      []string `json:"mine,omitempty" doc:"Names of objects whose conflicts are decided for this machine, as NAME or KIND/NAME."`
	Theirs    []string `json:"theirs,omitempty" doc:"Names of objects whose conflicts are decided for the folder."`
	Deletions bool     `json:"deletions,omitempty" doc:"Whether objects are deleted even if many are missing on one side."`
}

type syncFolderInput struct {
	route.OptionalObject[syncFolderFields]
}

func (s *SyncFolder) sync(ctx context.Context, in *syncFolderInput) (*route.Reply[syncfolder.Synced], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	return reply(s.Keeper.Sync(ctx, syncfolder.Request{
		DryRun: body.DryRun, Hash: body.Hash, Mine: body.Mine, Theirs: body.Theirs, Deletions: body.Deletions, Unseen: !guard.ByPerson(ctx),
	}))
}
