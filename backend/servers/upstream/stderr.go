package upstream

import "sync"

// stderrSize is how much of a child's standard error is kept, in bytes.
const stderrSize = 64 << 10

// tail is a writer that keeps the last bytes. It takes any flood without
// growing.
type tail struct {
	mu   sync.Mutex
	ring []byte
	next int  // where the next byte goes
	full bool // the ring has gone round
}

func newTail() *tail { return &tail{} }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= stderrSize {
		p = p[len(p)-stderrSize:]
	}
	if grow := min(stderrSize-len(t.ring), len(p)); grow > 0 {
		t.ring = append(t.ring, p[:grow]...)
		p = p[grow:]
		t.next = len(t.ring) % stderrSize
	}
	for len(p) > 0 {
		k := copy(t.ring[t.next:], p)
		p = p[k:]
		t.next = (t.next + k) % stderrSize
		t.full = true
	}
	return n, nil
}

// last returns at most n bytes, from the beginning of a line where one is cut.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.ring)
	if t.full {
		text = string(t.ring[t.next:]) + string(t.ring[:t.next])
	}
	return lastLines(text, n)
}

// lastLines returns at most the last n bytes of a text, from the beginning of
// a line where one is cut.
func lastLines(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[len(text)-n:]
	for i := range len(text) {
		if text[i] == '\n' {
			return text[i+1:]
		}
	}
	return text
}
