//go:build linux

package original_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// exchange is a recorded request with its answer.
type exchange struct {
	number  int
	name    string
	Kind    string `json:"kind"`
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Body    json.RawMessage   `json:"body"`
		Headers map[string]string `json:"headers"`
		Params  json.RawMessage   `json:"params"`
	} `json:"request"`
	Response      json.RawMessage   `json:"response"`
	Notifications []json.RawMessage `json:"notifications_after"`
}

// recordings returns the recorded exchanges in order. It skips the test if there is no
// reference data.
func recordings(t *testing.T) []exchange {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "golden", "original"), "[0-9]*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings, %v", err)
	}
	slices.Sort(files)
	var all []exchange
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var e exchange
		var line bytes.Buffer // MCP messages are single lines
		if err := json.Compact(&line, data); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if err := json.Unmarshal(line.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		e.name = name
		if e.number, err = strconv.Atoi(number); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// replay sends recorded requests to a hub in order.
type replay struct {
	*programtest.Home
	hub        instance.Info
	documented map[string]bool // members of objects that the API description has
	client     *programtest.Client
	socket     *replaySocket
	model      *model
	toActual   replacements                 // replaces names in the recording with those of this run
	toRecorded replacements                 // replaces names of this run with those in the recording
	pending    map[int]chan json.RawMessage // answers to requests that were sent early
}

// replacements are pairs of a text and its replacement.
type replacements []string

// Replace makes all replacements in one pass, so that it does not replace a replaced text again.
func (w replacements) Replace(text string) string { return strings.NewReplacer(w...).Replace(text) }

// TestRecordedExchangesAreAnsweredAlike sends the requests that a client of the original product sent, and compares
// the answers and notifications with the recorded ones. Every answer that differs must be in differences, with a
// name from backend/doors/api/README.md, and must equal the expected answer.
func TestRecordedExchangesAreAnsweredAlike(t *testing.T) {
	for name, start := range map[string]func(*replay){"by a person": (*replay).serve, "by a companion": (*replay).attach} {
		t.Run("with a hub started "+name, func(t *testing.T) { replayAll(t, start) })
	}
}

// ofFeatures has the notifications that belong to the intended difference "features".
var ofFeatures = map[string]bool{"notifications/prompts/list_changed": true, "notifications/resources/list_changed": true}

func replayAll(t *testing.T, start func(*replay)) {
	all := recordings(t)
	r := newReplay(t, start)
	r.documented = hubtest.Describe(t, r.hub, "/openapi.json").Members()
	maps.Copy(r.documented, hubtest.Describe(t, r.hub, "/asyncapi.json").Members())
	expected := readExpectations(t)
	var score struct{ matched, differed int }
	names := make(map[string]int)
	changes := 0 // expected notifications about a changed tool list
	for i, e := range all {
		if e.Kind == "ws" {
			continue // compareSocket compares the messages at the end
		}
		r.prepare(all, i)
		answer := r.play(e)
		changes += len(e.Notifications)
		if differs, ok := listChanges[e.number]; ok {
			changes += differs.count - len(e.Notifications)
			names[differs.name]++
		}
		r.client.AwaitCount(programtest.ToolListChanged, changes)
		if n := r.client.Count(programtest.ToolListChanged); n > changes {
			t.Fatalf("%03d %s: %d notifications about a changed list were sent until now, expected %d", e.number, e.name, n, changes)
		}
		name, known := differences[e.number]
		switch report := r.compareExchange(e, answer); {
		case !known && report == "":
			score.matched++
		case !known:
			t.Errorf("%03d %s:\n%s\nrecorded: %s\nreceived: %s", e.number, e.name, report, short(e.Response), short(answer))
		case report == "":
			t.Errorf("%03d %s matches, and is listed as %q", e.number, e.name, name)
		default:
			if why := expected.compare(e.number, answer); why != "" {
				t.Errorf("%03d %s differs as %q, but is not the expected answer: %s", e.number, e.name, name, why)
			}
			names[name]++
			score.differed++
		}
	}
	r.client.Ask("ping", "{}")
	for _, m := range r.client.Messages() {
		if len(m.ID) == 0 && m.Method != programtest.ToolListChanged && !ofFeatures[m.Method] {
			t.Errorf("the hub sent %s", m.Line)
		}
	}
	if n := r.client.Count(programtest.ToolListChanged); n != changes {
		t.Errorf("%d notifications about a changed list were sent, expected %d", n, changes)
	}
	expected.finish()
	matched, differed := r.compareSocket(t, all)
	names["pushed"] += differed
	score.matched, score.differed = score.matched+matched, score.differed+differed
	documented := documentedDifferences(t)
	for name := range names {
		if name != "" && !documented[name] {
			t.Errorf("backend/doors/api/README.md does not describe the difference %q", name)
		}
	}
	t.Logf("%d exchanges: %d matched, %d differed by name %v", len(all), score.matched, score.differed, names)
	if sum := score.matched + score.differed; sum != len(all) && !t.Failed() {
		t.Errorf("%d of %d exchanges were compared", sum, len(all))
	}
}

// documentedDifferences returns the names in the table of intended differences in
// backend/doors/api/README.md.
func documentedDifferences(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../doors/api/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "| name | difference |\n|---|---|\n")
	names := make(map[string]bool)
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		names[strings.TrimSpace(strings.Split(line, "|")[1])] = true
	}
	return names
}

