package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// begin sends a POST request and returns the events of its response.
func (d *door) begin(ctx context.Context, body string, headers ...string) *feed {
	d.t.Helper()
	return newFeed(d.t, d.send(ctx, request{http.MethodPost, "", headers, body}))
}

func TestProgressComesOnTheStreamOfItsRequest(t *testing.T) {
	d := open(t)
	for name, headers := range map[string][]string{
		// only streams of a legacy session have event ids
		"legacy": {d.initialize("2025-11-25")}, "modern": modernHeaders("tools/call", "progress"),
	} {
		call := legacyCall("5", "progress", "{}")
		if name == "modern" {
			call = modernCall("5", "progress", "{}")
		}
		resp := d.send(t.Context(), request{http.MethodPost, "", headers, call})
		for header, want := range map[string]string{"X-Accel-Buffering": "no", "Cache-Control": "no-transform"} {
			if got := resp.Header.Get(header); !strings.Contains(got, want) {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
		stream := newFeed(t, resp)
		var ids, data []string
		for e, ok := stream.next(); ok; e, ok = stream.next() {
			ids, data = append(ids, e.id), append(data, e.data)
		}
		want := []string{"1", "2", "3"}
		for i, n := range want {
			want[i] = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":` + n + `}}`
		}
		want = append(want, `{"jsonrpc":"2.0","id":5,"result":`+string(text("done"))+`}`)
		wantIDs := []string{"", "", "", ""}
		if name == "legacy" {
			want, wantIDs = append([]string{""}, want...), []string{"2_0", "2_1", "2_2", "2_3", "2_4"}
		}
		if fmt.Sprint(data) != fmt.Sprint(want) || fmt.Sprint(ids) != fmt.Sprint(wantIDs) {
			t.Errorf("%s: got\n%q %q\nwant\n%q %q", name, ids, data, wantIDs, want)
		}
	}
}

func TestAClientIsAskedOnTheStreamOfItsOnlyRequest(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-06-18")
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		stream := d.begin(t.Context(), legacyCall("1", "ask", `{"method":"`+method+`","params":{"n":1.0}}`), session)
		asked, err := jsonrpc.Parse([]byte(stream.await(method).data))
		if err != nil || string(asked.Params) != `{"n":1.0}` {
			t.Fatalf("asked %+v, %v", asked, err)
		}
		if resp, _ := d.post(`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":{"of":"`+method+`"}}`,
			session); resp.StatusCode != http.StatusAccepted {
			t.Errorf("the answer: %d", resp.StatusCode)
		}
		if got := stream.rest(); !strings.Contains(got, `{\"of\":\"`+method) {
			t.Errorf("got %s", got)
		}
	}
	stream := d.begin(t.Context(), legacyCall("1", "ask", `{"method":"roots/list","params":{}}`), session)
	asked, _ := jsonrpc.Parse([]byte(stream.await("roots/list").data))
	d.post(`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"error":{"code":-1,"message":"no"}}`, session)
	if got := stream.rest(); !strings.Contains(got, `"error":{"code":-1,"message":"no"}`) {
		t.Errorf("got %s", got)
	}
}

func TestMessagesOutsideOfRequestsChooseAStream(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-06-18")
	d.post(legacyCall("0", "echo", "{}"), session)
	wait := func(id string) (*feed, *call) {
		t.Helper()
		streams := make(chan *feed, 1)
		go func() { streams <- d.begin(t.Context(), legacyCall(id, "wait", "{}"), session) }()
		c := d.next()
		_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{"first":`+id+`}`)) // makes the response a stream
		return <-streams, c
	}
	first, one := wait("1")
	notify := func(method, params string) {
		t.Helper()
		if err := one.peer.Notify(context.Background(), method, json.RawMessage(params)); err != nil {
			t.Error(err)
		}
	}
	notify("notifications/message", `{"only":1}`)
	second, two := wait("2")
	notify("notifications/message", `{"newest":1}`)
	get := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""}))
	notify("notifications/message", `{"get":1}`)
	two.finish <- "{}"
	if got, want := second.rest(), `{"first":2}`; !strings.Contains(got, want) || !strings.Contains(got, `{"newest":1}`) ||
		strings.Contains(got, "get") {
		t.Errorf("the second stream has\n%s", got)
	}
	notify("notifications/tools/list_changed", `{"get":2}`)
	_ = two.peer.Notify(two.ctx, "notifications/message", json.RawMessage(`{"late":2}`))
	notify("notifications/message", `{"only":2}`)
	one.finish <- "{}"
	if got := first.rest(); !strings.Contains(got, `{"only":1}`) || !strings.Contains(got, `{"only":2}`) ||
		!strings.Contains(got, `{"late":2}`) || strings.Contains(got, "get") {
		t.Errorf("the first stream has\n%s", got)
	}
	get.await(`{"get":1}`)
	get.await(`{"get":2}`)
}

func TestWhatNoStreamTakesWaitsForTheNextGET(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	peer := d.opened[0].Peer
	_ = peer.Notify(context.Background(), "notifications/tools/list_changed", json.RawMessage(`{"n":1}`))
	ctx, leave := context.WithCancel(t.Context())
	get := newFeed(t, d.send(ctx, request{http.MethodGet, "", []string{session}, ""}))
	if prime, _ := get.next(); prime.id != "0_0" || prime.data != "" {
		t.Errorf("the stream begins with %+v", prime)
	}
	if got := get.await("list_changed"); got.id != "0_1" {
		t.Errorf("got %+v", got)
	}
	// A second stream replaces the first one.
	again := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""}))
	if rest := get.rest(); rest != "" {
		t.Errorf("the old stream continues with %s", rest)
	}
	leave()
	_ = peer.Notify(context.Background(), "notifications/tools/list_changed", json.RawMessage(`{"n":2}`))
	again.await(`{"n":2}`)
}

func TestTheEndOfTheStreamCancelsModernRequestsOnly(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	for _, modern := range []bool{true, false} {
		ctx, leave := context.WithCancel(t.Context())
		body, headers := legacyCall("1", "wait", "{}"), []string{session}
		if modern {
			body, headers = modernCall("1", "wait", "{}"), modernHeaders("tools/call", "wait")
		}
		streams := make(chan *feed, 1)
		go func() { streams <- d.begin(ctx, body, headers...) }()
		c := d.next()
		_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{}`))
		stream := <-streams
		var last sent
		for last.data == "" {
			last, _ = stream.next()
		}
		leave()
		if modern {
			<-c.ctx.Done()
			if cancelled, ok := errors.AsType[*jsonrpc.Cancelled](context.Cause(c.ctx)); !ok {
				t.Errorf("the cause is %v", cancelled)
			}
			continue
		}
		// The client reconnects and asks for the events that it has missed.
		_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{"missed":true}`))
		resumed := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session, "Last-Event-ID: " + last.id}, ""}))
		resumed.await(`{"missed":true}`)
		if c.ctx.Err() != nil {
			t.Error("the request was cancelled")
		}
		c.finish <- `{"late":true}`
		if got := resumed.await(`"result":{"late":true}`); got.id == "" {
			t.Error("the event has no id")
		}
		if _, more := resumed.next(); more {
			t.Error("the stream does not end with the answer")
		}
		// The client asks for the events once more after the answer.
		again := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session, "Last-Event-ID: " + last.id}, ""}))
		if got := again.rest(); !strings.Contains(got, `{"missed":true}`) || !strings.Contains(got, `{"late":true}`) {
			t.Errorf("the second time: %s", got)
		}
		for _, wrong := range []string{"9_1", "x", "2_99", "2_-1", "_"} {
			if resp := d.send(t.Context(), request{
				http.MethodGet, "", []string{session, "Last-Event-ID: " + wrong}, "",
			}); resp.StatusCode != http.StatusBadRequest {
				t.Errorf("Last-Event-ID %s: status %d", wrong, resp.StatusCode)
			}
		}
	}
}

func TestACancelledLegacyRequestGetsNoAnswer(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	type outcome struct {
		status int
		body   string
	}
	done := make(chan outcome, 1)
	go func() {
		resp, body := d.post(legacyCall(`"a"`, "wait", "{}"), session)
		done <- outcome{resp.StatusCode, body}
	}()
	c := d.next()
	if _, body := d.post(legacyCall(`"a"`, "echo", "{}"), session); !strings.Contains(body, `"code":-32600`) {
		t.Errorf("a second request with the id: %s", body)
	}
	other := d.initialize("2025-11-25")
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"enough"}}`
	d.post(cancel, other) // names a request of another session
	if c.ctx.Err() != nil {
		t.Error("another session has cancelled the request")
	}
	d.post(cancel, session)
	if got := <-done; got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("got %+v", got)
	}
	if cancelled, ok := errors.AsType[*jsonrpc.Cancelled](context.Cause(c.ctx)); !ok ||
		!strings.Contains(string(cancelled.Params), "enough") {
		t.Errorf("the cause is %v", context.Cause(c.ctx))
	}
}

