package registration

import (
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// grain is how much younger than now a file must not be to be known by its
// mark: within the grain of its time it could change unseen.
const grain = 2 * time.Second

// looks remembers what stood in files while they are as they were, so that
// looking at all of them every few seconds costs next to nothing. It holds no
// part of a file but our own entry.
type looks struct {
	mu   sync.Mutex
	seen map[string]sight
}

// sight is what a file held.
type sight struct {
	mark    string
	exists  bool
	hash    string
	entry   entry
	problem string // why it cannot be read
	stuck   string // why our entry could not come in
	closed  string // why it cannot be written
}

// at looks at a file.
func (l *looks) at(file table.File) sight {
	f, err := atomicfile.Stat(file.Path)
	if err != nil {
		return sight{problem: fault.MessageOf(err)}
	}
	key := strings.Join(append([]string{file.Path, file.Shape, string(file.Place.Format), file.Place.List}, file.Place.Keys...), "\x00")
	closed := f.Writable()
	l.mu.Lock()
	s, known := l.seen[key]
	l.mu.Unlock()
	if !known || s.mark != f.Mark() {
		s = read(file)
		if age := time.Since(f.Changed()); !f.Exists || age > grain {
			l.keep(key, s)
		}
	}
	if s.closed = s.stuck; closed != nil {
		s.closed = fault.MessageOf(closed)
	}
	return s
}

func (l *looks) keep(key string, s sight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = make(map[string]sight)
	}
	l.seen[key] = s
}

func read(file table.File) sight {
	f, err := atomicfile.Look(file.Path)
	if err != nil {
		return sight{problem: fault.MessageOf(err)}
	}
	s := sight{mark: f.Mark(), exists: f.Exists, hash: f.Hash}
	if s.entry, err = readEntry(f.Data, file); err != nil {
		s.problem = fault.MessageOf(err)
	}
	if s.problem == "" && !s.entry.there {
		s.stuck = stuck(f.Data, file)
	}
	s.entry.value = nil
	return s
}

// stuck tries whether an entry could come into a text that can be read.
func stuck(text []byte, file table.File) string {
	value, err := table.Spell(file.Shape, Name, table.Server{Transport: "stdio", Command: Name})
	if err == nil {
		_, err = configedit.Put(text, file.Place, Name, value)
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}
