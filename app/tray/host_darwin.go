//go:build tray

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/build/icons"
)

// available returns nil, because every session has a menu bar.
func available(context.Context, time.Duration) error { return nil }

func copyText(text string) error {
	cmd := exec.Command("/usr/bin/pbcopy")
	cmd.Env = append(os.Environ(), "LC_ALL=en_US.UTF-8") // pbcopy decodes its input by the locale, which launchd does not set
	cmd.Stdin = strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return fault.Wrap(err, fault.Failed, "could not copy to the clipboard")
	}
	return nil
}

// theme is empty, because macOS adapts the colour of the icon to the menu bar.
type theme struct{}

func watchTheme(func()) *theme { return &theme{} }

func (*theme) icon(s icons.State) (name string, load func() []byte) {
	return string(s), func() []byte { return icons.Template(s) }
}
