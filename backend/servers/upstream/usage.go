package upstream

import (
	"sync"
	"time"
)

// usage records who uses a session, and whether the session accepts calls. It is safe for concurrent use.
type usage struct {
	ended <-chan struct{} // closed when the connection has ended

	mu        sync.Mutex // guards all fields below
	used      bool       // whether a call has used the session
	client    any        // client of the first call; nil if it had none
	shared    bool       // calls of several clients have used the session
	users     map[string]bool
	inFlight  int    // number of users of the session, such as calls and checks
	leases    int    // number of leases that have not been released
	probe     *probe // nil unless the server is suspected to hang
	lastUsed  time.Time
	forCheck  bool   // used by health checks only
	retired   bool   // accepts no new calls
	faded     bool   // retired by fade
	stopping  bool   // stop was called
	stopCause string // the argument of stop; empty if the session was idle
}

// enter adds a user of the session, such as a call or a check. It returns false if the session accepts no new calls.
func (u *usage) enter(w want) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.ended:
		return false
	default:
	}
	if u.retired {
		return false
	}
	u.inFlight++
	u.forCheck = u.forCheck && w.check
	if w.call {
		client := clientOf(w.caller)
		u.shared = u.shared || u.used && u.client != client
		if !u.used {
			u.used, u.client = true, client
		}
		if w.client != "" {
			if u.users == nil {
				u.users = make(map[string]bool)
			}
			u.users[w.client] = true
		}
	}
	return true
}

// leave removes a user that enter has added.
func (u *usage) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.inFlight--
	u.lastUsed = time.Now()
}

func (u *usage) lease(by int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.leases += by
}

// touch makes the idle time begin now.
func (u *usage) touch() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lastUsed = time.Now()
}

func (u *usage) callsInFlight() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.inFlight
}

// idleFor returns how long the session has had no call in flight and no lease,
// and 0 while it has one.
func (u *usage) idleFor() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.inFlight > 0 || u.leases > 0 {
		return 0
	}
	return time.Since(u.lastUsed)
}

// usedBy reports whether the client's session with the id client has called the server over this session.
func (u *usage) usedBy(client string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.users[client]
}

// forget removes a client's session that has ended.
func (u *usage) forget(client string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.users, client)
}

// clients returns the client of the first call. used is false if there was no call, and
// shared is true if other clients have called, too.
func (u *usage) clients() (first any, used, shared bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.client, u.used, u.shared
}

// retire makes the session refuse new calls, and returns true. If the session is in use or retired already, retire
// changes nothing and returns false.
func (u *usage) retire() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.inFlight > 0 || u.leases > 0 || u.retired {
		return false
	}
	u.retired = true
	return true
}

// retireChecked is retire for sessions that only health checks have used. It
// leaves other sessions unchanged.
func (u *usage) retireChecked() bool {
	u.mu.Lock()
	forCheck := u.forCheck
	u.mu.Unlock()
	return forCheck && u.retire()
}

// ending reports whether the session refuses new calls.
func (u *usage) ending() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.retired
}

// refuse makes the session refuse new calls, also while it is in use.
func (u *usage) refuse() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retired = true
}

// fade makes the session refuse new calls. Calls in flight go on, even after the next session has started.
func (u *usage) fade() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retired, u.faded = true, true
}

func (u *usage) hasFaded() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.faded
}

// stop notes why the session is ended, and makes it refuse new calls.
func (u *usage) stop(cause string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retired, u.stopping, u.stopCause = true, true, cause
}

// stopped reports whether the session is ended on purpose, and why.
func (u *usage) stopped() (stopping bool, cause string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stopping, u.stopCause
}

// suspect returns a new probe of the server, or nil if a probe runs already or the session is ending.
func (u *usage) suspect() *probe {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.probe != nil || u.retired {
		return nil
	}
	u.probe = &probe{began: time.Now(), done: make(chan struct{})}
	return u.probe
}

// probing returns the probe that runs, or nil.
func (u *usage) probing() *probe {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.probe
}

// judge ends the probe. If the server hangs, the session refuses new calls.
func (u *usage) judge(hangs bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.probe, u.retired = nil, u.retired || hangs
}
