package main

import (
	"context"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The window class, the icon id and the click message that the systray library uses for the icon.
const (
	iconClass   = "SystrayClass"
	iconID      = 100
	iconMessage = 0x0400 + 1 // WM_USER + 1
)

const (
	nimModify            = 1          // NIM_MODIFY
	nifInfo              = 0x10       // NIF_INFO
	niifInfo             = 0x01       // NIIF_INFO
	notificationClicked  = 0x0400 + 5 // NIN_BALLOONUSERCLICK
	windowProcedureIndex = ^uintptr(3)
)

var (
	user32            = windows.NewLazySystemDLL("user32.dll")
	findWindow        = user32.NewProc("FindWindowExW")
	setWindowLong     = user32.NewProc("SetWindowLongPtrW")
	callWindow        = user32.NewProc("CallWindowProcW")
	changeTrayIcon    = windows.NewLazySystemDLL("shell32.dll").NewProc("Shell_NotifyIconW")
	procedureOfIcon   = sync.OnceValue(func() uintptr { return windows.NewCallback(iconProcedure) })
	currentNotifier   *iconNotifier // the notifier whose window iconProcedure serves; set before iconProcedure is installed
	originalProcedure uintptr
)

// notifyIcon is NOTIFYICONDATAW of shellapi.h.
type notifyIcon struct {
	size             uint32
	window           windows.HWND
	id               uint32
	flags            uint32
	message          uint32
	icon             windows.Handle
	tip              [128]uint16
	state, stateMask uint32
	info             [256]uint16
	timeout          uint32
	title            [64]uint16
	infoFlags        uint32
	item             windows.GUID
	balloon          windows.Handle
}

// iconNotifier shows notifications of the tray icon. Windows shows one at a time.
type iconNotifier struct {
	clicked func(command string)
	modify  func(*notifyIcon) // replaced by tests

	mu     sync.Mutex
	window windows.HWND // 0 until the icon exists
	shown  notice
}

// newNotifier returns a notifier for the icon of this process. clicked is called with the command of a clicked notification.
func newNotifier(_ context.Context, clicked func(command string)) notifier {
	return &iconNotifier{clicked: clicked, modify: func(data *notifyIcon) {
		_, _, _ = changeTrayIcon.Call(nimModify, uintptr(unsafe.Pointer(data))) // fails while no taskbar exists
	}}
}

func (n *iconNotifier) show(_ context.Context, one notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.attach() {
		n.shown = one
		n.set(one.Summary, one.Body)
	}
}

func (n *iconNotifier) hide(_ context.Context, key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.window != 0 && n.shown.Key == key {
		n.shown = notice{}
		n.set("", "")
	}
}

// set shows a notification; an empty text removes it.
func (n *iconNotifier) set(title, text string) {
	data := notifyIcon{window: n.window, id: iconID, flags: nifInfo, infoFlags: niifInfo}
	data.size = uint32(unsafe.Sizeof(data))
	copy(data.title[:], clipUTF16(title, len(data.title)))
	copy(data.info[:], clipUTF16(text, len(data.info)))
	n.modify(&data)
}

// attach finds the window of the icon and receives its messages. It reports whether the window exists.
func (n *iconNotifier) attach() bool {
	if n.window != 0 {
		return true
	}
	class, _ := windows.UTF16PtrFromString(iconClass) // the class contains no NUL
	for window := uintptr(0); ; {
		window, _, _ = findWindow.Call(0, window, uintptr(unsafe.Pointer(class)), 0)
		if window == 0 {
			return false
		}
		var pid uint32
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(window), &pid); err == nil && int(pid) == os.Getpid() {
			n.window, currentNotifier = windows.HWND(window), n
			originalProcedure, _, _ = setWindowLong.Call(window, windowProcedureIndex, procedureOfIcon())
			return true
		}
	}
}

// iconProcedure handles a click on a notification and passes all other messages to the library.
func iconProcedure(window windows.HWND, message uint32, w, l uintptr) uintptr {
	if message == iconMessage && l&0xffff == notificationClicked {
		// Use another goroutine: this thread owns the window, and show holds the lock while it waits for the taskbar.
		go currentNotifier.click()
		return 0
	}
	result, _, _ := callWindow.Call(originalProcedure, uintptr(window), uintptr(message), w, l)
	return result
}

func (n *iconNotifier) click() {
	n.mu.Lock()
	command := n.shown.Command
	n.mu.Unlock()
	if command != "" {
		n.clicked(command)
	}
}
