package upstream

import (
	"strings"
	"testing"
)

func TestTheReasonIsTheLastMeaningfulLine(t *testing.T) {
	for name, row := range map[string]struct{ stderr, line, variable string }{
		"nothing":       {"", "", ""},
		"blank":         {"\n  \n---\n", "", ""},
		"one line":      {"no licence file\n", "no licence file", ""},
		"several lines": {"starting\nno licence file\n\n", "no licence file", ""},
		"colours":       {"\x1b[31mno licence file\x1b[0m\n", "no licence file", ""},
		"node": {`/app/index.js:10
    throw new Error("BRAVE_API_KEY environment variable is required");
    ^

Error: BRAVE_API_KEY environment variable is required
    at Object.<anonymous> (/app/index.js:10:11)
    at Module._compile (node:internal/modules/cjs/loader:1554:14) {
  code: 'X'
}

Node.js v22.14.0
`, "Error: BRAVE_API_KEY environment variable is required", "BRAVE_API_KEY"},
		"missing module": {`node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module 'left-pad'
Require stack:
- /app/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/app/index.js' ]
}
`, "Error: Cannot find module 'left-pad'", ""},
		"python": {`Traceback (most recent call last):
  File "/app/server.py", line 3, in <module>
    key = os.environ["TOKEN"]
          ~~~~~~~~~~^^^^^^^^^
KeyError: 'TOKEN'
`, "KeyError: 'TOKEN'", "TOKEN"},
		"go": {
			"panic: Missing required env var GITLAB_URL\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d\nexit status 2\n",
			"panic: Missing required env var GITLAB_URL", "GITLAB_URL",
		},
		"npm after the server": {
			"Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables\nnpm error Lifecycle script `start` failed with error:\n" +
				"npm error code 1\nnpm error path /app\nnpm notice new version\n",
			"Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables", "SLACK_BOT_TOKEN",
		},
		"only npm": {`npm warn exec The following package was not found
npm error code E404
npm error 404 Not Found - GET https://example.test/@nobody%2fnothing - Not found
npm error 404
npm error A complete log of this run can be found in: /home/u/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`, "Not Found - GET https://example.test/@nobody%2fnothing - Not found", ""},
		"uv before the server": {"Installed 12 packages in 10ms\n", "", ""},
		"a farewell":           {"NOTION_TOKEN is not set\nShutting down\n", "NOTION_TOKEN is not set", "NOTION_TOKEN"},
		"an optional setting": {
			"CACHE_DIR is not set, using /tmp\nError: connection refused\n", "Error: connection refused", "",
		},
		"an optional setting before a farewell": {"CACHE_DIR is not set, using /tmp\nbye\n", "bye", ""},
		"advice at the end": {
			"docker: Cannot connect to the Docker daemon at unix:///d.sock. Is the docker daemon running?\n\n" +
				"Run 'docker run --help' for more information\n",
			"docker: Cannot connect to the Docker daemon at unix:///d.sock. Is the docker daemon running?", "",
		},
		"usage at the end": {"error: invalid port\nusage: server PORT\n", "error: invalid port", ""},
		"a list": {
			"Error: Missing required environment variables:\n  - DB_HOST\n  - DB_USER\n",
			"Error: Missing required environment variables: - DB_HOST - DB_USER", "DB_HOST",
		},
		"a JSON log": {`{"level":50,"time":1,"msg":"API_TOKEN must be provided"}` + "\n", "API_TOKEN must be provided", "API_TOKEN"},
		"a shell": {
			"/app/run.sh: line 3: TODOIST_API_TOKEN: unbound variable\n", "/app/run.sh: line 3: TODOIST_API_TOKEN: unbound variable",
			"TODOIST_API_TOKEN",
		},
		"zod": {
			"ZodError: [\n  {\n    \"path\": [\n      \"LINEAR_API_KEY\"\n    ],\n    \"message\": \"Required\"\n  }\n]\n" +
				"    at parse (/app/x.js:1:1)\n", "ZodError: [ { \"path\": [ \"LINEAR_API_KEY\" ], \"message\": \"Required\" } ]",
			"LINEAR_API_KEY",
		},
		"an error's name": {
			"Error [ERR_MODULE_NOT_FOUND]: the required package is missing\n",
			"Error [ERR_MODULE_NOT_FOUND]: the required package is missing", "",
		},
		"a given variable": {"GIVEN_KEY is required\n", "GIVEN_KEY is required", ""},
		"lower case":       {"a required argument is missing\n", "a required argument is missing", ""},
	} {
		got := reasonIn(row.stderr, map[string]string{"GIVEN_KEY": "x"})
		if got.line != row.line || got.variable != row.variable {
			t.Errorf("%s:\ngot  %q, variable %q\nwant %q, variable %q", name, got.line, got.variable, row.line, row.variable)
		}
	}
}

func TestAQuoteDoesNotRepeatTheReason(t *testing.T) {
	for stderr, want := range map[string]string{
		"no licence\n":           "",
		"starting\nno licence\n": "starting",
		"Error: no licence\n    at main (/app/index.js:3:5)\n\nNode.js v22.14.0\n":          "",
		"npm error code E404\nnpm error 404 Not Found - GET https://r.test/x\n":             "",
		"Error: Missing variables:\n  - DB_HOST\n  - DB_USER\n":                             "",
		"docker: Cannot connect.\n\nRun 'docker run --help' for more information\n":         "Run 'docker run --help' for more information",
		"{\"level\":50,\"msg\":\"the token has expired\"}\nlistening on nothing, goodbye\n": "listening on nothing, goodbye",
		strings.Repeat("noise ", 100) + "last words":                                        strings.Repeat("noise ", 100) + "last words",
	} {
		if got := reasonIn(stderr, nil).removedFrom(strings.TrimSpace(stderr)); got != want {
			t.Errorf("%q: got %q, want %q", stderr, got, want)
		}
	}
}

func TestAReasonIsShortAndHarmless(t *testing.T) {
	got := reasonIn("a\u202eb "+strings.Repeat("x", 10_000)+"\n", nil)
	if n := len([]rune(got.line)); n > reasonShown+1 || strings.Contains(got.line, "\u202e") {
		t.Errorf("%d characters: %.20q", n, got.line)
	}
}

func TestNotesOfTheHubAreTheReasonOnlyIfTheServerWroteNothingElse(t *testing.T) {
	lines := newLineWriter(nil)
	o := &errorOutput{tail: &tail{}, lines: lines, redactor: lines.redactor}
	o.note("standard output has a line that is not a JSON-RPC message: the key is missing")
	if got := o.reason().line; !strings.HasSuffix(got, "the key is missing") {
		t.Errorf("reason %q", got)
	}
	_, _ = o.tail.Write([]byte("out of paper\n"))
	o.note("standard output has a line that is not a JSON-RPC message: Goodbye")
	if got := o.reason().line; got != "out of paper" {
		t.Errorf("reason %q", got)
	}
}
