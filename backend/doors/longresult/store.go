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

// Limits of the memory of a store, in bytes. The longest unused results are dropped first.
const (
	maxSession = 128 << 20
	maxAll     = 512 << 20
)

// Store keeps long results. It is safe for concurrent use. The zero value is ready.
type Store struct {
	mu       sync.Mutex
	sessions map[any]*session
	size     int // bytes of all results
}

// session is what a session has been shown the beginning of.
type session struct {
	// mark begins its handles, so that a model that remembers one of an earlier session
	// does not read another result.
	mark    string
	last    int // number of the last handle
	size    int
	results map[string]*kept
}

// kept is a result with a handle.
type kept struct {
	doc  *document
	used time.Time
}

// markLength is how many characters of a handle are random.
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
func (s *Store) EndSession(id any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		s.size -= of.size
		delete(s.sessions, id)
	}
}

// find returns the document of a handle.
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

// own makes the document independent of the result, so that the whole result is not
// kept in memory for a part of it.
func (d *document) own() {
	for i, p := range d.parts {
		if p.block < 0 {
			d.parts[i].raw = nil // its text is in the document
		} else {
			d.parts[i].raw = bytes.Clone(p.raw)
		}
	}
	if d.structured {
		d.source = bytes.Clone(d.source)
	}
}
