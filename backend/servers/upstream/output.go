package upstream

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// These are the limits of the kept standard error of one server.
const (
	outputLines = 500
	outputLine  = 8 << 10   // bytes of one line
	outputSize  = 256 << 10 // bytes of all lines
	keyLines    = 256       // most lines that a private key can have
)

// Line is one line of a server's standard error. Text is redacted and cut after
// 8 kB.
type Line struct {
	N    int64 // the line's number, greater than that of all earlier lines, even those before a restart of the hub
	At   time.Time
	Text string
}

// output keeps the last lines of a server's standard error, across restarts of
// the server.
type output struct {
	mu    sync.Mutex
	first int64 // number of the first line ever added
	next  int64 // number of the next line
	lines []rawLine
	size  int // bytes of all lines
}

// rawLine is a line before redaction. A line is redacted only when somebody asks
// for it.
type rawLine struct {
	Line
	redactor *redact.Redactor
	inKey    bool // inside a private key that spans several lines
}

func newOutput() *output {
	began := time.Now().UnixMicro() // greater than any number that an earlier hub has used
	return &output{first: began, next: began}
}

func (o *output) add(h rawLine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h.N = o.next
	o.next++
	o.lines, o.size = append(o.lines, h), o.size+len(h.Text)
	for len(o.lines) > outputLines || o.size > outputSize && len(o.lines) > 1 {
		o.size -= len(o.lines[0].Text)
		o.lines[0] = rawLine{} // lets the garbage collector free the text
		o.lines = o.lines[1:]
	}
}

// last returns the last n of the lines whose numbers are greater than after, or all of
// these lines if they are fewer. left is the number of these lines that it does not return.
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
		lines[i] = h.redacted()
	}
	return lines, next - 1 - after - int64(len(lines))
}

// end returns the number of the last line.
func (o *output) end() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next - 1
}

func (h rawLine) redacted() Line {
	line := h.Line
	if h.inKey {
		line.Text = secretscan.Redacted
		return line
	}
	text, cut := h.redactor.Head(line.Text, outputLine)
	if line.Text = text; cut {
		line.Text += "…"
	}
	return line
}

// lineWriter splits the standard error of one process into lines.
type lineWriter struct {
	to       *output
	bus      *events.Bus
	server   string
	redactor *redact.Redactor

	mu   sync.Mutex
	part []byte // an incomplete line
	key  int    // how many of the next lines may be part of a private key
}

// Write implements io.Writer.
func (s *lineWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, whole := p, false
	for {
		line, more, found := bytes.Cut(rest, []byte("\n"))
		// Keep only the bytes that Redactor.Head reads.
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

// close adds an incomplete last line.
func (s *lineWriter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.part) > 0 {
		s.finish()
		events.Publish(s.bus, Wrote{s.server})
	}
}

func (s *lineWriter) finish() {
	text := strings.TrimSuffix(string(s.part), "\r")
	s.part = s.part[:0]
	s.to.add(rawLine{Line: Line{At: time.Now(), Text: text}, redactor: s.redactor, inKey: s.key > 0})
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
