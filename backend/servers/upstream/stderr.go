package upstream

import "sync"

// stderrSize is how many bytes of a child's standard error are kept.
const stderrSize = 64 << 10

// tail is a writer that keeps the last stderrSize bytes written to it.
type tail struct {
	mu   sync.Mutex
	ring []byte
	next int  // index at which the next byte is written
	full bool // whether older bytes were overwritten
}

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

// last returns the whole lines at the end of the kept bytes that fit into n bytes; see
// lastLines.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.ring)
	if t.full {
		text = string(t.ring[t.next:]) + string(t.ring[:t.next])
	}
	return lastLines(text, n)
}

// lastLines returns those whole lines at the end of a text that fit into n
// bytes. If the last line alone is longer, it returns the line's last n bytes.
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
