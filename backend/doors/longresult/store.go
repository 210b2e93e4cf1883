package longresult

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Limits on the memory of a store, in bytes. When a limit is reached, the store first drops the results that have not
// been used for the longest time.
const (
	maxSession = 128 << 20
	maxAll     = 512 << 20
)

// Store keeps long results, each under a handle. It is safe for concurrent use, and the zero value is ready to use.
type Store struct {
	mu       sync.Mutex
	sessions map[any]*session
	size     int // bytes of all results
}

// session holds the long results of one session.
type session struct {
	// mark is the prefix of the handles. It is random, so that a model that uses a handle of an earlier session does
	// not read another result.
	mark    string
	last    int // number of the last handle
	size    int
	results map[string]*kept
}

// kept is a result and the time of its last use.
type kept struct {
	doc  *document
	used time.Time
}

// markLength is the number of random characters in a handle.
const markLength = 6

// keep stores a document and returns its handle.
func (s *Store) keep(id any, doc *document) string {
	doc.own()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = make(map[any]*session)
	}
	of := s.sessions[id]
	if of == nil {
		of = &session{mark: strings.ToLower(rand.Text()[:markLength]) + "-", results: make(map[string]*kept)}
		s.sessions[id] = of
	}
	size := doc.size()
	for of.size > 0 && of.size+size > maxSession {
		s.drop(of)
	}
	for s.size > 0 && s.size+size > maxAll && s.dropOldest() {
	}
	of.last++
	handle := of.mark + strconv.Itoa(of.last)
	of.results[handle] = &kept{doc, time.Now()}
	of.size, s.size = of.size+size, s.size+size
	return handle
}

// drop removes the least recently used result of a session. The caller holds mu.
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

// dropOldest removes the least recently used result of all sessions, and reports whether there was a result. The
// caller holds mu.
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

// EndSession removes the results of a session.
func (s *Store) EndSession(id any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		s.size -= of.size
		delete(s.sessions, id)
	}
}

// find returns the document of a handle and records its use.
func (s *Store) find(id any, handle string) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		if k := of.results[handle]; k != nil {
			k.used = time.Now()
			return k.doc, nil
		}
		number, own := strings.CutPrefix(handle, of.mark)
		if n, err := strconv.Atoi(number); own && err == nil && n >= 1 && n <= of.last {
			return nil, fault.New(fault.NotFound,
				"the result %s is no longer kept, because later long results needed the room; call the tool again", handle)
		}
	}
	return nil, fault.New(fault.NotFound, "unknown handle %q: use one that a long result of this session named, or call the tool again",
		clip(handle))
}

func clip(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// own copies the parts of the result that the document refers to, so that the document does not keep the whole result
// in memory.
func (d *document) own() {
	for i, p := range d.parts {
		if p.block < 0 {
			d.parts[i].raw = nil // document.text contains the text of the block
		} else {
			d.parts[i].raw = bytes.Clone(p.raw)
		}
	}
	if d.structured {
		d.source = bytes.Clone(d.source)
	}
}
