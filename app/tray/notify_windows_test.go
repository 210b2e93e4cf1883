package main

import (
	"context"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

func TestAClickOnAWindowsNotificationOpensWhatItShows(t *testing.T) {
	runtime.LockOSThread() // a window belongs to its thread
	defer runtime.UnlockOSThread()
	var seen []uint32
	class, _ := windows.UTF16PtrFromString(iconClass)
	registered := struct {
		size, style                          uint32
		procedure                            uintptr
		extra, more                          int32
		instance, icon, cursor, brush, _menu uintptr
		class                                *uint16
		small                                uintptr
	}{class: class, procedure: windows.NewCallback(func(window windows.HWND, message uint32, w, l uintptr) uintptr {
		seen = append(seen, message)
		result, _, _ := user32.NewProc("DefWindowProcW").Call(uintptr(window), uintptr(message), w, l)
		return result
	})}
	registered.size = uint32(unsafe.Sizeof(registered))
	if ok, _, err := user32.NewProc("RegisterClassExW").Call(uintptr(unsafe.Pointer(&registered))); ok == 0 {
		t.Fatal(err)
	}
	clicks := make(chan string, 1)
	n := newNotifier(t.Context(), func(command string) { clicks <- command }).(*iconNotifier)
	var got []notifyIcon
	n.modify = func(data *notifyIcon) { got = append(got, *data) }
	n.show(t.Context(), notice{Key: keyApproval, Summary: "too early"})
	if len(got) != 0 {
		t.Error("a notification was shown without an icon")
	}
	window, _, err := user32.NewProc("CreateWindowExW").Call(0, uintptr(unsafe.Pointer(class)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	if window == 0 {
		t.Skip("windows cannot be created here:", err)
	}
	send := func(message, w, l uintptr) { _, _, _ = user32.NewProc("SendMessageW").Call(window, message, w, l) }
	n.show(context.Background(), notice{Key: keyApproval, Summary: "“x” waits for your approval", Body: "Click", Command: commandApprovals})
	if len(got) != 1 || windows.UTF16ToString(got[0].title[:]) != "“x” waits for your approval" ||
		windows.UTF16ToString(got[0].info[:]) != "Click" ||
		got[0].window != windows.HWND(window) || got[0].id != iconID || got[0].flags != nifInfo || got[0].size != 976 {
		t.Fatalf("got %+v", got)
	}
	send(iconMessage, iconID, notificationClicked)
	select {
	case command := <-clicks:
		if command != commandApprovals {
			t.Errorf("a click executes %q", command)
		}
	case <-time.After(time.Minute):
		t.Fatal("a click executes nothing")
	}
	send(iconMessage, iconID, 0x0205) // a click on the icon itself
	if len(seen) == 0 || seen[len(seen)-1] != iconMessage {
		t.Errorf("the library's window got %x", seen)
	}
	n.hide(t.Context(), keyQuestion)
	n.hide(t.Context(), keyApproval)
	if len(got) != 2 || got[1].info[0] != 0 {
		t.Errorf("hide: got %d changes", len(got))
	}
}
