package jsonrpc

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// freeSize is the number of bytes of each unfinished message that are not charged to the budget.
	freeSize = 1 << 20
	// bigSize is the charge above which Free returns the memory of a message to the system.
	bigSize = 16 << 20
)

// Budget limits the memory that unfinished messages of several streams may take
// together. It is safe for concurrent use. A nil *Budget has no limit.
type Budget struct {
	mu   sync.Mutex
	left int
}

// NewBudget returns a budget of the given number of bytes.
func NewBudget(bytes int) *Budget { return &Budget{left: bytes} }

// Charge is the part of a budget that one stream uses. The zero value uses
// nothing and has no limit. A Charge is not safe for concurrent use.
type Charge struct {
	Budget *Budget
	used   int
}

// Grow makes the charge cover a message of size bytes. It returns false if the
// budget does not allow it.
func (c *Charge) Grow(size int) bool {
	more := size - freeSize - c.used
	if more <= 0 {
		return true
	}
	if c.Budget != nil {
		c.Budget.mu.Lock()
		defer c.Budget.mu.Unlock()
		if more > c.Budget.left {
			return false
		}
		c.Budget.left -= more
	}
	c.used += more
	return true
}

// Free ends the charge, because the message is complete or was dropped. The
// memory of a big message is returned to the system after some seconds.
func (c *Charge) Free() {
	if c.used > bigSize {
		returnMemory()
	}
	if c.Budget != nil && c.used > 0 {
		c.Budget.mu.Lock()
		defer c.Budget.mu.Unlock()
		c.Budget.left += c.used
	}
	c.used = 0
}

// Unused memory is returned to the system twice after the last big message: after
// firstReturn, when most calls have passed their messages on, and again after
// secondReturn, when slow calls have done so too.
const (
	firstReturn  = 2 * time.Second
	secondReturn = 15 * time.Second
)

var returning struct {
	sync.Mutex
	first, second *time.Timer
}

// returnMemory schedules the return of unused memory to the system, because the runtime would keep the memory for
// minutes. Each call postpones the return that the previous call scheduled.
func returnMemory() {
	returning.Lock()
	defer returning.Unlock()
	if returning.first == nil {
		returning.first = time.AfterFunc(firstReturn, debug.FreeOSMemory)
		returning.second = time.AfterFunc(secondReturn, debug.FreeOSMemory)
		return
	}
	returning.first.Reset(firstReturn)
	returning.second.Reset(secondReturn)
}
