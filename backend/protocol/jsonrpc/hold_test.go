package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestHoldSuspendsIdleTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer, _ := connect(t)
		began := time.Now()
		done := start(t.Context(), conn, Call{Method: "slow", Idle: time.Minute})
		peer.read()
		<-time.After(59 * time.Second)
		first, second := conn.Hold(), conn.Hold()
		<-time.After(time.Hour)
		first()
		<-time.After(time.Hour)
		second()
		go func() { peer.read() }() // receives the cancellation
		if a := <-done; !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("got %s, %v", a.result, a.err)
		}
		if waited := time.Since(began); waited != 2*time.Hour+59*time.Second+time.Minute {
			t.Errorf("the call timed out after %s", waited)
		}
	})
}

func TestFailEndsACallWithTheGivenError(t *testing.T) {
	conn, peer, _ := connect(t)
	done := start(t.Context(), conn, Call{Method: "m"})
	peer.read()
	why := errors.New("no connection")
	if !conn.Fail(json.RawMessage("1"), why) {
		t.Error("Fail found no call")
	}
	if a := <-done; !errors.Is(a.err, why) {
		t.Errorf("got %s, %v", a.result, a.err)
	}
	if conn.Fail(json.RawMessage("1"), why) || conn.InFlight() != 0 {
		t.Error("a failed call is still in flight")
	}
}
