//go:build linux

package cli_test

import (
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// newMarket returns a home, the marketplace on loopback that its hub uses, and a function that
// starts a market command on a new terminal.
func newMarket(t *testing.T) (h *programtest.Home, m *markettest.Market, run func(args ...string) (*terminal, *exec.Cmd)) {
	t.Helper()
	h = programtest.NewHome(t)
	m, programs := markettest.Serve(t), filepath.Join(h.Dir, "programs")
	m.Prepare(t, h.Dir, programs, mcptest.Command(t))
	h.Write(filepath.Join(h.Dir, ".profile"), "export PATH='"+programs+"':$PATH PIP_INDEX_URL=http://127.0.0.1:9/simple\n")
	h.Set("AGENT_DISCOVER_REGISTRY_URL", m.Address)
	h.Set("AGENT_DISCOVER_PASSPHRASE", "a long passphrase")
	h.Serve()
	return h, m, func(args ...string) (*terminal, *exec.Cmd) {
		t.Helper()
		term := newTerminal(t)
		cmd := h.Command(append([]string{"market"}, args...)...)
		term.runAsSession(cmd)
		return term, cmd
	}
}

// exits waits until a command on the terminal ends, and checks its exit code.
func (term *terminal) exits(cmd *exec.Cmd, code int) {
	term.t.Helper()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
		term.t.Errorf("%v exited with %d, want %d:\n%s", cmd.Args, cmd.ProcessState.ExitCode(), code, term.screen)
	}
}

func TestAPersonAnswersTheQuestionsOfAServerSeesThePlanAndInstallsIt(t *testing.T) {
	t.Parallel()
	h, _, run := newMarket(t)
	term, cmd := run("install", "official:io.github.ada/forecast")
	term.awaitText("City of the forecast The variable CITY is required.")
	term.confirm("CITY: ", 1, "Rome")
	term.answer("API_KEY: ", 1, "correct-horse")
	term.awaitText("  argument 2   forecast-mcp@2.1.0")
	term.awaitText("  variable     API_KEY=${secret:API_KEY}")
	term.confirm("Install forecast? [y/N]", 1, "y")
	term.awaitText("Installed server forecast: ")
	term.exits(cmd, 0)
	if strings.Contains(term.screen.String(), "correct-horse") {
		t.Errorf("the secret is on the screen:\n%s", term.screen)
	}
	programtest.Contains(t, h.Must("servers", "show", "forecast", "--json"), `"CITY": "Rome"`, `"approved": true`, `"source": "registry"`)
	programtest.Contains(t, h.Must("call", "forecast__environment"), `"CITY=Rome"`, `"API_KEY=correct-horse"`)
	programtest.Contains(t, h.Must("market", "search", "forecast"), "installed")
}

func TestAPersonSaysNoToAPlan(t *testing.T) {
	t.Parallel()
	h, _, run := newMarket(t)
	term, cmd := run("install", "npm:weather-mcp")
	term.confirm("Install weather-mcp? [y/N]", 1, "n")
	term.exits(cmd, 4)
	term.awaitText("nothing was changed")
	programtest.Contains(t, h.Must("servers"), "No server is configured")
}

func TestAnInterruptUndoesAnInstallation(t *testing.T) {
	t.Parallel()
	h, _, run := newMarket(t)
	term, cmd := run("install", "npm:slow-mcp", "--verbose")
	term.confirm("Install slow-mcp? [y/N]", 1, "y")
	term.awaitText("npm http fetch GET 200 slow-mcp") // the output of npm, which is still running
	if _, err := term.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	term.awaitText("Cancelling …")
	term.awaitText("slow-mcp: it was cancelled; nothing was left behind")
	term.exits(cmd, 3)
	programtest.Contains(t, h.Must("servers"), "No server is configured")
}

