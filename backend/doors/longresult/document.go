package longresult

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// longLine is the length of a line, in bytes, above which JSON is indented, because some clients drop longer lines.
const longLine = 2000

// document is a long result as a model reads it: the texts of its blocks, with a line in place of each image, sound
// or file. A document that a Store keeps does not change.
type document struct {
	text       []byte
	parts      []part
	source     json.RawMessage // the JSON that paths select from; nil if there is none
	structured bool            // source is the result's structuredContent
	apart      bool            // source does not share memory with text
	images     int             // size of the images that Cut keeps, in bytes of JSON
}

// part is a block of the result and its text in the document.
type part struct {
	raw        json.RawMessage // the block as the server sent it; nil if the document needs only its text
	begin, end int             // offsets in document.text
	block      int             // number of the block in the result; -1 for a text
	image      bool            // Cut keeps the block and does not count it
}

// newDocument returns the document of a result, nil if the result has no content.
func newDocument(result json.RawMessage) *document {
	d := &document{}
	if structured := jsonrpc.Get(result, "structuredContent"); len(structured) > 0 && structured[0] == '{' {
		d.source, d.structured, d.apart = structured, true, true
	}
	n := 0
	for block := range jsonrpc.Items(jsonrpc.Get(result, "content")) {
		d.add(n, block)
		n++
	}
	if len(d.text) == 0 && d.source != nil { // some servers send no text
		d.append(part{block: -1}, indented(d.source))
	}
	if len(d.text) == 0 {
		return nil
	}
	return d
}

// add appends the block with number n.
func (d *document) add(n int, block json.RawMessage) {
	kind := jsonrpc.GetString(block, "type")
	resource := jsonrpc.Get(block, "resource")
	text, isText := jsonrpc.String(jsonrpc.Get(block, "text"))
	if kind == "resource" {
		text, isText = jsonrpc.String(jsonrpc.Get(resource, "text"))
	}
	if !isText {
		image := kind == "image" && len(block) <= maxImage
		if image {
			d.images += len(block)
		}
		d.append(part{raw: block, block: n, image: image}, []byte(describe(n, kind, block, resource)))
		return
	}
	shown, raw := []byte(text), block
	if begin := bytes.TrimLeft(shown, " \t\r\n"); len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') && jsonrpc.Valid(shown) {
		own := d.source == nil
		if own {
			d.source = shown
		}
		if hasLongLine(shown) {
			shown = indented(shown)
			d.apart = d.apart || own
			if len(shown) > longLine {
				raw = nil
			}
		}
	}
	d.append(part{raw: raw, block: -1}, shown)
}

// append adds a part with its text, which begins on a new line.
func (d *document) append(p part, text []byte) {
	if len(d.text) > 0 && d.text[len(d.text)-1] != '\n' {
		d.text = append(d.text, '\n')
	}
	p.begin = len(d.text)
	if d.text == nil {
		d.text = slices.Clip(text)
	} else {
		d.apart = d.apart || d.source != nil // append copies the text
		d.text = append(d.text, text...)
	}
	p.end = len(d.text)
	d.parts = append(d.parts, p)
}

// describe returns the line that the document shows in place of a block without text.
func describe(n int, kind string, block, resource json.RawMessage) string {
	data, mime, uri := jsonrpc.GetString(block, "data"), jsonrpc.GetString(block, "mimeType"), jsonrpc.GetString(block, "uri")
	if resource != nil {
		data, mime, uri = jsonrpc.GetString(resource, "blob"), jsonrpc.GetString(resource, "mimeType"), jsonrpc.GetString(resource, "uri")
	}
	data = strings.TrimRight(data, "=")
	line := fmt.Sprintf("[block %d: %s", n, kind)
	if mime != "" {
		line += " " + mime
	}
	if data != "" {
		line += fmt.Sprintf(", %d bytes", base64.RawStdEncoding.DecodedLen(len(data)))
	}
	if uri != "" {
		line += " " + uri
	}
	return line + "]\n"
}

func hasLongLine(text []byte) bool {
	for len(text) > longLine {
		end := bytes.IndexByte(text[:longLine], '\n')
		if end < 0 {
			return true
		}
		text = text[end+1:]
	}
	return false
}

func indented(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", " ") != nil {
		return raw
	}
	return b.Bytes()
}

// size returns the memory that the document takes, in bytes.
func (d *document) size() int {
	n := cap(d.text)
	if d.apart {
		n += len(d.source)
	}
	for _, p := range d.parts {
		n += len(p.raw)
	}
	return n
}
