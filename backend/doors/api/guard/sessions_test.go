package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func sessionsAt(now *time.Time) *Sessions {
	return OpenSessions(SessionOptions{Address: "127.0.0.1:3424", Now: func() time.Time { return *now }})
}

func issue(t *testing.T, s *Sessions, purpose string, by *Session) (ticket string) {
	t.Helper()
	ticket, _, err := s.Issue(purpose, by)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func TestATicketCanBeUsedOnceForItsPurposeUntilItExpires(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := start
	s := sessionsAt(&now)

	ticket, expires, err := s.Issue(ForPage, nil)
	if err != nil || len(ticket) != 64 || !expires.Equal(start.Add(30*time.Second)) {
		t.Fatalf("Issue = a ticket of %d characters, %s, %v", len(ticket), expires, err)
	}
	now = start.Add(ticketLife)
	if _, ok := s.Redeem(ticket, ForPage); !ok {
		t.Error("the ticket is refused at the moment at which it expires")
	}
	if _, ok := s.Redeem(ticket, ForPage); ok {
		t.Error("the ticket is accepted twice")
	}

	late := issue(t, s, ForPage, nil)
	now = now.Add(ticketLife + time.Millisecond)
	if _, ok := s.Redeem(late, ForPage); ok {
		t.Error("an expired ticket is accepted")
	}

	socket := issue(t, s, ForSocket, nil)
	if _, ok := s.Redeem(socket, ForPage); ok {
		t.Error("a ticket for a socket is accepted for a page")
	}
	if _, ok := s.Redeem(socket, ForSocket); ok {
		t.Error("a ticket is accepted after it was tried for another purpose")
	}
	if _, ok := s.Redeem("", ForPage); ok {
		t.Error("an empty ticket is accepted")
	}
}

func TestATicketEndsWithTheSessionThatCreatedIt(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	token, _ := s.Begin(Keys{})
	session, ok := s.visit(token)
	if !ok {
		t.Fatal("the token of a new session is refused")
	}
	used, unused := issue(t, s, ForSocket, session), issue(t, s, ForSocket, session)
	if by, ok := s.Redeem(used, ForSocket); !ok || by != session {
		t.Errorf("Redeem = %p, %t, want %p, true", by, ok, session)
	}
	s.End(session)
	s.End(session) // has no effect
	if _, ok := s.Redeem(unused, ForSocket); ok {
		t.Error("a ticket is accepted after the end of its session")
	}
	if _, ok := s.visit(token); ok {
		t.Error("the token is accepted after the end of its session")
	}
	select {
	case <-session.Ended():
	default:
		t.Error("Ended is open after the end of the session")
	}
}

func TestUnusedTicketsAreLimited(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	for range maxTickets {
		issue(t, s, ForPage, nil)
	}
	if _, _, err := s.Issue(ForPage, nil); fault.KindOf(err) != fault.Busy {
		t.Errorf("Issue over the limit = %v, want an error of kind Busy", err)
	}
	now = now.Add(ticketLife + time.Second)
	issue(t, s, ForPage, nil)
	if len(s.tickets) != 1 {
		t.Errorf("%d expired tickets are kept", len(s.tickets)-1)
	}
}

func TestANewSessionReplacesTheOneUnusedForLongest(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	var tokens []string
	for range maxSessions {
		token, _ := s.Begin(Keys{})
		tokens = append(tokens, token)
		now = now.Add(time.Second)
	}
	s.visit(tokens[0])
	last, _ := s.Begin(Keys{})
	for i, want := range map[int]bool{0: true, 1: false, 2: true} {
		if _, ok := s.visit(tokens[i]); ok != want {
			t.Errorf("session %d is alive: %t, want %t", i, ok, want)
		}
	}
	if _, ok := s.visit(last); !ok {
		t.Error("the new session is not alive")
	}
}

func TestOnlyHashesOfSecretsAreKept(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	ticket := issue(t, s, ForPage, nil)
	token, session := s.Begin(Keys{})
	if strings.Contains(token, session.ID()) {
		t.Error("the public id is a part of the token")
	}
	kept := fmt.Sprintf("%v %v %+v", s.tickets, s.tokens, *session)
	for _, secret := range []string{ticket, token} {
		if key := fmt.Sprint(hashOf(secret)); len(secret) != 64 || !strings.Contains(kept, key) || strings.Contains(kept, secret) {
			t.Errorf("%s is kept in %s", secret, kept)
		}
	}
}