func TestClosingTheTerminalUndoesAnInstallation(t *testing.T) {
	t.Parallel()
	// If this process catches SIGHUP, its child processes do not ignore the signal, even when the
	// tests run under nohup.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	h, _, run := newMarket(t)
	term, cmd := run("install", "npm:slow-mcp", "--verbose")
	term.confirm("Install slow-mcp? [y/N]", 1, "y")
	term.awaitText("npm http fetch GET 200 slow-mcp")
	if err := term.Close(); err != nil {
		t.Fatal(err)
	}
	term.exits(cmd, 3)
	var jobs struct{ Jobs []installer.Progress }
	if err := instance.NewClient(h.RunningHub()).Do(t.Context(), http.MethodGet, "/api/market/jobs", nil, &jobs); err != nil {
		t.Fatal(err)
	}
	if len(jobs.Jobs) != 1 || jobs.Jobs[0].State != installer.Cancelled {
		t.Errorf("jobs: %+v", jobs.Jobs)
	}
	programtest.Contains(t, h.Must("servers"), "No server is configured")
}

func TestAFailedInstallationShowsTheLastWordsOfTheServer(t *testing.T) {
	t.Parallel()
	h, _, run := newMarket(t)
	term, cmd := run("install", "npm:broken-mcp")
	term.confirm("Install broken-mcp? [y/N]", 1, "y")
	term.awaitText("  npm http fetch GET 200 a package")
	term.awaitText("broken-mcp was not installed, and everything is undone: ")
	term.awaitText("the station is closed")
	term.exits(cmd, 3)
	programtest.Contains(t, h.Must("servers"), "No server is configured")
}

func TestAPersonSeesWhatAnUpdateChanges(t *testing.T) {
	t.Parallel()
	h, m, run := newMarket(t)
	term, cmd := run("install", "npm:weather-mcp")
	term.confirm("Install weather-mcp? [y/N]", 1, "y")
	term.exits(cmd, 0)
	h.Must("call", "weather-mcp__forecast")
	m.Publish("weather-mcp", "2.0.0")
	term, cmd = run("update", "npm:weather-mcp", "--replay")
	term.awaitText("weather-mcp has the version 1.0.0; the newest one is 2.0.0.")
	term.confirm("Compare them? [y/N]", 1, "y")
	term.awaitText("weather-mcp: 1.0.0 → 2.0.0")
	term.awaitText("+ tool         wind")
	term.awaitText("~ tool         forecast: its description differs")
	term.confirm("Update weather-mcp? [y/N]", 1, "y")
	term.awaitText("Updated server weather-mcp from 1.0.0 to 2.0.0.")
	term.exits(cmd, 0)
	programtest.Contains(t, h.Must("servers", "show", "weather-mcp"), "weather-mcp@2.0.0", "wind")

	term, cmd = run("rollback", "weather-mcp")
	term.confirm("Return to 1.0.0? [y/N]", 1, "y")
	term.awaitText("Server weather-mcp has the version 1.0.0 again.")
	term.exits(cmd, 0)
	programtest.Contains(t, h.Must("servers", "show", "weather-mcp"), "weather-mcp@1.0.0")
}

func TestAPersonSeesWhereAProposalOfAnAgentComesFrom(t *testing.T) {
	t.Parallel()
	h, _, _ := newMarket(t)
	agent := h.Attach()
	proposed := agent.Ask("tools/call", `{"name":"registry","arguments":{"action":"install","name":"npm:weather-mcp"}}`)
	programtest.Contains(t, proposed.Line, "waiting_for_approval")
	term := newTerminal(t)
	cmd := h.Command("servers", "approve", "weather-mcp")
	term.runAsSession(cmd)
	term.awaitText("weather-mcp, proposed by an agent in test-editor 9:")
	term.awaitText("  argument 2   weather-mcp@1.0.0")
	term.awaitText("  listing      npm:weather-mcp 1.0.0")
	term.awaitText("  hash         ")
	term.confirm("Approve server weather-mcp?", 1, "y")
	term.awaitText("Approved server weather-mcp: 0 tools in use, ")
	term.exits(cmd, 0)

	cmd = h.Command("trust", "approve", "weather-mcp", "--clean")
	term.runAsSession(cmd)
	term.awaitText("  tool forecast: ")
	term.confirm("items of server weather-mcp?", 1, "y")
	term.awaitText(" still wait")
	term.exits(cmd, 0)
	programtest.Contains(t, h.Must("call", "weather-mcp__forecast"), "")
}
