//go:build linux

package main_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestLearnedToolsSurviveAKilledHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	c.Registry(`{"action":"find_tool","query":"give a text back"}`)
	c.Tool("fake__echo", `{"text":"x"}`)
	c.Registry(`{"action":"find_tool","query":"report steps of progress"}`)
	c.Registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	programtest.Eventually(t, "both calls are learned", func() bool { return strings.Count(h.Must("learned"), "fake__") == 2 })
	// The first call is stored before the hub ends; the second may be lost.
	db, err := sql.Open("sqlite", "file:"+h.Folder.Database()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the first call is stored", func() bool {
		var stored int
		return db.QueryRow("SELECT count(*) FROM learned WHERE tool = 'echo'").Scan(&stored) == nil && stored > 0
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.Kill()

	h.RunningHub() // started by the companion
	programtest.Contains(t, h.Must("learned"), "ID  QUERY", "give a text back", "fake__echo", "0.50")
	h.Must("learned", "forget", "1", "--yes")
	if out := h.Must("learned"); strings.Contains(out, "give a text back") {
		t.Errorf("the entry was not forgotten:\n%s", out)
	}
	c.Registry(`{"action":"find_tool","query":"die with a text"}`)
	c.Registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	programtest.Eventually(t, "the search learns from the restored session",
		func() bool { return strings.Contains(h.Must("learned"), "die with a text") })
	h.Must("learned", "forget", "--all", "--yes")
	programtest.Contains(t, h.Must("learned"), "Nothing was learned yet")
}

// startGrandchild makes a server start a child process, and returns the pids of the
// server and of that process. Both are in the server's process group.
func startGrandchild(t *testing.T, c *programtest.Client, server string) (child, grandchild int) {
	t.Helper()
	child = c.PID(server)
	grandchild, err := strconv.Atoi(c.Tool(server+"__grandchild", `{}`))
	if err != nil || !programtest.Alive(grandchild) {
		t.Fatalf("the server's child process does not run: %v", err)
	}
	if programtest.ProcessGroup(child) != child || programtest.ProcessGroup(grandchild) != child {
		t.Fatalf("child %d and grandchild %d are in groups %d and %d", child, grandchild, programtest.ProcessGroup(child),
			programtest.ProcessGroup(grandchild))
	}
	return child, grandchild
}

func TestKillingTheHubDuringACallReturnsAnErrorAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	first := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child, grandchild := startGrandchild(t, c, "fake")
	helper, err := strconv.Atoi(c.Tool("fake__helper", `{}`)) // the helper runs in its own session
	if err != nil {
		t.Fatal(err)
	}
	id := c.Hold("fake", "k")

	first.Kill()

	m := c.Answer(id)
	if m.Error == nil {
		t.Fatalf("the call in flight was answered with %s", m.Line)
	}
	programtest.Contains(t, m.Error.Message, "outcome is unknown")
	if second := h.RunningHub(); second.PID == first.PID || second.Token == first.Token {
		t.Errorf("the killed hub %d was not replaced", second.PID)
	}
	programtest.AwaitExit(t, child, grandchild, helper)
	if got := c.Tool("fake__echo", `{"text":"back"}`); got != "back" {
		t.Errorf("echo after the restart returned %q", got)
	}
	if again := c.PID("fake"); again == child {
		t.Errorf("process %d of the killed hub still serves", child)
	}
}

func TestSessionToolsSurviveAKilledHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	first := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child, grandchild := startGrandchild(t, c, "fake")
	c.Find("give back the text")
	before, notified := c.Tools(), c.Count(programtest.ToolListChanged)
	if !slices.Contains(before, "fake__echo") {
		t.Fatalf("find_tool added no tool: %v", before)
	}

	first.Kill()

	c.AwaitCount(programtest.ToolListChanged, notified+1)
	if after := c.Tools(); !slices.Equal(after, before) {
		t.Errorf("the list is %v after the restart, before it was %v", after, before)
	}
	programtest.AwaitExit(t, child, grandchild)
	for range 2 { // the replayed initialize must not reach the client
		c.Ask("ping", `{}`)
	}
	for _, m := range c.Messages() {
		if strings.Contains(string(m.ID), "replay") {
			t.Errorf("the client received %s", m.Line)
		}
	}
}

