package toolset_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
)

func TestToolsetsAreExportedAndImported(t *testing.T) {
	f := open(t)
	f.set("daily", "mail.send", "notes.read")
	if _, err := f.Note(t.Context(), "daily", key("mail.send"), "Only on <Mondays>"); err != nil {
		t.Fatal(err)
	}
	data, err := f.Export("daily")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "Sends mail") || !strings.Contains(text, "<Mondays>") {
		t.Errorf("the file is %s", text)
	}
	expect(t, second(f.Import(t.Context(), data, "")), fault.Conflict, "already")
	f.list("notes", poisonNote)
	f.list("mail", sendMail)
	made, err := f.Import(t.Context(), data, "copy")
	if err != nil || made.Tools[0].Note != "Only on <Mondays>" || len(made.Tools[0].Pinned) == 0 || len(made.Tools[1].Pinned) != 0 {
		t.Errorf("imported %+v, %v", made, err)
	}
	if got := f.states("copy"); got != "mail.send ready, notes.read drifted" {
		t.Errorf("got %s", got)
	}
	if shown := f.Shown("copy", nil); len(shown) != 1 {
		t.Errorf("%d tools are shown", len(shown))
	}
	again := must(f.Export("copy"))
	if string(again) != strings.Replace(string(data), `"daily"`, `"copy"`, 1) {
		t.Errorf("exported again:\n%s", again)
	}
}

func TestFilesThatAreNoToolsetsAreRefused(t *testing.T) {
	const good = `{"format":"agent-discover-toolset","version":1,"name":"ab","tools":[{"server":"a","tool":"b"}]}`
	if _, err := toolset.Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                               "not JSON",
		"{":                              "not JSON",
		"[]":                             "not JSON",
		"null":                           "format",
		good + good:                      "text follows",
		replaced(good, "-toolset", ""):   "format",
		replaced(good, ":1", ":2"):       "version 2",
		replaced(good, `"ab"`, `"../x"`): "invalid toolset name",
		replaced(good, `"name"`, `"definition":1,"name"`):                  "not JSON of the expected form",
		replaced(good, `"tool":"b"`, `"tool":"b","pinned":{"name":"b"}`):   "not JSON of the expected form",
		replaced(good, `"tool":"b"`, `"tool":""`):                          "invalid tool",
		replaced(good, `"tool":"b"`, `"tool":"b\u202e"`):                   "invalid tool",
		replaced(good, `"tool":"b"`, `"tool":"b","note":"x\u200b\u200by"`): "hidden characters",
		replaced(good, `[{`, strings.Repeat(" ", toolset.MaxFile)+`[{`):    "too large",
	} {
		if _, err := toolset.Parse([]byte(text)); err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%.100s: %v, want %q", text, err, want)
		}
	}
}

func replaced(text, old, other string) string { return strings.Replace(text, old, other, 1) }

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":"agent-discover-toolset","version":1,"name":"ab","tools":[{"server":"a","tool":"b","note":"n"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if set, err := toolset.Parse(data); err == nil && (len(set.Tools) == 0 || len(set.Tools) > 100) {
			t.Errorf("%d tools", len(set.Tools))
		}
	})
}
