package journal

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
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
			line, hasText = jsonscan.StringHead(raw, limit), true
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