func TestEqualIDsOfTwoClientsOfOnePrincipal(t *testing.T) {
	d := open(t)
	var calls [2]*call
	results := [2]chan string{make(chan string, 1), make(chan string, 1)}
	for i := range calls {
		go func() {
			_, body := d.post(modernCall("1", "wait", "{}"), modernHeaders("tools/call", "wait")...)
			results[i] <- body
		}()
		calls[i] = d.next()
	}
	if len(d.opened) != 1 || d.opened[0].Client != "cursor" {
		t.Errorf("opened %+v", d.opened)
	}
	for i, c := range calls {
		if string(jsonrpc.RequestID(c.ctx)) != "1" {
			t.Errorf("the id is %s", jsonrpc.RequestID(c.ctx))
		}
		c.finish <- fmt.Sprintf(`{"n":%d}`, i)
	}
	for i, result := range results {
		if got, want := <-result, fmt.Sprintf(`"result":{"n":%d}`, i); !strings.Contains(got, want) {
			t.Errorf("client %d got %s", i, got)
		}
	}
}

func TestABatchIsAnsweredTogetherOrAsAStream(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-03-26")
	_, body := d.post(`[`+legacyCall("1", "echo", `{"a":1}`)+`,{"jsonrpc":"2.0","method":"notifications/initialized"},`+"\n"+
		legacyCall(`"2"`, "none", "{}")+`]`, session)
	var answers []struct {
		ID            any
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &answers); err != nil || len(answers) != 2 {
		t.Errorf("%s: %v", body, err)
	}
	if len(d.notes) != 1 {
		t.Errorf("notifications %q", d.notes)
	}
	if resp, _ := d.post(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, session); resp.StatusCode != http.StatusAccepted {
		t.Errorf("notifications only: %d", resp.StatusCode)
	}
	stream := d.begin(t.Context(), `[`+legacyCall("3", "progress", `{}`)+`,`+legacyCall("4", "progress", "{}")+`]`, session)
	if got := stream.rest(); strings.Count(got, `"result"`) != 2 || strings.Count(got, "notifications/progress") != 6 {
		t.Errorf("got %s", got)
	}
}

