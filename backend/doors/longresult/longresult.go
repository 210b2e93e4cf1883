// Package longresult answers what a client gets instead of a result that is too long for
// the context of its model: the beginning, and a handle with which it reads on, searches
// and projects the rest. Handles belong to one session and end with it. Which results are
// too long, and for whom, is left to package gateway.
package longresult

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// DefaultLimit is how long a result may be for a client whose own limit is unknown, in
// bytes.
const DefaultLimit = 20_000

// notice is the room that a cut result has for the text that says how to read on.
const notice = 800

// maxImage is how long an image may be that is shown with a cut result, in bytes of JSON.
// Images do not count as text: what they take of a context does not depend on their bytes.
const maxImage = 7 << 20

// Client is for whom results are cut.
type Client struct {
	Session any    // handles belong to it; comparable
	Limit   int    // how many bytes a result may have
	Caller  string // the tool through which the client calls read_more; empty if it lists it
	Links   bool   // its model reads resources
	Saver   string // the tool through which the client calls save_block; empty if it lists it
	Folder  string // where save_block writes files; empty if it is not offered
}

// Cut returns a result as the client is shown it: unchanged if it has at most as many
// bytes as the client's limit, otherwise its beginning with a handle of the session.
// Blocks that fit are kept byte for byte, a text is cut at the end of a line, and
// structuredContent is left out, because it would say less than the text. Errors of
// tools are cut, too.
func (s *Store) Cut(c Client, result json.RawMessage) json.RawMessage {
	if len(result) <= c.Limit {
		return result
	}
	doc := newDocument(result)
	switch {
	case doc == nil, len(result)-doc.images <= c.Limit && c.Folder == "":
		return result
	case len(result)-doc.images <= c.Limit:
		blocks := slices.AppendSeq([]json.RawMessage(nil), jsonrpc.Items(jsonrpc.Get(result, "content")))
		blocks = append(blocks, textBlock("["+c.saving(s.keep(c.Session, doc))+".]"))
		return jsonrpc.Set(result, "content", jsonrpc.Array(blocks))
	}
	others := jsonrpc.Edit(result, func(key []byte) bool { return string(key) == "content" || string(key) == "structuredContent" }, nil)
	blocks, at, whole := doc.begin(max(c.room()-len(others), notice))
	if whole && !doc.structured {
		return result // what is long is not its content
	}
	handle := s.keep(c.Session, doc)
	if c.Links && at < len(doc.text) {
		link, uri := json.RawMessage(`{"type":"resource_link","mimeType":"text/plain"}`), quote(uriOf(handle, at))
		// Some clients show their model only the name.
		blocks = append(blocks, jsonrpc.Set(jsonrpc.Set(link, "uri", uri), "name", uri))
	}
	blocks = append(blocks, textBlock(doc.rest(c, handle, at)))
	return jsonrpc.Set(others, "content", jsonrpc.Array(blocks))
}

// room returns how many bytes of a result may be text of the document.
func (c Client) room() int { return max(c.Limit-notice, notice) }

// begin returns the blocks with which the document begins, in about room bytes without
// the images, up to which offset they show it, and whether they are all of it.
func (d *document) begin(room int) (blocks []json.RawMessage, at int, whole bool) {
	whole = true
	for _, part := range d.parts {
		block, end := part.raw, part.end
		if !part.image && (block == nil || len(block) > room) {
			if end = part.begin + shownBytes(d.text[part.begin:part.end], room); end < part.end {
				end = d.cut(part.begin, end)
			}
			if end == part.begin {
				return blocks, at, false
			}
			whole = false
			block = textBlock(string(d.text[part.begin:end]))
		}
		blocks, at = append(blocks, block), end
		if end < part.end {
			break
		}
		if !part.image {
			room -= len(block) + len(",")
		}
	}
	return blocks, at, whole
}

// shownBytes returns how many bytes of a text fit into room bytes of a JSON string.
func shownBytes(text []byte, room int) int {
	for at := 0; at < len(text); {
		size, takes := 1, 1
		switch c := text[at]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			takes = 2
		case c < 0x20:
			takes = 6
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[at:])
			if size, takes = n, n; r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
				takes = 6
			}
		}
		if room -= takes; room < 0 {
			return at
		}
		at += size
	}
	return len(text)
}

func textBlock(text string) json.RawMessage {
	return jsonrpc.Set(json.RawMessage(`{"type":"text"}`), "text", quote(text))
}

// quote returns a JSON string in which <, > and & are not escaped.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string cannot fail
	return bytes.TrimSpace(b.Bytes())
}

// texts returns a result with text blocks.
func texts(list ...string) json.RawMessage {
	blocks := make([]json.RawMessage, 0, len(list))
	for _, text := range list {
		if text != "" {
			blocks = append(blocks, textBlock(text))
		}
	}
	return jsonrpc.Set(nil, "content", jsonrpc.Array(blocks))
}

// cut returns the greatest offset up to end at which a text may be cut: after a line, if
// that leaves at least half, and otherwise between two characters.
func (d *document) cut(begin, end int) int {
	if end >= len(d.text) {
		return len(d.text)
	}
	if line := bytes.LastIndexByte(d.text[begin:end], '\n'); line >= (end-begin)/2 {
		return begin + line + 1
	}
	for end > begin && !utf8.RuneStart(d.text[end]) {
		end--
	}
	return end
}
