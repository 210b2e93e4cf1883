package api

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// get fetches what needs no token.
func (b *bench) get(path string) string {
	b.t.Helper()
	resp, err := http.Get("http://" + b.address + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: %d %v %s", path, resp.StatusCode, err, body)
	}
	return string(body)
}

func parse(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheInterfaceIsDescribedByAValidOpenAPIDocument(t *testing.T) {
	schema, err := os.ReadFile("testdata/openapi-3.1-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := parse(t, serve(t, Times{}).get("/openapi.json"))
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
			t.Errorf("%s is no valid schema: %v", name, err)
		}
	}
}

// described is an operation as far as the test reads it.
type described struct {
	OperationID string `json:"operationId"`
	Summary     string
	Tags        []string
	Security    []map[string][]string
	Parameters  []struct{ Name, In string }
	RequestBody *struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
}

func describedOperations(t *testing.T, document string) map[string]described {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]described
	}
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]described)
	for path, item := range doc.Paths {
		for method, op := range item {
			out[strings.ToUpper(method)+" "+path] = op
		}
	}
	return out
}

func TestEveryOperationSaysWhatItTakesAndHowItFails(t *testing.T) {
	operations := describedOperations(t, serve(t, Times{}).get("/openapi.json"))
	if len(operations) < 15 {
		t.Fatalf("only %d operations", len(operations))
	}
	ids := make(map[string]string)
	for name, op := range operations {
		if op.Summary == "" || len(op.Tags) != 1 || op.wrongAnswers() != "" {
			t.Errorf("%s: summary %q, tags %v%s", name, op.Summary, op.Tags, op.wrongAnswers())
		}
		if before, twice := ids[op.OperationID]; twice || op.OperationID == "" {
			t.Errorf("%s and %s have the id %q", name, before, op.OperationID)
		}
		ids[op.OperationID] = name
		method, path, _ := strings.Cut(name, " ")
		if _, token := op.Security[0]["token"]; token == public(method, path) {
			t.Errorf("%s: security is %v", name, op.Security)
		}
		if op.RequestBody != nil && op.RequestBody.Content["application/json"].Schema.Ref == "" {
			t.Errorf("%s: the fields of its body are not described; add them to documented", name)
		}
		if strings.Contains(path, "{id}") && !slices.ContainsFunc(op.Parameters, func(p struct{ Name, In string }) bool { return p.Name == "id" && p.In == "path" }) {
			t.Errorf("%s: the path's parameter is missing", name)
		}
	}
}

func TestOperationsAreAmongTheirLike(t *testing.T) {
	for name, op := range describedOperations(t, serve(t, Times{}).get("/openapi.json")) {
		_, path, _ := strings.Cut(name, " ")
		secret := strings.Contains(path, "secrets") || strings.Contains(path, "/links")
		if secret != (op.Tags[0] == "secrets") {
			t.Errorf("%s is among %s", name, op.Tags[0])
		}
	}
}

// wrongAnswers says what is wrong with an operation's answers.
func (d described) wrongAnswers() string {
	var wrong []string
	succeeds := false
	for _, status := range slices.Sorted(maps.Keys(d.Responses)) {
		switch ref := d.Responses[status].Content["application/json"].Schema.Ref; {
		case status[0] == '2':
			succeeds = true
		case ref != "#/components/schemas/Failure":
			wrong = append(wrong, status+" is "+ref)
		}
	}
	if !succeeds || len(d.Responses) < 5 {
		wrong = append(wrong, "answers are missing")
	}
	return strings.Join(wrong, ", ")
}

func TestThePageOfTheInterfaceShowsEveryOperation(t *testing.T) {
	b := serve(t, Times{})
	page := b.get("/docs")
	for name, op := range describedOperations(t, b.get("/openapi.json")) {
		_, path, _ := strings.Cut(name, " ")
		if !strings.Contains(page, `<details id="`+op.OperationID+`">`) || !strings.Contains(page, "<code>"+path+"</code>") {
			t.Errorf("%s is not on the page", name)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
		t.Errorf("the page ends in the middle: %s", page[max(0, len(page)-200):])
	}
	for _, never := range []string{"<script", "style=", "onclick", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %s", never)
		}
	}
	if css := b.get("/docs.css"); !strings.Contains(css, "prefers-color-scheme: dark") {
		t.Error("the page knows no dark")
	}
}
