package mcphttp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	firstRetry = time.Second // unless the server sends another retry time
	leastRetry = 50 * time.Millisecond
	mostRetry  = time.Minute
	// tries is the number of failed connections in a row after which a stream
	// is given up. With firstRetry, they take about half a minute.
	tries = 6
	// steady is the minimum duration of a stream after which the delay before the next
	// connection is flow.retry again. After shorter streams the delay grows.
	steady = 5 * time.Second
)

// flow is the position in an event stream that can be resumed after its
// connection breaks.
type flow struct {
	after string        // id of the last event
	retry time.Duration // delay before the next connection
}

func newFlow() *flow { return &flow{retry: firstRetry} }

// pause waits for d; it returns false if ctx is done first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// consume delivers the messages of a stream until the stream ends, or until the
// duration linger has passed since the answer to p, which may be nil. It reports
// whether that answer came.
func (l *Link) consume(body io.Reader, f *flow, p *post) (answered bool, err error) {
	stream := newEvents(body, l.options.Limit)
	stream.charge.Budget = l.options.Budget
	defer stream.charge.Free()
	stream.id = f.after
	defer func() {
		f.after = stream.id
		if stream.retry > 0 {
			f.retry = min(max(stream.retry, leastRetry), mostRetry)
		}
	}()
	for {
		e, err := stream.next()
		if err == errTooLong || err == errFull {
			l.options.Log.Warn("a message of the server was skipped", "error", err, "limit", l.options.Limit)
			if p != nil && !answered {
				return false, map[error]error{errTooLong: l.tooLong(), errFull: l.full()}[err]
			}
			continue
		}
		if err != nil {
			return answered, err
		}
		if e.isMessage() && l.deliver(e.data, p) && !answered {
			answered = true
			defer time.AfterFunc(linger, p.stop).Stop()
		}
	}
}

// stream reads a response that is an event stream: messages of the server, followed
// by the answer to p. A stream that breaks is resumed if its events have ids.
func (l *Link) stream(ctx context.Context, p *post, response *http.Response) {
	for f := newFlow(); ; {
		answered, err := l.consume(response.Body, f, p)
		_ = response.Body.Close()
		if _, final := errors.AsType[*fault.Error](err); final {
			l.fail(ctx, p, err)
			return
		}
		if answered || ctx.Err() != nil {
			return
		}
		if f.after == "" || p.header != nil {
			l.fail(ctx, p, l.broken())
			return
		}
		if response = l.resume(ctx, p, f); response == nil {
			return
		}
	}
}

// resume opens a stream again at the event after the last one received. If that is
// not possible it reports p as failed and returns nil.
func (l *Link) resume(ctx context.Context, p *post, f *flow) *http.Response {
	delay := f.retry
	for try := 1; pause(ctx, delay); try++ {
		response, refused, err := l.open(ctx, f)
		switch {
		case err == nil && refused == nil:
			return response
		case isUnauthorized(err):
			l.fail(ctx, p, err)
			return nil
		case refused != nil && refused.final():
			cause := error(nil)
			if l.inSession(p) && refused.lost() {
				l.lose(l.gone(refused))
				cause = ErrLost
			}
			l.fail(ctx, p, fault.Wrap(cause, fault.Failed, "%s. When asked to resume its answer, the server %s",
				fault.MessageOf(l.broken()), refused.answered()))
			return nil
		case try == tries || ended(err, try):
			l.fail(ctx, p, l.broken())
			if ended(err, try) {
				l.end(err)
			}
			return nil
		}
		delay = min(2*delay, mostRetry)
	}
	return nil
}

// open opens a stream with GET. A response that is not an event stream is
// returned as a refusal.
func (l *Link) open(ctx context.Context, f *flow) (*http.Response, *refusal, error) {
	response, err := l.do(ctx, request{method: http.MethodGet, target: l.base, after: f.after})
	if err != nil {
		return nil, nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return response, nil, nil
	}
	defer func() { _ = response.Body.Close() }()
	return nil, readRefusal(response), nil
}

