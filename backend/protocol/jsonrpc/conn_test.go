package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// peer is the other end of a connection, which a test drives line by line.
type peer struct {
	t   *testing.T
	in  *bufio.Scanner
	out io.WriteCloser
}

// handler answers every request with its params, with two exceptions. A request with
// the method "hold" is handled until its context is done, and handler records the
// cause. The method "ask" calls the function asked, unless it is nil, with the context
// of the request.
type handler struct {
	notes chan string
	cause chan error
	asked func(context.Context)
}

func (h *handler) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if method == "hold" {
		<-ctx.Done()
		h.cause <- context.Cause(ctx)
		return nil, ctx.Err()
	}
	if method == "ask" && h.asked != nil {
		h.asked(ctx)
	}
	return params, nil
}

func (h *handler) Notification(method string, params json.RawMessage) {
	h.notes <- method + string(params)
}

func (h *handler) Bad(_ []byte, err error) *Error {
	var rpc *Error
	errors.As(err, &rpc)
	return rpc
}

func connect(t *testing.T) (*Conn, *peer, *handler) {
	t.Helper()
	return connectWith(t, Options{})
}

func connectWith(t *testing.T, opts Options) (*Conn, *peer, *handler) {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	h := &handler{notes: make(chan string, 10), cause: make(chan error, 8)}
	conn := NewConn(ourIn, ourOut, h, opts)
	conn.tokens = "call-" // without the random part
	scanner := bufio.NewScanner(theirIn)
	go func() { _ = conn.Run(t.Context()) }()
	t.Cleanup(func() { _ = theirOut.Close(); _ = theirIn.Close() })
	return conn, &peer{t: t, in: scanner, out: theirOut}, h
}

func (p *peer) read() string {
	p.t.Helper()
	if !p.in.Scan() {
		p.t.Fatalf("connection closed: %v", p.in.Err())
	}
	return p.in.Text()
}

func (p *peer) write(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.out, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) expect(want string) {
	p.t.Helper()
	if got := p.read(); got != want {
		p.t.Fatalf("got  %s\nwant %s", got, want)
	}
}

type answer struct {
	result json.RawMessage
	err    error
}

func start(ctx context.Context, conn *Conn, call Call) chan answer {
	done := make(chan answer, 1)
	go func() {
		result, err := conn.Call(ctx, call)
		done <- answer{result, err}
	}()
	return done
}

