package hub_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// sea is a model that knows the sea from all else.
func sea(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/api/embed" {
		http.Error(w, "?", http.StatusNotFound)
		return
	}
	out := make([][]float32, len(asked.Input))
	for i, text := range asked.Input {
		if text = strings.ToLower(text); strings.Contains(text, "tide") || strings.Contains(text, "ocean") {
			out[i] = []float32{1, 0, 0.1}
		} else {
			out[i] = []float32{0, 1, 0.1}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": out})
}

// modelAt starts a model at an address, and returns how to end it.
func modelAt(t *testing.T, address string) (end func()) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(sea)}
	go func() { _ = server.Serve(listener) }() // ends when it is closed
	end = func() { _ = server.Close() }
	t.Cleanup(end)
	return end
}

// searching is a hub with such settings of search and a server of the sea, and
// an agent that has come to it.
func searching(t *testing.T, search string) (*scenario, *agent) {
	t.Helper()
	folder := paths.Folder(filepath.Join(t.TempDir(), "data"))
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(folder), "config.yaml"), []byte("search:\n"+search), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "tide=Height of the water at a harbour", "-tool", "mend_net=Mend a net"), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	return s, join(t, s.hub, "one")
}

// Words find what the words of a tool say, meaning what only the model knows.
func byWords(query string) asked {
	return asked{name: "by words", arguments: `{"action":"find_tool","query":"` + query + `"}`, want: []string{`"found":true`, "mcp__sea__tide"}, never: []string{"problem", "127.0.0.1"}}
}

func TestWithoutAProviderToolsAreFoundByTheirWords(t *testing.T) {
	s, agent := searching(t, "  provider: none\n")
	agent.converse(
		byWords("height of the water at the harbour"),
		asked{name: "by meaning", arguments: `{"action":"find_tool","query":"when does the ocean rise"}`, want: []string{`"found":false`, `"hint":"no tools matched`}, never: []string{"mcp__sea"}},
		asked{name: "several", arguments: `{"action":"find_tools","intents":["height of the water","when does the ocean rise"]}`, want: []string{`"intent":"height of the water","found":true`, `"intent":"when does the ocean rise","found":false`}},
	)
	s.play(step{name: "the status", method: "GET", path: "/api/search/status", status: 200, want: []string{`{"provider":"none","model":"","tools":2,"ready":0,"working":false,"problem":""}`}})
}

func TestAProviderThatIsDownOrDiesIsDoneWithoutAndComesBack(t *testing.T) {
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := reserved.Addr().String()
	_ = reserved.Close()
	s, agent := searching(t, "  provider: local\n  model: of-the-sea\n  url: http://"+address+"\n")

	awaitSearch(t, s, func(now searchStatus) bool { return strings.Contains(now.Problem, "cannot be reached") })
	agent.converse(byWords("height of the water"))

	end := modelAt(t, address)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Ready == now.Tools && now.Problem == "" })
	meant := func(query string) asked {
		return asked{name: query, arguments: `{"action":"find_tool","query":"` + query + `"}`, want: []string{`"found":true`, `"call_as":"mcp__sea__tide"`}}
	}
	agent.converse(meant("when does the ocean rise"), byWords("height of the water"))

	end()
	agent.converse(byWords("what is the height of the water"), byWords("the height of the water today"))
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem != "" && now.Ready == now.Tools })
	s.play(step{name: "a person searches", method: "POST", path: "/api/find", body: `{"query":"the water at a harbour"}`, status: 200, want: []string{`"found":true`}, never: []string{`"field":"meaning"`}})

	modelAt(t, address)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem == "" })
	agent.converse(meant("when is the ocean at its lowest"))
	s.play(step{name: "a person searches again", method: "POST", path: "/api/find", body: `{"query":"the ocean at a harbour"}`, status: 200, want: []string{`"field":"meaning"`}})
}

func TestAMissIsSaidAlikeEverywhere(t *testing.T) {
	s, agent := searching(t, "  provider: none\n")
	const far = "knit a jumper for a giraffe"
	agent.converse(
		asked{name: "find_tool", arguments: `{"action":"find_tool","query":"` + far + `"}`, want: []string{`{"found":false,"matches":[],"top_score":`, "no tools matched with sufficient confidence"}, never: []string{"call_as", "confidence\":"}},
		asked{name: "one letter", arguments: `{"action":"find_tool","query":"a"}`, want: []string{`{"found":false,"matches":[],"top_score":0,`}},
		asked{name: "signs", arguments: `{"action":"find_tool","query":"🙂 *** \"; DROP TABLE tools"}`, want: []string{`"found":false`}},
		asked{name: "nothing", arguments: `{"action":"find_tool","query":"  "}`, want: []string{"query is required"}},
		asked{name: "a negative limit", arguments: `{"action":"find_tool","query":"` + far + `","limit":-3}`, want: []string{`"found":false`}},
		asked{name: "a large one", arguments: `{"action":"find_tool","query":"height of the water","limit":100000}`, want: []string{`"found":true`}},
		asked{name: "10 kB", arguments: `{"action":"find_tool","query":"` + strings.Repeat("giraffe ", 1280) + `"}`, want: []string{`"found":false`}},
	)
	s.play(
		step{name: "over REST", method: "POST", path: "/api/find", body: `{"query":"` + far + `","limit":5}`, status: 200, want: []string{`"found":false,"confidence":"none","score":`, `"hits":[]`, `"hint":"no tools matched`, `"reply":{"found":false,"matches":[]`}},
		step{name: "one letter", method: "POST", path: "/api/find", body: `{"query":"a"}`, status: 200, want: []string{`"found":false,"confidence":"none","score":0,`, `"hits":[]`}},
		step{name: "nothing", method: "POST", path: "/api/find", body: `{"query":""}`, status: 422, want: []string{"query is required"}},
		step{name: "no limit", method: "POST", path: "/api/find", body: `{"query":"` + far + `","limit":0}`, status: 200, want: []string{`"hits":[]`}},
	)
}
