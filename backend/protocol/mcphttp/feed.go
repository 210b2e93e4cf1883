package mcphttp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// feed turns messages into lines for one reader.
type feed struct {
	r *io.PipeReader
	w *io.PipeWriter

	mu sync.Mutex // held while a message is written
}

// put writes a message as a line and waits until it is read or the feed is
// closed. It changes message in place: line ends become spaces, which is safe
// because JSON strings contain no unescaped line ends.
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
			return // the feed is closed
		}
	}
}

// split returns the messages of a JSON-RPC batch, or data itself if it is not a
// batch.
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

// deliver passes a message or a batch of messages to the reader. It reports
// whether the answer to p, which may be nil, was among them.
func (l *Link) deliver(data []byte, p *post) (answered bool) {
	for _, message := range split(data) {
		if p != nil && p.id != nil {
			m, err := jsonrpc.Parse(message)
			switch {
			case err != nil:
			case m.IsResponse() && bytes.Equal(m.ID, p.id):
				answered = true
				l.learn(p, message)
			case m.IsRequest() && l.options.Asked != nil:
				l.options.Asked(m.ID, p.id)
			}
		}
		l.feed.put(message)
	}
	return answered
}
