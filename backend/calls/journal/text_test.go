package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// limit is how many bytes of a text the tests let the journal examine; no
// redactor is used.
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

func TestLongTextsAreCutBetweenEscapeSequences(t *testing.T) {
	for _, unit := range []string{`x`, `\n`, `\\`, `\"`, `\u00e9`, `é`, `\ud83d\ude00`} {
		for shift := range 7 {
			raw := `"` + strings.Repeat("y", shift) + strings.Repeat(unit, 2*limit) + `"`
			var whole string
			if err := json.Unmarshal([]byte(raw), &whole); err != nil {
				t.Fatal(err)
			}
			if got := stringOf(json.RawMessage(raw), limit); len(got) < limit || len(got) > limit+4 || !strings.HasPrefix(whole, got) {
				t.Errorf("text of %s after %d other bytes: got %d bytes that end in %q", unit, shift, len(got), got[max(0, len(got)-10):])
			}
		}
	}
}

func FuzzStringsAreDecodedAsByEncodingJSON(f *testing.F) {
	for _, seed := range []string{
		`"a\n\r\t\b\f\/\\\"é"`, `"\ud83d\ude00\ud83d\u0041\ude00\uD83D"`, `"\u12`, `"\`, `"\ud83d\u12"`, `""`, `"`, `1`,
	} {
		f.Add([]byte(seed))
	}
	quote := []byte(`"`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := stringOf(raw, limit)
		var want string
		if !jsonrpc.Valid(raw) || json.Unmarshal(raw, &want) != nil || !bytes.HasPrefix(raw, quote) || !bytes.HasSuffix(raw, quote) ||
			len(want) > maxText {
			return // stringOf must only return; its result does not matter here
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	})
}

func TestOnlyTheFirstOfManyBlocksAreRead(t *testing.T) {
	block := `{"type":"text","text":"` + strings.Repeat("z", 500) + `"}`
	text := textOf(json.RawMessage(`{"content":[`+strings.Repeat(block+",", 1000)+block+`]}`), limit)
	if len(text) < limit || len(text) > limit+501 {
		t.Errorf("got %d bytes, want about %d", len(text), limit)
	}
}
