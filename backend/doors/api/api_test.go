package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/openapi"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// options returns options with which a Door can serve only the documentation.
func options() Options {
	log := slog.New(slog.DiscardHandler)
	return Options{
		Info: instance.Info{Host: "127.0.0.1", Port: 3424, Token: "the-token"}, Sessions: guard.OpenSessions(guard.SessionOptions{}),
		Clients: Clients{Companion: http.NotFoundHandler(), Endpoint: http.NotFoundHandler()}, Log: log,
	}
}

// get returns the response to a GET request for a path that needs no token.
func get(t *testing.T, path string) string {
	t.Helper()
	answer := httptest.NewRecorder()
	New(options()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:3424"+path, nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func parse(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheDocumentIsValidOpenAPI(t *testing.T) {
	schema, err := os.ReadFile("testdata/openapi-3.1-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := parse(t, get(t, "/openapi.json"))
	compiler := jsonschema.NewCompiler()
	for name, resource := range map[string]any{"urn:schema": parse(t, string(schema)), "urn:document": doc} {
		if err := compiler.AddResource(name, resource); err != nil {
			t.Fatal(err)
		}
	}
	official, err := compiler.Compile("urn:schema")
	if err != nil {
		t.Fatal(err)
	}
	if err := official.Validate(doc); err != nil {
		t.Errorf("%#v", err)
	}
	components := doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range components {
		if _, err := compiler.Compile("urn:document#/components/schemas/" + name); err != nil {
			t.Errorf("%s is not a valid schema: %v", name, err)
		}
	}
}

// media is a request or response body in the OpenAPI document.
type media struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema struct {
			Ref string `json:"$ref"`
		}
	}
}

func (m media) ref() string { return m.Content["application/json"].Schema.Ref }

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Tags        []string
	Security    []map[string][]string
	Parameters  []struct{ Name, In string }
	RequestBody *media
	Responses   map[string]media
}

// resolve replaces references to responses that operations share.
func (o operation) resolve(doc document) {
	for status, r := range o.Responses {
		if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
			o.Responses[status] = doc.Components.Responses[name]
		}
	}
}

// problems describes the errors in the documented responses.
func (o operation) problems() string {
	var wrong []string
	succeeds := false
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		switch ref := o.Responses[status].ref(); {
		case status[0] == '2':
			succeeds = true
		case ref != "#/components/schemas/Failure":
			wrong = append(wrong, status+" has the body "+ref)
		}
	}
	if !succeeds || len(o.Responses) < 5 {
		wrong = append(wrong, "responses are missing")
	}
	return strings.Join(wrong, ", ")
}

// document holds the parts of the OpenAPI document that tests read.
type document struct {
	Tags       []struct{ Name string }
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]struct{ Properties map[string]any }
		Responses map[string]media
	}
}

func readDocument(t *testing.T) document {
	t.Helper()
	var doc document
	if err := json.Unmarshal([]byte(get(t, "/openapi.json")), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// declared returns the declarations of all operations.
func declared() *route.Table {
	table := route.NewTable(http.NewServeMux(), openapi.Documents(""))
	for _, group := range groups(options(), nil) {
		group.Routes(table)
	}
	return table
}

func TestEveryOperationIsDescribed(t *testing.T) {
	doc, table := readDocument(t), declared()
	if len(doc.Paths) < 15 {
		t.Fatalf("only %d paths", len(doc.Paths))
	}
	var tags []string
	for _, tag := range doc.Tags {
		tags = append(tags, tag.Name)
	}
	ids := make(map[string]string)
	for path, item := range doc.Paths {
		for method, op := range item {
			op.resolve(doc)
			name := strings.ToUpper(method) + " " + path
			if op.Summary == "" || len(op.Tags) != 1 || !slices.Contains(tags, op.Tags[0]) || op.problems() != "" {
				t.Errorf("%s: summary %q, tags %v, responses: %s", name, op.Summary, op.Tags, op.problems())
			}
			if before, twice := ids[op.OperationID]; twice || op.OperationID == "" {
				t.Errorf("%s and %s have the id %q", name, before, op.OperationID)
			}
			ids[op.OperationID] = name
			o, _ := table.Find(strings.ToUpper(method), path)
			if _, token := op.Security[0]["token"]; token != o.NeedsToken {
				t.Errorf("%s: security = %v", name, op.Security)
			}
			if (op.RequestBody != nil) != (o.BodyType != nil) || o.BodyType != nil && op.RequestBody.ref() == "" {
				t.Errorf("%s: the body %v is described as %+v", name, o.BodyType, op.RequestBody)
			}
			if strings.Contains(path, "{id}") && !slices.Contains(op.Parameters, struct{ Name, In string }{"id", "path"}) {
				t.Errorf("%s: the parameter id is missing", name)
			}
		}
	}
}

// A field that is described but not decoded has no effect. Clients do not know a field that is decoded but not
// described.
func TestDocumentedBodiesHaveExactlyTheDecodedFields(t *testing.T) {
	doc, table := readDocument(t), declared()
	for path, item := range doc.Paths {
		for method, op := range item {
			o, _ := table.Find(strings.ToUpper(method), path)
			if o.BodyType == nil {
				continue
			}
			described := doc.Components.Schemas[strings.TrimPrefix(op.RequestBody.ref(), "#/components/schemas/")].Properties
			for name := range described {
				decoder := json.NewDecoder(bytes.NewReader([]byte(`{"` + name + `":null}`)))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(reflect.New(o.BodyType).Interface()); err != nil {
					t.Errorf("%s %s: %s is described and not decoded: %v", method, path, name, err)
				}
			}
			for _, field := range reflect.VisibleFields(o.BodyType) {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				if _, ok := described[name]; !ok && name != "-" && !field.Anonymous && field.IsExported() {
					t.Errorf("%s %s: %s is decoded and not described", method, path, field.Name)
				}
			}
		}
	}
}

func TestOnlyTheseOperationsNeedNoToken(t *testing.T) {
	table := declared()
	var public []string
	for path, item := range readDocument(t).Paths {
		for method := range item {
			if o, _ := table.Find(strings.ToUpper(method), path); !o.NeedsToken {
				public = append(public, o.Method+" "+o.Path)
			}
		}
	}
	slices.Sort(public)
	if want := []string{
		"GET /health", "GET /hello", "POST /api/session", "POST /api/session/challenge", "POST /api/session/resume",
	}; !slices.Equal(public, want) {
		t.Errorf("operations without a token = %v, want %v", public, want)
	}
}

func TestOperationsOnSecretsAreInTheirGroup(t *testing.T) {
	for path, item := range readDocument(t).Paths {
		for method, op := range item {
			secret := strings.Contains(path, "secrets") || strings.Contains(path, "/links")
			if secret != (op.Tags[0] == "secrets") {
				t.Errorf("%s %s is in the group %s", method, path, op.Tags[0])
			}
		}
	}
}

func TestThePageShowsEveryOperation(t *testing.T) {
	page := get(t, "/docs")
	for path, item := range readDocument(t).Paths {
		for method, op := range item {
			if !strings.Contains(page, `<details id="`+op.OperationID+`">`) || !strings.Contains(page, "<code>"+path+"</code>") {
				t.Errorf("%s %s is not on the page", method, path)
			}
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
		t.Errorf("the page is incomplete; it ends with %s", page[max(0, len(page)-200):])
	}
	for _, forbidden := range []string{"<script", "style=", "onclick", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page contains %s", forbidden)
		}
	}
	if css := get(t, "/docs.css"); !strings.Contains(css, "prefers-color-scheme: dark") {
		t.Error("the style has no dark colours")
	}
}
