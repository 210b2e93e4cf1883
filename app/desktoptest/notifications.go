//go:build linux

package desktoptest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	notificationsName = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
)

// Notification is a notification that a program shows on a desktop.
type Notification struct {
	ID, Replaces           uint32
	Program, Summary, Body string
	Actions                []string
	service                *Notifications
}

// Notifications simulates the notification service of a desktop.
type Notifications struct {
	t      testing.TB
	conn   *dbus.Conn
	last   atomic.Uint32
	shown  chan Notification
	closed chan uint32
}

// NewNotifications starts a notification service on a session bus. The caller must not use conn afterwards.
func NewNotifications(t testing.TB, conn *dbus.Conn) *Notifications {
	t.Helper()
	n := &Notifications{t: t, conn: conn, shown: make(chan Notification, 64), closed: make(chan uint32, 64)}
	if err := conn.Export(service{n}, notificationsPath, notificationsName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(notificationsName, dbus.NameFlagDoNotQueue); err != nil ||
		reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%s: %v, %v", notificationsName, reply, err)
	}
	return n
}

// service has the methods that programs call over the bus.
type service struct{ *Notifications }

// Notify handles a call to show a notification.
func (s service) Notify(program string, replaces uint32, _, summary, body string, actions []string, _ map[string]dbus.Variant,
	_ int32,
) (uint32, *dbus.Error) {
	id := replaces
	if id == 0 {
		id = s.last.Add(1)
	}
	s.shown <- Notification{id, replaces, program, summary, body, actions, s.Notifications}
	return id, nil
}

// CloseNotification handles a call to remove a notification.
func (s service) CloseNotification(id uint32) *dbus.Error {
	s.closed <- id
	return nil
}

// Await returns the next notification.
func (n *Notifications) Await() Notification {
	n.t.Helper()
	select {
	case shown := <-n.shown:
		return shown
	case <-time.After(panelTimeout):
		n.t.Fatal("no notification was shown")
		return Notification{}
	}
}

// NoneLeft fails the test if a notification was shown that Await has not returned.
func (n *Notifications) NoneLeft() {
	n.t.Helper()
	select {
	case shown := <-n.shown:
		n.t.Errorf("another notification is shown: %+v", shown)
	default:
	}
}

// AwaitClosed returns the id of the next notification that its program removes.
func (n *Notifications) AwaitClosed() uint32 {
	n.t.Helper()
	select {
	case id := <-n.closed:
		return id
	case <-time.After(panelTimeout):
		n.t.Fatal("no notification was removed")
		return 0
	}
}

// Click clicks a notification.
func (n Notification) Click() {
	n.service.t.Helper()
	n.invoke("default")
}

// Press presses the button with a label.
func (n Notification) Press(label string) {
	n.service.t.Helper()
	for i := 0; i+1 < len(n.Actions); i += 2 {
		if n.Actions[i] != "default" && n.Actions[i+1] == label {
			n.invoke(n.Actions[i])
			return
		}
	}
	n.service.t.Fatalf("the notification has no button %q: %q", label, n.Actions)
}

func (n Notification) invoke(action string) {
	n.service.t.Helper()
	err := n.service.conn.Emit(notificationsPath, notificationsName+".ActionInvoked", n.ID, action)
	if err != nil {
		n.service.t.Fatal(fmt.Errorf("click a notification: %w", err))
	}
}
