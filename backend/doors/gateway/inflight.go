package gateway

import (
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// maxInFlight is how many calls of one session may be in flight.
const maxInFlight = 64

var errBusy = fault.New(fault.Busy,
	"%d calls of this session are in flight, which is the limit; wait for one to finish and call again", maxInFlight)

// inFlight counts the calls of a session in flight. It is safe for concurrent use.
type inFlight struct {
	changed func() // called when a call has ended

	mu    sync.Mutex
	calls int
}

// begin adds one to the calls in flight, or returns false if too many are
// in flight. It does not call changed, because the pipeline publishes an
// event for each call.
func (f *inFlight) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls >= maxInFlight {
		return false
	}
	f.calls++
	return true
}

func (f *inFlight) end() {
	f.mu.Lock()
	f.calls--
	f.mu.Unlock()
	f.changed()
}

func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}
