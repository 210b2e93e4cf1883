package openapi

import (
	"embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/api/static"
)

//go:embed docs/docs.css
var docsFiles embed.FS

// Handlers returns the handlers of the documentation by their paths: the OpenAPI document of the REST API, the AsyncAPI
// document of the WebSocket, and a page without scripts that shows both. Each is rendered on the first request, so all
// operations must have been declared by then.
func Handlers(table *route.Table, channel Channel) map[string]http.HandlerFunc {
	doc := sync.OnceValue(func() *huma.OpenAPI { return complete(table) })
	encoded := func(document any) static.File {
		content, err := json.Marshal(document)
		if err != nil {
			content = []byte("{}") // cannot happen: a test reads the whole document
		}
		return static.NewFile(content, ".json")
	}
	return map[string]http.HandlerFunc{
		"/openapi.json":  lazily(func() static.File { return encoded(doc()) }),
		"/asyncapi.json": lazily(func() static.File { return encoded(channel.asyncDocument(doc().Info.Version)) }),
		"/docs":          lazily(func() static.File { return static.NewFile(renderPage(doc(), channel), ".html") }),
		"/docs.css": lazily(func() static.File {
			content, _ := docsFiles.ReadFile("docs/docs.css") // cannot fail: the file is embedded
			return static.NewFile(content, ".css")
		}),
	}
}

func lazily(render func() static.File) http.HandlerFunc {
	once := sync.OnceValue(render)
	return func(w http.ResponseWriter, r *http.Request) { once().ServeHTTP(w, r) }
}

// The contents of the documentation page.
type (
	docPage struct {
		Title, Version string
		Intro          []string
		Groups         []docGroup
		Channel        docChannel
		Schemas        []docSchema
	}
	docChannel struct {
		Limits   string
		Messages []docMessage
	}
	docMessage struct {
		Name, Description string
		FromClient        bool
		Fields            []docField
	}
	docGroup struct {
		Name, Description string
		Operations        []docOperation
	}
	docOperation struct {
		ID, Method, Path, Summary string
		Public                    bool
		Parameters, Body          []docField
		BodyOptional              bool
		Answers                   []docAnswer
	}
	docField struct {
		Name, In, Type, Ref, Doc string
		Required                 bool
	}
	docAnswer struct{ Status, Text, Type, Ref string }
	docSchema struct {
		Name   string
		Fields []docField
	}
)

func renderPage(doc *huma.OpenAPI, channel Channel) []byte {
	shown := docPage{
		Title: doc.Info.Title, Version: doc.Info.Version, Intro: strings.Split(strings.ReplaceAll(doc.Info.Description, "`", ""), "\n\n"),
	}
	schemas := doc.Components.Schemas
	all := huma.NewMapRegistry("#/components/schemas/", schemaName) // a new registry, so that the document does not change
	shown.Channel = channel.show(all)
	maps.Copy(all.Map(), schemas.Map())
	for _, tag := range doc.Tags {
		group := docGroup{Name: tag.Name, Description: tag.Description}
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
				if op := *operations(doc.Paths[path])[method]; op != nil && op.Tags[0] == tag.Name {
					group.Operations = append(group.Operations, showOperation(doc.Components, op))
				}
			}
		}
		if len(group.Operations) > 0 {
			shown.Groups = append(shown.Groups, group)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all.Map())) {
		shown.Schemas = append(shown.Schemas, docSchema{name, fieldsOf(all.Map()[name])})
	}
	return shown.html()
}

func showOperation(shared *huma.Components, op *huma.Operation) docOperation {
	shown := docOperation{
		ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Public: len(op.Security[0]) == 0,
	}
	for _, p := range op.Parameters {
		kind, ref := typeOf(p.Schema)
		shown.Parameters = append(shown.Parameters, docField{p.Name, p.In, kind, ref, p.Schema.Description, p.Required})
	}
	if op.RequestBody != nil {
		schema := op.RequestBody.Content["application/json"].Schema
		if schema.Ref != "" {
			schema = shared.Schemas.SchemaFromRef(schema.Ref)
		}
		shown.Body, shown.BodyOptional = fieldsOf(schema), !op.RequestBody.Required
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		if response.Ref != "" {
			response = shared.Responses[strings.TrimPrefix(response.Ref, responsePrefix)]
		}
		answer := docAnswer{Status: status, Text: response.Description}
		if media := response.Content["application/json"]; media != nil {
			answer.Type, answer.Ref = typeOf(media.Schema)
		}
		shown.Answers = append(shown.Answers, answer)
	}
	return shown
}

func fieldsOf(schema *huma.Schema) []docField {
	var out []docField
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		kind, ref := typeOf(property)
		out = append(out, docField{name, "", kind, ref, property.Description, slices.Contains(schema.Required, name)})
	}
	return out
}

// typeOf describes the type of a schema in words. ref is the name of the schema to which the page links the words, if
// any.
func typeOf(schema *huma.Schema) (kind, ref string) {
	if schema == nil {
		return "anything", ""
	}
	if name := strings.TrimPrefix(schema.Ref, "#/components/schemas/"); name != "" {
		return name, name
	}
	switch of, nested := schema.AdditionalProperties.(*huma.Schema); {
	case schema.Type == huma.TypeArray:
		kind, ref = typeOf(schema.Items)
		return "list of " + kind, ref
	case nested:
		kind, ref = typeOf(of)
		return "map of " + kind, ref
	case len(schema.Enum) > 0:
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			values[i], _ = v.(string)
		}
		return strings.Join(values, " · "), ""
	case schema.Type == "":
		return "anything", ""
	}
	return schema.Type, ""
}