// errRefused is in the chain of errors of refused connections: no process
// listens at the server's address.
var errRefused = errors.New("connection refused")

// ended reports whether the server process has probably ended: at least two connections
// failed, and err says that the last one was refused. One refused connection is not
// enough, because a server that is restarted listens again within a second.
func ended(err error, times int) bool { return errors.Is(err, errRefused) && times >= 2 }

// final reports whether the refusal is permanent, so that a retry is useless.
func (r *refusal) final() bool {
	switch r.status {
	case http.StatusConflict, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false // the server still counts the broken connection, or is overloaded
	}
	return r.status < 500
}

// listen keeps a stream open for messages that are not part of a response, until
// ctx is done or the server offers no such stream.
func (l *Link) listen(ctx context.Context) {
	f, known, delay := newFlow(), false, time.Duration(0)
	for failures := 0; pause(ctx, delay); {
		response, refused, err := l.open(ctx, f)
		opened := time.Now()
		switch {
		case isUnauthorized(err):
			l.options.Log.Debug("server refuses its stream without a sign-in")
			return
		case err != nil:
			if failures++; failures >= tries || ended(err, failures) {
				l.end(err)
			}
		case refused != nil && refused.final():
			if known && refused.lost() {
				l.lose(l.gone(refused))
			}
			l.options.Log.Debug("server offers no stream for its own messages", "status", refused.status)
			return
		case refused == nil:
			failures, known = 0, true
			_, _ = l.consume(response.Body, f, nil)
			_ = response.Body.Close()
			if time.Since(opened) >= steady {
				delay = 0
			}
		}
		delay = min(max(f.retry, 2*delay), mostRetry)
	}
}

// subscription opens the stream of the transport SSE and delivers its messages.
// It returns when the stream ends, which ends the session.
func (l *Link) subscription(ctx context.Context) error {
	response, err := l.do(ctx, request{method: http.MethodGet, target: l.base})
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); response.StatusCode != http.StatusOK {
		return l.refused(readRefusal(response), true)
	} else if kind != "text/event-stream" {
		return fault.New(fault.Failed, "%s answered with %s, which is not an event stream; is the URL right?",
			l.options.Shown, oneLine(kind))
	}
	stream := newEvents(response.Body, l.options.Limit)
	stream.charge.Budget = l.options.Budget
	defer stream.charge.Free()
	for {
		e, err := stream.next()
		switch {
		case err == errTooLong || err == errFull:
			l.options.Log.Warn("a message of the server was skipped", "error", err, "limit", l.options.Limit)
			if l.options.Skipped != nil {
				l.options.Skipped(map[error]error{errTooLong: l.tooLong(), errFull: l.full()}[err])
			}
		case err == io.EOF:
			return fault.Wrap(ErrLost, fault.Unavailable, "%s closed its event stream", l.options.Shown)
		case err != nil:
			return l.unreachable("its event stream broke off")
		case e.name == "endpoint":
			if err := l.setTarget(response.Request.URL, string(e.data)); err != nil {
				return err
			}
		case e.isMessage():
			l.deliver(e.data, nil)
		}
	}
}

// setTarget sets the address to which messages are posted. Only the first
// endpoint event of a stream has an effect.
func (l *Link) setTarget(from *url.URL, endpoint string) error {
	target, err := from.Parse(strings.TrimSpace(endpoint))
	if err != nil {
		return fault.New(fault.Failed, "%s names an endpoint that is not a valid URL", l.options.Shown)
	}
	if !sameOrigin(target, l.base) {
		return fault.New(fault.Failed, "%s names an endpoint at another origin, %s, to which credentials are not sent",
			l.options.Shown, origin(target))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target == nil {
		l.target = target
		close(l.named)
	}
	return nil
}
