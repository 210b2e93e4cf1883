package dashboard_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// stateA and stateB are the settings between which TestNoSessionSeesAHalfAppliedReload switches. They disable
// different tools, and give different names to the same tools.
const (
	stateA = "port: 0\ndiscovery:\n  tool_rules: [{server: one, pattern: wipe, enabled: false}]\n" +
		"  tool_overrides: [{server: one, tool: look, name: look_a}, {server: one, tool: blank, name: blank_a}]\n"
	stateB = "port: 0\ndiscovery:\n  tool_rules: [{server: one, pattern: note, enabled: false}]\n" +
		"  tool_overrides: [{server: one, tool: look, name: look_b}, {server: one, tool: blank, name: blank_b}]\n"
)

func TestNoSessionSeesAHalfAppliedReload(t *testing.T) {
	const sessions, reloads = 50, 20
	whole := []string{"blank_b look_b wipe", "blank_a look_a note"}
	folder := hubtest.NewDataFolder(t, stateA)
	h := hubtest.AnnotatedWith(t, hub.Options{Folder: folder})
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	ctx, done := context.WithCancel(t.Context())
	defer done()
	var listing sync.WaitGroup
	seen := make([]map[string]int, sessions)
	latest := make(chan string) // names that some session has just listed
	for i := range sessions {
		a := hubtest.Introduced(t, h, companion.Entry{Surface: []string{"native", "server:one", "meta"}[i%3]}, "{}")
		seen[i] = make(map[string]int)
		listing.Go(func() {
			for ctx.Err() == nil {
				names := ruledNames(hubtest.ListedNames(t, a.Exchange("tools/list", "{}")))
				seen[i][names]++
				a.Notices = nil
				select {
				case latest <- names:
				default:
				}
			}
		})
	}
	for i := range reloads {
		hubtest.WriteSettings(t, folder, []string{stateB, stateA}[i%2])
		hubtest.Do(t, h, "POST", "/api/config/reload", nil, nil)
		for <-latest != whole[i%2] { // wait until a session has listed the names of the new state
		}
	}
	done()
	listing.Wait()
	all := make(map[string]int)
	for _, of := range seen {
		for state, n := range of {
			all[state] += n
		}
	}
	for _, names := range whole {
		delete(all, names)
	}
	if len(all) > 0 {
		t.Errorf("sessions have listed %v", all)
	}
}

// ruledNames returns the names of the tools that stateA or stateB change, and leaves out the other names.
func ruledNames(names []string) string {
	var out []string
	for _, name := range names {
		name = strings.TrimPrefix(name, "one__")
		if word, _, _ := strings.Cut(name, "_"); slices.Contains([]string{"blank", "look", "note", "wipe"}, word) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestAPersonAddsAndRemovesRulesInTheFile(t *testing.T) {
	const commented = "port: 0 # any\ndiscovery:\n  tool_rules:\n    # the first\n    - {pattern: note, enabled: false}\n"
	folder := hubtest.NewDataFolder(t, commented)
	h := hubtest.AnnotatedWith(t, hub.Options{Folder: folder})
	r := hubtest.Scenario{T: t, Hub: h}
	const rule = `{"rule":{"pattern":"wipe","server":"one","enabled":false},"at":1}`
	if err := hubtest.TryDo(t, h, "POST", "/api/config/rules", map[string]any{
		"rule": map[string]any{"pattern": "wipe", "enabled": false},
	}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program adds a rule: %v", err)
	}
	if status, body := r.SendAsPerson("POST", "/api/config/rules", rule); status != 200 || !strings.Contains(body, "discovery.tool_rules") {
		t.Fatalf("%d %s", status, body)
	}
	file := func() string {
		data, err := os.ReadFile(folder.Config())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got := file(); got != commented+"    - {pattern: [\"wipe\"], server: \"one\", enabled: false}\n" {
		t.Errorf("the file is %s", got)
	}
	a := hubtest.Introduced(t, h, hubtest.Meta, "{}")
	if got := a.Exchange("tools/call", "{"+hubtest.Calling("call_tool", `{"call_as":"one__wipe"}`)+"}"); !strings.Contains(got,
		"discovery.tool_rules[1]") {
		t.Errorf("a call of the disabled tool: %s", got)
	}
	if status, body := r.SendAsPerson("POST", "/api/config/rules/remove", rule); status != 200 || file() != commented {
		t.Errorf("%d %s, and the file is %s", status, body, file())
	}
	if status, _ := r.SendAsPerson("POST", "/api/config/rules/remove", rule); status == 200 {
		t.Error("a rule that does not exist was removed")
	}
}

func TestTheWindowIsToldOfAReload(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "port: 0\n")
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	window := hubtest.Connect(t, h, "/ws?hub=1")
	window.Next()
	for _, text := range []string{stateA, "port: many\n"} {
		hubtest.WriteSettings(t, folder, text)
		window.Until("the message about the settings", func(m hubtest.Message) bool { return m.Type == "config" })
	}
}
