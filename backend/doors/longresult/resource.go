package longresult

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// resources is the prefix of the URIs of long results. A handle and an offset follow it.
const resources = "agent-discover://results/"

// uriOf returns the URI of the text of a document from an offset on.
func uriOf(handle string, offset int) string {
	return fmt.Sprintf("%s%s?offset=%d", resources, handle, offset)
}

// IsResource reports whether a URI belongs to a long result.
func IsResource(uri string) bool { return strings.HasPrefix(uri, resources) }

// ReadResource returns the result of resources/read for the URI of a long result: as much text from the URI's offset
// on as the client's limit allows, and the URI at which the text continues. Errors are those of Read.
func (s *Store) ReadResource(c Client, uri string) (json.RawMessage, error) {
	handle, query, _ := strings.Cut(strings.TrimPrefix(uri, resources), "?")
	doc, err := s.find(c.Session, handle)
	if err != nil {
		return nil, err
	}
	offset := 0
	if at, ok := strings.CutPrefix(query, "offset="); ok {
		if offset, err = strconv.Atoi(at); err != nil {
			return nil, fault.New(fault.Invalid, "the offset in %s is not a number", clip(uri))
		}
	}
	text, end, err := doc.piece(offset, c.room()-len(uri))
	if err != nil {
		return nil, err
	}
	contents := []json.RawMessage{content(uri, text)}
	if end < len(doc.text) {
		next := uriOf(handle, end)
		contents = append(contents, content(next,
			fmt.Sprintf("[%d of %d bytes follow. Read the resource %s to read on.]", len(doc.text)-end, len(doc.text), next)))
	}
	return jsonrpc.Set(nil, "contents", jsonrpc.Array(contents)), nil
}

func content(uri, text string) json.RawMessage {
	return jsonrpc.Set(jsonrpc.Set(json.RawMessage(`{"mimeType":"text/plain"}`), "uri", quote(uri)), "text", quote(text))
}
