// Package longresult answers what a client gets instead of a result that is too long for
// the context of its model: the beginning, and a handle with which it reads on, searches
// and projects the rest. Handles belong to one session and end with it. Which results are
// too long, and for whom, is left to package gateway.
package longresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// What a store keeps in memory, in bytes. The longest unused results are dropped first.
const (
	maxSession = 128 << 20
	maxAll     = 512 << 20
)

// DefaultLimit is how long a result may be for a client whose own limit is unknown, in
// bytes.
const DefaultLimit = 20_000

// notice is the room that a cut result has for the text that says how to read on.
const notice = 600

// Store keeps long results. It is safe for concurrent use. The zero value is ready.
type Store struct {
	mu       sync.Mutex
	sessions map[string]*session
	size     int // bytes of all results
}

// session is what a session has been shown the beginning of.
type session struct {
	last    int // number of the last handle
	size    int
	results map[string]*kept
}

// kept is a result with a handle.
type kept struct {
	doc  *document
	used time.Time
}

// Cut returns a result as the client is shown it: unchanged if it has at most limit
// bytes, otherwise its beginning with a handle of the session. Blocks that fit are kept
// byte for byte, a text is cut at the end of a line, and structuredContent is left out,
// because it would say less than the text. Errors of tools are cut, too.
func (s *Store) Cut(id string, result json.RawMessage, limit int) json.RawMessage {
	if len(result) <= limit {
		return result
	}
	doc := newDocument(result)
	if doc == nil {
		return result
	}
	var blocks []json.RawMessage
	room, at := max(limit-notice, notice), 0
	for _, part := range doc.parts {
		if part.raw != nil && len(part.raw) <= room && part.end-part.begin <= room {
			blocks, room, at = append(blocks, part.raw), room-len(part.raw), part.end
			continue
		}
		if part.block >= 0 && part.raw != nil { // an image or a file that is too long
			blocks, at = append(blocks, textBlock(string(doc.text[part.begin:part.end]))), part.end
			room -= part.end - part.begin
			continue
		}
		end := doc.cut(part.begin, min(part.end, part.begin+shownBytes(doc.text[part.begin:part.end], room)))
		if end > part.begin {
			blocks = append(blocks, textBlock(string(doc.text[part.begin:end])))
		}
		at = end
		break
	}
	blocks = append(blocks, textBlock(doc.rest(s.keep(id, doc), at)))
	return jsonrpc.Set(jsonrpc.Delete(result, "structuredContent"), "content", array(blocks))
}

// array returns a JSON array of values, which are kept byte for byte.
func array(values []json.RawMessage) json.RawMessage {
	list := []byte("[")
	for i, v := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, v...)
	}
	return append(list, ']')
}

// shownBytes returns how many bytes of a text fit into room bytes of a JSON string.
func shownBytes(text []byte, room int) int {
	for i, c := range text {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			room -= 2
		case c < 0x20:
			room -= 6
		default:
			room--
		}
		if room < 0 {
			return i
		}
	}
	return len(text)
}

// keep stores a document and returns its handle.
func (s *Store) keep(id string, doc *document) string {
	for i, p := range doc.parts {
		if p.block < 0 {
			doc.parts[i].raw = nil // its text is in the document
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = make(map[string]*session)
	}
	of := s.sessions[id]
	if of == nil {
		of = &session{results: make(map[string]*kept)}
		s.sessions[id] = of
	}
	size := doc.size()
	for of.size > 0 && of.size+size > maxSession {
		s.drop(of)
	}
	for s.size > 0 && s.size+size > maxAll && s.dropOldest() {
	}
	of.last++
	handle := "r" + strconv.Itoa(of.last)
	of.results[handle] = &kept{doc, time.Now()}
	of.size, s.size = of.size+size, s.size+size
	return handle
}

// drop forgets the result of a session that was unused for longest. The caller holds mu.
func (s *Store) drop(of *session) {
	var oldest string
	for handle, k := range of.results {
		if oldest == "" || k.used.Before(of.results[oldest].used) {
			oldest = handle
		}
	}
	size := of.results[oldest].doc.size()
	delete(of.results, oldest)
	of.size, s.size = of.size-size, s.size-size
}

// dropOldest forgets the result of all sessions that was unused for longest, and reports
// whether there was one. The caller holds mu.
func (s *Store) dropOldest() bool {
	var from *session
	var oldest time.Time
	for _, of := range s.sessions {
		for _, k := range of.results {
			if from == nil || k.used.Before(oldest) {
				from, oldest = of, k.used
			}
		}
	}
	if from == nil {
		return false
	}
	s.drop(from)
	return true
}

// EndSession forgets the results of a session.
func (s *Store) EndSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		s.size -= of.size
		delete(s.sessions, id)
	}
}

// find returns the document of a handle.
func (s *Store) find(id, handle string) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		if k := of.results[handle]; k != nil {
			k.used = time.Now()
			return k.doc, nil
		}
		if n, err := strconv.Atoi(trimHandle(handle)); err == nil && n >= 1 && n <= of.last {
			return nil, fault.New(fault.NotFound, "the result %s is no longer kept, because later long results needed the room; call the tool again", handle)
		}
	}
	return nil, fault.New(fault.NotFound, "unknown handle %q: use one that a long result of this session named", clip(handle))
}

func trimHandle(handle string) string {
	if len(handle) > 1 && handle[0] == 'r' {
		return handle[1:]
	}
	return ""
}

func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
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

// rest says what is not shown of a document from an offset on, and how to read it.
func (d *document) rest(handle string, at int) string {
	project := ""
	if d.tree() {
		project = fmt.Sprintf(`, {"handle":%q,"path":"$…"} selects by JSONPath (RFC 9535)`, handle)
	}
	return fmt.Sprintf(`[%d of %d bytes are not shown. read_more {"handle":%q,"offset":%d} reads on, {"handle":%q,"grep":"regular expression"} searches%s.]`,
		len(d.text)-at, len(d.text), handle, at, handle, project)
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
