package hub_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// description is a document in which a hub describes its API. Objects in messages and answers must have only members
// that it describes.
type description struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	document map[string]any
	compiled map[string]*jsonschema.Schema
}

// describe reads the document at a path: /openapi.json or /asyncapi.json.
func describe(t *testing.T, info instance.Info, path string) *description {
	t.Helper()
	var raw json.RawMessage
	if err := instance.NewClient(info).Do(t.Context(), http.MethodGet, path, nil, &raw); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	d := &description{t: t, compiler: jsonschema.NewCompiler(), document: document.(map[string]any), compiled: make(map[string]*jsonschema.Schema)}
	if err := d.compiler.AddResource("urn:document", document); err != nil {
		t.Fatal(err)
	}
	return d
}

// check fails the test if a JSON text does not match the schema at a place in the document.
func (d *description) check(place, text string) {
	d.t.Helper()
	schema := d.compiled[place]
	if schema == nil {
		var err error
		if schema, err = d.compiler.Compile("urn:document#" + place); err != nil {
			d.t.Errorf("%s: %v", place, err)
			return
		}
		d.compiled[place] = schema
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		d.t.Errorf("%s does not describe %.300s: %v", place, text, err)
	}
}

// members returns the names of the members of all objects in the document.
func (d *description) members() map[string]bool {
	names := make(map[string]bool)
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name := range properties {
				names[name] = true
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(d.document)
	return names
}

// checkMessage fails the test if a WebSocket message is not described.
func (d *description) checkMessage(text string) {
	d.t.Helper()
	var m struct{ Type string }
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		d.t.Error(err)
		return
	}
	d.check("/components/messages/"+m.Type+"/payload", text)
}

func TestSocketMessagesAreDescribed(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	d := describe(t, h.Info(), "/asyncapi.json")
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for _, path := range []string{"/", "/ws?deltas=changed&hub=1", "/ws?tools=none&hub=1"} {
		s := connect(t, h, path)
		for _, text := range []string{"{", `{"type":"nothing"}`, `{"type":"follow","server":"fake"}`, `{"type":"refresh"}`} {
			s.write(text)
		}
		do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": "x"}}, nil)
		do(t, h, "PUT", "/api/servers/1", map[string]any{"description": path}, nil)
		seen, changed := make(map[string]bool), false
		s.until("the change", func(m message) bool {
			d.checkMessage(m.raw)
			seen[m.Type] = true
			changed = changed || strings.Contains(m.raw, `"description":"`+path+`"`)
			return changed && seen["error"] && seen["log_entry"] // they come in any order
		})
	}
	for _, request := range []string{`{"type":"refresh"}`, `{"type":"follow","server":"a"}`, `{"type":"unfollow","server":"a"}`} {
		d.check("/components/messages/request/payload", request)
	}
}

func TestAnswersOfServersAreDescribed(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	d := describe(t, h.Info(), "/openapi.json")
	command := mcptest.Command(t, "-offers")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	var opened struct{ Handle string }
	do(t, h, "POST", "/api/transient", map[string]any{"command": command[0], "args": command[1:]}, &opened)
	for template, base := range map[string]string{"/api/servers/{id}": "/api/servers/1", "/api/transient/{id}": "/api/transient/" + opened.Handle} {
		for _, r := range []struct{ method, path, body string }{
			{"get", "/tools", ""},
			{"get", "/resources", ""},
			{"get", "/resource-templates", ""},
			{"get", "/prompts", ""},
			{"post", "/resource/read", `{"uri":"note://1"}`},
			{"post", "/prompt/get", `{"name":"greet"}`},
			{"post", "/call", `{"tool":"echo","args":{"text":"x"}}`},
			{"post", "/call", `{"tool":"no-such-tool"}`},
		} {
			var answer json.RawMessage
			var body any
			if r.body != "" {
				body = json.RawMessage(r.body)
			}
			do(t, h, strings.ToUpper(r.method), base+r.path, body, &answer)
			place := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(template+r.path) + "/" + r.method + "/responses/200/content/application~1json/schema"
			d.check(place, string(answer))
		}
	}
}
