package mcphttp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// feed makes lines of messages, for one reader.
type feed struct {
	r *io.PipeReader
	w *io.PipeWriter

	mu sync.Mutex // one message at a time
}

func newFeed() *feed {
	r, w := io.Pipe()
	return &feed{r: r, w: w}
}

// put gives a message to the reader and waits until it is read, or the feed is
// closed. It may change the message: a line end between two parts of it becomes
// a space, and within a string there is none.
func (f *feed) put(message []byte) {
	line := bytes.TrimSpace(message)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, part := range [][]byte{line, []byte("\n")} {
		if _, err := f.w.Write(part); err != nil {
			return // nobody reads any more
		}
	}
}

// split takes a batch apart; what is none stays as it is.
func split(data []byte) [][]byte {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	var batch []json.RawMessage
	if data[0] != '[' || json.Unmarshal(data, &batch) != nil {
		return [][]byte{data}
	}
	messages := make([][]byte, len(batch))
	for i, message := range batch {
		messages[i] = message
	}
	return messages
}

// deliver hands on what the server sent: one message, or a batch of them. It
// reports whether the answer to p, which may be nil, was among them.
func (l *Link) deliver(data []byte, p *post) (answered bool) {
	for _, message := range split(data) {
		if p != nil && p.answeredBy(message) {
			answered = true
			l.learn(p, message)
		}
		l.feed.put(message)
	}
	return answered
}
