package push

import "time"

// pace limits how often a kind of message is sent: at once after the first change, then at most once per interval.
type pace struct {
	moved    chan struct{}    // receives a token after a change
	due      <-chan time.Time // when sending is allowed again; nil when it is allowed now
	interval time.Duration
	waiting  bool // a message must be sent when due fires
}

func newPace(interval time.Duration) *pace {
	return &pace{moved: make(chan struct{}, 1), interval: interval}
}

// step calls send if sending is allowed and needed. It is called after a receive from moved, with isDue false, and after
// a receive from due, with isDue true.
func (p *pace) step(isDue bool, send func()) {
	switch {
	case !isDue && p.due != nil:
		p.waiting = true
	case isDue && !p.waiting:
		p.due = nil
	default:
		send()
		p.due, p.waiting = time.After(p.interval), false
	}
}
