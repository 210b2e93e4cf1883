package api

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
)

// maxBody is how long a request's body may be, in bytes.
const maxBody = 131072

// Times are how long the door waits for those who come to it. A field that is
// zero has its default.
type Times struct {
	Header time.Duration // for a request's header
	Body   time.Duration // for its body
	Send   time.Duration // until a piece of the answer is taken
	Idle   time.Duration // between two requests of a connection
	Ping   time.Duration // between two pings of a WebSocket
	Pong   time.Duration // for the answer to one, and for a close
}

func (t Times) orDefault() Times {
	return Times{
		Header: cmp.Or(t.Header, 10*time.Second), Body: cmp.Or(t.Body, 10*time.Second),
		Send: cmp.Or(t.Send, 30*time.Second), Idle: cmp.Or(t.Idle, 2*time.Minute),
		Ping: cmp.Or(t.Ping, 30*time.Second), Pong: cmp.Or(t.Pong, 10*time.Second),
	}
}

// Server returns the HTTP server of the door, with limits on how slow and how
// long a request may be. It serves nothing yet.
func (d *Door) Server(log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: d, ReadHeaderTimeout: d.times.Header, IdleTimeout: d.times.Idle, MaxHeaderBytes: 64 << 10,
		DisableGeneralOptionsHandler: true, // the guard sees all
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// limitWaiting bounds how long a request may take to come in and its answer to
// be taken, however it is answered.
func (g *guard) limitWaiting(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	control := http.NewResponseController(w)
	if r.Body != http.NoBody { // without one, it would end a long call
		_ = control.SetReadDeadline(time.Now().Add(g.times.Body)) // a test's recorder has none
	}
	out := &timedWriter{ResponseWriter: w, control: control, limit: g.times.Send}
	out.extend()
	return out
}

// receive reads the whole body of a request into memory. When it cannot it
// answers itself, and returns false.
func (g *guard) receive(w http.ResponseWriter, r *http.Request) bool {
	if r.Body == http.NoBody {
		return true
	}
	if r.ContentLength > maxBody {
		refuseBody(w, http.StatusRequestEntityTooLarge, "the body is over "+strconv.Itoa(maxBody)+" bytes")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var timeout net.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuseBody(w, http.StatusRequestEntityTooLarge, "the body is over "+strconv.Itoa(maxBody)+" bytes")
	case errors.As(err, &timeout) && timeout.Timeout():
		refuseBody(w, http.StatusRequestTimeout, "the body did not come in time")
	case err != nil:
		refuseBody(w, http.StatusBadRequest, "the body is not as long as its header says")
	default:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		return true
	}
	return false
}

// refuseBody ends the connection too: what comes next on it is no request.
func refuseBody(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Connection", "close")
	writeError(w, status, message)
}

// timedWriter gives up on a client that takes no answer.
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
