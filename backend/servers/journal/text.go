package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// keep is how many bytes of arguments and of a response are kept.
const keep = 4 << 10

// headOf is how much of a text it takes to cover the part that is kept.
func headOf(redactor *secrets.Redactor) int { return keep + redactor.Reach() + 1 }

// beginning copies what of raw may be needed, so that the rest can go.
func beginning(raw json.RawMessage, head int) string { return string(raw[:min(len(raw), head)]) }

// cover takes the secrets out of a text and cuts it.
func cover(text string, redactor *secrets.Redactor) string {
	covered, cut := redactor.Head(text, keep)
	if cut {
		covered += "…"
	}
	return covered
}

// textOf returns what a person reads of a tool's result: a line for each block
// of content, empty for one that is no text. Without any text it is the
// structured content, and the whole of a result that has neither.
func textOf(result json.RawMessage, head int) string {
	content := jsonrpc.Get(result, "content")
	if content == nil {
		return beginning(result, head)
	}
	var lines []string
	size, words := 0, false
	for block := range jsonrpc.Items(content) {
		line := ""
		if raw := jsonrpc.Get(block, "text"); raw != nil && jsonrpc.GetString(block, "type") == "text" {
			line, words = stringOf(raw, head), true
		}
		lines = append(lines, line)
		if size += len(line) + 1; size > head {
			break
		}
	}
	if words {
		return strings.Join(lines, "\n")
	}
	return beginning(jsonrpc.Get(result, "structuredContent"), head)
}

// stringOf decodes a JSON string, of a long one no more than is looked at.
// Decoding all of it would take longer than all else that a record needs.
func stringOf(raw json.RawMessage, head int) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	body := raw[1 : len(raw)-1]
	out := make([]byte, 0, min(len(body), head+utf8.UTFMax))
	for len(body) > 0 && len(out) < head {
		near := body[:min(len(body), head-len(out))]
		plain := bytes.IndexByte(near, '\\')
		if plain < 0 {
			plain = len(near)
		}
		out, body = append(out, near[:plain]...), body[plain:]
		if plain < len(near) {
			r, size := escaped(body)
			out, body = utf8.AppendRune(out, r), body[size:]
		}
	}
	return string(out)
}

// escaped decodes the escape that body begins with, and tells its size.
func escaped(body []byte) (rune, int) {
	if len(body) < 2 {
		return utf8.RuneError, len(body)
	}
	if i := strings.IndexByte("nrtbf", body[1]); i >= 0 {
		return rune("\n\r\t\b\f"[i]), 2
	}
	if body[1] != 'u' {
		return rune(body[1]), 2 // a quote, a slash or a backslash
	}
	r := unit(body)
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, unit(body[min(6, len(body)):])); pair != utf8.RuneError {
			return pair, 12
		}
		r = utf8.RuneError
	}
	return r, min(6, len(body))
}

// unit decodes the \u of one UTF-16 unit; utf8.RuneError when there is none.
func unit(body []byte) rune {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(body[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
