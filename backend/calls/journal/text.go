package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// maxText is how many bytes of arguments and of a response are kept.
const maxText = 4 << 10

// limitFor returns how many bytes of a text are needed to redact its first
// maxText bytes.
func limitFor(redactor *redact.Redactor) int { return maxText + redactor.Reach() + 1 }

// prefix copies at most limit bytes of raw. A copy lets the garbage collector
// free raw.
func prefix(raw json.RawMessage, limit int) string { return string(raw[:min(len(raw), limit)]) }

// redacted replaces the secrets in a text and cuts it to maxText bytes. A text
// that was cut ends with "…".
func redacted(text string, redactor *redact.Redactor) string {
	head, cut := redactor.Head(text, maxText)
	if cut {
		head += "…"
	}
	return head
}

// Response returns the text that a record keeps of a tool's result, redacted and cut.
func Response(result json.RawMessage, redactor *redact.Redactor) string {
	return redacted(textOf(result, limitFor(redactor)), redactor)
}

// textOf returns the readable text of a tool's result: one line for each
// content block, which is empty for a block without text. If no block is text,
// textOf returns the structured content. A result without a content member is
// returned as it is. textOf stops reading after about limit bytes.
func textOf(result json.RawMessage, limit int) string {
	content := jsonrpc.Get(result, "content")
	if content == nil {
		return prefix(result, limit)
	}
	var lines []string
	size, hasText := 0, false
	for block := range jsonrpc.Items(content) {
		line := ""
		if raw := jsonrpc.Get(block, "text"); raw != nil && jsonrpc.GetString(block, "type") == "text" {
			line, hasText = stringOf(raw, limit), true
		}
		lines = append(lines, line)
		if size += len(line) + 1; size > limit {
			break
		}
	}
	if hasText {
		return strings.Join(lines, "\n")
	}
	return prefix(jsonrpc.Get(result, "structuredContent"), limit)
}

// stringOf decodes a JSON string, but only about its first limit bytes:
// decoding a long string completely would take longer than all other work on a
// record.
func stringOf(raw json.RawMessage, limit int) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	body := raw[1 : len(raw)-1]
	out := make([]byte, 0, min(len(body), limit+utf8.UTFMax))
	for len(body) > 0 && len(out) < limit {
		near := body[:min(len(body), limit-len(out))]
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

// escaped decodes the escape sequence at the beginning of body and returns it
// with its length in bytes.
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

// unit decodes one \uXXXX escape at the beginning of body. It returns
// utf8.RuneError when body begins with something else.
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
