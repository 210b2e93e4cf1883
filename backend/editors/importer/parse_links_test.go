package importer

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// parsedLines parses a text and returns one line for each server in it.
func parsedLines(t *testing.T, text string) []string {
	t.Helper()
	entries, err := parseText(text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, line(e))
	}
	return got
}

func TestInstallLinksOfEveryEditorAreParsed(t *testing.T) {
	const entry = `{"command":"npx","args":["-y","@x/p>?"],"env":{"K":"v"}}`
	const named = `{"name":"n","command":"npx","args":["-y","@x/p>?"],"env":{"K":"v"}}`
	const want = "n: K=v npx|-y|@x/p>?"
	std, safe := base64.StdEncoding.EncodeToString([]byte(entry)), base64.RawURLEncoding.EncodeToString([]byte(entry))
	escaped := url.QueryEscape
	for text, want := range map[string]string{
		"cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=" +
			std: want,
		"cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=" +
			escaped(std): want,
		"cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=" +
			safe: want,
		"https://cursor.com/install-mcp?name=n&config=" +
			escaped(std): want,
		"https://cursor.com/en/install-mcp?name=n&config=" +
			std: want,
		"https://cursor.com/deeplink/mcp-install-dark.svg?name=n&config=" +
			std: want,
		"vscode:mcp/install?" +
			escaped(named): want,
		"vscode-insiders:mcp/install?" +
			url.PathEscape(named): want,
		"vscode:mcp/install?name=n&config=" +
			escaped(entry): want,
		"vscode://mcp/install?" +
			escaped(named): want,
		"https://insiders.vscode.dev/redirect/mcp/install?name=n&config=" +
			escaped(entry): want,
		"https://vscode.dev/redirect/mcp/install?name=n&config=" + escaped(entry) +
			"&inputs=[]": want,
		"https://insiders.vscode.dev/redirect?url=" +
			escaped("vscode:mcp/install?"+escaped(named)): want,
		"https://vscode.dev/redirect?url=vscode:mcp/install?" +
			escaped(named): want,
		"https://kiro.dev/launch/mcp/add?name=n&config=" +
			escaped(entry): want,
		"kiro://kiro.mcp/add?name=n&config=" +
			escaped(entry): want,
		"lmstudio://add_mcp?name=n&config=" +
			escaped(std): want,
		"https://lmstudio.ai/install-mcp?name=n&config=" +
			escaped(std): want,
		"goose://extension?cmd=npx&arg=-y&arg=%40x%2Fp%3E%3F&id=n&name=N%20n&description=d&env=K%3Dv&timeout=300": want,
		"goose://extension?url=https%3A%2F%2Fh%2Fmcp&type=streamable_http&id=n&name=N&header=A%3Db": "n: streamable-http " +
			"https://h/mcp [A: b]",
		"goose://extension?url=https%3A%2F%2Fh%2Fsse&id=n": "n: sse https://h/sse",
		"raycast://mcp/install?" +
			escaped(named): want,
		"trae://trae.ai-ide/mcp-import?type=stdio&name=n&config=" +
			std: want,
		"cherrystudio://mcp/install?servers=" +
			base64.StdEncoding.EncodeToString([]byte(`{"mcpServers":{"n":`+entry+`}}`)): want,
		"[![Install](https://h/x.svg)](cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=" + std +
			")": want,
		"vscode:mcp/install?" +
			escaped(`{"name":"n","type":"http","url":"https://h/mcp","headers":{"A":"${input:k}"}}`): "n: streamable-http https://h/mcp " +
			"[A: ${input:k}]",
		"cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=" +
			base64.StdEncoding.EncodeToString([]byte(`{"command":"npx -y p"}`)): "n: npx|-y|p",
		"https://mcp.example.com/mcp?config=" + std: ": streamable-http https://mcp.example.com/mcp?config=" + std,
		"https://api.example.com/mcp/install":       ": streamable-http https://api.example.com/mcp/install",
	} {
		if got := parsedLines(t, text); !slices.Equal(got, []string{want}) {
			t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestCommandsThatAddAServerToAClientAreParsed(t *testing.T) {
	for text, want := range map[string][]string{
		"claude mcp add --transport http notion https://mcp.notion.com/mcp": {
			"notion: streamable-http https://mcp.notion.com/mcp",
		},
		"claude mcp add notion --transport sse https://h/x -H \"A: b\" \"C: d\"": {
			"notion: sse https://h/x [A: b] [C: d]",
		},
		"claude mcp add --client-id abc --callback-port 8080 n https://h/mcp": {"n: streamable-http https://h/mcp"},
		"npx -y @anthropic-ai/claude-code mcp add n -- npx y":                 {"n: npx|y"},
		"sudo /usr/local/bin/claude mcp add n -- npx y --scope z":             {"n: npx|y|--scope|z"},
		"claude --debug mcp add n -- npx y":                                   {"n: npx|y"},
		"claude mcp add a -- npx a && claude mcp add b -- npx b":              {"a: npx|a", "b: npx|b"},
		"codex mcp add n --env A=1 --env B=2 -- npx -y p":                     {"n: A=1 B=2 npx|-y|p"},
		"codex mcp add n --url https://h/mcp --bearer-token-env-var T --oauth-client-id x": {
			"n: streamable-http https://h/mcp [Authorization: Bearer ${T}]",
		},
		"gemini mcp add -s user -e A=1 --timeout 5 --trust n npx -y p": {"n: A=1 npx|-y|p"},
		"gemini mcp add --transport http --header \"A: b\" n https://h/mcp": {
			"n: streamable-http https://h/mcp [A: b]",
		},
		"qwen mcp add --include-tools a,b n uvx p": {"n: uvx|p"},
		"amp mcp add n --env A=1 -- npx -y p postgresql://localhost/x": {
			"n: A=1 npx|-y|p|postgresql://localhost/x",
		},
		"amp mcp add n --header \"Authorization=Bearer <token>\" https://h/mcp": {
			"n: streamable-http https://h/mcp [Authorization: Bearer <token>]",
		},
		"copilot mcp add --transport http --tools '*' n https://h/mcp":           {"n: streamable-http https://h/mcp"},
		"copilot mcp add n -e A=/b -- node /x.js":                                {"n: A=/b node|/x.js"},
		"auggie mcp add n --command /usr/bin/x --args \"--port 9000\" --env K=v": {"n: K=v /usr/bin/x|--port|9000"},
		"auggie mcp add n --transport http --url https://h/mcp --header \"Authorization: Bearer x\"": {
			"n: streamable-http https://h/mcp [Authorization: Bearer x]",
		},
		"unheard-of mcp add n --env K=v -- npx -y p":                   {"n: K=v npx|-y|p"},
		"droid mcp add n \"npx -y p\" --env K=v":                       {"n: K=v npx|-y|p"},
		"kiro-cli mcp add --name n --command uvx --args a,b --env K=v": {"n: K=v uvx|a|b"},
		"q mcp add --name n --command uvx --args '[\"a\",\"b c\"]'":    {"n: uvx|a|b c"},
		"grok mcp add -e K=postgres://h/db n -- npx -y p":              {"n: K=postgres://h/db npx|-y|p"},
		"qodercli mcp add -t http n https://h/mcp":                     {"n: streamable-http https://h/mcp"},
		"kimi mcp add --transport http n https://h/mcp --header 'X-Key: a'": {
			"n: streamable-http https://h/mcp [X-Key: a]",
		},
		"claude mcp add-json n '{\"type\":\"http\",\"url\":\"https://h/mcp\"}' --scope user": {"n: streamable-http https://h/mcp"},
		"code-insiders --add-mcp '{\"name\":\"n\",\"command\":\"uvx\",\"args\":[\"p\"]}'":    {"n: uvx|p"},
		"goose session --with-extension \"K=v npx -y p\"":                                    {": K=v npx|-y|p"},
		"goose session --with-streamable-http-extension https://h/mcp":                       {": streamable-http https://h/mcp"},
		"$ claude mcp add \\\n    n \\\n    -- npx y":                                        {"n: npx|y"},
		"kiro-cli mcp add --name n --command x --env A=1,B=2":                                {"n: A=1 B=2 x"},
		"codex mcp add n --env LIST=a,b -- x":                                                {"n: LIST=a,b x"},
		"my-server mcp add":                                                                  {": my-server|mcp|add"},
		"npx -y @playwright/mcp@latest":                                                      {": npx|-y|@playwright/mcp@latest"},
		"docker run -i --rm mcp/fetch":                                                       {": docker|run|-i|--rm|mcp/fetch"},
	} {
		if got := parsedLines(t, text); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestCodeBlocksOfADocumentAreParsed(t *testing.T) {
	const document = `# A server

Some prose: install it first.

~~~sh
npm install -g thing
cd thing
export TOKEN=x
~~~

1. Claude Code:

   ` + "```bash" + `
   claude mcp add thing -- npx -y thing
   ` + "```" + `

2. Others:

` + "```json" + `
{ "mcpServers": { "thing": { "command": "npx", "args": ["-y", "thing"] } } }
` + "```" + `

and ` + "`inline`" + `

` + "```toml" + `
[mcp_servers.remote]
url = "https://h/mcp"
` + "```" + `
` + "```\n{\"theme\": \"dark\"}\n```\n"
	if got, want := parsedLines(t, document), []string{
		"thing: npx|-y|thing", "remote: streamable-http https://h/mcp",
	}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := parsedLines(t, "Do this:\n```\n{\"a\": {\"command\": \"x\", \"args\": []},\n"+"\"b\": {\"command\": \"y\", \"env\": {}}}\n"),
		[]string{"a: x", "b: y"}; !slices.Equal(got, want) {
		t.Errorf("a block without an end: got %q, want %q", got, want)
	}
}

func TestTextsThatAreNoConfigurationAreRefusedWithTheReason(t *testing.T) {
	for text, want := range map[string]string{
		"<!doctype html><html><body>hunter2</body></html>":     "HTML",
		"<html lang=en>\n<p>npx -y hunter2</p>":                "HTML",
		"<div class=x>npx hunter2</div>":                       "HTML",
		"To install hunter2, run the following command.":       "prose",
		"This is hunter2":                                      "prose",
		"MCP server":                                           "prose",
		"install the server with hunter2":                      "prose",
		"Hello, world":                                         "prose",
		"the quick brown fox":                                  "prose",
		"npx -y good\nThen restart it.":                        "command 2: this reads like prose",
		"# Title\n\nSome prose, hunter2.":                      "prose",
		"使用 hunter2 安装":                                        "prose",
		"node is a runtime that you need.":                     "prose",
		"npm install -g hunter2":                               "starts no server",
		"git clone https://h/hunter2":                          "starts no server",
		"pip install hunter2":                                  "starts no server",
		"curl -fsSL https://h/hunter2":                         "starts no server",
		"claude mcp list":                                      "does not add a server",
		"claude mcp remove hunter2":                            "does not add a server",
		"claude mcp add hunter2":                               "neither a command nor a URL",
		"npx -y @smithery/cli install hunter2 --client claude": "into an AI client",
		"sudo npm install -g hunter2":                          "starts no server",
		"npx add-mcp https://h/hunter2":                        "into an AI client",
		"cursor://anysphere.cursor-deeplink/mcp/install?name=hunter2&config=bm90aGluZw": "contains no server",
		"vscode:mcp/by-name/hunter2":                  "contains no server",
		"ftp://h/hunter2":                             "contains no server",
		"file:///hunter2":                             "contains no server",
		"https://h/mcp is the hunter2":                "stand alone",
		"Text\n```sh\nnpm install hunter2\n```\nmore": "none of the code blocks",
		"```\n```": "empty",
	} {
		entries, err := parseText(text)
		if message := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid || !strings.Contains(message, want) ||
			strings.Contains(message, "hunter2") || len(entries) > 0 {
			t.Errorf("%q: got %v, %v, want %q", text, entries, err, want)
		}
	}
}

func TestCommandsAreNotMistakenForProse(t *testing.T) {
	for _, text := range []string{
		"npx", "my-server", "my-server --port 3", "./run.sh a", "/opt/My Tool/run", "uvx thing --message 'this is for you, the user.'",
		"node server.js .", "docker run -i --rm -v /a:/b:ro image", "Xvfb-run ./x", "python -m the_module", "java -jar server.jar",
		"mcp-server-x serve for-me", "TOKEN=x npx y", "deno run -A in.ts",
	} {
		if entries, err := parseText(text); err != nil || len(entries) != 1 || entries[0].Problem != "" {
			t.Errorf("%s: got %v, %v", text, entries, err)
		}
	}
}
