package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestLongTextsAreCutBetweenEscapeSequences(t *testing.T) {
	const limit = 4096
	for _, unit := range []string{`x`, `\n`, `\\`, `\"`, `\u00e9`, `é`, `\ud83d\ude00`} {
		for shift := range 7 {
			raw := `"` + strings.Repeat("y", shift) + strings.Repeat(unit, 2*limit) + `"`
			var whole string
			if err := json.Unmarshal([]byte(raw), &whole); err != nil {
				t.Fatal(err)
			}
			if got := StringHead([]byte(raw), limit); len(got) < limit || len(got) > limit+4 || !strings.HasPrefix(whole, got) {
				t.Errorf("text of %s after %d other bytes: got %d bytes that end in %q", unit, shift, len(got), got[max(0, len(got)-10):])
			}
		}
	}
}

func FuzzHeadsOfStringsAreDecodedAsByEncodingJSON(f *testing.F) {
	const limit = 4096
	for _, seed := range []string{
		`"a\n\r\t\b\f\/\\\"é"`, `"\ud83d\ude00\ud83d\u0041\ude00\uD83D"`, `"\u12`, `"\`, `"\ud83d\u12"`, `""`, `"`, `1`,
	} {
		f.Add([]byte(seed))
	}
	quote := []byte(`"`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := StringHead(raw, limit)
		var want string
		if !Valid(raw) || json.Unmarshal(raw, &want) != nil || !bytes.HasPrefix(raw, quote) || !bytes.HasSuffix(raw, quote) ||
			len(want) > limit {
			return // StringHead must only return; its result does not matter here
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	})
}
