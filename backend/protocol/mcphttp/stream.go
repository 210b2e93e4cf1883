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
	firstRetry = time.Second // where the server asks for nothing else
	leastRetry = 50 * time.Millisecond
	mostRetry  = time.Minute
	// tries is how often in a row a server may be out of reach before its
	// stream is given up: half a minute, where it asks for nothing else.
	tries = 6
	// steady is how long a stream must have lasted not to count as one that
	// ends at once.
	steady = 5 * time.Second
)

// flow is a stream of events that may break off and be taken up again.
type flow struct {
	after string        // id of the last event
	retry time.Duration // after which to come back
}

func newFlow() *flow { return &flow{retry: firstRetry} }

// pause waits; false when ctx ended first.
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

// consume hands on the events of a stream until it ends, which it does soon
// after the answer to p. It reports whether that came.
func (l *Link) consume(body io.Reader, f *flow, p *post) (answered bool, err error) {
	stream := newEvents(body, l.Limit)
	stream.id = f.after
	defer func() {
		f.after = stream.id
		if stream.retry > 0 {
			f.retry = min(max(stream.retry, leastRetry), mostRetry)
		}
	}()
	for {
		e, err := stream.next()
		if err == errTooLong {
			l.Log.Warn("server sent a message that is too long", "limit", l.Limit)
			if p != nil && !answered {
				return false, l.tooLong()
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

// stream takes an answer that comes as an event of a stream, after whatever the
// server has to say before. A stream that breaks off is taken up again if its
// events have ids.
func (l *Link) stream(p *post, response *http.Response) {
	for f := newFlow(); ; {
		answered, err := l.consume(response.Body, f, p)
		_ = response.Body.Close()
		if _, final := errors.AsType[*fault.Error](err); final {
			l.fail(p, err)
			return
		}
		if answered || p.ctx.Err() != nil {
			return
		}
		if f.after == "" {
			l.fail(p, l.broken())
			return
		}
		if response = l.resume(p, f); response == nil {
			return
		}
	}
}

// resume asks for what follows the last event of a stream. When it cannot be
// had the request has failed, and the response is nil.
func (l *Link) resume(p *post, f *flow) *http.Response {
	delay := f.retry
	for try := 1; pause(p.ctx, delay); try++ {
		response, refused, err := l.open(p.ctx, f)
		switch {
		case err == nil && refused == nil:
			return response
		case refused != nil && refused.final():
			if l.inSession(p) && refused.lost() {
				l.end(l.gone(refused)) // which the call is told
			}
			l.fail(p, fault.New(fault.Failed, "%s. When the rest was asked for it %s", fault.MessageOf(l.broken()), l.answered(refused)))
			return nil
		case try == tries || ended(err, try):
			l.fail(p, l.broken())
			if ended(err, try) {
				l.end(err)
			}
			return nil
		}
		delay = min(2*delay, mostRetry)
	}
	return nil
}

// open opens a stream with GET. What is no stream is a refusal.
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

// errNobody marks that nothing listens where a server was.
var errNobody = errors.New("nobody listens")

// ended reports whether a server that was there is taken for ended: one that is
// restarted listens again within the second.
func ended(err error, times int) bool { return errors.Is(err, errNobody) && times >= 2 }

// final reports whether asking again is of no use.
func (r *refusal) final() bool {
	switch r.status {
	case http.StatusConflict, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false // the last connection is not noticed as dead yet, or it is too much
	}
	return r.status < 500
}

// listen keeps a stream open for what the server says of its own accord, until
// the link is over or the server has none.
func (l *Link) listen() {
	f, known, delay := newFlow(), false, time.Duration(0)
	for failures := 0; pause(l.life, delay); {
		response, refused, err := l.open(l.life, f)
		opened := time.Now()
		switch {
		case err != nil:
			if failures++; failures >= tries || ended(err, failures) {
				l.end(err)
			}
		case refused != nil && refused.final():
			if known && refused.lost() {
				l.end(l.gone(refused))
			}
			l.Log.Debug("server has no stream of its own", "status", refused.status)
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

// subscribe opens the one stream of the transport SSE and hands on its events
// until it ends, which is the end of the session.
func (l *Link) subscribe() {
	l.work.Go(func() { l.end(l.subscription()) })
}

func (l *Link) subscription() error {
	response, err := l.do(l.life, request{method: http.MethodGet, target: l.base})
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); response.StatusCode != http.StatusOK {
		return l.refused(readRefusal(response), true)
	} else if kind != "text/event-stream" {
		return fault.New(fault.Failed, "%s answered with %s, which is no stream of events; is the URL right?", l.Shown, oneLine(kind))
	}
	for stream := newEvents(response.Body, l.Limit); ; {
		e, err := stream.next()
		switch {
		case err == errTooLong:
			l.Log.Warn("server sent a message that is too long", "limit", l.Limit)
		case err == io.EOF:
			return fault.Wrap(ErrLost, fault.Unavailable, "%s closed its stream of events", l.Shown)
		case err != nil:
			return l.unreachable("its stream of events broke off")
		case e.name == "endpoint":
			if err := l.setTarget(response.Request.URL, string(e.data)); err != nil {
				return err
			}
		case e.isMessage():
			l.deliver(e.data, nil)
		}
	}
}

// setTarget takes the address to which messages are posted; one that comes
// again later changes nothing.
func (l *Link) setTarget(from *url.URL, endpoint string) error {
	target, err := from.Parse(strings.TrimSpace(endpoint))
	if err != nil {
		return fault.New(fault.Failed, "%s names an endpoint that is no address", l.Shown)
	}
	if !sameOrigin(target, l.base) {
		return fault.New(fault.Failed, "%s names an endpoint in another place, %s, which is not used", l.Shown, origin(target))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target == nil {
		l.target = target
		close(l.named)
	}
	return nil
}
