package jsonrpc

import (
	"errors"
	"strings"
	"testing"
)

func TestAnUnreadableAnswerFailsItsCallAtOnce(t *testing.T) {
	for what, answer := range map[string]string{
		"NaN":           `{"jsonrpc":"2.0","id":1,"result":{"value":NaN}}`,
		"deep":          `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat(`{"a":`, 200_000) + `1` + strings.Repeat(`}`, 200_000) + `}`,
		"cut":           `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te`,
		"the id last":   `{"result":{"id":77,"x":undefined},"id" : 1}`,
		"a text":        `{"id":"1","result":{"x":.5}}`,
		"single quotes": `{'x':1,"id":1}`,
	} {
		conn, peer, _ := connect(t)
		answered := start(t.Context(), conn, Call{Method: "tools/call"})
		peer.read()
		peer.write(answer)
		var malformed *Malformed
		if got := <-answered; !errors.As(got.err, &malformed) || !strings.Contains(malformed.Why, "it is not JSON; it begins with {") {
			t.Errorf("%s: %v", what, got.err)
		}
	}
}

func TestALineThatAnswersNoCallFailsNone(t *testing.T) {
	conn, peer, _ := connect(t)
	answered := start(t.Context(), conn, Call{Method: "tools/call"})
	peer.read()
	go peer.discard()
	for _, line := range []string{
		`{"id":1,"method":"sampling/createMessage","params":{"x":NaN}}`, `{"method":"x","id":1,`, `{"result":{"id":1},"x":NaN}`,
		`[{"id":1}`, `"id":1`, `{"id":{"id":1},}`, `{"x":"\"id\":1",`, `{"id":1x}`, `{"id":`,
	} {
		peer.write(line)
	}
	peer.write(`{"id":1,"result":{"last":true}}`)
	if got := <-answered; got.err != nil || string(got.result) != `{"last":true}` {
		t.Errorf("%s, %v", got.result, got.err)
	}
}

// discard reads what is answered to lines that are no messages.
func (p *peer) discard() {
	for p.in.Scan() {
		continue
	}
}

func TestWhatCanBeRepairedInAnAnswerIs(t *testing.T) {
	for answer, want := range map[string]string{
		"{\"id\":1,\"result\":{\"text\":\"a\xffb\xc3\"}}": "{\"text\":\"a\uFFFDb\uFFFD\"}",
		`{"id":"1","result":{"a":1}}`:                     `{"a":1}`,
	} {
		conn, peer, _ := connect(t)
		answered := start(t.Context(), conn, Call{Method: "tools/call"})
		peer.read()
		peer.write(answer)
		if got := <-answered; got.err != nil || string(got.result) != want {
			t.Errorf("%q: %s, %v", answer, got.result, got.err)
		}
	}
}

func TestAnAnswerOverSeveralLinesIsPutTogether(t *testing.T) {
	const indented = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"list\": [\n      \"}\", \"a\\\"{\"\n    ],\n" +
		"    \"in one line\": {\"a\": {}}\n  }\n}"
	const want = `{ "list": [ "}", "a\"{" ], "in one line": {"a": {}} }`
	for what, text := range map[string]string{
		"indented":   indented,
		"after text": "Welcome {\n" + indented, "after an unfinished one": "{\n\"id\": 2,\n" + `{"id":1,"result":` + want + `}`,
		"after an unfinished request": "{\n" + `{"jsonrpc":"2.0","method":"notifications/message"}` + "\n" + indented,
	} {
		conn, peer, _ := connectWith(t, Options{Join: true})
		answered := start(t.Context(), conn, Call{Method: "tools/call"})
		peer.read()
		go peer.discard()
		peer.write(text)
		if got := <-answered; got.err != nil || string(got.result) != want {
			t.Errorf("%s: %s, %v", what, got.result, got.err)
		}
	}
}

func TestAnAnswerOverSeveralLinesThatIsCutFailsItsCall(t *testing.T) {
	conn, peer, _ := connectWith(t, Options{Join: true})
	answered := start(t.Context(), conn, Call{Method: "tools/call"})
	peer.read()
	peer.write("{\n\"id\": 1,\n\"result\": {\n\"x\": NaN\n}\n}")
	var malformed *Malformed
	if got := <-answered; !errors.As(got.err, &malformed) || !strings.Contains(malformed.Why, `it begins with { "id": 1,`) {
		t.Errorf("NaN: %v", got.err)
	}
	answered = start(t.Context(), conn, Call{Method: "tools/call"})
	peer.read()
	peer.write("{\n\"id\": 2,\n" + strings.Repeat("[\n", maxJoinedLines))
	if got := <-answered; !errors.As(got.err, &malformed) {
		t.Errorf("too many lines: %v", got.err)
	}
}

func FuzzTheIDOfAnyLine(f *testing.F) {
	for _, line := range []string{`{"id":1,"x":NaN}`, `{"id":"a\"b",`, `{"a":{"id":2}`, `"`, `{"id":1e5}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if id := idOf(line); id != nil && !Valid(id) {
			t.Errorf("%q has the id %q", line, id)
		}
	})
}
