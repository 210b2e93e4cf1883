package upstream

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// What is kept of a server's standard error, line by line.
const (
	outputLines = 500
	outputLine  = 8 << 10   // bytes of one
	outputSize  = 256 << 10 // bytes of all
	keyLines    = 256       // more has no private key
)

// Line is one line that a server's process wrote to its standard error. Secrets
// in Text are covered, and what is over 8 kB is left out.
type Line struct {
	N    int64 // rises with each line of a server, also when the hub starts anew
	At   time.Time
	Text string
}

// output keeps the last lines of a server, of all its processes. It takes any
// flood without growing.
type output struct {
	mu    sync.Mutex
	first int64 // number of the first line that there ever was
	next  int64
	lines []heard
	size  int // bytes of all lines
}

// heard is a line as it came. To cover what nobody reads would cost too much.
type heard struct {
	Line
	redactor *secrets.Redactor
	inKey    bool // within a private key that takes several lines
}

func newOutput() *output {
	began := time.Now().UnixMicro() // more than a hub before counted to
	return &output{first: began, next: began}
}

func (o *output) add(h heard) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h.N = o.next
	o.next++
	o.lines, o.size = append(o.lines, h), o.size+len(h.Text)
	for len(o.lines) > outputLines || o.size > outputSize && len(o.lines) > 1 {
		o.size -= len(o.lines[0].Text)
		o.lines[0] = heard{} // gives its text back
		o.lines = o.lines[1:]
	}
}

// last returns at most the last n lines after a number, and how many others
// there were after it.
func (o *output) last(n int, after int64) (lines []Line, left int64) {
	o.mu.Lock()
	after = max(after, o.first-1)
	from := max(len(o.lines)-n, 0)
	for from < len(o.lines) && o.lines[from].N <= after {
		from++
	}
	raw, next := slices.Clone(o.lines[from:]), o.next
	o.mu.Unlock()
	lines = make([]Line, len(raw))
	for i, h := range raw {
		lines[i] = h.covered()
	}
	return lines, next - 1 - after - int64(len(lines))
}

// end returns the number of the last line.
func (o *output) end() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next - 1
}

func (h heard) covered() Line {
	line := h.Line
	if h.inKey {
		line.Text = secrets.Redacted
		return line
	}
	text, cut := h.redactor.Head(line.Text, outputLine)
	if line.Text = text; cut {
		line.Text += "…"
	}
	return line
}

// scribe takes what one process writes apart into lines.
type scribe struct {
	to       *output
	bus      *events.Bus
	server   string
	redactor *secrets.Redactor

	mu   sync.Mutex
	part []byte // of a line without its end yet
	key  int    // lines that may still be of a private key
}

// Write implements io.Writer.
func (s *scribe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, whole := p, false
	for {
		line, more, found := bytes.Cut(rest, []byte("\n"))
		// As much as Head looks at.
		room := outputLine + s.redactor.Reach() + 1 - len(s.part)
		s.part = append(s.part, line[:min(len(line), max(room, 0))]...)
		if !found {
			break
		}
		s.finish()
		rest, whole = more, true
	}
	if whole {
		events.Publish(s.bus, Wrote{s.server})
	}
	return len(p), nil
}

// close takes the last line, which need not have an end.
func (s *scribe) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.part) > 0 {
		s.finish()
		events.Publish(s.bus, Wrote{s.server})
	}
}

func (s *scribe) finish() {
	text := strings.TrimSuffix(string(s.part), "\r")
	s.part = s.part[:0]
	s.to.add(heard{Line: Line{At: time.Now(), Text: text}, redactor: s.redactor, inKey: s.key > 0})
	begin, end := strings.LastIndex(text, "-----BEGIN "), strings.LastIndex(text, "-----END ")
	switch {
	case end > begin:
		s.key = 0
	case begin >= 0 && strings.Contains(text[begin:], "PRIVATE KEY-----"):
		s.key = keyLines
	default:
		s.key = max(s.key-1, 0)
	}
}

// Output returns at most the last n lines that a server's processes wrote to
// their standard error after a line's number, oldest first, and how many others
// there were since. Lines of a process that has ended are kept; of a remote
// server there are none.
func (m *Manager) Output(name string, n int, after int64) (lines []Line, left int64) {
	if s := m.find(name); s != nil {
		return s.output.last(n, after)
	}
	return nil, 0
}

// OutputEnd returns the number of the last such line; a later one has a higher
// number.
func (m *Manager) OutputEnd(name string) int64 {
	if s := m.find(name); s != nil {
		return s.output.end()
	}
	return 0
}
