// Package longresult cuts results of tools that are too long for the context of a model. The client gets the beginning,
// and a handle with which it reads, searches or selects from the rest. A handle belongs to one session and ends with it.
// Package gateway decides which results are too long.
package longresult

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// DefaultLimit is the length limit of results, in bytes, for a client whose own limit is unknown.
const DefaultLimit = 20_000

// notice is the room in a cut result, in bytes, for the text that explains how to read on.
const notice = 800

// maxImage is the maximum size of an image in a cut result, in bytes of JSON. Images do not count as text, because the
// tokens of an image do not depend on its bytes.
const maxImage = 7 << 20

// Client describes the client that a result is for.
type Client struct {
	Session any    // owner of the handles; must be comparable
	Limit   int    // maximum length of a result, in bytes
	Caller  string // the tool through which the client calls read_more; empty if the client lists read_more
	Links   bool   // whether the client's model can read resources
	Saver   string // the tool through which the client calls save_block; empty if the client lists save_block
	Folder  string // where save_block writes files; empty if files cannot be saved
}

// Cut shortens a result that is longer than the client's limit. The client gets the beginning of the content and a
// handle for the rest. Blocks that fit stay byte for byte, and a text is cut at the end of a line if possible. Cut
// removes structuredContent, because a part of it would say less than the text. It does not shorten other members. It
// also cuts error results.
//
// Images do not count. If a result exceeds the limit only because of images, its content stays whole. If c.Folder is
// set, Cut then adds a note about save_block.
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
		return result // only members other than the content are long
	}
	handle := s.keep(c.Session, doc)
	if c.Links && at < len(doc.text) {
		link, uri := json.RawMessage(`{"type":"resource_link","mimeType":"text/plain"}`), quote(uriOf(handle, at))
		// The name is the URI, too, because some clients show their model only the name.
		blocks = append(blocks, jsonrpc.Set(jsonrpc.Set(link, "uri", uri), "name", uri))
	}
	blocks = append(blocks, textBlock(doc.rest(c, handle, at)))
	return jsonrpc.Set(others, "content", jsonrpc.Array(blocks))
}

// room returns how many bytes of a result the text of a document may take.
func (c Client) room() int { return max(c.Limit-notice, notice) }

// begin returns blocks with the beginning of the document that take about room bytes, not counting images. at is the
// offset at which these blocks end, and whole reports whether they contain the whole document.
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

// quote returns text as a JSON string, without escaping <, > and &.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // cannot fail for a string
	return bytes.TrimSpace(b.Bytes())
}

// texts returns a tool result with a text block for each text that is not empty.
func texts(list ...string) json.RawMessage {
	blocks := make([]json.RawMessage, 0, len(list))
	for _, text := range list {
		if text != "" {
			blocks = append(blocks, textBlock(text))
		}
	}
	return jsonrpc.Set(nil, "content", jsonrpc.Array(blocks))
}

// cut returns the offset at which to cut the text that starts at begin, so that it ends at end or earlier: after a
// line break, if that keeps at least half of the text, and otherwise between two characters.
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
