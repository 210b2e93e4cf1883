//go:build tray

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/windows/registry"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/build/icons"
)

const personalizeKey = `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`

// available returns nil, because every session has a notification area.
func available(context.Context, time.Duration) error { return nil }

// copyText puts ASCII text on the clipboard. The system's clip program would decode other characters with the code page
// of the console.
func copyText(text string) error {
	cmd, err := program.Command(context.Background(), os.Environ(), "clip")
	if err == nil {
		cmd.Stdin = strings.NewReader(text)
		err = cmd.Run()
	}
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not copy to the clipboard")
	}
	return nil
}

// theme chooses icons by the colour of the taskbar. It reads the setting for each icon, because icons change seldom and
// changes of the setting are not watched.
type theme struct{}

func watchTheme(func()) *theme { return &theme{} }

func (*theme) icon(s icons.State) (name string, load func() []byte) {
	dark := true
	if key, err := registry.OpenKey(registry.CURRENT_USER, personalizeKey, registry.QUERY_VALUE); err == nil {
		defer func() { _ = key.Close() }()
		light, _, err := key.GetIntegerValue("SystemUsesLightTheme")
		dark = err != nil || light == 0
	}
	return fmt.Sprint(s, dark), func() []byte { return icons.Tray(s, dark) }
}
