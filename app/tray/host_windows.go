//go:build tray

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows/registry"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/build/icons"
)

const personal = `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`

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

// theme knows the taskbar, which it asks anew each time: that is seldom, and nothing
// tells of a change.
type theme struct{}

func watchTheme(func()) *theme { return &theme{} }

func (*theme) picture(s icons.State) (name string, get func() []byte) {
	dark := true
	if key, err := registry.OpenKey(registry.CURRENT_USER, personal, registry.QUERY_VALUE); err == nil {
		defer func() { _ = key.Close() }()
		light, _, err := key.GetIntegerValue("SystemUsesLightTheme")
		dark = err != nil || light == 0
	}
	return fmt.Sprint(s, dark), func() []byte { return icons.Tray(s, dark) }
}
