package companion

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/doors/answercache"
)

const (
	greeting1   = `"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Claude","version":"1"}}}`
	modernMeta  = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"Claude"}}}`
	discover    = `"method":"server/discover","params":` + modernMeta + `}`
	listTools   = `"method":"tools/list"}`
	listModern  = `"method":"tools/list","params":` + modernMeta + `}`
	callTool    = `"method":"tools/call","params":{"name":"a__b"}}`
	hubStarts   = 3 * time.Second // how long a hub takes to start in these tests
	changedLine = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

var (
	legacyKey = answercache.Key{Version: "1.0.0", Method: "tools/list", Era: legacyEra, Client: "Claude", Protocol: "2025-06-18"}
	modernKey = answercache.Key{Version: "1.0.0", Method: "tools/list", Era: modernEra, Client: "Claude", Protocol: "2026-07-28"}
)

// of returns a copy of k with the given method.
func of(method string, k answercache.Key) answercache.Key {
	k.Method = method
	return k
}

// request returns a JSON-RPC request with an id. rest is the remainder of the JSON text after the id.
func request(id, rest string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + rest }

func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

// editor is the client of a companion whose hub takes hubStarts to start.
type editor struct {
	t     *testing.T
	c     *Companion
	in    io.WriteCloser
	out   *bufio.Reader
	hub   net.Conn      // the hub's end of the link
	lines *bufio.Reader // reads the lines that the hub receives
	began time.Time
}

// newFolder returns a data folder whose cache contains the answers in kept.
func newFolder(t *testing.T, kept map[answercache.Key]string) paths.Folder {
	t.Helper()
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	for key, answer := range kept {
		if _, err := (answercache.Cache{Folder: folder}).Put(key, json.RawMessage(answer)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// lastAnswers are the cached answers of a hub, in both eras.
var lastAnswers = map[answercache.Key]string{
	of("initialize", legacyKey): `{"last":"initialize"}`, legacyKey: `{"tools":[1]}`,
	of("server/discover", modernKey): `{"last":"discover"}`, modernKey: `{"tools":[2]}`,
}

// failsWith makes the start of the hub fail.
func failsWith(err error) func(*Companion) {
	return func(c *Companion) {
		c.open = func(context.Context) (net.Conn, error) {
			time.Sleep(hubStarts)
			return nil, err
		}
	}
}

// startCompanion creates a companion, applies the functions in change to it and runs it until the test ends. It must be
// called in a synctest bubble.
func startCompanion(t *testing.T, folder paths.Folder, change ...func(*Companion)) *editor {
	t.Helper()
	near, far := net.Pipe()
	in, toCompanion := io.Pipe()
	fromCompanion, out := io.Pipe()
	e := &editor{t: t, in: toCompanion, out: bufio.NewReader(fromCompanion), hub: far, lines: bufio.NewReader(far), began: time.Now()}
	e.c = &Companion{
		Folder: folder, Version: "1.0.0", In: in, Out: out, Log: slog.New(slog.DiscardHandler),
		Tools: []json.RawMessage{json.RawMessage(`0`)},
	}
	e.c.open = func(ctx context.Context) (net.Conn, error) {
		select {
		case <-time.After(hubStarts):
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for _, f := range change {
		f(e.c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.c.Run(ctx) }()
	t.Cleanup(func() { cancel(); _ = toCompanion.Close(); _ = fromCompanion.Close(); _ = far.Close(); <-done })
	return e
}

func (e *editor) send(lines ...string) {
	e.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(e.in, line+"\n"); err != nil {
			e.t.Fatal(err)
		}
	}
}

// ask sends a request and checks that the client receives the result want.
func (e *editor) ask(id, rest, want string) {
	e.t.Helper()
	e.send(request(id, rest))
	expect(e.t, e.out, result(id, want))
}

// after checks how much time has passed since the start of the companion.
func (e *editor) after(want time.Duration) {
	e.t.Helper()
	if took := time.Since(e.began); took != want {
		e.t.Errorf("after %v, want %v", took, want)
	}
}

// hubGets checks the next lines that the hub receives.
func (e *editor) hubGets(lines ...string) {
	e.t.Helper()
	for _, line := range lines {
		expect(e.t, e.lines, line)
	}
}

// hubSends makes the hub send lines, without waiting until the companion reads them.
func (e *editor) hubSends(lines ...string) {
	go func() {
		for _, line := range lines {
			sendTo(e.t, e.hub, line)
		}
	}()
}

// replayed returns the id, as JSON, of a request that the companion repeats to the hub. what names the request, such as
// initialize.
func replayed(what string) string { return `"companion-replay-` + what + `"` }

func TestTheLastAnswersAreGivenWhileTheHubStarts(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("0", greeting1, `{"last":"initialize"}`)
		e.send(initialized)
		e.ask("1", listTools, `{"tools":[1]}`)
		e.ask("2", discover, `{"last":"discover"}`)
		e.ask("3", listModern, `{"tools":[2]}`)
		e.after(0)
		e.send(request("4", callTool))
		e.hubGets(request(replayed("initialize"), greeting1), initialized, request(replayed("legacy-tools/list"), listTools),
			request(replayed("modern-server/discover"), discover), request(replayed("modern-tools/list"), listModern), request("4",
				callTool))
		e.after(hubStarts)
		e.hubSends(result(replayed("legacy-tools/list"), `{"tools":[1]}`), result(replayed("modern-server/discover"), `{"new":"discover"}`),
			result(replayed("initialize"), `{"new":"initialize"}`), result(replayed("modern-tools/list"), `{"tools":[2]}`),
			result("4", `{}`))
		expect(t, e.out, result("4", `{}`)) // the lists have not changed
		for key, want := range map[answercache.Key]string{
			of("initialize", legacyKey): `{"new":"initialize"}`, of("server/discover", modernKey): `{"new":"discover"}`,
			legacyKey: `{"tools":[1]}`,
		} {
			if got, _, _ := e.c.answers().Get(key); string(got) != want {
				t.Errorf("%s: %s is kept for the next start", key.Method, got)
			}
		}
	})
}

func TestAListThatHasChangedIsAnnounced(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("0", greeting1, `{"last":"initialize"}`)
		e.send(initialized)
		e.ask("1", listTools, `{"tools":[1]}`)
		e.hubGets(request(replayed("initialize"), greeting1), initialized, request(replayed("legacy-tools/list"), listTools))
		e.hubSends(result(replayed("initialize"), `{}`), result(replayed("legacy-tools/list"), `{"tools":[1,2]}`))
		expect(t, e.out, changedLine)
		e.send(request("2", listTools))
		e.hubGets(request("2", listTools))
		e.hubSends(result("2", `{"tools":[1,2,3]}`))
		expect(t, e.out, result("2", `{"tools":[1,2,3]}`))
		synctest.Wait()
		if got, _, _ := e.c.answers().Get(legacyKey); string(got) != `{"tools":[1,2,3]}` {
			t.Errorf("%s is kept for the next start", got)
		}
	})
}

// A listen request gets its acknowledgement before any other notification.
func TestAListThatHasChangedIsAnnouncedToListeners(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
	for _, ackFirst := range []bool{true, false} {
		folder := newFolder(t, lastAnswers)
		synctest.Test(t, func(t *testing.T) {
			e := startCompanion(t, folder)
			e.ask("1", discover, `{"last":"discover"}`)
			e.send(listenLine)
			e.ask("2", listModern, `{"tools":[2]}`)
			e.hubGets(request(replayed("modern-server/discover"), discover), request(replayed("modern-tools/list"), listModern), listenLine)
			lines := []string{ackLine, result(replayed("modern-tools/list"), `{"tools":[]}`)}
			if !ackFirst {
				lines[0], lines[1] = lines[1], lines[0]
			}
			e.hubSends(strings.Join(append(lines, result("9", `{}`)), "\n")) // read at once
			expect(t, e.out, ackLine)
			expect(t, e.out, changed)
			expect(t, e.out, result("9", `{}`))
		})
	}
}

func TestTheFirstStartWaitsForTheHub(t *testing.T) {
	folder := newFolder(t, nil)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.send(request("0", greeting1), request("1", discover), request("2", listModern))
		e.hubGets(request("0", greeting1), request("1", discover), request("2", listModern))
		e.after(hubStarts)
		e.hubSends(result("0", `{"i":1}`), result("1", `{"d":1}`), `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`)
		expect(t, e.out, result("0", `{"i":1}`))
		expect(t, e.out, result("1", `{"d":1}`))
		expect(t, e.out, `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`)
		synctest.Wait()
		for key, want := range map[answercache.Key]string{
			of("initialize", legacyKey): `{"i":1}`, of("server/discover", modernKey): `{"d":1}`, modernKey: "",
		} {
			if got, _, _ := e.c.answers().Get(key); string(got) != want {
				t.Errorf("%s: %s is kept for the next start", key.Method, got)
			}
		}
	})
}

func TestOnlyTheAnswerToTheSameQuestionIsGiven(t *testing.T) {
	folder := newFolder(t, map[answercache.Key]string{legacyKey: `{"tools":[1]}`, modernKey: `{"tools":[2]}`})
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("99", listModern, `{"tools":[2]}`)
		waits := []string{
			request("2", strings.ReplaceAll(listModern, "Claude", "Codex")), request("3", discover),
			request("4", strings.ReplaceAll(listModern, `{"_meta"`, `{"cursor":"c","_meta"`)), request("5", listTools),
			request("6", strings.ReplaceAll(listModern, "tools/list", "prompts/list")), request("7",
				strings.ReplaceAll(listModern, "2026-07-28", "2099-01-01")),
			request("0", greeting1), request("8", listTools), // the client is not initialized yet
		}
		e.send(waits...)
		e.hubGets(request(replayed("modern-tools/list"), listModern))
		e.hubGets(waits...)
		e.after(hubStarts)
	})
}

func TestAnswersOfAnOlderVersionAreNotGiven(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder, func(c *Companion) { c.Version = "1.0.1" })
		waits := []string{request("0", greeting1), request("1", discover), request("2", listModern)}
		e.send(waits...)
		e.hubGets(waits...)
		e.after(hubStarts)
	})
}

func TestAnswersAreKeptForTheVersionOfTheHub(t *testing.T) {
	folder := newFolder(t, nil)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder, func(c *Companion) {
			open := c.open
			c.open = func(ctx context.Context) (net.Conn, error) {
				link, err := open(ctx)
				return &stream{Conn: link, buffered: bufio.NewReader(link), version: "0.9.0"}, err
			}
		})
		e.send(request("1", listModern))
		e.hubGets(request("1", listModern))
		e.hubSends(result("1", `{"tools":[9]}`))
		expect(t, e.out, result("1", `{"tools":[9]}`))
		synctest.Wait()
		older := modernKey
		older.Version = "0.9.0"
		if got, _, _ := e.c.answers().Get(older); string(got) != `{"tools":[9]}` {
			t.Errorf("%s is kept", got)
		}
		if got, _, ok := e.c.answers().Get(modernKey); ok {
			t.Errorf("%s is kept for another version", got)
		}
	})
}

// The first hub gets logging/setLevel and resources/subscribe only once, although the companion also uses them
// to restore the session on later hubs.
func TestRequestsThatWaitForTheHubAreSentOnce(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("0", greeting1, `{"last":"initialize"}`)
		waits := []string{
			request("1", `"method":"logging/setLevel","params":{"level":"info"}}`),
			request("2", `"method":"resources/subscribe","params":{"uri":"a:b"}}`),
			request("3", callTool),
		}
		e.send(append(waits, initialized)...)
		e.hubGets(request(replayed("initialize"), greeting1), initialized)
		e.hubGets(waits...)
	})
}

func TestAnErrorDoesNotReplaceTheLastAnswer(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("1", listModern, `{"tools":[2]}`)
		e.hubGets(request(replayed("modern-tools/list"), listModern))
		e.hubSends(`{"jsonrpc":"2.0","id":`+replayed("modern-tools/list")+`,"error":{"code":-1,"message":"no"}}`, result("9", `{}`))
		expect(t, e.out, result("9", `{}`))
		if got, _, _ := e.c.answers().Get(modernKey); string(got) != `{"tools":[2]}` {
			t.Errorf("%s is kept", got)
		}
	})
}

// Even with a cached answer, the companion first waits earlyAfter for a running hub.
func TestARunningHubIsAskedFirst(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	lock, err := instance.Acquire(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	if err := lock.Announce(instance.Info{ID: process.Self(), Host: "127.0.0.1", Port: 1}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.send(request("0", greeting1), initialized, request("1", listTools), request("2", callTool))
		expect(t, e.out, result("0", `{"last":"initialize"}`))
		e.after(earlyAfter)
		expect(t, e.out, result("1", `{"tools":[1]}`))
		e.hubGets(request(replayed("initialize"), greeting1), initialized, request(replayed("legacy-tools/list"), listTools),
			request("2", callTool))
		e.after(hubStarts)
	})
}

func TestAStoppedHubGivesNoAnswers(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder, failsWith(errStopped))
		e.send(request("1", listModern))
		if line, err := e.out.ReadString('\n'); err != nil || !strings.Contains(line, `"tools":[0]`) {
			t.Errorf("got %q, %v", line, err)
		}
	})
}

func TestAHubThatDoesNotStartIsReported(t *testing.T) {
	folder := newFolder(t, lastAnswers)
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder, failsWith(startFailure{errStopped}))
		e.ask("1", listModern, `{"tools":[2]}`)
		e.send(request("2", callTool))
		if line, err := e.out.ReadString('\n'); err != nil || !strings.Contains(line, `"id":2`) ||
			!strings.Contains(line, "stopped by the user") {
			t.Errorf("got %q, %v", line, err)
		}
		e.after(hubStarts)
		e.send(request("3", listModern))
		if line, err := e.out.ReadString('\n'); err != nil || !strings.Contains(line, `"tools":[0]`) {
			t.Errorf("got %q, %v", line, err)
		}
	})
}

func TestAListWithFoundToolsIsNotKept(t *testing.T) {
	folder := newFolder(t, map[answercache.Key]string{of("initialize", legacyKey): `{}`})
	synctest.Test(t, func(t *testing.T) {
		e := startCompanion(t, folder)
		e.ask("0", greeting1, `{}`)
		e.send(request("1", callTool), request("2", listTools), request("3", listModern))
		e.hubGets(request(replayed("initialize"), greeting1), request("1", callTool), request("2", listTools), request("3", listModern))
		e.hubSends(result("2", `{"found":1}`), result("3", `{"tools":[]}`))
		expect(t, e.out, result("2", `{"found":1}`))
		expect(t, e.out, result("3", `{"tools":[]}`))
		synctest.Wait()
		if got, _, ok := e.c.answers().Get(legacyKey); ok {
			t.Errorf("%s is kept", got)
		}
		if got, _, _ := e.c.answers().Get(modernKey); string(got) != `{"tools":[]}` {
			t.Errorf("%s is kept", got)
		}
	})
}
