//go:build linux

package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/porttest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestPortInUseIsReportedAndAnotherIsUsed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	holder := porttest.Take(t, "127.0.0.1:0", "")
	port := holder.Port
	h.Settings("port: " + strconv.Itoa(port) + "\n")
	h.Without("AGENT_DISCOVER_PORT")
	s := h.Serve()
	if s.Port == port {
		t.Errorf("the hub reports port %d, which another program uses", port)
	}
	programtest.Contains(t, s.Stderr.String(), "port is in use", "port="+strconv.Itoa(port))
	programtest.Contains(t, h.Attach().Registry(`{"action":"status"}`), "active_count")

	person, end, err := instance.NewClient(h.RunningHub()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := person.Do(t.Context(), http.MethodPost, "/api/tokens", map[string]string{"name": "n8n-flows"}, nil); err != nil {
		t.Fatal(err)
	}
	used := "port " + strconv.Itoa(port) + " is used by another program (process " + strconv.Itoa(holder.PID) + ", "
	clients := "HTTP clients that are configured with port " + strconv.Itoa(port) +
		" do not reach the hub and send their tokens to that program (n8n-flows)"
	advice := "agent-discover restart. If the program is not yours, also revoke the tokens: agent-discover token revoke n8n-flows"
	programtest.Contains(t, h.Must("status"), "Warning: "+used, clients, advice)
	programtest.Contains(t, h.Must("doctor"), "WARNING  port: "+used, clients, advice)
	programtest.Contains(t, h.Must("status", "--json"), `"port": `+strconv.Itoa(port))
	holder.End()
	h.Must("restart")
	if got := h.RunningHub().Port; got != port {
		t.Errorf("the port is free now, and the hub listens on %d", got)
	}
	if out := h.Must("doctor"); strings.Contains(out, "port:") {
		t.Errorf("the port is no problem any more: %s", out)
	}
}

func TestThePortThatAnotherUserHasIsReportedWithTheUser(t *testing.T) {
	t.Parallel()
	holder := porttest.Take(t, "127.0.0.1:0", strconv.Itoa(otherUser))
	name := strconv.Itoa(otherUser)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_PORT", strconv.Itoa(holder.Port))
	h.Serve()
	want := []string{
		", of user " + name + "), so the hub listens on ", "or have that program ended; then run: agent-discover restart. ",
		"Also revoke the tokens, because another user may have them: agent-discover token revoke NAME",
	}
	programtest.Contains(t, h.Must("status"), want...)
	programtest.Contains(t, h.Must("doctor"), want...)
	programtest.Contains(t, h.Run("start").Stderr, want...)
	for _, path := range []string{"/api/about", "/api/status"} {
		var answer struct {
			Port operations.TakenPort `json:"taken_port"`
		}
		if err := instance.NewClient(h.RunningHub()).Do(t.Context(), http.MethodGet, path, nil, &answer); err != nil {
			t.Fatal(err)
		}
		if p := answer.Port; p.Holder == nil || p.Holder.PID != holder.PID || p.Holder.User != name || !p.Holder.Foreign || p.Free {
			t.Errorf("%s: %+v, %+v", path, p, p.Holder)
		}
	}
}

func TestConfiguredPortIsUsed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := probe.Addr().(*net.TCPAddr).Port
	_ = probe.Close()
	h.Settings("port: " + strconv.Itoa(port) + "\n")
	h.Without("AGENT_DISCOVER_PORT")
	if s := h.Serve(); s.Port != port {
		t.Errorf("the hub listens on %d, not %d:\n%s", s.Port, port, s.Stderr)
	}
}

// runUnprivileged makes cmd run as an unprivileged user if the test runs as root, because file
// permissions do not restrict root.
func runUnprivileged(t *testing.T, h *programtest.Home, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, dir := range []string{h.Dir, filepath.Dir(h.Dir), filepath.Dir(h.Program)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadOnlyDataFolderIsReportedWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	if err := h.Folder.Create(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{string(h.Folder), h.Folder.Run(""), filepath.Dir(h.Folder.Log())} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(dir, 0o755) }() // so that the test can remove the folder
	}
	for _, args := range [][]string{{"serve"}, {"servers", "list"}, {"stop"}, {"doctor"}} {
		cmd := h.Command(args...)
		runUnprivileged(t, h, cmd)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%v succeeded: %s", args, out)
		}
		programtest.Contains(t, string(out), string(h.Folder), "not writable", "AGENT_DISCOVER_HOME")
	}
}

func TestCompanionReportsAMissingDataFolder(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Write(string(h.Folder), "a file is in the way")
	c := h.Companion()
	programtest.Contains(t, string(c.Open(`{}`).Result), "data folder", "cannot be created")
	programtest.Contains(t, c.FailingTool("registry", `{"action":"list"}`), string(h.Folder), "AGENT_DISCOVER_HOME")
}

func TestDataFolderThatIsAFileIsReportedWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Write(string(h.Folder), "a file is in the way")
	out := h.Run("serve")
	if out.Code != 3 {
		t.Errorf("exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, string(h.Folder), "cannot be created", "AGENT_DISCOVER_HOME")
}

// setLoginPath sets the PATH of the login shell to the given folders, and the PATH of
// the hub to a folder with nothing but the program env.
func setLoginPath(h *programtest.Home, dirs ...string) {
	h.T.Helper()
	plain := filepath.Join(h.Dir, "plain")
	if err := os.MkdirAll(plain, 0o755); err != nil {
		h.T.Fatal(err)
	}
	env, err := exec.LookPath("env")
	if err != nil {
		h.T.Fatal(err)
	}
	if err := os.Symlink(env, filepath.Join(plain, "env")); err != nil {
		h.T.Fatal(err)
	}
	h.Write(filepath.Join(h.Dir, ".profile"), "PATH="+strings.Join(append(dirs, plain), ":")+"\nexport PATH\nexport FROM_PROFILE=yes\n")
	h.Set("PATH", plain)
}

func TestMissingNpxIsReportedWithAdvice(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	setLoginPath(h)
	h.Serve()
	h.Add("node", []string{"npx", "-y", "whatever"}, "--no-start")
	programtest.Contains(t, h.Attach().FailingTool("node__x", `{}`), `"node"`, `"npx" not found on PATH`, "install Node.js")
	out := h.Run("servers", "refresh", "node")
	if out.Code != 3 {
		t.Errorf("refresh: exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "install Node.js")
	out = h.Run("doctor")
	if out.Code != 0 {
		t.Errorf("doctor: exit code %d: the hub works without npx", out.Code)
	}
	programtest.Contains(t, out.Stdout, "WARNING  npx: not on the login shell's PATH", "see https://nodejs.org")
}

func TestProgramOnTheLoginShellsPathIsStarted(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	tools := filepath.Join(h.Dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	setLoginPath(h, tools)
	command := mcptest.Command(t)
	script := "#!/bin/sh\nexec " + strings.Join(command, " ") + "\n"
	if err := os.WriteFile(filepath.Join(tools, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Serve()
	h.Add("node", []string{"npx", "-y", "whatever"})
	e := h.Attach().Environment("node")
	programtest.Contains(t, strings.Join(e.Env, "\n"), "FROM_PROFILE=yes", "PATH="+tools)
}

func TestFailingLoginShellLeavesAPlainEnvironment(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Set("SHELL", "/bin/false")
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	if got := h.Attach().Tool("fake__echo", `{"text":"plain"}`); got != "plain" {
		t.Errorf("echo returned %q", got)
	}
	programtest.Contains(t, s.Stderr.String(), "could not read the login shell's environment")
}

func TestInvalidSettingsAreReportedByKey(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	for yaml, want := range map[string]string{
		"port: no\n":                     "port",
		"limits: {idle_stopp: 1s}\n":     "idle_stopp",
		"limits: {idle_stop: -1s}\n":     "limits",
		"agents: {install: perhaps}\n":   "agents.install",
		"limits: {idle_stop: 1s\nport: ": "YAML",
	} {
		h.Settings(yaml)
		out := h.Run("serve")
		if out.Code != 1 {
			t.Errorf("%q: exit code %d", yaml, out.Code)
		}
		programtest.Contains(t, out.Stderr, want, "config.yaml")
	}
}

func TestCompanionReportsWhyTheHubDoesNotStart(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("agents: {install: maybe}\n")
	c := h.Attach()
	programtest.Contains(t, c.FailingTool("registry", `{"action":"list"}`), "cannot start", "ask, allow or deny")

	h.Settings("agents: {install: ask}\n")
	programtest.Eventually(t, "the hub starts once the settings are valid", func() bool {
		_, err := instance.Read(h.Folder)
		return err == nil
	})
	c.AwaitCount(programtest.ToolListChanged, 1)
	if got := c.Registry(`{"action":"list"}`); got != "[]" {
		t.Errorf("list returned %s", got)
	}
}

func TestASetupFileMayUseVariablesThatAnEditorGivesToTheCompanion(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	command := mcptest.Command(t)
	file := filepath.Join(h.Dir, "setup.json")
	h.Write(file, `{"servers":[{"name":"fake","command":"`+command[0]+`","args":["`+command[1]+`"],
		"env":{"GIVEN":"$GIVEN_TOKEN","PRICE":"5$$","MISSING":"$NOT_SET_ANYWHERE"}}]}`)
	h.Set("AGENT_DISCOVER_SETUP_FILE", file)
	h.Set("AGENT_DISCOVER_DB", "/old.db")
	h.Set("GIVEN_TOKEN", "tok-12345")
	h.Set("OTHER_TOKEN", "tok-67890")
	c := h.Attach() // starts the hub
	programtest.Eventually(t, "the setup file is read", func() bool { return strings.Contains(c.Registry(`{"action":"list"}`), `"fake"`) })
	for name, want := range map[string]string{
		"GIVEN": "tok-12345", "PRICE": "5$", "MISSING": "", "GIVEN_TOKEN": "", "OTHER_TOKEN": "", "AGENT_DISCOVER_SETUP_VARIABLES": "",
	} {
		if got := c.Variable("fake", name); got != want {
			t.Errorf("the server's %s is %q, want %q", name, got, want)
		}
	}
	programtest.Contains(t, c.Registry(`{"action":"sync"}`), `"unset_variables": [`, `"NOT_SET_ANYWHERE"`)
	log, err := os.ReadFile(h.Folder.Log())
	if err != nil {
		t.Fatal(err)
	}
	programtest.Contains(t, string(log), "setup file uses variables that are not set", "NOT_SET_ANYWHERE", "AGENT_DISCOVER_DB")
	for _, pid := range h.Processes("") {
		if line := programtest.CommandLine(pid); strings.Contains(line, "tok-") {
			t.Errorf("a command line contains the variable: %s", line)
		}
	}
	if strings.Contains(string(log), "tok-") {
		t.Errorf("the log contains the variable: %s", log)
	}
}

func TestServersGetTheNetworkVariablesOfTheSession(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	h.Set("HTTP_PROXY", proxy.URL)
	h.Set("NODE_EXTRA_CA_CERTS", "/from/profile.pem")
	h.Set("PIP_CERT", "/corp.pem")
	h.Set("UV_PUBLISH_TOKEN", "tok-12345")
	h.Write(filepath.Join(h.Dir, ".profile"), "unset NODE_EXTRA_CA_CERTS; export CURL_CA_BUNDLE=/from/profile.pem\n")
	h.Add("fake", mcptest.Command(t)) // starts the hub
	c := h.Attach()
	for name, want := range map[string]string{
		"HTTP_PROXY": proxy.URL, "PIP_CERT": "/corp.pem", "NODE_EXTRA_CA_CERTS": "", "CURL_CA_BUNDLE": "/from/profile.pem",
		"UV_PUBLISH_TOKEN": "",
	} {
		if got := c.Variable("fake", name); got != want {
			t.Errorf("the server's %s is %q, want %q", name, got, want)
		}
	}
	h.Run("servers", "add", "far", "--url", "http://far.example/mcp")
	programtest.Eventually(t, "the proxy is asked", func() bool { return len(asked) > 0 })
	if got := <-asked; got != "http://far.example/mcp" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

func TestModelsAreReachedThroughTheProxyOfTheLoginShell(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	asked := make(chan string, 100)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.String():
		default:
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	h.Settings("search: {provider: local, model: m, url: 'http://models.example/v1'}\n")
	h.Write(filepath.Join(h.Dir, ".profile"), "export HTTP_PROXY="+proxy.URL+"\n")
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	h.Run("search", "echo")
	programtest.Eventually(t, "the proxy is asked for a model", func() bool { return len(asked) > 0 })
	if got := <-asked; got != "http://models.example/v1/embeddings" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

func TestAFailingLoginShellIsNamedWhereAProgramIsNotFound(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	tools := filepath.Join(h.Dir, "nbin")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec " + strings.Join(mcptest.Command(t), " ") + "\n"
	if err := os.WriteFile(filepath.Join(tools, "npx-fake"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Set("SHELL", "/bin/bash")
	h.Write(filepath.Join(h.Dir, ".bash_profile"), "export PATH=$HOME/nbin:$PATH\nexec /bin/dash\n")
	h.Serve()
	h.Add("n", []string{"npx-fake"})
	if got := h.Attach().Tool("n__echo", `{"text":"found"}`); got != "found" {
		t.Errorf("the server on the PATH of the start-up file returned %q", got)
	}
	h.Add("absent", []string{"no-such-program"}, "--no-start")
	problem := "your login shell bash did not run a command after its start-up files, which may start another program with exec; " +
		"the PATH that its start-up files had set until then is used"
	programtest.Contains(t, h.Run("servers", "start", "absent").Stderr, `command "no-such-program" not found on PATH — `+problem)
	programtest.Contains(t, h.Run("doctor").Stdout, "WARNING  login shell: PATH="+tools, problem, "agent-discover restart")
}
