package trust_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// operation is one operation of the OpenAPI document.
type operation struct {
	method, path string
	fields       []string // names of the fields of the request body
	query        []string
	statuses     []string
}

// documented returns the operations in the hub's OpenAPI document.
func documented(t *testing.T, h *hub.Hub) []operation {
	t.Helper()
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
			Responses map[string]json.RawMessage
		}
		Components struct{ Schemas map[string]schema }
	}
	hubtest.Do(t, h, http.MethodGet, "/openapi.json", nil, &doc)
	var out []operation
	for path, item := range doc.Paths {
		for method, op := range item {
			o := operation{method: strings.ToUpper(method), path: path}
			for _, p := range op.Parameters {
				if p.In == "query" {
					o.query = append(o.query, p.Name)
				}
			}
			body := op.RequestBody.Content["application/json"].Schema
			for field := range doc.Components.Schemas[strings.TrimPrefix(body.Ref, "#/components/schemas/")].Properties {
				o.fields = append(o.fields, field)
			}
			for status := range op.Responses {
				o.statuses = append(o.statuses, status)
			}
			slices.Sort(o.fields)
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.method+a.path, b.method+b.path) })
	return out
}

// Hostile values of path segments, fields and bodies. None may be the name of a
// program, because the hub may start a server that was configured with it.
var (
	hostileTexts = []string{
		"", " ", "0", "1", "2", "-1", "abc", "99999999999999999999", "1e3", "0x1", "\x00", "é", "\u202e", "<script>alert(1)</script>",
		"' OR 1=1 --", "../../etc/passwd", "a/b", "a__b", "a b", "%", "{{7*7}}", "${HOME}", "a\r\nX: y", "no-such-program-xyz",
		strings.Repeat("x", 3000), "*", "\"",
	}
	hostileBodies = []string{
		"", "{", "[]", "null", "0", `"x"`, "{}{}", `{"a":`, "\xff\xfe", `{"name":"` + "\xff" + `"}`, strings.Repeat("[", 20000),
		strings.Repeat(`{"a":`, 5000), `{"name":1e999}`, `{"` + strings.Repeat("k", 5000) + `":1}`, "\ufeff{}",
	}
	hostileValues = []any{
		nil, true, 0, -1, 1.5, 1e300, 9007199254740993,
		[]any{},
		[]any{nil},
		[]any{"a", 1},
		map[string]any{},
		map[string]any{"a": 1},
		map[string]any{"": "x"},
	}
)

// randomRequest returns the path and the body of a random request of an operation.
func (o operation) randomRequest(random *rand.Rand) (path string, body string) {
	text := func() string { return hostileTexts[random.IntN(len(hostileTexts))] }
	path = regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(o.path, func(string) string {
		if random.IntN(2) == 0 {
			return fmt.Sprint(random.IntN(4)) // an id that may exist
		}
		return url.PathEscape(text())
	})
	query := make(url.Values)
	for _, name := range o.query {
		if random.IntN(2) == 0 {
			query.Set(name, text())
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if len(o.fields) == 0 || random.IntN(4) == 0 {
		return path, hostileBodies[random.IntN(len(hostileBodies))]
	}
	object := make(map[string]any)
	for _, field := range o.fields {
		switch random.IntN(6) { // few fields at a time, because an invalid field hides others
		case 0:
			object[field] = text()
		case 1:
			object[field] = hostileValues[random.IntN(len(hostileValues))]
		}
	}
	if slices.Contains(o.fields, "name") && random.IntN(2) == 0 {
		object["name"] = fmt.Sprintf("s%d", random.IntN(100)) // a valid name, to reach further code
	}
	if slices.Contains(o.fields, "command") && random.IntN(8) == 0 { // a request that configures a server and no other fields
		object = map[string]any{"name": fmt.Sprintf("s%d", random.IntN(100)), "command": "no-such-program-xyz"}
	}
	data, _ := json.Marshal(object)
	return path, string(data)
}

// expectedFailure matches errors with a 5xx status that are not a defect of the hub: there is no keychain, or a
// server could not be started or answered with an error.
var expectedFailure = regexp.MustCompile(`^\{"error":"(there is no keychain|Failed to activate|Server \\"|server \\"|command \\")`)

func TestEveryOperationSurvivesHostileInput(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Add("io.github.ada/weather", "1.0.0", map[string]any{"description": "Weather"})
	hubtest.SetHome(t)
	r.Configure(os.Getenv("HOME"))
	folder := hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	for _, name := range []string{"a", "b", "c"} {
		hubtest.Do(t, h, http.MethodPost, "/api/servers", map[string]any{"name": name, "command": "no-such-program-xyz"}, nil)
	}
	random := rand.New(rand.NewPCG(1, 2))
	client := &http.Client{Timeout: time.Minute}
	seen := make(map[int]int)
	all := documented(t, h)
	for range 25 {
		for _, o := range all {
			if o.path == "/api/stop" || o.path == "/api/pause" {
				continue
			}
			path, body := o.randomRequest(random)
			req, err := http.NewRequestWithContext(t.Context(), o.method, "http://"+h.Info().Address()+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+h.Info().Token)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatalf("%s %s %.200q: %v", o.method, path, body, err)
			}
			answer, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			seen[resp.StatusCode]++
			switch {
			case err != nil:
				t.Errorf("%s %s %.200q: %v", o.method, path, body, err)
			case resp.StatusCode >= 500 && !expectedFailure.Match(answer):
				t.Errorf("%s %s %.200q: %d %s", o.method, path, body, resp.StatusCode, answer)
			case !slices.Contains(o.statuses, fmt.Sprint(resp.StatusCode)) && resp.StatusCode != 404:
				t.Errorf("%s %s %.200q: %d is not documented: %s", o.method, path, body, resp.StatusCode, answer)
			case resp.StatusCode != 404 && resp.StatusCode != 400 && !json.Valid(answer) &&
				!strings.Contains(resp.Header.Get("Content-Disposition"), "attachment"):
				t.Errorf("%s %s %.200q: %d is not JSON: %s", o.method, path, body, resp.StatusCode, answer)
			}
		}
	}
	if seen[200] == 0 || seen[201] == 0 || seen[404] == 0 || seen[422] == 0 {
		t.Errorf("the requests do not reach all kinds of answers: %v", seen)
	}
	hubtest.Row{
		Name: "health afterwards", Method: "GET", Path: "/health", Headers: hubtest.NoToken, Status: 200, Want: []string{`"status":"ok"`},
	}.Send(t, h)
	log, err := os.ReadFile(folder.Log())
	if err != nil || strings.Contains(string(log), "panic") || strings.Contains(string(log), "level=ERROR") {
		t.Errorf("error %v; the log must not contain errors:\n%s", err, log)
	}
}