func TestResultArrivesByteForByte(t *testing.T) {
	conn, peer, _ := connect(t)
	const result = `{"content":[{"type":"hologram","n":9007199254740993,"data":"***"}], "x" : {"y":[ 1 ]}}`
	done := start(t.Context(), conn, Call{Method: "tools/call", Params: json.RawMessage(`{"name":"t"}`)})
	peer.expect(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
	peer.write(`{"result":` + result + `,"id":1,"jsonrpc":"2.0"}`)
	if a := <-done; a.err != nil || string(a.result) != result {
		t.Errorf("got %s, %v", a.result, a.err)
	}
}

func TestProgressHasTheCallersToken(t *testing.T) {
	conn, peer, _ := connect(t)
	progress := make(chan string, 1)
	done := start(t.Context(), conn, Call{
		Method: "m", Params: json.RawMessage(`{"_meta":{"progressToken":"mine","k":1}}`),
		Progress: func(p json.RawMessage) { progress <- string(p) },
	})
	peer.expect(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"call-1","k":1}}}`)
	peer.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":5,"z":0}}`)
	if got, want := <-progress, `{"progressToken":"mine","progress":5,"z":0}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	peer.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	<-done
}

func TestACallTimesOutAfterIdleTimeAndProgressResetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer, _ := connect(t)
		begin := time.Now()
		done := start(t.Context(), conn, Call{
			Method: "m", Params: json.RawMessage(`{"_meta":{"progressToken":7}}`), Idle: time.Minute,
			Progress: func(json.RawMessage) {},
		})
		peer.read()
		<-time.After(50 * time.Second)
		peer.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":1}}`)
		peer.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"timed out","requestId":1}}`)
		if a := <-done; !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a deadline", a.err)
		}
		if waited := time.Since(begin); waited != 110*time.Second {
			t.Errorf("the call timed out after %s, want 50 s and a minute", waited)
		}
	})
}

func TestACancellationIsPassedOnWithItsReason(t *testing.T) {
	conn, peer, h := connect(t)
	peer.write(`{"jsonrpc":"2.0","id":"a","method":"hold"}`)
	peer.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"changed my mind"}}`)
	cause := <-h.cause
	var cancelled *Cancelled
	if !errors.As(cause, &cancelled) {
		t.Fatalf("cause is %v, want Cancelled", cause)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	done := start(ctx, conn, Call{Method: "m"})
	peer.read()
	cancel(cause)
	peer.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"changed my mind"}}`)
	if a := <-done; !errors.Is(a.err, cause) {
		t.Errorf("got %v", a.err)
	}
	// The cancelled request gets no answer, so the next line answers the next request.
	peer.write(`{"jsonrpc":"2.0","id":2,"method":"echo","params":{"n":1}}`)
	peer.expect(`{"jsonrpc":"2.0","id":2,"result":{"n":1}}`)
}

func TestBadLinesAreAnsweredAndTheConnectionContinues(t *testing.T) {
	_, peer, _ := connect(t)
	peer.write(`{"jsonrpc":`)
	peer.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	peer.write(`{"jsonrpc":"2.0","id":5}`)
	if got := peer.read(); !strings.Contains(got, `"id":5,"error":{"code":-32600`) {
		t.Errorf("got %s", got)
	}
	peer.write(`{"jsonrpc":"2.0","id":6,"method":"echo","params":[1]}`)
	peer.expect(`{"jsonrpc":"2.0","id":6,"result":[1]}`)
}

func TestAnIDInUseIsRefused(t *testing.T) {
	_, peer, h := connect(t)
	peer.write(`{"jsonrpc":"2.0","id":1,"method":"hold"}`)
	peer.write(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)
	if got := peer.read(); !strings.Contains(got, `"error":{"code":-32600`) {
		t.Errorf("got %s", got)
	}
	_ = peer.out.Close()
	<-h.cause
}

func TestEndOfStreamFailsCallsInFlight(t *testing.T) {
	conn, peer, _ := connect(t)
	done := start(t.Context(), conn, Call{Method: "m"})
	peer.read()
	_ = peer.out.Close()
	if a := <-done; !errors.Is(a.err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", a.err)
	}
	if _, err := conn.Call(t.Context(), Call{Method: "m"}); !errors.Is(err, ErrClosed) {
		t.Errorf("a call afterwards got %v, want ErrClosed", err)
	}
}

func TestNotificationsArriveInOrder(t *testing.T) {
	_, peer, h := connect(t)
	peer.write(`{"jsonrpc":"2.0","method":"a"}`)
	peer.write(`{"jsonrpc":"2.0","method":"b","params":{"x":1}}`)
	if first, second := <-h.notes, <-h.notes; first != "a" || second != `b{"x":1}` {
		t.Errorf("got %s, %s", first, second)
	}
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	_, peer, h := connectWith(t, Options{MaxServing: 2})
	for _, id := range []string{"1", "2"} {
		peer.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"hold"}`)
	}
	peer.write(`{"jsonrpc":"2.0","id":3,"method":"echo"}`)
	if got := peer.read(); !strings.Contains(got, `"id":3,"error":{"code":-31001,"message":"2 requests are in flight`) {
		t.Errorf("got %s", got)
	}
	peer.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-h.cause
	_ = peer.out.Close()
	<-h.cause
}

