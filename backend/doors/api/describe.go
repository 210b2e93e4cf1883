package api

import (
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const introduction = `The interface of the hub: window, tray, command line and scripts use it and nothing else.

It listens on this machine's loopback address only. Send the token of ` + "`agent-discover token`" + ` as
` + "`Authorization: Bearer …`" + `. Every error is an object with one member, error: what happened and what to do.
Bodies are JSON objects of at most 131,072 bytes.

What happens is pushed over a WebSocket at / or /ws, opened with the token or with a ticket of the purpose socket as
` + "`?ticket=…`" + `. The first message is the whole state; a change sends all servers again, or with ` + "`?deltas=changed`" + `
those that changed and the names of all. Where all tools together are over 256 kB, a change leaves tools out of servers
whose tools have not changed; with ` + "`?tools=none`" + ` none are sent, but of each server tools_rev, which changes when its tools do.
With ` + "`?hub=1`" + ` there is a message hub, too: whether all servers are paused, the calls in flight, the connected clients. After
` + "`{\"type\":\"follow\",\"server\":NAME}`" + ` comes what a server's process writes to standard error, as messages output, until unfollow.`

// tags group the operations, in the order in which they are shown.
var tags = []*huma.Tag{
	{Name: "hub", Description: "The hub itself"},
	{Name: "sessions", Description: "How a browser comes in"},
	{Name: "servers", Description: "Configured MCP servers"},
	{Name: "tools", Description: "What all servers offer, running or not"},
	{Name: "tester", Description: "Ask one server directly"},
	{Name: "secrets", Description: "Credentials of servers; values are never shown"},
	{Name: "journal", Description: "What was called, and how it went"},
	{Name: "editors", Description: "AI editors of this machine: our entry in them, and their servers"},
	{Name: "marketplace", Description: "Servers that others publish"},
}

// tagOf returns the group of a path.
func tagOf(path string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	_, part, _ := strings.Cut(rest, "/") // after a server's id
	part, _, _ = strings.Cut(part, "/")
	switch {
	case first == "tickets" || first == "session":
		return "sessions"
	case first == "tools" || first == "find" || first == "search" || first == "learned" || first == "context":
		return "tools"
	case first == "logs" || first == "metrics" || part == "metrics":
		return "journal"
	case first == "secrets" || part == "secrets" || part == "links":
		return "secrets"
	case first == "transient" || first == "presets" || first == "elicitations":
		return "tester"
	case first == "editors":
		return "editors"
	case first == "browse" || first == "npm-check":
		return "marketplace"
	case first != "servers":
		return "hub"
	case slices.Contains([]string{"", "activate", "deactivate", "approve", "refresh", "preinstall", "health", "reset-errors", "output"}, part):
		return "servers"
	}
	return "tester"
}

// namers are the operations that are told a name elsewhere than in their path,
// and may not find it.
var namers = []string{
	"GET /api/npm-check", "POST /api/secrets/migrate", "POST /api/editors/plan", "POST /api/editors/register", "POST /api/editors/unregister",
	"POST /api/editors/undo", "GET /api/editors/history", "GET /api/editors/servers", "GET /api/editors/export", "POST /api/editors/scan", "POST /api/editors/import",
}

// created are the operations that answer with 201.
var created = []string{"POST /api/servers", "POST /api/tickets", "POST /api/transient", "POST /api/presets"}

func emptyDocument(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Agent Discover", Version: version, Description: introduction},
		Tags:    tags,
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer", Description: "the hub's own token, new at each start, or a session's"},
			},
		},
	}
}

// schemasOf begins the names of types of rooms whose types have short names, which alone would say little in the
// document.
var schemasOf = map[string]string{"registration": "Editor", "importer": "EditorImport", "doctor": "EditorDoctor"}

func schemaName(t reflect.Type, hint string) string {
	of := t
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return schemasOf[path.Base(of.PkgPath())] + huma.DefaultSchemaNamer(t, hint)
}

// complete returns the document with all that routes do not say themselves. It
// leaves the one that routes work by as it is.
func complete(routes *huma.OpenAPI) *huma.OpenAPI {
	doc := *routes
	doc.Paths = make(map[string]*huma.PathItem, len(routes.Paths))
	for path, item := range routes.Paths {
		full := *item
		for method, op := range operations(&full) {
			if *op != nil {
				completed := completeOperation(doc.Components.Schemas, method, path, **op)
				*op = &completed
			}
		}
		doc.Paths[path] = &full
	}
	return &doc
}

func operations(item *huma.PathItem) map[string]**huma.Operation {
	return map[string]**huma.Operation{
		http.MethodGet: &item.Get, http.MethodPost: &item.Post, http.MethodPut: &item.Put, http.MethodDelete: &item.Delete,
	}
}

func completeOperation(schemas huma.Registry, method, path string, op huma.Operation) huma.Operation {
	op.Tags = []string{tagOf(path)}
	op.Security = []map[string][]string{{"token": {}}}
	needsToken := !public(method, path)
	if !needsToken {
		op.Security = []map[string][]string{{}}
	}
	if op.RequestBody != nil {
		op.RequestBody = bodyOf(schemas, method, path)
	}
	responses := make(map[string]*huma.Response)
	for status, r := range op.Responses {
		if status == "200" && slices.Contains(created, method+" "+path) {
			status, r = "201", &huma.Response{Description: http.StatusText(http.StatusCreated), Content: r.Content}
		}
		if status != "default" {
			responses[status] = r
		}
	}
	for _, status := range refusals(method, path, op.RequestBody != nil, needsToken) {
		responses[strconv.Itoa(status)] = failureResponse(schemas, status)
	}
	op.Responses = responses
	return op
}

// refusals are the statuses with which an operation may fail.
func refusals(method, path string, body, token bool) []int {
	out := []int{
		http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable,
	}
	if token || path == "/api/session" {
		out = append(out, http.StatusUnauthorized)
	}
	if strings.Contains(path, "{") || slices.Contains(namers, method+" "+path) {
		out = append(out, http.StatusNotFound)
	}
	if method == http.MethodPost || method == http.MethodPut {
		out = append(out, http.StatusConflict, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge)
	}
	return out
}

func failureResponse(schemas huma.Registry, status int) *huma.Response {
	content := map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[failure](), true, "")}}
	if status == http.StatusBadRequest || status == http.StatusNotFound { // an address that no route has seen
		content["text/plain"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return &huma.Response{Description: http.StatusText(status), Content: content}
}

func bodyOf(schemas huma.Registry, method, path string) *huma.RequestBody {
	said, ok := documented[method+" "+path]
	if !ok {
		_, part, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "}/")
		said, ok = documented[method+" …/"+part]
	}
	schema := &huma.Schema{Type: huma.TypeObject}
	if ok {
		schema = schemas.Schema(said.body, true, said.body.Name())
	}
	return &huma.RequestBody{
		Required: ok && !said.optional,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}
}
