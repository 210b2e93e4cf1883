package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/program"
)

const notifyTimeout = 5 * time.Second

// scriptNotifier shows notifications with the system's script language. A program that is not signed cannot show its own;
// those of a script cannot be clicked or removed.
type scriptNotifier struct{}

func newNotifier(context.Context, func(command string)) notifier { return scriptNotifier{} }

func (scriptNotifier) show(ctx context.Context, n notice) {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	cmd, err := program.Command(ctx, os.Environ(), "osascript", "-")
	if err != nil {
		return
	}
	cmd.Stdin = strings.NewReader(notificationScript(n))
	_ = cmd.Run() // the menu shows what waits
}

func (scriptNotifier) hide(context.Context, string) {}
