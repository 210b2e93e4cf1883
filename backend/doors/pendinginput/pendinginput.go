// Package pendinginput lets clients of MCP 2026-07-28 use servers of older versions of MCP. While such a server handles
// a request, it may send requests to the client, which this package calls questions. A client of MCP 2026-07-28 cannot
// receive questions. It gets a result of type input_required instead, and repeats its request with the answers. Between
// the two requests, the request to the server stays in flight: the call is parked.
//
// The callers of the package decide which clients may be asked, and send the requests to servers.
package pendinginput

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
)

const (
	// gather is how long a call waits for further questions after the first.
	gather = 20 * time.Millisecond
	// lifetime is how long a parked call waits for its retry.
	lifetime = 10 * time.Minute
	// maxParked is the maximum number of parked calls, and maxPerPrincipal the maximum number for one principal.
	maxParked, maxPerPrincipal = 1024, 64
)

// ErrUnknownOutcome is returned for a retry whose call was parked by an earlier process of the hub. The effects of that
// call are unknown.
var ErrUnknownOutcome = errors.New("the hub was restarted while the request waited for input; its outcome is unknown")

// errFull is the answer to the questions of a call that cannot be parked, because too many other calls are
// parked.
var errFull = errors.New("too many requests wait for input; the question cannot be asked")

// errExpired is the cause with which a call is cancelled if the client does not retry it in time.
var errExpired = errors.New("the request was not repeated with the input within " + lifetime.String())

// Lot holds the parked calls of all clients. It is safe for concurrent use.
type Lot struct {
	sealer *Sealer
	id     string // distinguishes this process from earlier ones

	mu     sync.Mutex
	calls  map[string]*Call // by id; calls that were parked at least once and are not over
	counts map[string]int   // number of these calls, by principal
}

// New returns an empty lot, which encrypts the states of calls with sealer.
func New(sealer *Sealer) *Lot {
	return &Lot{sealer: sealer, id: rand.Text(), calls: make(map[string]*Call), counts: make(map[string]int)}
}

// Resume returns the parked call that a retry continues, and gives it the answers in the retry. The caller must
// call Wait next. A state can be used once. The error is ErrState or ErrUnknownOutcome.
func (l *Lot) Resume(retry inputrequired.Retry, b Binding) (*Call, error) {
	st, err := l.sealer.open(retry.State, b, time.Now())
	if err != nil || st.Lot == "" {
		return nil, ErrState
	}
	if st.Lot != l.id {
		return nil, ErrUnknownOutcome
	}
	l.mu.Lock()
	c := l.calls[st.Call]
	l.mu.Unlock()
	if c == nil || !c.resume(st.Round, retry.Responses) {
		return nil, ErrState
	}
	return c, nil
}

// End cancels the parked calls for which gone returns true, such as the calls of a client that has left. It answers the
// open elicitations of their servers as cancelled, and other open questions with the error cause.
func (l *Lot) End(gone func(Binding) bool, cause error) {
	l.mu.Lock()
	var ending []*Call
	for _, c := range l.calls {
		if gone(c.binding) {
			ending = append(ending, c)
		}
	}
	l.mu.Unlock()
	for _, c := range ending {
		c.abandon(cause)
	}
}

// Len returns the number of calls that were parked and are not over.
func (l *Lot) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls)
}

// admit counts a call as parked until leave is called. It returns false if too many calls are parked already.
func (l *Lot) admit(c *Call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] == c {
		return true
	}
	if len(l.calls) >= maxParked || l.counts[c.binding.Principal] >= maxPerPrincipal {
		return false
	}
	l.calls[c.id] = c
	l.counts[c.binding.Principal]++
	return true
}

func (l *Lot) leave(c *Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] != c {
		return
	}
	delete(l.calls, c.id)
	if l.counts[c.binding.Principal]--; l.counts[c.binding.Principal] == 0 {
		delete(l.counts, c.binding.Principal)
	}
}

// Outcome is the answer to a request of the client.
type Outcome struct {
	Result   json.RawMessage       // result of the server; nil if the server asks for input
	Required *inputrequired.Result // the input that the client must provide; nil if the call is over
}

// Begin prepares a call. The caller must call Wait next, which starts the call. run sends the request to the server.
// The context of run ends when the call is cancelled or abandoned, but not when the client's request ends.
func (l *Lot) Begin(ctx context.Context, b Binding, run func(context.Context, *Call) (json.RawMessage, error)) *Call {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &Call{
		lot: l, id: rand.Text(), binding: b, cancel: cancel,
		done: make(chan struct{}), asked: make(chan struct{}, 1),
	}
	c.next = func() {
		go func() {
			defer close(c.done)
			defer cancel(nil)
			c.result, c.err = run(ctx, c)
		}()
	}
	return c
}
