package signin_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// signIn signs in to the server with an id, as an account.
func signIn(t *testing.T, h *hub.Hub, id int, account string) {
	t.Helper()
	var page operations.SignInPage
	hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/auth/login", id), nil, &page)
	if _, body, _ := oidctest.Browse(t, page.Address, account, ""); !strings.Contains(body, "Signed in") {
		t.Fatalf("the browser shows %s", body)
	}
	var after operations.SignIn
	hubtest.Do(t, h, "GET", fmt.Sprintf("/api/servers/%d/auth?wait=true", id), nil, &after)
	if after.State != "signed_in" || after.Issuer == "" {
		t.Fatalf("after the sign-in: %+v", after)
	}
}

func TestPeopleSignInToRemoteServers(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	folder := paths.Folder(t.TempDir())
	const passphrase = "AGENT_DISCOVER_PASSPHRASE=a passphrase"
	p := oidctest.Start(t)
	r := oidctest.NewAccounts(t, p)
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder}, passphrase)
	for _, name := range []string{"work", "home"} {
		hubtest.Do(t, h, "POST", "/api/servers",
			map[string]any{"name": name, "transport": "streamable-http", "homepage": r.URL + "/mcp", "start": false}, nil)
	}

	hubtest.Row{
		Name: "a program learns why", Method: "POST", Path: "/api/servers/1/activate", Status: 403,
		Want: []string{`"code":"sign_in_required"`, "agent-discover auth login work"},
	}.Send(t, h)
	err := hubtest.TryDo(t, h, "POST", "/api/servers/1/activate", nil)
	if err == nil || !strings.Contains(err.Error(), "agent-discover auth login work") {
		t.Fatalf("without a sign-in: %v", err)
	}
	var list []operations.SignIn
	if hubtest.Do(t, h, "GET", "/api/auth", nil, &list); len(list) != 2 || list[0].State != "signed_out" || list[1].State != "required" {
		t.Errorf("got %+v", list)
	}
	signIn(t, h, 1, "alice")
	signIn(t, h, 2, "bob")
	a := hubtest.Join(t, h, "agent")
	call := func(name, want string) {
		t.Helper()
		if got := a.Exchange("tools/call", `{"name":"`+name+`","arguments":{}}`); !strings.Contains(got, want) {
			t.Errorf("%s answered %s, want %q", name, got, want)
		}
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil) // the earlier failure must not delay this
	hubtest.Do(t, h, "POST", "/api/servers/2/activate", nil, nil)
	call("work__whoami", "you are alice")
	call("home__whoami", "you are bob")
	call("work__write", "agent-discover auth login work")
	signIn(t, h, 1, "alice")
	call("work__write", "you are alice")

	h.Stop()
	hubtest.AwaitEnd(t, ended)
	h, _ = hubtest.RunHub(t, hub.Options{Folder: folder}, passphrase)
	a = hubtest.Join(t, h, "agent")
	call("work__write", "you are alice")
	call("home__whoami", "you are bob")
	hubtest.Do(t, h, "POST", "/api/servers/1/auth/logout", nil, nil)
	call("work__whoami", "agent-discover auth login work")
	call("home__whoami", "you are bob")
	hubtest.Do(t, h, "DELETE", "/api/servers/2", nil, nil)
	if data, err := os.ReadFile(folder.Sealed("sign-ins")); err != nil ||
		strings.Contains(string(data), `"sealed"`) && strings.Contains(string(data), "home") {
		t.Errorf("the file has %s, %v", data, err)
	}

	var answers strings.Builder
	for _, path := range []string{"/api/auth", "/api/logs", "/api/servers", "/api/servers/1/auth", "/api/servers/1/messages"} {
		hubtest.Row{Name: path, Method: "GET", Path: path, Status: 200, Never: r.Tokens()[len(r.Tokens())-1:]}.Send(t, h)
	}
	err = filepath.WalkDir(string(folder), func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(file)
			answers.Write(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range r.Tokens() {
		if token != "" && strings.Contains(answers.String(), token) {
			t.Error("a token is readable in the data folder")
		}
	}
}
