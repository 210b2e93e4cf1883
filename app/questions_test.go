//go:build desktop && linux && production

package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	hubs "github.com/agent-discover/agent-discover/backend/hub"
)

// addAsking registers a server whose tools ask the user.
func (d *testDesktop) addAsking(client *instance.Client) {
	d.t.Helper()
	script, err := filepath.Abs("../build/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		d.t.Skip("server-everything is not installed: build/setup.sh test installs it")
	}
	body := map[string]any{"name": "asking", "command": "node", "args": []string{script, "stdio"}}
	if err := client.Do(d.t.Context(), http.MethodPost, "/api/servers", body, nil); err != nil {
		d.t.Fatal(err)
	}
	if err := client.Do(d.t.Context(), http.MethodPost, "/api/servers/1/activate", nil, nil); err != nil {
		d.t.Fatal(err)
	}
	d.await("the tools that ask, which the server adds after its start", func() bool {
		var list struct{ Tools []struct{ Name string } }
		err := client.Do(d.t.Context(), http.MethodGet, "/api/servers/1/tools", nil, &list)
		return err == nil && slices.ContainsFunc(list.Tools,
			func(tool struct{ Name string }) bool { return tool.Name == "trigger-sampling-request" })
	})
}

// call calls a tool of the server that addAsking registers. The channel receives the text of the result or the error.
func (d *testDesktop) call(ctx context.Context, client *instance.Client, tool string, args map[string]any) <-chan string {
	result := make(chan string, 1)
	go func() {
		var answer struct{ Content []struct{ Text string } }
		if err := client.Do(ctx, http.MethodPost, "/api/servers/1/call", map[string]any{"tool": tool, "args": args}, &answer); err != nil {
			result <- err.Error()
			return
		}
		var text strings.Builder
		for _, block := range answer.Content {
			text.WriteString(block.Text + "\n")
		}
		result <- text.String()
	}()
	return result
}

// awaitWaiting waits until n questions wait for an answer.
func (d *testDesktop) awaitWaiting(client *instance.Client, n int) {
	d.t.Helper()
	d.await(fmt.Sprintf("%d waiting questions", n), func() bool {
		var list struct{ Entries []struct{ ID string } }
		return client.Do(d.t.Context(), http.MethodGet, "/api/elicitations", nil, &list) == nil && len(list.Entries) == n
	})
}

func (d *testDesktop) press(button string) {
	d.t.Helper()
	d.await("the button "+button, func() bool { return d.Press(d.t.Context(), button) })
}

func TestTheWindowAnswersQuestionsWhileTheirCallsWait(t *testing.T) {
	d := newTestDesktop(t)
	w := d.open("-page", "/overview")
	_, client := d.hub()
	window := d.awaitWindow(Title)
	w.awaitTrace("ready") // before this stage, the page cannot show a question
	d.addAsking(client)

	answered := d.call(t.Context(), client, "trigger-sampling-request", map[string]any{"prompt": "What is six times seven?"})
	d.awaitText("asking asks for a message from a model", true)
	d.awaitText("What is six times seven?", true)
	d.awaitActive(window)
	d.xdotool("type", "--delay", "20", "forty-two of them")
	d.press("Send answer")
	if text := <-answered; !strings.Contains(text, "forty-two of them") {
		t.Errorf("the server got another answer: %s", text)
	}
	d.awaitText("asking asks for a message from a model", false)

	// The user closes the window before the question is answered.
	answered = d.call(t.Context(), client, "trigger-elicitation-request", nil)
	d.awaitText("asking asks for input", true)
	d.xdotool("windowfocus", "--sync", window, "key", "ctrl+w")
	if err := w.wait(); err != nil {
		t.Errorf("after Ctrl+W: %v", err)
	}
	d.awaitWaiting(client, 1)
	w = d.open("-page", "/tools")
	d.awaitText("asking asks for input", true)
	d.press("Decline")
	if text := <-answered; !strings.Contains(text, "declined") {
		t.Errorf("the server was not told that the user declined: %s", text)
	}
	d.awaitText("asking asks for input", false)

	// The question still exists after the window in which it was shown has ended.
	answered = d.call(t.Context(), client, "trigger-elicitation-request", nil)
	d.awaitText("asking asks for input", true)
	w.terminate()
	w = d.open("-page", "/servers")
	d.awaitText("asking asks for input", true)
	d.awaitText(" left", true)

	second := d.call(t.Context(), client, "trigger-elicitation-request", nil)
	d.awaitWaiting(client, 2)
	d.press("Decline")
	d.awaitWaiting(client, 1)
	d.press("Decline")
	for _, one := range []<-chan string{answered, second} {
		if text := <-one; !strings.Contains(text, "declined") {
			t.Errorf("the server was not told that the user declined: %s", text)
		}
	}

	// If two different questions wait at once, the window shows the older one first, and each gets its own answer.
	answered = d.call(t.Context(), client, "trigger-elicitation-request", nil)
	d.awaitWaiting(client, 1)
	d.awaitText("asking asks for input", true)
	second = d.call(t.Context(), client, "trigger-sampling-request", map[string]any{"prompt": "What is two times two?"})
	d.awaitWaiting(client, 2)
	d.press("Cancel")
	if text := <-answered; !strings.Contains(text, "cancelled") {
		t.Errorf("the server was not told that the user cancelled: %s", text)
	}
	d.awaitText("What is two times two?", true)
	d.awaitActive(d.awaitWindow(Title))
	d.xdotool("type", "--delay", "20", "four of them")
	d.press("Send answer")
	if text := <-second; !strings.Contains(text, "four of them") {
		t.Errorf("the server got another answer: %s", text)
	}

	ctx, cancel := context.WithCancel(t.Context())
	answered = d.call(ctx, client, "trigger-elicitation-request", nil)
	d.awaitText("asking asks for input", true)
	cancel()
	d.awaitText("asking asks for input", false)
	<-answered
	w.terminate()
}

func TestTheWindowShowsThatAQuestionHasEndedBecauseNobodyAnswered(t *testing.T) {
	d := newTestDesktop(t)
	client := d.runHub(hubs.Options{Folder: d.folder, Version: "1.0.0", AnswerTimeout: 20 * time.Second})
	w := d.open("-page", "/overview")
	d.awaitWindow(Title)
	w.awaitTrace("ready")
	d.addAsking(client)

	for tool, title := range map[string]string{
		"trigger-elicitation-request": "asking asks for input",
		"trigger-sampling-request":    "asking asks for a message from a model",
	} {
		answered := d.call(t.Context(), client, tool, map[string]any{"prompt": "What is six times seven?"})
		d.awaitText(title, true)
		text := <-answered
		if !strings.Contains(text, "nobody has answered it in the window of Agent Discover within 20s") {
			t.Errorf("%s: the call ends with %s", tool, text)
		}
		d.awaitText("The question of asking was not answered in time", true)
		d.awaitText(title, false)
		d.awaitWaiting(client, 0)
	}
	w.terminate()
}

// runHub runs a hub in this process until the test ends, and returns a client of it.
func (d *testDesktop) runHub(options hubs.Options) *instance.Client {
	d.t.Helper()
	for name, value := range map[string]string{
		"HOME": d.Home(), "XDG_CONFIG_HOME": "", "AGENT_DISCOVER_PORT": "0", "AGENT_DISCOVER_KEYCHAIN": "off",
	} {
		d.t.Setenv(name, value)
	}
	h, err := hubs.Open(d.t.Context(), options)
	if err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(h.Run(context.Background()), h.Close()) }()
	d.t.Cleanup(func() {
		h.Stop()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	_, client := d.hub()
	return client
}
