package upstream

import (
	"context"
	"sync"
	"time"
)

// longestStart is how many times its limit a start may take in all, as long as the server shows that it goes on. Tests set it.
var longestStart time.Duration = 10

// starting is the context of a start. It ends with context.DeadlineExceeded once nothing has moved for the limit of the
// start, or after longestStart times this limit.
type starting struct {
	context.Context
	limit time.Duration
	began time.Time
	ended chan struct{}
	leave func() bool // forgets the parent

	mu    sync.Mutex
	timer *time.Timer
	last  time.Time // when something has moved; zero if nothing has
	err   error
}

// newStarting returns the context of a start that begins now. The caller has to call stop.
func newStarting(parent context.Context, limit time.Duration) *starting {
	p := &starting{Context: parent, limit: limit, began: time.Now(), ended: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(limit, func() { p.end(context.DeadlineExceeded) })
	p.leave = context.AfterFunc(parent, func() { p.end(parent.Err()) })
	return p
}

// moved says that the start goes on: the server has written something, or a part of a download has come.
func (p *starting) moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.last = time.Now()
		p.timer.Reset(min(p.limit, time.Until(p.began.Add(longestStart*p.limit))))
	}
}

// stop releases the resources of p.
func (p *starting) stop() { p.end(context.Canceled) }

func (p *starting) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.timer.Stop()
		p.leave()
		close(p.ended)
	}
}

// spent says how long the start has taken, as the end of a sentence.
func (p *starting) spent() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := func(d time.Duration) string { return d.Round(min(time.Second, p.limit)).String() }
	switch {
	case p.last.IsZero():
		return "within " + p.limit.String()
	case time.Since(p.began) < longestStart*p.limit:
		return "within " + took(time.Since(p.began)) + ", and wrote nothing for the last " + p.limit.String()
	}
	return "within " + took(longestStart*p.limit) + ", although it kept writing"
}

// writes is an io.Writer that reports what is written to it with moved.
type writes struct{ *starting }

func (w writes) Write(p []byte) (int, error) {
	w.moved()
	return len(p), nil
}

// Done implements context.Context.
func (p *starting) Done() <-chan struct{} { return p.ended }

// Err implements context.Context.
func (p *starting) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
