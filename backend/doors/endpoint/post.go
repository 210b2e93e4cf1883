package endpoint

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	maxBody   = 64 << 20  // bytes; the same limit as for a line of stdio
	maxUnread = 256 << 20 // bytes of all bodies that are being read
	// bodyTimeout is how long the hub waits for the next bytes of a body.
	bodyTimeout = 30 * time.Second
	// maxBatch is the maximum number of messages in a batch.
	maxBatch = 100
)

// post serves a POST request to the streamable transport.
func (c *conversation) post() {
	body, ok := c.body()
	if !ok {
		return
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		c.batch(body)
		return
	}
	m, ok := c.parse(body)
	if !ok {
		return
	}
	switch e := mcpversion.Detect(m.Method, m.Params, c.version()); {
	case e == mcpversion.Modern:
		c.modern(m)
	default:
		c.legacy(m)
	}
}

// body reads the body of a request. If that fails, or the content type or size is not allowed, it answers the request
// and returns false.
func (c *conversation) body() (body []byte, ok bool) {
	if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(c.w, http.StatusUnsupportedMediaType, nil, invalid("the Content-Type must be application/json"))
		return nil, false
	}
	var content bytes.Buffer
	reader := &bodyReader{r: http.MaxBytesReader(c.w, c.r.Body, maxBody), control: http.NewResponseController(c.w)}
	reader.charge.Budget = c.endpoint.unread
	defer reader.charge.Free()
	var err error
	if c.r.ContentLength > maxBody {
		err = &http.MaxBytesError{Limit: maxBody}
	} else {
		content.Grow(int(min(max(c.r.ContentLength, 0)+bytes.MinRead, 1<<20)))
		_, err = content.ReadFrom(reader)
	}
	// Clear the deadline. Otherwise the HTTP server would cancel the request when the deadline passes.
	_ = reader.control.SetReadDeadline(time.Time{})
	if err == nil {
		return content.Bytes(), true
	}
	c.w.Header().Set("Connection", "close") // otherwise, the server would read the rest of the body as the next request
	var large *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &large):
		refuse(c.w, http.StatusRequestEntityTooLarge, nil, invalid("the body is over "+strconv.Itoa(maxBody)+" bytes"))
	case errors.Is(err, errFull):
		c.w.Header().Set("Retry-After", "1")
		unavailable(c.w, "too many large requests at the same time; try again in a moment")
	case errors.As(err, &timeout) && timeout.Timeout():
		refuse(c.w, http.StatusRequestTimeout, nil, invalid("the body did not arrive in time"))
	default:
		refuse(c.w, http.StatusBadRequest, nil, invalid("the body is incomplete"))
	}
	return nil, false
}

var errFull = errors.New("too many large requests at the same time")

// bodyReader charges the bytes that it has read to a budget, and fails if the client sends nothing for bodyTimeout.
type bodyReader struct {
	r       io.Reader
	control *http.ResponseController
	charge  jsonrpc.Charge
	read    int
}

func (b *bodyReader) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails for an httptest.ResponseRecorder
	n, err := b.r.Read(p)
	if b.read += n; !b.charge.Grow(b.read) {
		return n, errFull
	}
	return n, err
}

// parse parses one message and puts it on one line. If the message is invalid, parse answers the request and returns
// false.
func (c *conversation) parse(body []byte) (m jsonrpc.Message, ok bool) {
	m, err := jsonrpc.Parse(body)
	if err != nil {
		refuse(c.w, http.StatusBadRequest, m.ID, jsonrpc.ErrorOf(err))
		return m, false
	}
	joinLines(body)
	return m, true
}

// joinLines replaces line breaks with spaces, because a line break ends a message in an event stream and in the
// transports to servers. In valid JSON, line breaks are only white space.
func joinLines(text []byte) {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
}
