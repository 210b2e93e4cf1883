//go:build unix

package servers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestAServerHasItsOwnFolderAndTimeLimits(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "second"), 0o700); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-c", `echo "in $(pwd -P)" >&2; exec "$@"`, "sh"}, mcptest.Command(t)...)
	body := func(fields map[string]any) string {
		text, _ := json.Marshal(fields) // encoding texts cannot fail
		return string(text)
	}
	add := map[string]any{
		"name": "one", "command": "sh", "args": args, "cwd": folder, "start_timeout": "2m", "call_timeout": "90s",
		"start": false, "warm": false,
	}
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "a relative folder", Method: "POST", Path: "/api/servers", Body: `{"name":"two","command":"sh","cwd":"x"}`, Status: 422,
			Want: []string{`invalid working folder \"x\"`},
		},
		hubtest.Step{
			Name: "a time limit without a unit", Method: "POST", Path: "/api/servers", Status: 422,
			Body: `{"name":"two","command":"sh","call_timeout":"5"}`, Want: []string{`invalid time limit \"5\"`},
		},
		hubtest.Step{
			Name: "a server", Method: "POST", Path: "/api/servers", Body: body(add), Status: 201,
			Want: []string{`"cwd":"` + folder + `"`, `"start_timeout":"2m"`, `"call_timeout":"1m30s"`},
		},
		hubtest.Step{Name: "it starts", Method: "POST", Path: "/api/servers/1/activate", Status: 200},
		hubtest.Step{Name: "in its folder", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{"in " + folder + `\n`}},
		hubtest.Step{
			Name: "its entry in a setup file", Method: "GET", Path: "/api/servers/1/export?format=agent-discover", Status: 200,
			Want: []string{`"cwd":"` + folder + `","start_timeout":"2m","call_timeout":"1m30s"`},
		},
		hubtest.Step{
			Name: "its entry in other files", Method: "GET", Path: "/api/servers/1/export", Status: 200,
			Want: []string{`"cwd":"` + folder + `"`},
		},
		hubtest.Step{
			Name: "another folder, without limits", Method: "PUT", Path: "/api/servers/1",
			Body:   body(map[string]any{"cwd": folder + "/second", "start_timeout": "", "call_timeout": ""}),
			Person: true, Status: 200, Want: []string{`"cwd":"` + folder + `/second"`}, Never: []string{"start_timeout", "call_timeout"},
		},
		hubtest.Step{Name: "it is started again", Method: "POST", Path: "/api/servers/1/refresh", Status: 200},
		hubtest.Step{Name: "there", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{"in " + folder + `/second\n`}},
	)
}
