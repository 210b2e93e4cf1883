//go:build tray

package main

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows/registry"

	"github.com/agent-discover/agent-discover/backend/fault"
)

// available returns nil: the notification area is there in every session.
func available(context.Context, time.Duration) error { return nil }

// copyText hands ASCII to the system's own program; it would take other text for
// one of the code page of the console.
func copyText(text string) error {
	cmd := exec.Command("clip")
	cmd.Stdin = strings.NewReader(text)
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if err := cmd.Run(); err != nil {
		return fault.Wrap(err, fault.Failed, "the clipboard does not take it")
	}
	return nil
}

// theme knows whether the taskbar is dark.
type theme struct{}

func watchTheme() *theme { return &theme{} }

// dark asks anew each time: it is asked seldom, and nothing tells of a change.
func (*theme) dark() bool {
	key, err := registry.OpenKey(registry.CURRENT_USER, `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`, registry.QUERY_VALUE)
	if err != nil {
		return true
	}
	defer func() { _ = key.Close() }()
	light, _, err := key.GetIntegerValue("SystemUsesLightTheme")
	return err != nil || light == 0
}

func (t *theme) variant() string {
	if t.dark() {
		return " on dark"
	}
	return " on light"
}
