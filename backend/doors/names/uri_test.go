package names

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

var servers = Servers{
	Known: known,
	Owners: func(uri string) []string {
		return map[string][]string{"file:///one": {"gh"}, "file:///two": {"gh", "a"}}[uri]
	},
	Prompt: func(shown string) (string, string, error) {
		slug, name, ok := strings.Cut(shown, "__")
		if !ok {
			return "", "", newOwnerError(shown, nil, Full)
		}
		return slug, name, nil
	},
}

func TestURIsCarryTheSlug(t *testing.T) {
	for _, row := range [][2]string{
		{"file:///{path}", "gh+file:///{path}"},
		{"svn+ssh://host/x", "gh+svn+ssh://host/x"},
		{"notes/a.md", "gh+x-ref:notes/a.md"},
		{"", "gh+x-ref:"},
		{"1:a", "gh+x-ref:1:a"},
		{"a/b:c", "gh+x-ref:a/b:c"},
		{"{scheme}://x", "gh+x-ref:{scheme}://x"},
		{"x-ref:a", "gh+x-ref:x-ref:a"},
		{`C:\x`, `gh+C:\x`},
		{"ui://a/x", "ui://gh+a/x"},
		{"ui://", "ui://gh+"},
		{"ui:a", "gh+ui:a"},
		{"skill://p/SKILL.md", "skill://gh/p/SKILL.md"},
		{"skill://", "skill://gh/"},
		{"skills://p", "gh+skills://p"},
		{"gh+file:///a", "gh+gh+file:///a"},
		{"ui://gh+a/x", "ui://gh+gh+a/x"},
	} {
		shown := shownURI("gh", row[0])
		if shown != row[1] {
			t.Errorf("%q is shown as %q, want %q", row[0], shown, row[1])
		}
		if slug, uri, err := servers.uri(shown); slug != "gh" || uri != row[0] || err != nil {
			t.Errorf("%q is %q of %q, %v", shown, uri, slug, err)
		}
	}
}

func TestExpandedTemplatesLeadBack(t *testing.T) {
	for _, template := range []string{"file:///{x}", "{x}", "ui://{x}/a", "ui:{x}", "skill://{x}/SKILL.md", "x-ref:{x}", "s+{x}:a"} {
		for _, value := range []string{"", "a", "//a", "a+b", "ui://a", "gh+file:///a", "x-ref:a"} {
			expanded := strings.ReplaceAll(shownURI("gh", template), "{x}", value)
			slug, uri, err := servers.uri(expanded)
			if want := strings.ReplaceAll(template, "{x}", value); slug != "gh" || uri != want || err != nil {
				t.Errorf("%q is %q of %q, %v; want %q", expanded, uri, slug, err, want)
			}
		}
	}
}

func TestBareURIsBelongToTheirOnlyOwner(t *testing.T) {
	for _, row := range []struct{ shown, slug, wrong string }{
		{"file:///one", "gh", ""},
		{"file:///two", "", `find the server of "file:///two": several servers have it; use gh+file:///two or a+file:///two`},
		{"file:///none", "", `find the server of "file:///none": no server has it; use a name from a list`},
		{"none+file:///one", "", `find the server of "none+file:///one": no server has it; use a name from a list`},
		{"+file:///one", "", `find the server of "+file:///one": no server has it; use a name from a list`},
	} {
		slug, uri, err := servers.uri(row.shown)
		if slug != row.slug || err == nil && uri != row.shown || (err != nil) != (row.wrong != "") ||
			err != nil && err.Error() != row.wrong {
			t.Errorf("%q is %q of %q, %v", row.shown, uri, slug, err)
		}
		params := json.RawMessage(`{"uri":` + string(jsonrpc.Quote(row.shown)) + `}`)
		if slug, out, err := servers.Incoming("resources/read", params); slug != row.slug || string(out) != string(params) ||
			(err != nil) != (row.wrong != "") {
			t.Errorf("%s becomes %s of %q, %v", params, out, slug, err)
		}
	}
	if _, _, err := servers.Incoming("tasks/get", json.RawMessage(`{"taskId":"none+1"}`)); !errors.As(err, new(*OwnerError)) {
		t.Errorf("a task of no server: %v", err)
	}
	if _, _, err := (Servers{Known: known}).uri("file:///one"); err == nil {
		t.Error("without Owners, a bare URI has an owner")
	}
}

func FuzzShownURIsLeadBack(f *testing.F) {
	for i, uri := range []string{
		"file:///a+b", "svn+ssh://x", "ui://a+b/c", "skill://a/b", "x-ref:", "", "ui://ui+a", "é:a", "a\\u002bb:", "\x00", `ui:\/\/a`,
		"gh+a",
	} {
		f.Add(i, uri)
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		slug := slugs[(i%len(slugs)+len(slugs))%len(slugs)]
		if got, uri, err := servers.uri(shownURI(slug, text)); got != slug || uri != text || err != nil {
			t.Errorf("%q of %q is shown as %q, which is %q of %q, %v", text, slug, shownURI(slug, text), uri, got, err)
		}
		// Use text first as the contents of a JSON string, between the quotes, and then as the decoded value of a JSON
		// string.
		leadsBack(t, slug, `"`+text+`"`)
		leadsBack(t, slug, string(jsonrpc.Quote(text)))
		leadsBack(t, slug, strings.ReplaceAll(string(jsonrpc.Quote(text)), "/", `\/`))
	})
}

// leadsBack checks that Incoming restores, byte for byte, a JSON string that Outgoing has changed as a URI and
// as a task id.
func leadsBack(t *testing.T, slug, quoted string) {
	for _, row := range [][4]string{
		{"notifications/resources/updated", "resources/read", "uri"},
		{"tasks/get", "tasks/cancel", "taskId"},
	} {
		message := json.RawMessage(`{"` + row[2] + `" : ` + quoted + `}`)
		if !jsonrpc.Valid(message) {
			return
		}
		shown := Outgoing(slug, row[0], message)
		decoded, _ := jsonrpc.String(json.RawMessage(quoted))
		want := shownTaskID(slug, decoded)
		if row[2] == "uri" {
			want = shownURI(slug, decoded)
		}
		if got := jsonrpc.GetString(shown, row[2]); got != want {
			t.Errorf("%s is shown as %q, want %q", message, got, want)
		}
		if got, back, err := servers.Incoming(row[1], shown); got != slug || string(back) != string(message) || err != nil {
			t.Errorf("%s is shown as %s, which is %s of %q, %v", message, shown, back, got, err)
		}
	}
}

func TestTheSlugOfARemovedServerIsNotUsedAgain(t *testing.T) {
	stored := slices.Clone(slugs)
	if slug := Slug("GH", func(slug string) bool { return slices.Contains(stored, slug) }); slug != "gh-2" {
		t.Errorf("the slug is %q", slug)
	}
}
