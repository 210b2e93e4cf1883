// Package openapi describes the REST API: as an OpenAPI document at /openapi.json, and as a page for people at /docs.
// Both are made from the declarations in package route. The description of an operation or field is beside its
// declaration; this package contains only the descriptions of the whole API.
package openapi

import (
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

const introduction = `The API of the Agent Discover hub. The dashboard, the tray icon, the command line and scripts use it.

The hub listens on the loopback address of this machine only. Send the header that ` + "`agent-discover token --header`" + ` prints,
` + "`Authorization: Bearer …`" + `, but do not pass it to a program as an argument, which other users of the machine can see:
` + "`agent-discover token --header | curl -H @- …`" +
	`. Request bodies are JSON objects of at most 131,072 bytes. Every error response is an object with
two members: error, a text for people, and code, the kind of error for programs.

Events are pushed over a WebSocket at / or /ws. Open it with the token, or with a ticket for the purpose socket as
` + "`?ticket=…`" + `. The first message contains the whole state. After a change, a message contains all servers again or, with
` + "`?deltas=changed`" + `, the servers that changed and the names of all. With ` + "`?tools=none`" + ` no tools are sent;
instead each server has tools_rev, a number that changes when its tools change. With ` + "`?hub=1`" + ` messages of type hub
report whether all servers are paused, the number of calls in flight and the connected clients. Send
` + "`{\"type\":\"follow\",\"server\":NAME}`" +
	` to receive the standard error of a server as messages of type output, and unfollow to stop.
All messages are described below, and in the AsyncAPI document at /asyncapi.json.`

// tags are the groups of operations, in the order in which the page shows them.
var tags = []*huma.Tag{
	{Name: "hub", Description: "The hub: status, clients, setup, and pausing or stopping it."},
	{Name: "sessions", Description: "Tickets and sessions, with which browsers get access."},
	{Name: "tokens", Description: "Tokens of MCP clients that connect over HTTP."},
	{Name: "toolsets", Description: "Named lists of tools across servers, and the toolset that each client has equipped."},
	{Name: "trust", Description: "Tools, prompts, resources and instructions of servers: approved, or held until a person decides."},
	{Name: "personas", Description: "Folders and archives with the servers and toolsets for a kind of work."},
	{Name: "servers", Description: "Configured MCP servers."},
	{Name: "tools", Description: "Tools of all servers, whether these run or not, and how they are found."},
	{Name: "tester", Description: "Direct requests to one server, configured or temporary."},
	{Name: "secrets", Description: "Credentials of servers. Values are never returned."},
	{Name: "journal", Description: "Recorded calls and statistics about them."},
	{Name: "editors", Description: "AI editors on this machine: the hub's entry in them, and the servers configured in them."},
	{Name: "marketplace", Description: "Servers published by others."},
}

// Documents returns a function that returns new documents without operations.
func Documents(version string) func() *huma.OpenAPI {
	return func() *huma.OpenAPI { return newDocument(version) }
}

func newDocument(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Agent Discover", Version: version, Description: introduction},
		Tags:    tags,
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {
					Type: "http", Scheme: "bearer",
					Description: "The token of the hub, which is new at each start, or the token of a session.",
				},
			},
		},
	}
}

// schemaPrefixes maps package names to prefixes for the schemas of their types. Without a prefix, the names of these
// schemas would be ambiguous.
var schemaPrefixes = map[string]string{
	"registration": "Editor", "importer": "EditorImport", "doctor": "EditorDoctor",
	"marketplace": "Market", "federation": "Market", "listing": "Market", "installer": "Install", "plan": "Plan",
	"prerequisites": "Program", "updates": "Update",
}

func schemaName(t reflect.Type, hint string) string {
	of := t
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	name, prefix := huma.DefaultSchemaNamer(t, hint), schemaPrefixes[path.Base(of.PkgPath())]
	if strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + name
}

// complete returns the document of a table, with the tags, security, bodies and error responses that huma does not
// generate.
func complete(table *route.Table) *huma.OpenAPI {
	doc := table.Document()
	doc.Components.Responses = make(map[string]*huma.Response)
	for path, item := range doc.Paths {
		for method, op := range operations(item) {
			if *op != nil {
				declared, _ := table.Find(method, path)
				completed := completeOperation(doc.Components, declared, **op)
				*op = &completed
			}
		}
	}
	return doc
}

