package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/program"
)

const notifyTimeout = 5 * time.Second

// scriptNotifier shows notifications with osascript, because a program that is not signed cannot show its own. The
// user cannot click these notifications, and the tray cannot remove them.
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
	_ = cmd.Run() // after a failure, the menu still shows what waits
}

func (scriptNotifier) hide(context.Context, string) {}
