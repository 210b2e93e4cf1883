package operations

import (
	"context"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// EditorImport holds the operations that import servers from editors, pasted texts and bundles, and export servers in
// the format of an editor.
type EditorImport struct {
	Importer *importer.Importer
}

// Routes adds the operations with their handlers to a route table.
func (e *EditorImport) Routes(t *route.Table) {
	g := t.Group("editors")
	route.Add(g, route.Get("/api/editors/servers", "List servers that are configured in editors and can be imported").MayMiss(), e.servers)
	route.Add(g, route.Post("/api/editors/scan", "List servers in a pasted configuration or in a bundle").MayMiss(), e.scan)
	route.Add(g, route.Post("/api/editors/import", "Import servers from editors, a pasted configuration or a bundle").MayMiss(),
		e.importServers)
	route.Add(g, route.Get("/api/editors/export", "Export servers in the configuration format of an editor").MayMiss(), e.export)
}

func (e *EditorImport) servers(ctx context.Context, in *editorInput) (*route.Reply[importer.Scan], error) {
	var ids []string
	if in.Editor != "" {
		ids = []string{in.Editor}
	}
	found, err := e.Importer.Scan(ctx, ids)
	if err != nil {
		return nil, err
	}
	return route.OK(found)
}

type scanFields struct {
	Text   string `json:"text,omitempty" doc:"Configuration of any MCP client, a part of one, or a command line."`
	Bundle string `json:"bundle,omitempty" doc:"Absolute path of an .mcpb or .dxt file. Send either text or bundle."`
}

type scanInput struct{ route.Object[scanFields] }

// Scanned is the result of a scan: the servers in a pasted configuration or a bundle.
type Scanned struct {
	importer.Scan
	Questions []importer.Question `json:"questions" nullable:"false" doc:"Questions that the bundle asks the user, about values such as an API key."`
}

func (e *EditorImport) scan(ctx context.Context, in *scanInput) (*route.Reply[Scanned], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	out := Scanned{Questions: []importer.Question{}}
	switch {
	case (body.Text == "") == (body.Bundle == ""):
		err = fault.New(fault.Invalid, "send either text or the path of a bundle")
	case body.Bundle != "":
		out.Scan, out.Questions, err = e.Importer.ScanBundle(ctx, body.Bundle)
	default:
		out.Scan, err = e.Importer.ScanText(ctx, body.Text)
	}
	if err != nil {
		return nil, err
	}
	return route.OK(out)
}

type intakeFields struct {
	Servers []importer.Choice `json:"servers,omitempty" doc:"Servers to import; by default all that are not configured in the hub."`
	TakeOut bool              `json:"take_out,omitempty" doc:"Whether to remove the entries of imported servers from the editors afterwards."`
	Plain   bool              `json:"plain_text,omitempty" doc:"Whether credentials may stay in the configuration in plain text if they cannot be stored as secrets. By default, servers with such credentials are not imported."`
	Text    string            `json:"text,omitempty" doc:"Pasted configuration to import from, instead of the editors."`
	Bundle  string            `json:"bundle,omitempty" doc:"Absolute path of an .mcpb or .dxt file to import from, instead of the editors."`
	Values  map[string]string `json:"values,omitempty" doc:"Answers to the bundle's questions, by key."`
	DryRun  bool              `json:"dry_run,omitempty" doc:"Whether to import nothing and only return what would be imported."`
}

type importServersInput struct{ route.Object[intakeFields] }

func (e *EditorImport) importServers(ctx context.Context, in *importServersInput) (*route.Reply[importer.Report], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	// Complete the change of the user's files even if the client disconnects.
	report, err := e.Importer.Import(context.WithoutCancel(ctx), importer.Request{
		Choices: body.Servers, RemoveEntries: body.TakeOut, PlainText: body.Plain, Text: body.Text, Bundle: body.Bundle,
		Values: body.Values,
		Unseen: !body.DryRun && !guard.ByPerson(ctx),
	}, body.DryRun)
	if err != nil {
		return nil, err
	}
	return route.OK(report)
}

type exportServersInput struct {
	Editor  string `query:"editor" doc:"Identifier of an editor."`
	Servers string `query:"servers" doc:"Names of servers, separated by commas; all by default."`
}

func (e *EditorImport) export(ctx context.Context, in *exportServersInput) (*route.Reply[importer.Exported], error) {
	if in.Editor == "" {
		return nil, fault.New(fault.Invalid, "no editor given: send its id as editor")
	}
	var names []string
	for name := range strings.SplitSeq(in.Servers, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	exported, err := e.Importer.Export(ctx, in.Editor, names)
	if err != nil {
		return nil, err
	}
	return route.OK(exported)
}
