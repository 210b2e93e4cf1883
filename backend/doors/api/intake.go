package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// Scanned is what a pasted text or a bundle holds.
type Scanned struct {
	importer.Scan
	Questions []importer.Question `json:"questions" nullable:"false" doc:"what a bundle asks the user for"`
}

type exportEditorInput struct {
	Editor  string `query:"editor" doc:"an editor's id"`
	Servers string `query:"servers" doc:"names, with commas between; all if not said"`
}

func (s *server) intakeRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/editors/servers", "The servers that editors have and that may come in", s.editorServers)
	bodyRoute(api, http.MethodPost, "/api/editors/scan", "The servers in a pasted text or in a bundle", s.scan)
	bodyRoute(api, http.MethodPost, "/api/editors/import", "Bring in servers of editors, of a text or of a bundle", s.importServers)
	route(api, http.MethodGet, "/api/editors/export", "Servers as an editor's configuration holds them", s.exportTo)
}

func (s *server) editorServers(ctx context.Context, in *editorInput) (*reply[importer.Scan], error) {
	var ids []string
	if in.Editor != "" {
		ids = []string{in.Editor}
	}
	found, err := s.Intake.Scan(ctx, ids)
	if err != nil {
		return nil, err
	}
	return ok(found)
}

func (s *server) scan(ctx context.Context, in *bodyInput) (*reply[Scanned], error) {
	var body struct {
		Text   string `json:"text"`
		Bundle string `json:"bundle"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	out := Scanned{Questions: []importer.Question{}}
	var err error
	switch {
	case (body.Text == "") == (body.Bundle == ""):
		err = fault.New(fault.Invalid, "give a text or the path of a bundle, and not both")
	case body.Bundle != "":
		out.Scan, out.Questions, err = s.Intake.ScanBundle(ctx, body.Bundle)
	default:
		out.Scan, err = s.Intake.ScanText(ctx, body.Text)
	}
	if err != nil {
		return nil, err
	}
	return ok(out)
}

func (s *server) importServers(ctx context.Context, in *bodyInput) (*reply[importer.Report], error) {
	var body struct {
		importer.Request
		DryRun bool `json:"dry_run"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	report, err := s.Intake.Import(context.WithoutCancel(ctx), body.Request, body.DryRun)
	if err != nil {
		return nil, err
	}
	return ok(report)
}

func (s *server) exportTo(ctx context.Context, in *exportEditorInput) (*reply[importer.Exported], error) {
	if in.Editor == "" {
		return nil, fault.New(fault.Invalid, "say for which editor: its id as editor")
	}
	var names []string
	for name := range strings.SplitSeq(in.Servers, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	exported, err := s.Intake.Export(ctx, in.Editor, names)
	if err != nil {
		return nil, err
	}
	return ok(exported)
}
