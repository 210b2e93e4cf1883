package jsonrpc

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAMalformedAnswerBecomesAnError(t *testing.T) {
	for _, members := range []string{
		`"result":null`, `"result":7`, `"result":[1]`, `"result":"done"`, `"error":"text"`, `"error":[]`, `"error":{}`,
		`"error":{"code":1}`, `"error":{"message":"x"}`, `"error":{"code":"x","message":"y"}`, `"error":{"code":1,"message":2}`,
		`"error":null`, `"x":1`,
	} {
		conn, peer, _ := connect(t)
		done := start(t.Context(), conn, Call{Method: "m"})
		peer.read()
		peer.write(`{"jsonrpc":"2.0","id":1,` + members + `}`)
		a := <-done
		if _, malformed := errors.AsType[*Malformed](a.err); !malformed || a.result != nil {
			t.Errorf("%s: got %s, %v", members, a.result, a.err)
		}
	}
	conn, peer, _ := connect(t)
	done := start(t.Context(), conn, Call{Method: "m"})
	peer.read()
	peer.write(`{"jsonrpc":"2.0","id":1,"error":null,"result":{"x":1}}`)
	if a := <-done; string(a.result) != `{"x":1}` || a.err != nil {
		t.Errorf("a result beside an error of null: %s, %v", a.result, a.err)
	}
}

func TestACallWithAnIdleTimeAsksForProgressAndKeepsItToItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer, h := connect(t)
		done := start(t.Context(), conn, Call{
			Method: "slow", Params: json.RawMessage(`{"name":"x"}`), Idle: time.Minute,
			Progress: func(params json.RawMessage) { t.Errorf("the caller got %s, which it did not ask for", params) },
		})
		peer.expect(`{"jsonrpc":"2.0","id":1,"method":"slow","params":{"name":"x","_meta":{"progressToken":"call-1"}}}`)
		for range 3 {
			<-time.After(50 * time.Second)
			peer.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":1}}`)
		}
		peer.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if a := <-done; a.err != nil || len(h.notes) != 0 {
			t.Errorf("got %v, and %d notifications", a.err, len(h.notes))
		}
	})
}

func TestTheOwnProgressTokenOfLongParamsIsAddedAtTheirEnd(t *testing.T) {
	text := strings.Repeat("x", long)
	params, tail, token := swapToken(json.RawMessage(`{"text":"`+text+`"}`), json.RawMessage("7"), true)
	if got := string(params) + string(tail); got != `{"text":"`+text+`","_meta":{"progressToken":7}}` || token != nil {
		t.Errorf("got %d bytes that end with %s, token %s", len(got), tail, token)
	}
	params, tail, token = swapToken(json.RawMessage(`{"text":"`+text+`","_meta":{"progressToken":"p","x":1}}`), json.RawMessage("7"), true)
	if got := string(params); tail != nil || !strings.HasSuffix(got, `","_meta":{"progressToken":7,"x":1}}`) || string(token) != `"p"` {
		t.Errorf("the params end with %s, token %s", got[len(got)-50:], token)
	}
}

func TestALineOverTheLimitFailsItsCallAtOnce(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", 100<<10) + `"}`
	for name, line := range map[string]string{
		"id first":     `{"jsonrpc":"2.0","id":2,"result":` + long + `}`,
		"id last":      `{"result":` + long + `,"jsonrpc":"2.0","id":2}`,
		"id in middle": `{"result":` + long + `,"id":2,"jsonrpc":"2.0"}`,
	} {
		conn, peer, _ := connectWith(t, Options{LineLimit: 64 << 10})
		one := start(t.Context(), conn, Call{Method: "one"})
		peer.read()
		two := start(t.Context(), conn, Call{Method: "two"})
		peer.read()
		peer.write(line)
		if a := <-two; a.err == nil || !strings.Contains(a.err.Error(), "is over the limit") {
			t.Errorf("%s: got %v", name, a.err)
		}
		peer.write(strings.Repeat("y", 100<<10)) // only one call is in flight
		if a := <-one; a.err == nil || !strings.Contains(a.err.Error(), "is over the limit") {
			t.Errorf("%s: the other call got %v", name, a.err)
		}
	}
}

func TestTheLineLimitCanBeRaised(t *testing.T) {
	conn, peer, _ := connectWith(t, Options{LineLimit: 1 << 10})
	conn.SetLineLimit(1 << 20)
	done := start(t.Context(), conn, Call{Method: "m"})
	peer.read()
	peer.write(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 500<<10) + `"}}`)
	if a := <-done; a.err != nil || len(a.result) < 500<<10 {
		t.Errorf("got %d bytes, %v", len(a.result), a.err)
	}
}

func TestUnfinishedLinesShareABudget(t *testing.T) {
	budget := NewBudget(8 << 20)
	reader := func() (*LineReader, *io.PipeWriter) {
		r, w := io.Pipe()
		t.Cleanup(func() { _ = w.Close() })
		lines := NewLineReader(r, 64<<20)
		lines.charge.Budget = budget
		return lines, w
	}
	greedy, first := reader()
	waiting := make(chan error, 1)
	go func() {
		line, err := greedy.Next()
		greedy.keep(line)
		waiting <- err
	}()
	write := func(w *io.PipeWriter, text string) {
		if _, err := io.WriteString(w, text); err != nil {
			t.Error(err)
		}
	}
	write(first, strings.Repeat("x", 5<<20)) // unfinished: the buffer has 8 MiB
	other, second := reader()
	go write(second, strings.Repeat("y", 5<<20)+"\nshort\n")
	_, err := other.Next()
	if long, ok := errors.AsType[*LineTooLong](err); !ok || !long.Full || long.Size != 5<<20 {
		t.Errorf("the second long line: %v", err)
	}
	if line, err := other.Next(); string(line) != "short" || err != nil {
		t.Errorf("a short line: %s, %v", line, err)
	}
	write(first, "\n")
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	go write(second, strings.Repeat("y", 5<<20)+"\n")
	if line, err := other.Next(); len(line) != 5<<20 || err != nil {
		t.Errorf("after the first line ended: %d bytes, %v", len(line), err)
	}
	_ = second.Close()
	if _, err := other.Next(); err != io.EOF || budget.left != 8<<20 {
		t.Errorf("at the end %d bytes are left, %v", budget.left, err)
	}
}