// short returns the beginning of a long answer.
func short(data json.RawMessage) string {
	if len(data) > 3000 {
		return string(data[:3000]) + fmt.Sprintf("… (%d bytes)", len(data))
	}
	return string(data)
}

// newReplay starts a hub in the environment in which the exchanges were recorded: settings, a setup file, a remote
// server and a model.
func newReplay(t *testing.T, start func(*replay)) *replay {
	t.Helper()
	node, servers := hubtest.PinnedServers(t)
	r := &replay{Home: programtest.NewHome(t), model: newModel(t), pending: make(map[int]chan json.RawMessage)}
	run := filepath.Join(r.Dir, "run")
	if err := os.MkdirAll(filepath.Join(run, "fsroot"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Write(filepath.Join(run, "fsroot", "hello.txt"), "hello world\n")
	setup := filepath.Join(r.Dir, "setup.json")
	r.Write(setup, `{"servers":[
		{"name":"from-setup","description":"declared","command":"node","args":["`+servers+`/server-memory/dist/index.js"],"tags":["setup"],
		 "env":{"MEMORY_FILE_PATH":"$RUN_DIR/mem.json"},"secrets":{"TOK":"$MY_TOKEN","EMPTY":"$UNSET_VAR"}},
		{"description":"nameless"}]}`)
	r.Write(filepath.Join(r.Dir, "setup.local.json"),
		`{"servers":[{"name":"local-extra","transport":"streamable-http","url":"http://127.0.0.1:9/mcp"}]}`)
	market := newRecordedMarket(t)
	market.Configure(r.Dir)
	r.Settings("agents:\n  install: allow\ndiscovery: {start_new: false}\nmarket:\n  registry_url: " + market.URL + "\n")
	r.Env = append(slices.DeleteFunc(r.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }),
		"PATH="+filepath.Dir(node)+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"AGENT_DISCOVER_ROOTS=file:///a, file:///b", "AGENT_DISCOVER_SETUP_FILE="+setup, "RUN_DIR="+run, "MY_TOKEN=tok-12345",
		"AGENT_DISCOVER_PASSPHRASE=replayed exchanges", "AGENT_DISCOVER_OPENAI_API_KEY=test-key",
		"AGENT_DISCOVER_OPENAI_BASE_URL="+r.model.URL)
	remote := hubtest.StartRemote(t, node, servers, "streamableHttp")
	r.toActual = replacements{"{{SERVERS}}", servers, "{{RUN}}", run, "127.0.0.1:13426", remote}
	r.toRecorded = replacements{servers, "{{SERVERS}}", run, "{{RUN}}", remote, "127.0.0.1:13426"}
	start(r)
	programtest.Eventually(t, "the setup file is read",
		func() bool { return bytes.Contains(r.rest("GET", "/api/servers", nil, nil), []byte("local-extra")) })
	r.socket = dialSocket(t, r.hub)
	return r
}

// serve starts the hub as a person does, and then a companion.
func (r *replay) serve() {
	r.hub = r.Serve().Info
	r.client = r.Companion()
}

// attach starts a companion, which starts the hub.
func (r *replay) attach() {
	r.client = r.Companion()
	r.client.Start("ping", "{}")
	programtest.Eventually(r.T, "the companion has started a hub", func() bool {
		_, err := instance.Read(r.Folder)
		return err == nil
	})
	r.hub = r.RunningHub()
}

// prepare waits for events that preceded exchange i in the recording, and sends requests that were then in flight.
func (r *replay) prepare(all []exchange, i int) {
	r.T.Helper()
	switch all[i].name {
	case "rest-transient-delete":
		programtest.Eventually(r.T, "the server reports the new roots", func() bool {
			for _, m := range r.socket.of("notification") {
				if strings.HasPrefix(m["serverName"].(string), "__transient__") &&
					strings.Contains(fmt.Sprint(m["params"]), "Roots updated") {
					return true
				}
			}
			return false
		})
		return
	case "mcp-registry-browse":
		r.rest("POST", "/api/market/sync", nil, nil)
		programtest.Eventually(r.T, "the copy of the registry is complete", func() bool {
			return bytes.Contains(r.rest("GET", "/api/market/mirror", nil, nil), []byte(`"refreshed"`))
		})
		return
	case "rest-elicitations-pending":
	default:
		if strings.Contains(all[i].name, "find_tool") {
			r.AwaitIndexed()
		}
		return
	}
	// Send the call that causes the elicitation now. It is answered in a later exchange.
	for _, e := range all[i:] {
		if e.name == "rest-transient-call-elicit" {
			answer := make(chan json.RawMessage, 1)
			r.pending[e.number] = answer
			go func() { answer <- r.sendREST(e) }()
		}
	}
	programtest.Eventually(r.T, "the elicitation is pending", func() bool {
		return bytes.Contains(r.rest("GET", "/api/elicitations", nil, nil), []byte(`"elicit-`))
	})
}

// play sends the request of an exchange and returns the answer in the form of the recording, with the recorded names.
func (r *replay) play(e exchange) json.RawMessage {
	r.T.Helper()
	var answer json.RawMessage
	switch {
	case r.pending[e.number] != nil:
		answer = <-r.pending[e.number]
	case e.Kind == "rest":
		answer = r.sendREST(e)
		if e.name == "rest-call-evil-origin" {
			// This hub refuses the call. Repeat it without the origin, so that later counts match.
			e.Request.Headers = nil
			r.sendREST(e)
		}
	case e.Kind == "mcp":
		answer = r.sendMCP(e)
	case e.Kind == "upstream":
		answer = r.model.last()
	default:
		r.T.Fatalf("%03d has an unknown kind: %s", e.number, e.Kind)
	}
	r.rememberNames(e, answer)
	return json.RawMessage(r.toRecorded.Replace(string(answer)))
}

// rememberNames stores the generated names in an answer, to replace them in later requests.
func (r *replay) rememberNames(e exchange, answer json.RawMessage) {
	type generated struct {
		Body struct {
			Handle  string `json:"handle"`
			Entries []struct {
				ID json.RawMessage `json:"id"`
			} `json:"entries"`
		} `json:"body"`
	}
	var recorded, actual generated
	if e.Kind != "rest" || json.Unmarshal(e.Response, &recorded) != nil || json.Unmarshal(answer, &actual) != nil {
		return
	}
	pair := func(recorded, actual string) {
		r.toActual, r.toRecorded = append(r.toActual, recorded, actual), append(r.toRecorded, actual, recorded)
	}
	if recorded.Body.Handle != "" && actual.Body.Handle != "" {
		pair(recorded.Body.Handle, actual.Body.Handle)
	}
	if e.name == "rest-elicitations-pending" && len(actual.Body.Entries) == 1 && len(recorded.Body.Entries) == 1 {
		pair(strings.Trim(string(recorded.Body.Entries[0].ID), `"`), strings.Trim(string(actual.Body.Entries[0].ID), `"`))
	}
}
