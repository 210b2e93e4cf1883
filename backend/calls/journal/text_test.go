package journal

import (
	"encoding/json"
	"strings"
	"testing"
)

// limit is the limit that the tests pass to textOf: the one for a record without
// a redactor.
var limit = limitFor(nil)

func TestTheReadableTextOfAResultIsExtracted(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"one"}]}`:                                                             "one",
		`{"content":[{"type":"text","text":"one"},{"text":"two \"2\"\né","type":"text"}],"isError":true}`:        "one\ntwo \"2\"\né",
		`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AA=="},{"type":"text","text":"b"}]}`:     "a\n\nb",
		`{"content":[{"type":"image","data":"AA=="},{"type":"text","text":"b"}]}`:                                "\nb",
		`{"structuredContent":{"a": 1},"content":[{"type":"text","text":"b"}]}`:                                  "b",
		`{"structuredContent":{"a": 1},"content":[]}`:                                                            `{"a": 1}`,
		`{"content":[{"type":"resource","resource":{"text":"not this"}},{"type":"hologram","text":"nor this"}]}`: "",
		`{"content":[{"type":"text","text":5},7,null],"structuredContent":[1]}`:                                  "\n\n",
		`{"content":"odd"}`: "",
		`{"task":{"id":1}}`: `{"task":{"id":1}}`,
		`{"content":[{"type":"text","text":""}],"structuredContent":{}}`: "",
	} {
		if got := textOf(json.RawMessage(result), limit); got != want {
			t.Errorf("%s: got %q, want %q", result, got, want)
		}
	}
}

func TestOnlyTheFirstOfManyBlocksAreRead(t *testing.T) {
	block := `{"type":"text","text":"` + strings.Repeat("z", 500) + `"}`
	text := textOf(json.RawMessage(`{"content":[`+strings.Repeat(block+",", 1000)+block+`]}`), limit)
	if len(text) < limit || len(text) > limit+501 {
		t.Errorf("got %d bytes, want about %d", len(text), limit)
	}
}