func TestStoppedHubStaysStoppedUntilAPersonStartsIt(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	first := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child, grandchild := startGrandchild(t, c, "fake")

	programtest.Contains(t, h.Must("stop"), "stopped")

	if code := first.Exit(); code != 0 {
		t.Errorf("the hub ended with exit code %d", code)
	}
	programtest.AwaitExit(t, child, grandchild)
	notified := c.Count(programtest.ToolListChanged)
	programtest.Contains(t, c.FailingTool("registry", `{"action":"list"}`), "stopped by the user", "agent-discover start")
	programtest.Contains(t, c.FailingTool("fake__echo", `{"text":"x"}`), "stopped by the user")
	if tools := c.Tools(); !slices.Equal(tools, []string{"registry"}) {
		t.Errorf("without a hub the list is %v", tools)
	}
	late := h.Companion()
	programtest.Contains(t, string(late.Open(`{}`).Result), "stopped by the user")
	programtest.Contains(t, late.FailingTool("registry", `{"action":"status"}`), "stopped by the user")
	programtest.Contains(t, h.Run("servers", "list").Stderr, "stopped")
	if serving := h.Processes(" serve"); len(serving) != 0 {
		t.Fatalf("a hub was started: %v", serving)
	}

	h.Serve()

	c.AwaitCount(programtest.ToolListChanged, notified+1)
	programtest.Contains(t, c.Registry(`{"action":"list"}`), `"fake"`)
	late.AwaitCount(programtest.ToolListChanged, 1)
	if got := late.Tool("fake__echo", `{"text":"again"}`); got != "again" {
		t.Errorf("echo returned %q", got)
	}
}

func TestTenCompanionsAtOnceStartOneHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	var clients []*programtest.Client
	for range 10 {
		clients = append(clients, h.Companion())
	}
	var ids []string
	for _, c := range clients {
		ids = append(ids, c.Start("initialize",
			`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"many","version":"1"}}`))
	}
	for i, c := range clients {
		if m := c.Answer(ids[i]); m.Error != nil {
			t.Fatalf("companion %d: %s", i, m.Line)
		}
	}
	var status struct {
		PID     int               `json:"pid"`
		Clients []json.RawMessage `json:"clients"`
	}
	if err := json.Unmarshal([]byte(h.Must("status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	if len(status.Clients) != 10 {
		t.Errorf("the hub has %d clients, want 10", len(status.Clients))
	}
	programtest.Eventually(t, "the other hubs that were started end", func() bool {
		return slices.Equal(h.Processes(" serve"), []int{status.PID})
	})
}

func TestSecondServeNamesTheRunningHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	first := h.Serve()
	out := h.Run("serve")
	if out.Code != 1 {
		t.Errorf("exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "already runs", string(h.Folder), "process "+strconv.Itoa(first.PID), first.Address())
	if info := h.RunningHub(); info.PID != first.PID {
		t.Errorf("hub.json now names %d", info.PID)
	}
}

func TestAcknowledgedServerSurvivesSIGKILL(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	for _, name := range []string{"one", "two", "three"} {
		s := h.Serve()
		h.Must("servers", "add", name, "--no-start", "--env", "K="+name, "--", "true", name)
		s.Kill()
	}
	h.Serve()
	list := h.Must("servers", "list", "--json")
	programtest.Contains(t, list, `"one"`, `"two"`, `"three"`, `"K": "three"`)
}

func TestSIGTERMLetsACallInFlightFinish(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child, grandchild := startGrandchild(t, c, "fake")
	pipe := h.Dir + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	id := c.StartTool("fake__read", `{"path":`+strconv.Quote(pipe)+`}`)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // os.OpenFile returns once the server opens the pipe for reading
	if err != nil {
		t.Fatal(err)
	}

	programtest.Signal(t, s.PID, syscall.SIGTERM)

	programtest.Eventually(t, "the hub is stopping", func() bool { return strings.Contains(s.Stderr.String(), "hub is stopping") })
	if _, err := writer.WriteString("in time"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if r := c.ToolResult(id); r.IsError || r.Text() != "in time" {
		t.Errorf("the call in flight returned %+v", r)
	}
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	programtest.AwaitExit(t, child, grandchild)
}

func TestSIGTERMKillsAServerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("stubborn", mcptest.Command(t, "-stubborn"))
	child := h.Server("stubborn").PID
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	programtest.AwaitExit(t, child)
	if _, err := os.Stat(h.Folder.Run("hub.json")); !os.IsNotExist(err) {
		t.Errorf("hub.json was not removed: %v", err)
	}
}

func TestHubStartedForACommandAnnouncesItself(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("servers", "add", "later", "--no-start", "--", "true")
	info := h.RunningHub()
	programtest.Contains(t, programtest.CommandLine(info.PID), "--started-by cli")
	if programtest.ProcessGroup(info.PID) != info.PID {
		t.Errorf("the hub is in the process group %d of the program that started it", programtest.ProcessGroup(info.PID))
	}
	if _, err := instance.Acquire(h.Folder); err == nil {
		t.Error("the data folder of a running hub is not locked")
	}
}
