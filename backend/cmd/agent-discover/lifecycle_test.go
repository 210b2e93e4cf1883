//go:build linux

package main_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// family starts a grandchild through a server and returns it with the child.
func family(t *testing.T, c *client, server string) (child, grandchild int) {
	t.Helper()
	child = c.pid(server)
	grandchild, err := strconv.Atoi(c.tool(server+"__grandchild", `{}`))
	if err != nil || !alive(grandchild) {
		t.Fatalf("no grandchild: %v", err)
	}
	if group(child) != child || group(grandchild) != child {
		t.Fatalf("child %d and grandchild %d are in groups %d and %d", child, grandchild, group(child), group(grandchild))
	}
	return child, grandchild
}

func TestHubKilledDuringACallGivesAnErrorAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child, grandchild := family(t, c, "fake")
	id := c.hold("fake", "k")

	first.kill()

	m := c.answer(id)
	if m.Error == nil {
		t.Fatalf("the call in flight was answered with %s", m.line)
	}
	contains(t, m.Error.Message, "outcome is unknown")
	if second := h.runningHub(); second.PID == first.PID || second.Token == first.Token {
		t.Errorf("the second hub is the first: %d", second.PID)
	}
	gone(t, child, grandchild)
	if got := c.tool("fake__echo", `{"text":"back"}`); got != "back" {
		t.Errorf("echo after the restart gave %q", got)
	}
	if again := c.pid("fake"); again == child {
		t.Errorf("the child of the killed hub, %d, serves again", child)
	}
}

func TestHubKilledWhenIdleComesBackWithTheLens(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child, grandchild := family(t, c, "fake")
	c.find("give back the text")
	before, told := c.tools(), c.count(listChanged)
	if !slices.Contains(before, "fake__echo") {
		t.Fatalf("find_tool lent nothing: %v", before)
	}

	first.kill()

	c.awaitCount(listChanged, told+1)
	if after := c.tools(); !slices.Equal(after, before) {
		t.Errorf("the list is %v, it was %v", after, before)
	}
	gone(t, child, grandchild)
	for range 2 { // the replayed initialize must not reach the client
		c.ask("ping", `{}`)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.received {
		if strings.Contains(string(m.ID), "replay") {
			t.Errorf("the client saw %s", m.line)
		}
	}
}

func TestStoppedHubStaysStoppedUntilSomebodyStartsIt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child, grandchild := family(t, c, "fake")

	contains(t, h.must("stop"), "stopped")

	if code := first.exit(); code != 0 {
		t.Errorf("the hub ended with %d", code)
	}
	gone(t, child, grandchild)
	told := c.count(listChanged)
	contains(t, c.failing("registry", `{"action":"list"}`), "stopped by the user", "agent-discover serve")
	contains(t, c.failing("fake__echo", `{"text":"x"}`), "stopped by the user")
	if tools := c.tools(); !slices.Equal(tools, []string{"registry"}) {
		t.Errorf("without a hub the list is %v", tools)
	}
	late := h.companion()
	contains(t, string(late.open(`{}`).Result), "stopped by the user")
	contains(t, late.failing("registry", `{"action":"status"}`), "stopped by the user")
	contains(t, h.run("servers", "list").stderr, "stopped")
	if serving := h.processes(" serve"); len(serving) != 0 {
		t.Fatalf("a hub was started: %v", serving)
	}

	h.serve()

	c.awaitCount(listChanged, told+1)
	contains(t, c.registry(`{"action":"list"}`), `"fake"`)
	late.awaitCount(listChanged, 1)
	if got := late.tool("fake__echo", `{"text":"again"}`); got != "again" {
		t.Errorf("echo gave %q", got)
	}
}

func TestTenCompanionsAtOnceStartOneHub(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var clients []*client
	for range 10 {
		clients = append(clients, h.companion())
	}
	var ids []string
	for _, c := range clients {
		ids = append(ids, c.start("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"many","version":"1"}}`))
	}
	for i, c := range clients {
		if m := c.answer(ids[i]); m.Error != nil {
			t.Fatalf("companion %d: %s", i, m.line)
		}
	}
	var status struct {
		PID     int               `json:"pid"`
		Clients []json.RawMessage `json:"clients"`
	}
	if err := json.Unmarshal([]byte(h.must("status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	if len(status.Clients) != 10 {
		t.Errorf("%d clients at the hub", len(status.Clients))
	}
	eventually(t, "losers of the race are gone", func() bool {
		return slices.Equal(h.processes(" serve"), []int{status.PID})
	})
}

func TestSecondServeSaysWhoHoldsTheFolder(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve()
	out := h.run("serve")
	if out.code != 1 {
		t.Errorf("exit code %d", out.code)
	}
	contains(t, out.stderr, "already runs", string(h.folder), "process "+strconv.Itoa(first.PID), first.Address())
	if info := h.runningHub(); info.PID != first.PID {
		t.Errorf("hub.json now names %d", info.PID)
	}
}

func TestAcknowledgedServerSurvivesSIGKILL(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, name := range []string{"one", "two", "three"} {
		s := h.serve()
		h.must("servers", "add", name, "--no-start", "--env", "K="+name, "--", "true", name)
		s.kill()
	}
	h.serve()
	list := h.must("servers", "list", "--json")
	contains(t, list, `"one"`, `"two"`, `"three"`, `"K": "three"`)
}

func TestSIGTERMLetsACallInFlightFinish(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child, grandchild := family(t, c, "fake")
	pipe := h.dir + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	id := c.beginTool("fake__read", `{"path":`+strconv.Quote(pipe)+`}`)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the call is at its reading
	if err != nil {
		t.Fatal(err)
	}

	signal(t, s.PID, syscall.SIGTERM)

	eventually(t, "the hub is stopping", func() bool { return strings.Contains(s.stderr.String(), "hub is stopping") })
	if _, err := writer.WriteString("in time"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if r := c.endTool(id); r.IsError || r.text() != "in time" {
		t.Errorf("the call in flight gave %+v", r)
	}
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	gone(t, child, grandchild)
}

func TestSIGTERMEndsAServerThatWillNotGo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	h.add("stubborn", mcptest.Command(t, "-stubborn"))
	child := h.show("stubborn").PID
	signal(t, s.PID, syscall.SIGTERM)
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	gone(t, child)
	if _, err := os.Stat(h.folder.Run("hub.json")); !os.IsNotExist(err) {
		t.Errorf("hub.json is still there: %v", err)
	}
}

func TestHubStartedForACommandAnnouncesItself(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.must("servers", "add", "later", "--no-start", "--", "true")
	info := h.runningHub()
	contains(t, commandLine(info.PID), "--started-by cli")
	if group(info.PID) != info.PID {
		t.Errorf("the hub is in the group %d of whoever started it", group(info.PID))
	}
	if _, err := instance.Acquire(h.folder); err == nil {
		t.Error("a running hub holds no lock")
	}
}