func TestASlowClientDelaysNoOther(t *testing.T) {
	d := open(t)
	slow, quick := d.initialize("2025-11-25"), d.initialize("2025-11-25")
	stuck := d.send(t.Context(), request{http.MethodGet, "", []string{slow}, ""}) // the test does not read it
	reading := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{quick}, ""}))
	line := json.RawMessage(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for range 100 {
		_ = d.opened[0].Peer.Notify(context.Background(), "notifications/tools/list_changed", line)
	}
	_ = d.opened[1].Peer.Notify(context.Background(), "notifications/tools/list_changed", json.RawMessage(`{"quick":1}`))
	reading.await(`{"quick":1}`)
	// The endpoint has ended the stream of the client that reads slowly. This
	// client may reconnect.
	if n, err := io.Copy(io.Discard, stuck.Body); n > 64<<20 {
		t.Errorf("the slow client has received %d bytes, %v", n, err)
	}
	again := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{slow}, ""}))
	_ = d.opened[0].Peer.Notify(context.Background(), "notifications/tools/list_changed", json.RawMessage(`{"again":1}`))
	again.await(`{"again":1}`)
}

func TestAResultOf100MBPasses(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	big := `{"x":"` + strings.Repeat("0123456789", 10<<20) + `"}`
	for _, streamed := range []bool{false, true} {
		done := make(chan []byte, 1)
		go func() {
			resp := d.send(t.Context(), request{http.MethodPost, "", []string{session}, legacyCall("1", "wait", "{}")})
			body, _ := io.ReadAll(resp.Body)
			done <- body
		}()
		c := d.next()
		if streamed {
			_ = c.peer.Notify(c.ctx, "notifications/progress", json.RawMessage(`{}`))
		}
		c.finish <- big
		if body := <-done; !bytes.Contains(body, []byte(`"id":1,"result":`+big+"}")) {
			t.Errorf("on a stream: %t: %d bytes", streamed, len(body))
		}
	}
	// The endpoint does not keep the result for replay.
	resumed := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session, "Last-Event-ID: 3_1"}, ""}))
	if got := resumed.rest(); !strings.Contains(got, `"code":-31002,"message":"the result is too large to be sent again"`) {
		t.Errorf("asked again: %.200s", got)
	}
}

