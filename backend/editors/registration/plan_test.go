package registration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
)

func formatDiff(lines []configdiff.Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s|%d|%d|%s\n", l.Kind, l.Old, l.New, l.Text)
	}
	return b.String()
}

func TestDiffsShowChangesWithThreeLinesOfContext(t *testing.T) {
	rg := newRig(t, "linux")
	var text strings.Builder
	text.WriteString("{\n")
	for i := range 20 {
		fmt.Fprintf(&text, "  \"k%d\": %d,\n", i, i)
	}
	text.WriteString("  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n  }\n}\n")
	rg.file("cursor", text.String())
	plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"cursor"}})
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for i, l := range plans[0].Diff {
		switch {
		case (l.Kind == "skip") != (i == 0), l.Kind == "remove":
			t.Errorf("line %d of the diff is %+v", i, l)
		case l.Kind == "add":
			added++
		}
	}
	if first := plans[0].Diff[1]; added == 0 || first.Text != `  "k18": 18,` || first.Old != 20 || first.New != 20 {
		t.Errorf("the first changed line is wrong in\n%s", formatDiff(plans[0].Diff))
	}
	if last := plans[0].Diff[len(plans[0].Diff)-1]; last.Text != "}" || last.New-last.Old != added {
		t.Errorf("the last line is wrong in\n%s", formatDiff(plans[0].Diff))
	}
}

func TestDiffsShowNoCredentials(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkq\n", 30) + "-----END PRIVATE KEY-----"
	for name, row := range map[string]struct{ editor, text string }{
		"in a variable": {
			"cursor", "{\n\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"env\": {\"GITHUB_TOKEN\": \"" + secret + "\"}}\n}\n}",
		},
		"escaped": {
			"cursor", "{\n\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"env\": {\"API_KEY\": \"hunter2\\u0068unter2\"}}\n}\n}",
		},
		"after a flag": {
			"cursor", "{\n\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"args\": [\n\"--token\",\n\"" + secret + "\"\n]}\n}\n}",
		},
		"in a header": {
			"cursor", "{\n\"mcpServers\": {\n\"a\": {\"url\": \"https://h/mcp\", \"headers\": {\"Authorization\": \"Bearer " + secret +
				"\"}}\n}\n}",
		},
		"in an address": {
			"cursor", "{\n\"mcpServers\": {\n\"a\": {\"url\": \"https://h/mcp?key=" + secret + "\"}\n}\n}",
		},
		"of another feature": {
			"gemini-cli", "{\n\"security\": {\"auth\": {\"apiKey\": \"" + secret + "\"}},\n\"mcpServers\": {}\n}",
		},
		"in single quotes": {
			"codex", "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.env]\nAPI_TOKEN = '" + secret + "'\n",
		},
		"in single quotes outside servers": {"codex", "api_token = '" + secret + "'\n"},
		"in a block": {
			"goose", "extensions:\n  a:\n    type: stdio\n    cmd: x\n    envs:\n      API_TOKEN: |-\n        " + secret + "\n",
		},
		"a private key on many lines": {"codex", "pem = '''\n" + key + "'''\n"},
		"in the Agent Discover entry": {
			"cursor",
			"{\n\"mcpServers\": {\n\"discover\": {\"command\": \"/x/agent-discover\", \"args\": [\"mcp\"], \"env\": {\"MY_PASSWORD\": \"" +
				secret + "\"}}\n}\n}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			rg := newRig(t, "linux")
			rg.file(row.editor, row.text)
			plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{row.editor}})
			if err != nil || plans[0].Problem != "" || len(plans[0].Diff) == 0 {
				t.Fatalf("plans are %+v, %v", plans, err)
			}
			text := formatDiff(plans[0].Diff)
			if strings.Contains(text, secret) || strings.Contains(text, "unter2") || strings.Contains(text, "MIIEvQ") ||
				!strings.Contains(text, Name) {
				t.Errorf("the diff shows a credential:\n%s", text)
			}
			rg.register(row.editor, done)
			plans, err = rg.Plan(t.Context(), Request{Action: Unregister, Editors: []string{row.editor}})
			if text = formatDiff(plans[0].Diff); err != nil || strings.Contains(text, secret) || strings.Contains(text, "unter2") ||
				strings.Contains(text, "MIIEvQ") {
				t.Errorf("the diff shows a credential:\n%s", text)
			}
		})
	}
}

func TestLongLinesAreShownWhereTheyChange(t *testing.T) {
	for _, length := range []int{3000, 60_000} {
		rg := newRig(t, "linux")
		pem := `-----BEGIN PRIVATE KEY-----` + strings.Repeat(`MIIEvQIBADANBgkq\n`, 150) + `-----END PRIVATE KEY-----`
		rg.file("cursor", `{"x": "`+strings.Repeat("é", length)+`", "pem": "`+pem+`", "api_key": "`+secret+
			`", "mcpServers": {"a": {"command": "x"}}}`)
		plans, err := rg.Plan(t.Context(), Request{Action: Register, Editors: []string{"cursor"}})
		text := formatDiff(plans[0].Diff)
		if err != nil || len(text) > 1200 || !strings.Contains(text, escaped(rg.options.Entry.Command)[:40]) ||
			!strings.ContainsRune(text, '…') || strings.ContainsRune(text, '\ufffd') {
			t.Errorf("the diff is %s, %v", text, err)
		}
		if strings.Contains(text, secret) || strings.Contains(text, "MIIEvQ") {
			t.Errorf("a credential is shown: %s", text)
		}
	}
}