func operations(item *huma.PathItem) map[string]**huma.Operation {
	return map[string]**huma.Operation{
		http.MethodGet: &item.Get, http.MethodPost: &item.Post, http.MethodPut: &item.Put, http.MethodDelete: &item.Delete,
	}
}

func completeOperation(shared *huma.Components, declared route.Operation, op huma.Operation) huma.Operation {
	schemas := shared.Schemas
	op.Tags = []string{declared.Tag}
	op.Security = []map[string][]string{{"token": {}}}
	if !declared.NeedsToken {
		op.Security = []map[string][]string{{}}
	}
	if declared.BodyType != nil {
		op.RequestBody = &huma.RequestBody{
			Required: !declared.BodyOptional,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: openSchema(schemas, declared.BodyType)}},
		}
	}
	responses := make(map[string]*huma.Response)
	if declared.ReplyType != nil {
		schema := openSchema(schemas, declared.ReplyType)
		op.Responses = map[string]*huma.Response{"200": {
			Description: outcomes[http.StatusOK], Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}}
	}
	for status, r := range op.Responses {
		if status == "200" {
			status = strconv.Itoa(declared.Status)
			r = &huma.Response{Description: outcomes[declared.Status], Content: r.Content}
		}
		if status != "default" {
			responses[status] = r
		}
	}
	for _, status := range failures(declared) {
		responses[strconv.Itoa(status)] = failureResponse(shared, status)
	}
	op.Responses = responses
	return op
}

// openSchema returns the schema of an object that may have unknown members: a request body, in which they are ignored,
// or the answer of a server, which is passed on unchanged.
func openSchema(schemas huma.Registry, of reflect.Type) *huma.Schema {
	ref := schemas.Schema(of, true, of.Name())
	schemas.SchemaFromRef(ref.Ref).AdditionalProperties = true
	return ref
}

// outcomes maps the statuses of responses to their descriptions.
var outcomes = map[int]string{
	http.StatusOK:       "The operation succeeded.",
	http.StatusCreated:  "The object was created.",
	http.StatusAccepted: "The operation was started and continues in the background.",

	http.StatusBadRequest:            "The request is malformed, or a value in it is invalid.",
	http.StatusUnauthorized:          "The request has no valid token, ticket or signature.",
	http.StatusForbidden:             "The sender of the request is not allowed to do this, or an approval is missing.",
	http.StatusNotFound:              "The path, or an object that the request names, does not exist.",
	http.StatusRequestTimeout:        "The body of the request did not arrive in time.",
	http.StatusConflict:              "The request conflicts with an existing object, or with a change that was made in the meantime.",
	http.StatusRequestEntityTooLarge: "The body of the request is too large.",
	http.StatusUnprocessableEntity:   "The request is well-formed, but a value in it is invalid.",
	http.StatusTooManyRequests:       "Too many operations are in progress; try again later.",
	http.StatusInternalServerError:   "The hub, a server or another program failed.",
	http.StatusServiceUnavailable:    "A program or service that the operation needs is not available now, or too many requests are being served.",
}

// failures returns the statuses with which an operation may fail.
func failures(o route.Operation) []int {
	out := []int{
		http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity,
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}
	if o.NeedsToken || o.Tag == "sessions" { // operations on sessions may need a ticket or a signature instead of a token
		out = append(out, http.StatusUnauthorized)
	}
	if strings.Contains(o.Path, "{") || o.MayBeMissing {
		out = append(out, http.StatusNotFound)
	}
	if o.Method == http.MethodPost || o.Method == http.MethodPut {
		out = append(out, http.StatusConflict, http.StatusRequestTimeout)
	}
	return out
}

// failureResponse returns a reference to the error response with a status. All operations share these responses.
func failureResponse(shared *huma.Components, status int) *huma.Response {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	if shared.Responses[name] == nil {
		content := map[string]*huma.MediaType{
			"application/json": {Schema: shared.Schemas.Schema(reflect.TypeFor[route.Failure](), true, "")},
		}
		if status == http.StatusBadRequest || status == http.StatusNotFound { // the guard refuses malformed paths with plain text
			content["text/plain"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		}
		shared.Responses[name] = &huma.Response{Description: outcomes[status], Content: content}
	}
	return &huma.Response{Ref: responsePrefix + name}
}

const responsePrefix = "#/components/responses/"
