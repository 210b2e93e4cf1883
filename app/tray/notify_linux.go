package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	notifications     = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
	notifyTimeout     = 5 * time.Second
)

// busNotifier shows notifications through the desktop's notification service. Without a service, it shows nothing.
type busNotifier struct {
	bus     *dbus.Conn
	clicked func(command string)

	mu    sync.Mutex
	shown map[string]uint32 // ids of notifications, by key
	does  map[uint32]string // commands of notifications, by id
	// A click may arrive before the answer to the call that shows the notification, which contains the notification's
	// id. While such calls are running, early holds the ids of clicked notifications that are not in does.
	calls int
	early map[uint32]bool
}

// newNotifier returns a notifier on the session bus, or nil if it cannot use one. The notifier calls clicked with the
// command of each clicked notification until ctx ends.
func newNotifier(ctx context.Context, clicked func(command string)) notifier {
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil
	}
	n := &busNotifier{
		bus: bus, clicked: clicked, shown: make(map[string]uint32), does: make(map[uint32]string), early: make(map[uint32]bool),
	}
	match := []dbus.MatchOption{dbus.WithMatchInterface(notifications), dbus.WithMatchObjectPath(notificationsPath)}
	if err := bus.AddMatchSignalContext(ctx, match...); err != nil {
		_ = bus.Close() // nothing has been sent
		return nil
	}
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	go func() { // ends when the context closes the connection
		for s := range signals {
			n.receive(s)
		}
	}()
	return n
}

func (n *busNotifier) receive(s *dbus.Signal) {
	if len(s.Body) < 2 {
		return
	}
	id, ok := s.Body[0].(uint32)
	if !ok {
		return
	}
	action, _ := s.Body[1].(string)
	click := s.Name == notifications+".ActionInvoked" && (action == "default" || action == buttonAction)
	n.mu.Lock()
	command, ours := n.does[id]
	if s.Name == notifications+".NotificationClosed" {
		delete(n.does, id)
	}
	if click && !ours && n.calls > 0 {
		n.early[id] = true
	}
	n.mu.Unlock()
	if click && ours {
		n.clicked(command)
	}
}

// buttonAction is the key of the button whose effect is the same as that of a click on the notification.
const buttonAction = "do"

// actionsOf returns the keys and labels of the actions of a notification. Desktops show an action as a button unless
// its key is default.
func actionsOf(n notice) []string {
	if n.Action == "" {
		return []string{"default", "Open"}
	}
	return []string{"default", n.Action, buttonAction, n.Action}
}

// plainText escapes the markup that notification services interpret in the body.
var plainText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (n *busNotifier) show(ctx context.Context, shown notice) {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	n.mu.Lock()
	before := n.shown[shown.Key]
	n.calls++
	n.mu.Unlock()
	var id uint32
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("agent-discover"), "urgency": dbus.MakeVariant(byte(1))}
	err := n.bus.Object(notifications, notificationsPath).CallWithContext(ctx, notifications+".Notify", 0,
		"Agent Discover", before, "dialog-information", shown.Summary, plainText.Replace(shown.Body),
		actionsOf(shown), hints, int32(-1)).Store(&id)
	n.mu.Lock()
	clicked := err == nil && n.early[id]
	if err == nil { // on an error, no service shows notifications, but the menu shows what waits
		n.shown[shown.Key], n.does[id] = id, shown.Command
	}
	if n.calls--; n.calls == 0 {
		clear(n.early)
	}
	n.mu.Unlock()
	if clicked {
		n.clicked(shown.Command)
	}
}

func (n *busNotifier) hide(ctx context.Context, key string) {
	n.mu.Lock()
	id, ok := n.shown[key]
	delete(n.shown, key)
	n.mu.Unlock()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	// ignore an error: the notification may already be closed
	_ = n.bus.Object(notifications, notificationsPath).CallWithContext(ctx, notifications+".CloseNotification", 0, id).Err
}