func TestARevokedTokenEndsItsSessionsAndStreams(t *testing.T) {
	d := open(t)
	guest := "Authorization: Bearer guest"
	session, other := d.initialize("2025-11-25", guest), d.initialize("2025-11-25")
	get := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session, guest}, ""}))
	listen := d.begin(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},`+meta+`}}`,
		modernHeaders("subscriptions/listen", "", guest)...)
	listen.await("acknowledged")
	close(d.revoked)
	get.rest()
	if rest := listen.rest(); strings.Contains(rest, `"result"`) {
		t.Errorf("the subscription ends with %s", rest)
	}
	<-d.closed
	<-d.closed
	if resp, _ := d.post(legacyCall("1", "echo", "{}"), session, guest); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the session afterwards: %d", resp.StatusCode)
	}
	if resp, _ := d.post(legacyCall("1", "echo", "{}"), other); resp.StatusCode != http.StatusOK {
		t.Errorf("another token: %d", resp.StatusCode)
	}
}

func TestSubscriptionsEndWithAResultWhenTheHubStops(t *testing.T) {
	d := open(t)
	session := d.initialize("2025-11-25")
	listen := d.begin(t.Context(), `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{},`+meta+`}}`,
		modernHeaders("subscriptions/listen", "")...)
	listen.await("acknowledged")
	get := newFeed(t, d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""}))
	sse := newFeed(t, d.send(t.Context(), request{http.MethodGet, "/sse", nil, ""}))
	sse.await("/sse?session=")
	waiting := make(chan string, 1)
	go func() {
		_, body := d.post(legacyCall("1", "wait", "{}"), session)
		waiting <- body
	}()
	d.next() // the subscription
	d.next()
	d.endpoint.Close()
	if rest := listen.rest(); !strings.Contains(rest, `"id":"l","result":{"resultType":"complete"}`) {
		t.Errorf("the subscription ends with %q", rest)
	}
	get.rest()
	sse.rest()
	if got := <-waiting; !strings.Contains(got, `"code":-31002`) || !strings.Contains(got, "the hub is stopping") {
		t.Errorf("the call got %s", got)
	}
	if resp, _ := d.post(legacyCall("1", "echo", "{}"), session); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
	if waited := d.endpoint.AwaitNone(t.Context()); waited {
		t.Error("a session is left")
	}
}

func TestHTTPWithOneStream(t *testing.T) {
	d := open(t)
	ctx, leave := context.WithCancel(t.Context())
	stream := newFeed(t, d.send(ctx, request{http.MethodGet, "/sse", nil, ""}))
	first, _ := stream.next()
	if first.name != "endpoint" || !strings.HasPrefix(first.data, "/sse?session=") {
		t.Fatalf("the stream begins with %+v", first)
	}
	post := func(body string, headers ...string) int {
		t.Helper()
		return d.send(t.Context(), request{http.MethodPost, first.data, headers, body}).StatusCode
	}
	if status := post(legacyCall("1", "echo", "{}"), "Authorization: Bearer guest"); status != http.StatusForbidden {
		t.Errorf("another token's session: %d", status)
	}
	if status := post(legacyCall("1", "progress", "{}")); status != http.StatusAccepted {
		t.Errorf("a request: %d", status)
	}
	stream.await(`"progress":3`)
	if got := stream.await(`"result"`); !strings.HasPrefix(got.data, `{"jsonrpc":"2.0","id":1,`) || got.id != "" {
		t.Errorf("got %+v", got)
	}
	post(legacyCall("2", "ask", `{"method":"roots/list","params":{}}`))
	asked, _ := jsonrpc.Parse([]byte(stream.await("roots/list").data))
	post(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"roots":[]}}`)
	stream.await(`{\"roots\":[]}`)
	leave()
	<-d.closed
	if status := post(legacyCall("1", "echo", "{}")); status != http.StatusNotFound {
		t.Errorf("after the end of the stream: %d", status)
	}
}

func TestIdleSessionsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes memory")
	}
	const sessions = 1000
	d := open(t)
	before := heap()
	var opening sync.WaitGroup
	slots := make(chan struct{}, 16)
	for range sessions {
		slots <- struct{}{}
		opening.Go(func() {
			session := d.initialize("2025-11-25")
			resp := d.send(t.Context(), request{http.MethodGet, "", []string{session}, ""})
			newFeed(t, resp).next()
			<-slots
		})
	}
	opening.Wait()
	each := (heap() - before) / sessions
	t.Logf("an idle session with a stream takes %d kB, with both ends of its connections", each>>10)
	if each > 150<<10 {
		t.Errorf("an idle session takes %d bytes", each)
	}
}

// heap returns the bytes in use by the heap and by stacks.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
