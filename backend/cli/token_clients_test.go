//go:build linux

package cli_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAPersonCreatesTokensForClients(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	info := h.Serve().Info
	if out := h.Run("token", "create", "laptop"); out.Code != 4 || !strings.Contains(out.Stderr, "only a person may do that") {
		t.Errorf("without a terminal: %+v", out)
	}
	programtest.Contains(t, h.Must("token", "list"), "There are no tokens of MCP clients")

	term := newTerminal(t)
	create := func(answer string, code int, args ...string) string {
		t.Helper()
		var printed programtest.Output
		cmd := h.Command(append([]string{"token", "create"}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = term.line, &printed, term.line
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		term.awaitText("Create the token " + args[0] + "?")
		if _, err := term.WriteString(answer + "\n"); err != nil {
			t.Fatal(err)
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v exited with %d, want %d:\n%s", args, cmd.ProcessState.ExitCode(), code, term.screen)
		}
		return printed.String()
	}
	if printed := create("n", 4, "refused"); printed != "" {
		t.Errorf("after a no, %q is printed", printed)
	}
	create("y", 2, "elsewhere", "--surface", "server:none")
	create("y", 1, "nobody", "--client", "no-such-editor")
	token := strings.TrimSuffix(create("y", 0, "laptop", "--client", "cursor"), "\n")
	if len(token) != 64 || strings.Contains(term.screen.String(), token) {
		t.Errorf("%q is printed; the screen shows %s", token, term.screen)
	}
	list := h.Must("token", "list")
	programtest.Contains(t, list, "laptop", "registry", "cursor", "LAST USED", "never")
	if strings.Contains(list, token) || strings.Contains(list, "refused") {
		t.Error(list)
	}

	status := func() int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+info.Address()+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if got := status(); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	if list := h.Must("token", "list"); strings.Contains(list, "never") {
		t.Errorf("after a use: %s", list)
	}
	programtest.Contains(t, h.Must("token", "revoke", "laptop"), "Revoked the token laptop")
	if got := status(); got != http.StatusUnauthorized {
		t.Errorf("with a revoked token: %d", got)
	}
	if out := h.Run("token", "revoke", "laptop"); !strings.Contains(out.Stderr, `there is no token "laptop"`) {
		t.Errorf("a second time: %+v", out)
	}
}
