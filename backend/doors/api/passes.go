package api

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// What a ticket is for.
const (
	forPage   = "page"   // exchanged for a session's token
	forSocket = "socket" // opens one WebSocket
)

const (
	ticketLife  = 30 * time.Second
	sessionLife = 12 * time.Hour // after its last use
	maxTickets  = 256            // not used yet
	maxSessions = 256
)

// passes are what a browser comes in with: tickets, which may be seen in an
// address because they are good for one use and half a minute, and the tokens
// of sessions. All are random and kept as hashes. Tickets end with the hub;
// sessions outlive it in their file.
type passes struct {
	now  func() time.Time
	file sessionFile

	mu       sync.Mutex
	tickets  map[digest]ticket
	sessions map[digest]*session
	unsaved  bool // a session was used since the file was written
}

type digest [sha256.Size]byte

type ticket struct {
	purpose string
	expires time.Time
	session *session // that asked for it; nil: somebody with the hub's own token
}

// session is one browser that exchanged a ticket.
type session struct {
	id    string // names it to everybody; no secret
	key   digest
	used  time.Time     // last; the lock of passes guards it
	ended chan struct{} // closed when it is over
	slots chan struct{} // taken by its requests
}

func newPasses(now func() time.Time) *passes {
	return &passes{now: now, tickets: make(map[digest]ticket), sessions: make(map[digest]*session)}
}

func hashOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// issue returns a new ticket.
func (p *passes) issue(purpose string, by *session) (secret string, expires time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for key, t := range p.tickets {
		if now.After(t.expires) {
			delete(p.tickets, key)
		}
	}
	if len(p.tickets) >= maxTickets {
		return "", time.Time{}, fault.New(fault.Busy, "%d tickets wait to be used; try again in %s", maxTickets, ticketLife)
	}
	secret, expires = instance.NewSecret(), now.Add(ticketLife)
	p.tickets[hashOf(secret)] = ticket{purpose: purpose, expires: expires, session: by}
	return secret, expires, nil
}

// redeem uses a ticket up. It returns the session that asked for the ticket,
// and false when the ticket is not good for that purpose, or not any more.
func (p *passes) redeem(secret, purpose string) (*session, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := hashOf(secret)
	t, ok := p.tickets[key]
	delete(p.tickets, key)
	if !ok || t.purpose != purpose || p.now().After(t.expires) {
		return nil, false
	}
	return t.session, t.session == nil || p.alive(t.session)
}

// begin opens a session and returns it with its token.
func (p *passes) begin() (token string, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		p.alive(s) // or else removed
	}
	if len(p.sessions) >= maxSessions {
		p.end(p.longestUnused())
	}
	token = instance.NewSecret()
	s = newSession(instance.NewSecret()[:32], hashOf(token), p.now())
	p.sessions[s.key] = s
	p.save()
	return token, s
}

func newSession(id string, key digest, used time.Time) *session {
	return &session{id: id, key: key, used: used, ended: make(chan struct{}), slots: make(chan struct{}, maxPerVisit)}
}

// visit returns the session of a token and counts as its use.
func (p *passes) visit(token string) (*session, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions[hashOf(token)]
	if !ok || !p.alive(s) {
		return nil, false
	}
	s.used, p.unsaved = p.now(), true
	return s, true
}

// named returns the hash of the token of the session with an id. It does not
// count as a use: whoever knows the id may ask.
func (p *passes) named(id string) (key digest, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.id == id && p.alive(s) {
			return s.key, true
		}
	}
	return digest{}, false
}

// expiry returns when a session ends if nobody uses it before.
func (p *passes) expiry(s *session) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.used.Add(sessionLife)
}

// keep counts as a use of a session, as an open WebSocket is.
func (p *passes) keep(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.used, p.unsaved = p.now(), true
}

// close ends a session.
func (p *passes) close(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(s)
}

// alive reports whether a session goes on; one that was unused for too long
// ends now. Like those below it is called with the lock held.
func (p *passes) alive(s *session) bool {
	if p.sessions[s.key] == s && p.now().After(s.used.Add(sessionLife)) {
		p.end(s)
	}
	return p.sessions[s.key] == s
}

func (p *passes) end(s *session) {
	if p.sessions[s.key] == s {
		delete(p.sessions, s.key)
		close(s.ended)
		p.save()
	}
}

func (p *passes) longestUnused() *session {
	var oldest *session
	for _, s := range p.sessions {
		if oldest == nil || s.used.Before(oldest.used) {
			oldest = s
		}
	}
	return oldest
}
