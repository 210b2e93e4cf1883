package importer_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestRemoteEntriesAreSpelledAsTheEditorSpellsThem(t *testing.T) {
	f := newFixture(t, false)
	const general = `"type": "http"`
	for editor, want := range map[string][]string{
		"":               {`"mcpServers": {`, `"discover": {`, general},
		"cursor":         {`"mcpServers": {`, `"discover": {`},
		"vscode":         {`"servers": {`, general},
		"gemini-cli":     {`"httpUrl": "http://127.0.0.1:3424/mcp"`},
		"codex":          {"[mcp_servers.discover]", "[mcp_servers.discover.http_headers]"},
		"goose":          {"extensions:", "uri: "},
		"claude-desktop": {`"mcpServers": {`, general, "supports only local servers"},
	} {
		out, err := f.RemoteEntry(editor, "discover", "http://127.0.0.1:3424/mcp", map[string]string{"Authorization": "Bearer abc"})
		f.must(err)
		text := out.Text + strings.Join(out.Left, "\n")
		for _, part := range append(want, "http://127.0.0.1:3424/mcp", "Bearer abc") {
			if !strings.Contains(text, part) {
				t.Errorf("%q lacks %s:\n%s", editor, part, text)
			}
		}
		if (len(out.Left) > 0) != (editor == "claude-desktop") {
			t.Errorf("%q: %q", editor, out.Left)
		}
	}
	if _, err := f.RemoteEntry("no-such-editor", "x", "http://h/", nil); fault.KindOf(err) == fault.Internal || err == nil {
		t.Errorf("an unknown editor: %v", err)
	}
}
