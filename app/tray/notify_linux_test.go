package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/backend/testing/keyringtest"
)

// useBus sets the environment variables of a test's session bus in this process.
func useBus(t *testing.T, bus *keyringtest.Session) {
	t.Helper()
	for _, kv := range bus.Env() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
}

func TestAServerThatWaitsIsAnnouncedOnTheDesktop(t *testing.T) {
	folder, client, _ := runHub(t)
	bus := keyringtest.Start(t)
	useBus(t, bus)
	desktop := desktoptest.NewNotifications(t, bus.Connect())
	tr, v := newTray(folder, "v1.2.3"), &fakeView{menus: make(chan menu, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	clicks := make(chan string, 4)
	tr.notify = newNotifier(ctx, func(command string) { clicks <- command })
	done := make(chan struct{})
	go func() { tr.run(ctx, v); close(done) }()
	t.Cleanup(func() { cancel(); <-done })

	v.await(t, "0 of 1 server running")
	tr.receive(
		[]byte(`{"type":"state","delta":true,"names":["one","<b>new</b>"],"servers":[{"id":9,"name":"<b>new</b>","state":"waiting"}]}`),
	)
	first := desktop.Await()
	if first.Summary != "“<b>new</b>” waits for your approval" || first.Program != "Agent Discover" ||
		!slices.Equal(first.Actions, []string{"default", "Open"}) {
		t.Errorf("got %+v", first)
	}
	first.Click()
	select {
	case got := <-clicks:
		if got != commandApprovals {
			t.Errorf("a click executes %q", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("a click executes nothing")
	}
	tr.receive([]byte(`{"type":"state","delta":true,"names":["one","<b>new</b>","z"],"servers":[{"id":10,"name":"z","state":"waiting"}]}`))
	if second := desktop.Await(); second.Replaces != first.ID || second.Summary != "2 servers wait for your approval" {
		t.Errorf("got %+v, the first was %d", second, first.ID)
	}
	if err := client.Do(t.Context(), http.MethodDelete, "/api/servers/1", nil, nil); err != nil { // makes the hub send its state
		t.Fatal(err)
	}
	if closed := desktop.AwaitClosed(); closed != first.ID {
		t.Errorf("closed %d, want %d", closed, first.ID)
	}
}

func TestWithoutANotificationServiceTheTrayWorks(t *testing.T) {
	useBus(t, keyringtest.Start(t))
	n := newNotifier(t.Context(), func(string) { t.Error("clicked") })
	n.show(t.Context(), notice{Key: keyApproval, Summary: "x"})
	n.hide(t.Context(), keyApproval)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	if n := newNotifier(t.Context(), nil); n != nil {
		t.Error("there is a notifier without a bus")
	}
}
