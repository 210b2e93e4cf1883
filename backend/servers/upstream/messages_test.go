package upstream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// exchanged returns the recorded messages of a server, each as direction, id and
// method.
func (b *bench) exchanged(server string) (short []string, messages []upstream.Message) {
	messages, _, _ = b.Traces.Messages(server, 0, 1<<20)
	for i, m := range messages {
		direction := "<"
		if m.Sent {
			direction = ">"
		}
		short = append(short, strings.TrimSpace(direction+m.ID+" "+m.Method))
		if i > 0 && m.N <= messages[i-1].N || m.At.IsZero() || m.Size < len(m.Text) && !strings.Contains(m.Text, secretscan.Redacted) {
			b.t.Errorf("message %d is %+v", i, m)
		}
	}
	return short, messages
}

const handshake = ">1 server/discover,<1,>2 initialize,<2,> notifications/initialized"

func TestMessagesAreRecordedWhileSomebodyWatches(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if _, err := b.call(s, "echo", `{"text":"unseen"}`); err != nil {
		t.Fatal(err)
	}
	if short, _ := b.exchanged("s"); strings.Join(short, ",") != handshake {
		t.Errorf("without a watcher, the log has %v", short)
	}
	stop, err := b.Traces.Watch("s")
	if err != nil {
		t.Fatal(err)
	}
	stopOther, _ := b.Traces.Watch("s")
	stopOther()
	stopOther() // has no effect
	if _, err := b.call(s, "ask", `{"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	short, messages := b.exchanged("s")
	if got := strings.Join(short, ","); !strings.HasPrefix(got, handshake+",>5 tools/call,<") || !strings.HasSuffix(got, ",<5") ||
		!strings.Contains(got, " ping,>") {
		t.Errorf("the log has %v", short)
	}
	if call := messages[5].Text; !strings.Contains(call, `"name":"ask"`) || !json.Valid([]byte(call)) {
		t.Errorf("the call is %s", call)
	}
	if some, missed, more := b.Traces.Messages("s", messages[5].N, 1); len(some) != 1 || some[0].N != messages[6].N || missed != 0 ||
		!more {
		t.Errorf("after the call come %+v, %d, %v", some, missed, more)
	}
	stop()
	if short, _ := b.exchanged("s"); strings.Join(short, ",") != handshake {
		t.Errorf("after the last watcher has left, the log has %v", short)
	}
	b.Stop("s")
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if short, after := b.exchanged("s"); strings.Join(short, ",") != handshake || after[0].N <= messages[len(messages)-1].N {
		t.Errorf("after a restart, the log has %v", short)
	}
	if _, err := b.Traces.Watch("unknown"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown server can be watched: %v", err)
	}
}

func TestRecordedMessagesAreRedactedAndLimited(t *testing.T) {
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Known = redact.NewKnownSecrets() })
	s, err := b.servers.Update(t.Context(), b.add("s").Name,
		func(v *registry.Server) { v.Env = map[string]string{"MY_TOKEN": "plain-looking-words"} })
	if err != nil {
		t.Fatal(err)
	}
	stop, err := b.Traces.Watch("s")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	// The secret is at the place where the text is cut.
	echo := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`
	pad := strings.Repeat("any word; ", 20000)[:128<<10-len(echo)-6]
	for _, text := range []string{"plain-looking-words", pad + "plain-looking-words"} {
		if _, err := b.call(s, "echo", `{"text":"`+text+`"}`); err != nil {
			t.Fatal(err)
		}
	}
	_, messages := b.exchanged("s")
	last := messages[len(messages)-2:]
	for _, m := range messages {
		if strings.Contains(m.Text, "plain-") {
			t.Errorf("message %d contains the secret or a part of it: …%s", m.N, m.Text[max(0, len(m.Text)-100):])
		}
	}
	if !strings.Contains(messages[len(messages)-4].Text, secretscan.Redacted) || !last[0].Cut || last[0].Size < 128<<10 ||
		len(last[0].Text) > 128<<10 {
		t.Errorf("the long message has %d bytes, of which %d are shown", last[0].Size, len(last[0].Text))
	}
	for i := range 20 { // more than the log keeps
		if _, err := b.call(s, "echo", fmt.Sprintf(`{"text":"%d%s"}`, i, pad)); err != nil {
			t.Fatal(err)
		}
	}
	size, n := 0, messages[0].N
	for more := true; more; {
		var some []upstream.Message
		var missed int64
		if some, missed, more = b.Traces.Messages("s", n, 256<<10); missed > 0 && n != messages[0].N {
			t.Errorf("%d messages are missing after number %d", missed, n)
		} else if n == messages[0].N && missed == 0 {
			t.Error("no message was dropped")
		}
		for _, m := range some {
			size, n = size+len(m.Text), m.N
		}
	}
	if size > 4<<20+256<<10 || size < 3<<20 {
		t.Errorf("%d bytes are kept", size)
	}
}

func TestOnlyAPrivateServerGetsRootsOfItsOwn(t *testing.T) {
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Roots = []string{"file:///a"} })
	shared, own := b.add("shared"), transient(t, "__transient__1")
	if err := b.Start(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	if err := b.SetRoots("shared", nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the roots of a shared server were changed: %v", err)
	}
	if err := b.StartPrivate(t.Context(), own, upstream.Private{}); err != nil {
		t.Fatal(err)
	}
	ask := func(s registry.Server, want string) {
		t.Helper()
		if got, err := b.call(s, "ask", `{"method":"roots/list"}`); err != nil || !strings.Contains(string(got), wireText(want)) {
			t.Errorf("%s got %s, %v; want %s", s.Name, got, err, want)
		}
	}
	ask(own, `{"roots":[{"uri":"file:///a","name":"file:///a"}]}`)
	if err := b.SetRoots(own.Name, []upstream.Root{{URI: "file:///b", Name: "B"}, {URI: "file:///c"}}); err != nil {
		t.Fatal(err)
	}
	ask(own, `{"roots":[{"uri":"file:///b","name":"B"},{"uri":"file:///c"}]}`)
	ask(shared, `{"roots":[{"uri":"file:///a","name":"file:///a"}]}`)
	if seen, err := b.call(own, "seen", `{}`); err != nil || strings.Count(string(seen), "notifications/roots/list_changed") != 1 {
		t.Errorf("the server received %s, %v", seen, err)
	}
	if err := b.SetRoots(own.Name, nil); err != nil {
		t.Fatal(err)
	}
	ask(own, `{"roots":[]}`)
	short, messages := b.exchanged(own.Name)
	if got := strings.Join(short, ","); !strings.HasPrefix(got, handshake+",>3 tools/list,<3,>4 tools/call") {
		t.Errorf("the messages of a private server are %v", short)
	}
	if !strings.Contains(messages[2].Text, `"roots":{"listChanged":true}`) {
		t.Errorf("the handshake is %s", messages[2].Text)
	}
	if _, messages := b.exchanged("shared"); !strings.Contains(messages[2].Text, `"roots":{}`) {
		t.Errorf("the handshake of a shared server is %s", messages[2].Text)
	}
}
