package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func every(string, any) bool { return true }

func TestHoldSuspendsIdleTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer, _ := connect(t)
		began := time.Now()
		done := start(t.Context(), conn, Call{Method: "slow", Idle: time.Minute})
		peer.read()
		<-time.After(59 * time.Second)
		first, second := conn.Hold(every), conn.Hold(every)
		<-time.After(time.Hour)
		first.Release()
		<-time.After(time.Hour)
		second.Release()
		go func() { peer.read() }() // receives the cancellation
		if a := <-done; !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("got %s, %v", a.result, a.err)
		}
		if waited := time.Since(began); waited != 2*time.Hour+59*time.Second+time.Minute {
			t.Errorf("the call timed out after %s", waited)
		}
	})
}

func TestAHoldSuspendsTheTimeoutsOfItsOwnCallsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer, _ := connect(t)
		ctx, cancel := context.WithCancel(t.Context())
		held := start(ctx, conn, Call{Method: "held", Idle: time.Minute, Owner: "a"})
		peer.read()
		other := start(t.Context(), conn, Call{Method: "other", Idle: time.Minute, Owner: "b"})
		peer.read()
		hold := conn.Hold(func(_ string, owner any) bool { return owner == "a" })
		later := start(t.Context(), conn, Call{Method: "later", Idle: time.Hour, Owner: "a"})
		peer.read()
		go func() {
			for range 3 { // the cancellations
				peer.read()
			}
		}()
		for what, done := range map[string]chan answer{"of another owner": other, "that began later": later} {
			if a := <-done; !errors.Is(a.err, context.DeadlineExceeded) {
				t.Errorf("the call %s: %s, %v", what, a.result, a.err)
			}
		}
		select {
		case a := <-held:
			t.Errorf("the held call ended with %v", a.err)
		case <-hold.Ended():
			t.Error("the hold ended before its call")
		default:
		}
		cancel()
		<-hold.Ended()
		<-held
		hold.Release()
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

func TestTheOwnerOfAnAnsweredCallIsKnownBeforeTheCallReturns(t *testing.T) {
	conn, peer, _ := connectWith(t, Options{RememberOwners: 1, InOrder: "next"})
	busy, release := make(chan struct{}), make(chan struct{})
	done := start(t.Context(), conn, Call{
		Method: "m", Params: json.RawMessage(`{"_meta":{"progressToken":"p"}}`), Owner: "a",
		Progress: func(json.RawMessage) { close(busy); <-release },
	})
	peer.read()
	peer.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":1}}`)
	<-busy
	peer.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	peer.write(`{"jsonrpc":"2.0","id":7,"method":"next","params":{}}`)
	peer.expect(`{"jsonrpc":"2.0","id":7,"result":{}}`) // so the connection has also read the previous line
	if owner := conn.OwnerOf("1"); owner != "a" {
		t.Errorf("got %v", owner)
	}
	close(release)
	if a := <-done; a.err != nil {
		t.Error(a.err)
	}
	if owner := conn.OwnerOf("1"); owner != "a" {
		t.Errorf("afterwards: got %v", owner)
	}
}

func TestTheCallsInFlightWhenARequestArrivedAreKnownLater(t *testing.T) {
	at := make(chan []Pending, 1)
	conn, peer, h := connectWith(t, Options{})
	h.asked = func(ctx context.Context) {
		for len(conn.Pending()) > 0 { // wait for the answer, which follows this request
			runtime.Gosched()
		}
		at <- PendingAt(ctx)
	}
	done := start(t.Context(), conn, Call{Method: "m", Owner: "a"})
	peer.read()
	peer.write(`{"jsonrpc":"2.0","id":7,"method":"ask","params":{}}`)
	peer.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	<-done
	if got := <-at; len(got) != 1 || got[0] != (Pending{"1", "a"}) {
		t.Errorf("got %v", got)
	}
}

func TestOnlyTokensOfTheConnectionNameCalls(t *testing.T) {
	conn, other := NewConn(nil, nil, nil, Options{}), NewConn(nil, nil, nil, Options{})
	token := conn.tokenOf(json.RawMessage("3"))
	if id, ok := conn.CallOfToken(token); id != "3" || !ok {
		t.Errorf("%s: %q, %t", token, id, ok)
	}
	for _, token := range []json.RawMessage{other.tokenOf(json.RawMessage("3")), json.RawMessage("3"), json.RawMessage(`"3"`), nil} {
		if id, ok := conn.CallOfToken(token); ok {
			t.Errorf("%s names %q", token, id)
		}
	}
}
