package guard

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Timeouts limit how long the hub waits for its clients. A field that is zero has a default value.
type Timeouts struct {
	Header time.Duration // for the header of a request
	Body   time.Duration // for the body of a request
	Send   time.Duration // for the client to receive a piece of the response
	Idle   time.Duration // between two requests of a connection
	Ping   time.Duration // between two pings of a WebSocket
	Pong   time.Duration // for the answer to a ping
}

// OrDefault returns the timeouts with defaults for the fields that are zero.
func (t Timeouts) OrDefault() Timeouts {
	return Timeouts{
		Header: cmp.Or(t.Header, 10*time.Second), Body: cmp.Or(t.Body, 10*time.Second),
		Send: cmp.Or(t.Send, 30*time.Second), Idle: cmp.Or(t.Idle, 2*time.Minute),
		Ping: cmp.Or(t.Ping, 30*time.Second), Pong: cmp.Or(t.Pong, 10*time.Second),
	}
}

// NewServer returns an HTTP server for a handler that is, or contains, a guard. It limits the size of request headers
// and the time to receive them. It does not listen until its Serve method is called.
func NewServer(handler http.Handler, t Timeouts, log *slog.Logger) *http.Server {
	t = t.OrDefault()
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: t.Header, IdleTimeout: t.Idle, MaxHeaderBytes: 64 << 10,
		DisableGeneralOptionsHandler: true, // the guard answers OPTIONS
		ConnContext:                  withConnection,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// limitDuration limits how long the client may take to send the body of a request and to receive each piece of the
// response.
func (g *Guard) limitDuration(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	control := http.NewResponseController(w)
	if r.Body != http.NoBody { // without a body, nothing would clear the deadline, and it would end a long call
		_ = control.SetReadDeadline(time.Now().Add(g.timeouts.Body)) // fails for an httptest.ResponseRecorder
	}
	out := &timedWriter{ResponseWriter: w, control: control, limit: g.timeouts.Send}
	out.extend()
	return out
}

// maxPublicBody limits the bodies of requests that need no token, in bytes. The guard reads them before it has
// authenticated the client. The largest valid one contains a ticket and two public keys.
const maxPublicBody = 1 << 10

// readBody reads the whole body of a request into memory. When that fails it answers the request and returns false.
func (g *Guard) readBody(w http.ResponseWriter, r *http.Request) bool {
	if r.Body == http.NoBody {
		return true
	}
	limit := route.MaxBody
	if g.public(r) {
		limit = maxPublicBody
	}
	tooLarge := "the body is over " + strconv.Itoa(limit) + " bytes"
	if r.ContentLength > int64(limit) {
		refuseBody(w, http.StatusRequestEntityTooLarge, tooLarge)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	var timeout net.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuseBody(w, http.StatusRequestEntityTooLarge, tooLarge)
	case errors.As(err, &timeout) && timeout.Timeout():
		refuseBody(w, http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		refuseBody(w, http.StatusBadRequest, "the body is shorter than its Content-Length")
	default:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		return true
	}
	return false
}

// refuseBody answers with an error and closes the connection, because the server would read the rest of the body as
// the next request.
func refuseBody(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Connection", "close")
	route.WriteError(w, status, message)
}

// timedWriter is an http.ResponseWriter that gives up on a client which does not read its response: each write renews
// the deadline of the connection.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (w *timedWriter) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(w.limit)) }

// WriteHeader implements http.ResponseWriter.
func (w *timedWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *timedWriter) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

// Unwrap lets an http.ResponseController reach the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
