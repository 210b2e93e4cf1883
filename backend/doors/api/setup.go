package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

func (s *server) setupRoutes(api huma.API) {
	bodyRoute(api, http.MethodPost, "/api/sync", "Bring in the servers of the setup file", s.sync)
	bodyRoute(api, http.MethodPost, "/api/import", "Bring in the original product's database", s.importDatabase)
}

// sync takes a body {"file": …} that names another file than the configured
// one; it may be missing.
func (s *server) sync(ctx context.Context, in *bodyInput) (*reply[setup.SyncResult], error) {
	var body struct {
		File string `json:"file"`
	}
	if len(in.RawBody) > 0 {
		if err := decodeObject(in.RawBody, &body); err != nil {
			return nil, err
		}
	}
	result, err := s.Setup.Sync(ctx, body.File)
	if err != nil {
		return nil, err
	}
	return ok(result)
}

func (s *server) importDatabase(ctx context.Context, in *bodyInput) (*reply[setup.ImportReport], error) {
	var body setup.ImportRequest
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	report, err := s.Importer.Import(ctx, body)
	if err != nil {
		return nil, err
	}
	return ok(report)
}