func TestARequestInOrderIsAnsweredBeforeTheNextLineIsRead(t *testing.T) {
	_, peer, h := connectWith(t, Options{InOrder: "first"})
	peer.write(`{"jsonrpc":"2.0","id":1,"method":"first","params":{"n":1}}`)
	peer.expect(`{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
	peer.write(`{"jsonrpc":"2.0","method":"a"}`)
	<-h.notes
}

func TestAPeerThatDoesNotReadLosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe() // unbuffered: a write waits for a read
		conn := NewConn(ours, ours, &handler{}, Options{WriteTimeout: time.Minute})
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(t.Context()) }()
		if err := conn.Notify("x", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
		<-ended
		if _, err := theirs.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the peer reads %v, want io.EOF", err)
		}
	})
}

func TestProgressWaitsForASlowCaller(t *testing.T) {
	conn, peer, _ := connect(t)
	const steps = 2000
	hold, seen := make(chan struct{}), 0
	done := start(t.Context(), conn, Call{
		Method: "m", Params: json.RawMessage(`{"_meta":{"progressToken":"t"}}`),
		Progress: func(json.RawMessage) { <-hold; seen++ },
	})
	peer.read()
	for range steps {
		peer.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":1}}`)
	}
	peer.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	close(hold)
	if a := <-done; a.err != nil || seen != steps {
		t.Errorf("%d of %d notifications before the answer, %v", seen, steps, a.err)
	}
}

// tape is a Tap that records what it sees while it is on.
type tape struct {
	on   atomic.Bool
	seen chan string
}

func (t *tape) On() bool { return t.on.Load() }

func (t *tape) Sent(m Message, line ...[]byte) {
	t.seen <- fmt.Sprintf("> %s %s %s", m.ID, m.Method, bytes.TrimSuffix(bytes.Join(line, nil), []byte("\n")))
}

func (t *tape) Received(m Message, line []byte, size int) {
	t.seen <- fmt.Sprintf("< %s %s %s %d", m.ID, m.Method, line[:min(len(line), 100)], size)
}

func TestATapSeesTheMessagesInBothDirectionsWhileItIsOn(t *testing.T) {
	tap := &tape{seen: make(chan string, 32)}
	conn, peer, h := connectWith(t, Options{Tap: tap, LineLimit: 8 << 10})
	call := func(method string) {
		t.Helper()
		done := make(chan error, 1)
		go func() {
			_, err := conn.Call(t.Context(), Call{Method: method, Params: json.RawMessage(`{"a":1}`)})
			done <- err
		}()
		line := peer.read()
		m, _ := Parse([]byte(line))
		peer.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	call("unseen")
	tap.on.Store(true)
	call("seen")
	peer.write(`{"jsonrpc":"2.0","id":"r","method":"ask","params":{}}`)
	peer.read()
	peer.write("a greeting")
	peer.read()
	long := `{"jsonrpc":"2.0","id":99,"result":{"x":"` + strings.Repeat("x", 9<<10) + `"}}`
	peer.write(long)
	peer.read()
	tap.on.Store(false)
	peer.write(`{"jsonrpc":"2.0","method":"note"}`)
	<-h.notes
	for _, want := range []string{
		`> 2 seen {"jsonrpc":"2.0","id":2,"method":"seen","params":{"a":1}}`,
		`< 2  {"jsonrpc":"2.0","id":2,"result":{}} 36`,
		`< "r" ask {"jsonrpc":"2.0","id":"r","method":"ask","params":{}} 53`,
		`> "r"  {"jsonrpc":"2.0","id":"r","result":{}}`,
		`<   a greeting 10`,
		`>   {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		fmt.Sprintf(`< 99  %s %d`, long[:100], len(long)),
	} {
		if got := <-tap.seen; got != want {
			t.Errorf("the tap saw %s, want %s", got, want)
		}
	}
	if len(tap.seen) > 1 { // the answer to the long line
		t.Errorf("the tap saw more: %s", <-tap.seen)
	}
}
