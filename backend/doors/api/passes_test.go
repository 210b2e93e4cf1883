package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func passesAt(now *time.Time) *passes { return newPasses(func() time.Time { return *now }) }

func issued(t *testing.T, p *passes, purpose string, by *session) string {
	t.Helper()
	secret, _, err := p.issue(purpose, by)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestATicketIsGoodOnceInTimeAndForItsPurpose(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := start
	p := passesAt(&now)

	secret, expires, err := p.issue(forPage, nil)
	if err != nil || len(secret) != 64 || !expires.Equal(start.Add(30*time.Second)) {
		t.Fatalf("a ticket of %d characters until %s, %v", len(secret), expires, err)
	}
	now = start.Add(ticketLife)
	if _, ok := p.redeem(secret, forPage); !ok {
		t.Error("in its last moment it is not good")
	}
	if _, ok := p.redeem(secret, forPage); ok {
		t.Error("it is good twice")
	}

	late := issued(t, p, forPage, nil)
	now = now.Add(ticketLife + time.Millisecond)
	if _, ok := p.redeem(late, forPage); ok {
		t.Error("it is good too late")
	}

	socket := issued(t, p, forSocket, nil)
	if _, ok := p.redeem(socket, forPage); ok {
		t.Error("a socket's ticket lets a page in")
	}
	if _, ok := p.redeem(socket, forSocket); ok {
		t.Error("a ticket that was tried for something else is still good")
	}
	if _, ok := p.redeem("", forPage); ok {
		t.Error("no ticket is good")
	}
}

func TestATicketEndsWithTheSessionThatAskedForIt(t *testing.T) {
	now := time.Now()
	p := passesAt(&now)
	token, _ := p.begin()
	s, ok := p.visit(token)
	if !ok {
		t.Fatal("no session")
	}
	good, orphan := issued(t, p, forSocket, s), issued(t, p, forSocket, s)
	if by, ok := p.redeem(good, forSocket); !ok || by != s {
		t.Errorf("the ticket is of %p, %t", by, ok)
	}
	p.close(s)
	p.close(s) // twice is once
	if _, ok := p.redeem(orphan, forSocket); ok {
		t.Error("a ticket outlives its session")
	}
	if _, ok := p.visit(token); ok {
		t.Error("the token outlives its session")
	}
	select {
	case <-s.ended:
	default:
		t.Error("nobody is told that the session has ended")
	}
}

func TestTicketsThatWaitAreBounded(t *testing.T) {
	now := time.Now()
	p := passesAt(&now)
	for range maxTickets {
		issued(t, p, forPage, nil)
	}
	if _, _, err := p.issue(forPage, nil); fault.KindOf(err) != fault.Busy {
		t.Errorf("one too many: %v", err)
	}
	now = now.Add(ticketLife + time.Second)
	issued(t, p, forPage, nil)
	if len(p.tickets) != 1 {
		t.Errorf("%d tickets are kept that nobody can use", len(p.tickets)-1)
	}
}

func TestTheLongestUnusedSessionMakesRoom(t *testing.T) {
	now := time.Now()
	p := passesAt(&now)
	var tokens []string
	for range maxSessions {
		token, _ := p.begin()
		tokens = append(tokens, token)
		now = now.Add(time.Second)
	}
	p.visit(tokens[0])
	last, _ := p.begin()
	for i, want := range map[int]bool{0: true, 1: false, 2: true} {
		if _, ok := p.visit(tokens[i]); ok != want {
			t.Errorf("session %d lives: %t, want %t", i, ok, want)
		}
	}
	if _, ok := p.visit(last); !ok {
		t.Error("the new session does not live")
	}
}

func TestNoSecretIsKeptAsItIs(t *testing.T) {
	now := time.Now()
	p := passesAt(&now)
	ticket := issued(t, p, forPage, nil)
	token, _ := p.begin()
	for _, s := range p.sessions {
		if strings.Contains(token, s.id) {
			t.Error("the id tells of the token")
		}
	}
	kept := fmt.Sprintf("%v %v", p.tickets, p.sessions)
	for _, secret := range []string{ticket, token} {
		if key := fmt.Sprint(hashOf(secret)); len(secret) != 64 || !strings.Contains(kept, key) || strings.Contains(kept, secret) {
			t.Errorf("%s is kept in %s", secret, kept)
		}
	}
}
