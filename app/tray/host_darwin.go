//go:build tray

package main

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/build/icons"
)

// available returns nil: the menu bar is there in every session.
func available(context.Context, time.Duration) error { return nil }

func copyText(text string) error {
	cmd := exec.Command("pbcopy")
	cmd.Stdin = strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return fault.Wrap(err, fault.Failed, "the clipboard does not take it")
	}
	return nil
}

// theme is nothing: macOS colours the icon to fit its menu bar.
type theme struct{}

func watchTheme(func()) *theme { return &theme{} }

func (*theme) picture(s icons.State) (name string, get func() []byte) {
	return string(s), func() []byte { return icons.Template(s) }
}
