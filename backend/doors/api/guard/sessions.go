package guard

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// The purposes of a ticket.
const (
	ForPage   = "page"   // the ticket is exchanged for the token of a session
	ForSocket = "socket" // the ticket opens one WebSocket
)

const (
	ticketLife  = 30 * time.Second
	sessionLife = 12 * time.Hour // after the last use
	maxTickets  = 256            // unused tickets
	maxSessions = 256

	secretLength = 64 // characters that instance.NewSecret returns
)

// Sessions holds the credentials of browsers: the tokens of sessions, and tickets. A ticket may appear in a URL because
// it can be used only once and expires after half a minute. All credentials are random, and only their hashes are kept.
// Tokens and tickets end with the hub. A page whose session has a public key resumes the session with that key: see
// Resume. Sessions is safe for concurrent use.
type Sessions struct {
	now       func() time.Time
	file      sessionFile
	redirects Redirects
	address   string // host:port of the hub; pages sign it to resume a session
	instance  string // random name of this run of the hub

	mu       sync.Mutex
	tickets  map[digest]ticket
	sessions map[string]*Session // by id
	tokens   map[digest]*Session // by the hash of the token
	unsaved  bool                // a session has changed since the file of sessions was written
}

type digest [sha256.Size]byte

type ticket struct {
	purpose string
	expires time.Time
	session *Session // the session that asked for the ticket; nil if a request with the hub's own token did
	forget  func()   // removes the file that contains the ticket; may be nil
}

// end removes the file that contains the ticket, if there is one.
func (t ticket) end() {
	if t.forget != nil {
		t.forget()
	}
}

// Session is the session of one page in a browser that exchanged a ticket.
type Session struct {
	id         string
	token      digest // hash of the token; the zero value for a restored session, which has none
	proofKey   string
	keys       Keys
	challenges []challenge   // the oldest first; guarded by Sessions.mu
	used       time.Time     // time of the last use; guarded by Sessions.mu
	ended      chan struct{} // closed at the end of the session
	slots      chan struct{} // one element for each running request
}

// ID returns the public identifier of the session, which is not secret.
func (s *Session) ID() string { return s.id }

// ProofKey returns the key with which the hub proves to the page that it knows the session.
func (s *Session) ProofKey() string { return s.proofKey }

// Ended returns a channel that is closed at the end of the session.
func (s *Session) Ended() <-chan struct{} { return s.ended }

func hashOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// Issue returns a new ticket for a purpose, and when the ticket expires. by is the session that asks for the ticket, or
// nil. The ticket becomes invalid when that session ends.
func (ss *Sessions) Issue(purpose string, by *Session) (secret string, expires time.Time, err error) {
	return ss.issue(purpose, by, nil)
}

func (ss *Sessions) issue(purpose string, by *Session, forget func()) (secret string, expires time.Time, err error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.endExpiredTickets()
	if len(ss.tickets) >= maxTickets {
		return "", time.Time{}, fault.New(fault.Busy, "too many unused tickets (%d); try again in %s", maxTickets, ticketLife)
	}
	secret, expires = instance.NewSecret(), ss.now().Add(ticketLife)
	ss.tickets[hashOf(secret)] = ticket{purpose: purpose, expires: expires, session: by, forget: forget}
	return secret, expires, nil
}

// Redeem invalidates a ticket. It returns the session that asked for the ticket, nil if none did. It returns false if
// the ticket was unknown, expired or for another purpose, or if that session has ended.
func (ss *Sessions) Redeem(secret, purpose string) (*Session, bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	key := hashOf(secret)
	t, ok := ss.tickets[key]
	delete(ss.tickets, key)
	t.end()
	if !ok || t.purpose != purpose || ss.now().After(t.expires) {
		return nil, false
	}
	return t.session, t.session == nil || ss.alive(t.session)
}

// endExpiredTickets removes expired tickets and their files. The caller holds mu.
func (ss *Sessions) endExpiredTickets() {
	now := ss.now()
	for key, t := range ss.tickets {
		if now.After(t.expires) {
			delete(ss.tickets, key)
			t.end()
		}
	}
}

// Begin opens a session and returns it with its token. keys may be the zero value; the session then cannot be resumed.
// When there are too many sessions, Begin ends the one that has been unused for longest.
func (ss *Sessions) Begin(keys Keys) (token string, s *Session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.begin(keys)
}

// begin is like Begin, but the caller holds mu.
func (ss *Sessions) begin(keys Keys) (token string, s *Session) {
	ss.endExpired()
	if len(ss.sessions) >= maxSessions {
		ss.end(ss.longestUnused())
	}
	token = instance.NewSecret()
	s = newSession(instance.NewSecret()[:32], instance.NewSecret(), keys, ss.now())
	s.token = hashOf(token)
	ss.sessions[s.id], ss.tokens[s.token] = s, s
	ss.save()
	return token, s
}

func newSession(id, proofKey string, keys Keys, used time.Time) *Session {
	return &Session{
		id: id, proofKey: proofKey, keys: keys, used: used, ended: make(chan struct{}), slots: make(chan struct{}, maxSessionRequests),
	}
}

// visit returns the session of a token and extends its life.
func (ss *Sessions) visit(token string) (*Session, bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s, ok := ss.tokens[hashOf(token)]
	if !ok || !ss.alive(s) {
		return nil, false
	}
	s.used, ss.unsaved = ss.now(), true
	return s, true
}

// ProofKeyOf returns the key with which the hub proves to a page that it knows the session with an id. The call does
// not extend the session, because the id is not secret.
func (ss *Sessions) ProofKeyOf(id string) (key string, ok bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s, ok := ss.sessions[id]
	if !ok || !ss.alive(s) {
		return "", false
	}
	return s.proofKey, true
}

// Expiry returns when a session ends unless it is used before.
func (ss *Sessions) Expiry(s *Session) time.Time {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return s.used.Add(sessionLife)
}

// Touch extends a session as a request with its token does. Pushers call it at intervals while a WebSocket of the
// session is open.
func (ss *Sessions) Touch(s *Session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s.used, ss.unsaved = ss.now(), true
}

// End ends a session and invalidates its token. It does nothing if the session has ended.
func (ss *Sessions) End(s *Session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.end(s)
}

// endExpired ends the sessions that were unused for too long. Like the methods below, it is called with mu held.
func (ss *Sessions) endExpired() {
	for _, s := range ss.sessions {
		ss.alive(s)
	}
}

// alive reports whether a session has not ended. It first ends a session that was unused for too long.
func (ss *Sessions) alive(s *Session) bool {
	if ss.sessions[s.id] == s && ss.now().After(s.used.Add(sessionLife)) {
		ss.end(s)
	}
	return ss.sessions[s.id] == s
}

func (ss *Sessions) end(s *Session) {
	if ss.sessions[s.id] == s {
		delete(ss.sessions, s.id)
		delete(ss.tokens, s.token)
		close(s.ended)
		ss.save()
	}
}

func (ss *Sessions) longestUnused() *Session {
	var oldest *Session
	for _, s := range ss.sessions {
		if oldest == nil || s.used.Before(oldest.used) {
			oldest = s
		}
	}
	return oldest
}
