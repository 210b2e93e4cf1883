package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

func TestControlCharactersArePrintedAsEscapes(t *testing.T) {
	for given, want := range map[string]string{
		"plain\ttext\nof two lines, é 漢 🙂": "plain\ttext\nof two lines, é 漢 🙂",
		"\x1b[2J\x1b]0;title\x07":          `\x1b[2J\x1b]0;title\x07`,
		"over\rwritten":                    `over\rwritten`,
		"of\r\nWindows":                    "of\nWindows",
		"\u009b31m":                        `\x9b31m`,
		"turned \u202etxet":                `turned \u202etxet`,
		"hidden \U000e0041":                `hidden \u{e0041}`,
		"not \xff UTF-8":                   `not \xff UTF-8`,
		"a \uFFFD that was sent":           "a \uFFFD that was sent",
	} {
		if got := safetext.Prose(given); got != want {
			t.Errorf("%q is printed as %q, want %q", given, got, want)
		}
	}
	if got := cell("one\ntwo\tthree\x1b"); got != `one\ntwo\tthree\x1b` {
		t.Errorf("in a cell of a table: %q", got)
	}
}

func TestResultsAreEscapedOnlyOnATerminal(t *testing.T) {
	result := json.RawMessage(`{"content":[{"type":"text","text":"\u001b[31mred"}]}`)
	for _, test := range []struct {
		terminal, json bool
		want           string
	}{
		{true, false, `\x1b[31mred` + "\n"},
		{false, false, "\x1b[31mred\n"},
		{true, true, string(result) + "\n"},
	} {
		var out bytes.Buffer
		c := callCommand{&program{out: &out, outTerminal: test.terminal, json: test.json}}
		if err := c.printResult(result); err != nil || out.String() != test.want {
			t.Errorf("terminal %v, JSON %v: got %q, %v", test.terminal, test.json, out.String(), err)
		}
	}
}

func TestExitCodeOfACallDoesNotDependOnItsText(t *testing.T) {
	c := callCommand{&program{out: &bytes.Buffer{}}}
	for result, want := range map[string]error{
		`{"isError":true,"content":[{"type":"text","text":"the form waits for a person's approval"}]}`: exitCode(exitFailed),
		`{"content":[{"type":"text","text":"the form waits for a person's approval"}]}`:                nil,
	} {
		if got := c.printResult(json.RawMessage(result)); got != want {
			t.Errorf("%s: got error %v, want %v", result, got, want)
		}
	}
}

func TestApprovalShowsWhatWouldRunAndAsks(t *testing.T) {
	command := "npx"
	server := resources.Server{Name: "one", Command: &command, Args: []string{"-y", "evil\x1b[8m"}, Env: map[string]string{"API_KEY": "abcdefgh"}}
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		var out bytes.Buffer
		c := serverCommands{&program{in: strings.NewReader(answer), out: &out, interactive: true, outTerminal: true}}
		if err := c.confirmProposal(server, false); err == nil != want || !want && fault.KindOf(err) != fault.Denied {
			t.Errorf("answer %q: got error %v", answer, err)
		}
		if shown := out.String(); !strings.Contains(shown, `"evil\x1b[8m"`) || strings.Contains(shown, "abcdefgh") || !strings.Contains(shown, "[y/N]") {
			t.Errorf("printed %q", shown)
		}
	}
}

func TestApprovalOfARemoteServerShowsItsHeaders(t *testing.T) {
	address := "https://host/mcp"
	shown := proposal(resources.Server{Name: "one", Transport: "streamable-http", Homepage: &address, Headers: map[string]string{
		"Authorization": "Bearer abcdefgh", "X-Note": "${secret:other/KEY}\x1b[8m",
	}})
	if !strings.Contains(shown, `X-Note: "${secret:other/KEY}\x1b[8m"`) || !strings.Contains(shown, "Authorization: "+secrets.Redacted) || strings.Contains(shown, "abcdefgh") {
		t.Errorf("printed %s", shown)
	}
}

func TestListsContainNoCredentials(t *testing.T) {
	command, address := "npx", "https://me:abcdefgh@host/mcp?token=abcdefgh"
	for _, server := range []resources.Server{
		{Name: "one", Command: &command, Args: []string{"--api-key", "abcdefgh"}, Env: map[string]string{"API_KEY": "abcdefgh"}},
		{Name: "two", Homepage: &address, Headers: map[string]string{"Authorization": "Bearer abcdefgh", "X-Mode": "fast"}},
	} {
		data, err := json.Marshal(redactServers([]resources.Server{server}))
		if text := string(data) + target(server); err != nil || strings.Contains(text, "abcdefgh") || !strings.Contains(text, secrets.Redacted) {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if address != "https://me:abcdefgh@host/mcp?token=abcdefgh" {
		t.Error("redactServers changed its argument")
	}
}
